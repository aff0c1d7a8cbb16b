"""The player model: its kernels against plain numpy, its prior, what it learns, its files."""

import random

import numpy as np
import pytest

from engine.kernels.players import player as kernels
from engine.kernels.players.player import FEATURES, Curve, Hands, Player
from engine.players.models.player import FEATURE_NAMES, curve_of
from engine.poker.records import PublicSituation
from tests.oracles import player_model as oracle


def random_situation(rng: random.Random) -> PublicSituation:
    """Any numbers that a situation may have."""
    stage, players = rng.randrange(4), rng.randrange(2, 11)
    own, others = rng.randrange(players), [rng.random() < 0.5 for _ in range(10)]
    opponents = sum(1 << p for p, there in enumerate(others) if there and p < players) & ~(1 << own)
    opponents = opponents or 1 << (own + 1) % players

    def some() -> int:
        return rng.getrandbits(players)

    called = some()
    to_call = rng.choice((0.0, 5.0, 10.0, 20.0, 35.0))
    return PublicSituation(
        stage, players, own, rng.randrange(4), -1, some() & opponents, some() & opponents, opponents, called,
        some() & ~called, some(), some(), rng.uniform(1.0, 20.0) * 10 + to_call, to_call, rng.uniform(5.0, 30.0), 20.0,
        rng.random() < 0.3, rng.random() < 0.5, to_call > 0, rng.random() < 0.8,
    )  # fmt: skip


def random_hands(rng: np.random.Generator, number: int) -> Hands:
    """Hands of any numbers."""
    arrays = rng.random((3, number))
    arrays.flags.writeable = False
    return Hands(*arrays)


def random_player(rng: np.random.Generator) -> Player:
    """Any mean and covariance."""
    curves = []
    for which, pairs in enumerate(FEATURES):
        root = rng.normal(size=(len(pairs), len(pairs))) * 0.3
        curves.append(curve_of(which, rng.normal(size=len(pairs)), root @ root.T))
    return Player(*curves)


def copied(player: Player) -> Player:
    """The same, to be changed."""
    return Player(*(Curve(c.layout, c.mean.copy(), c.covariance.copy()) for c in player))


@pytest.mark.parametrize("seed", range(12))
def test_the_kernels_do_what_the_formulas_say(seed: int) -> None:
    """Triples, answers and three steps in random situations, to 1e-9."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    prior = random_player(numbers)
    player = copied(prior)
    plain = [oracle.Curve(names, c.mean, c.covariance) for names, c in zip(FEATURE_NAMES, prior, strict=True)]
    for _ in range(3):
        situation, number = random_situation(rng), rng.choice((1, 40))
        hands, weights = random_hands(numbers, number), numbers.random(number)
        where = oracle.situation_of(situation)
        rows = [
            oracle.features(curve.names, where, oracle.hands_of(*hands, where["price"])) for curve in plain
        ]
        folds = plain[0].chances(rows[0], weights) if situation.can_fold else np.zeros(number)
        left = weights * (1 - folds)
        raises = plain[1].chances(rows[1], left) if situation.can_raise else np.zeros(number)
        expected = np.array([folds, (1 - folds) * (1 - raises), (1 - folds) * raises]).T
        triples = np.empty((number, 3))
        kernels.fill_player_triples(player, situation, hands, weights, triples)
        assert triples == pytest.approx(expected, abs=1e-9)
        said = kernels.answer(player, situation, hands, weights)
        assert (said.fold, said.raise_) == pytest.approx(
            weights @ expected[:, [0, 2]] / weights.sum(), abs=1e-9
        )
        action = rng.randrange(3)
        kernels.observe(player, prior, situation, hands, weights, action)
        if situation.can_fold:
            left = weights * (1 - plain[0].step(rows[0], weights, action == 0))
        if situation.can_raise and action != 0:
            plain[1].step(rows[1], left, action == 2)
        for ours, theirs in zip(player, plain, strict=True):
            assert ours.mean == pytest.approx(theirs.mean, abs=1e-9)
            assert ours.covariance == pytest.approx(theirs.covariance, abs=1e-9)


def test_the_rational_function_is_a_logistic_one() -> None:
    """Within a ten thousandth everywhere, and never outside 0 to 1."""
    z = np.linspace(-40, 40, 4001)
    found = np.array([kernels.logistic(each) for each in z])
    assert found == pytest.approx(1 / (1 + np.exp(-z)), abs=1e-4)
    assert found.min() >= 0
    assert found.max() <= 1
