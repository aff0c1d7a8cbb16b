"""The player model: its kernels against plain numpy, its prior, what it learns, its files."""

import json
import random
import re
from collections.abc import Sequence

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.bots.formula.agent import Formula
from clients.core.agent import Agent
from clients.lab.experiments.next_action import NOISE, by_position, score
from clients.lab.player_prior.made import SHIPPED, Matches, fit, population, prior_of
from engine.kernels.players import player as kernels
from engine.kernels.players.player import FEATURES, Curve, Hands, Player
from engine.players.learning import learn_from_hand, predicted_triple
from engine.players.models.explanation import explained
from engine.players.models.formula import continue_chance
from engine.players.models.generic import GenericModel
from engine.players.models.model import NoModel
from engine.players.models.player import (
    FEATURE_NAMES,
    PlayerModel,
    curve_of,
    format_prior,
    parse_prior,
    shipped_prior,
)
from engine.players.table_reader import TableReader
from engine.poker.records import PublicSituation
from engine.poker.rules import HandState
from engine.support.files.archive import ArchiveError
from tests.engine.players.models.prediction import foretold, learn, play, worst_calibration
from tests.oracles import player_model as oracle
from tests.support.asserting import refuses
from tests.support.strangers import STRANGERS

# --- the kernels --------------------------------------------------------------------------------------------


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
        some() & ~called, some(), some(), rng.uniform(1.0, 20.0) * 10 + to_call, to_call,
        rng.uniform(5.0, 30.0), 20.0, rng.randrange(4), rng.random() < 0.5, to_call > 0, rng.random() < 0.8,
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


@pytest.mark.slow
def test_the_covariance_stays_one_through_a_hundred_thousand_decisions() -> None:
    """Symmetric and positive, whatever came."""
    rng, numbers = random.Random(3), np.random.default_rng(3)
    prior = shipped_prior().player
    player, situations = copied(prior), [random_situation(rng) for _ in range(200)]
    hands, one = random_hands(numbers, 1), np.ones(1)
    for number in range(100_000):
        kernels.observe(player, prior, situations[number % 200], hands, one, number * 7 // 5 % 3)

    for curve in player:
        assert np.isfinite(curve.mean).all()
        assert curve.covariance == pytest.approx(curve.covariance.T, abs=1e-9)
        assert np.linalg.eigvalsh(curve.covariance)[0] > 0


# --- the prior ----------------------------------------------------------------------------------------------


def test_a_prior_made_again_is_the_same_to_the_last_digit() -> None:
    """By the same seed; its file brings back what it was made of, and names who made it."""
    matches = [Matches("limit-2p", 2, 6), Matches("nolimit-2p", 1, 6)]
    first, again = (format_prior(prior_of(list(population(matches, 5))), "us") for _ in range(2))

    assert first == again
    assert format_prior(parse_prior(first).player, "us") == first
    assert parse_prior(first).made_by == "us"


def test_the_shipped_prior_is_of_these_features() -> None:
    assert [len(curve.mean) for curve in shipped_prior().player] == [37, 40]
    assert sum(each.number for each in SHIPPED) == 260
    written = json.loads(format_prior(shipped_prior().player, "us"))
    del written["digest"]
    written["folds"]["features"][0] = "never"
    with pytest.raises(ArchiveError, match="the features of folds are others"):
        parse_prior(
            json.dumps({**written, "digest": ""}).replace('"digest": ""', f'"digest": {digest(written)}')
        )


def digest(header: dict[str, object]) -> str:
    """Of a header whose contents were changed."""
    from engine.support.files.formats import digest_of

    meta = {name: value for name, value in header.items() if name not in ("kind", "schema")}
    return json.dumps(digest_of([header["kind"], header["schema"], meta], {}))


def test_the_fit_finds_what_a_population_was_made_with() -> None:
    """Two hundred players with five hundred answers each, from a known mean and covariance."""
    rng = np.random.default_rng(1)
    mean, root = np.array([-1.0, 2.0, 0.5]), np.diag([1.0, 0.7, 0.5])
    root[1, 0] = 0.6
    players = []
    for _ in range(200):
        features = rng.normal(size=(500, 3))
        theta = mean + root @ rng.normal(size=3)
        players.append((features, (rng.random(500) < 1 / (1 + np.exp(-features @ theta))).astype(float)))

    found, covariance = fit(players)

    assert found == pytest.approx(mean, abs=0.25)
    assert covariance == pytest.approx(root @ root.T, abs=0.3)


# --- learning -----------------------------------------------------------------------------------------------


def hands_of(agent: Agent, number: int, seed: int = 77, other: type[Agent] = Random) -> list[HandState]:
    """Hands of an agent in seat 0, heads-up limit."""
    return play("limit-2p", [agent, other()], number, seed)


def learnt(states: Sequence[HandState]) -> list[PlayerModel]:
    """Models of both players that have watched some hands."""
    models = [PlayerModel(), PlayerModel()]
    for state in states:
        learn(models, state)
    return models


@pytest.mark.parametrize(
    "factory",
    [pytest.param(AlwaysCall, marks=pytest.mark.slow), STRANGERS["limper"], STRANGERS["tight-folder"]],
)
def test_prediction_gets_better_with_hands(factory: type[Agent]) -> None:
    states = hands_of(factory(), 160, other=Formula)
    models, later = [PlayerModel(), PlayerModel()], states[100:]
    none, generic, fresh = (
        score([model, model], later)[0].log_loss for model in (NoModel(), GenericModel(), PlayerModel())
    )
    for state in states[:100]:
        learn(models, state)

    assert fresh < none
    assert score(models, later)[0].log_loss < min(fresh, generic) - 0.02


def test_traits_are_those_of_a_table_like_the_one_where_the_player_was_met() -> None:
    agents = [Random() if seat % 2 else Formula(model="generic") for seat in range(6)]
    models = [PlayerModel() for _ in agents]
    for state in play("limit-6p", agents, 100, seed=5):
        learn(models, state)

    # One who raises with every second hand raises far more than is reasonable with five to come.
    assert min(models[seat].traits.preflop_raise for seat in (1, 3, 5)) > 2.0


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "name", ["always-call", "random", "limper", "maniac", "dice-bettor", "folds-by-size"]
)
def test_folds_come_as_often_as_predicted(name: str) -> None:
    """In every context with 500 cases, each hand being predicted before it is learned."""
    players = {**STRANGERS, "always-call": AlwaysCall, "random": Random}
    distance, contexts = worst_calibration(foretold(hands_of(players[name](), 3000, other=Formula)), 500)

    assert contexts >= 3
    assert distance <= 0.06


def test_habits_are_those_that_were_seen() -> None:
    traits = learnt(hands_of(AlwaysRaise(), 80))[0].traits

    assert traits.bet > 0.85
    assert traits.raise_ > 0.85
    assert traits.fold_to_bet < 0.1
    assert traits.preflop_raise > 1.6


def test_showdowns_show_whose_bets_have_nothing_to_do_with_the_hand() -> None:
    dice, strong = (
        learnt(hands_of(factory(), 150))[0].traits.noise[0]
        for factory in (STRANGERS["dice-bettor"], STRANGERS["limper"])
    )

    assert dice > 0.6
    assert strong < 0.4


def test_folds_to_our_raise_are_those_predicted_after_it() -> None:
    """At the table: what is expected of the answer is what is predicted once the raise has been made."""
    models, apart = [PlayerModel(), PlayerModel()], []
    for number, state in enumerate(hands_of(STRANGERS["limper"](), 60)):
        here, opponent = by_position(models, state), state.hand_number % 2
        reader = TableReader(here, NOISE)
        for before, position, _ in state.betting.steps() if number >= 50 else ():
            legal = before.legal_actions()
            if position == opponent or not legal.can_raise:
                continue
            reader.follow(before, state.board)
            traits, situation = reader.reading.traits_here(before), reader.decision(before).situation
            fold = 1 - continue_chance(situation, traits, opponent)
            raised = before.apply(legal.raising_to())
            reader.follow(raised, state.board)
            decision = reader.decision(raised)
            expected = predicted_triple(here[opponent], decision).fold
            # After the flop, what his hands are worth moves with our table, and that with our raise.
            assert fold == pytest.approx(expected, abs=1e-9 if before.betting_round == 0 else 0.25)
            apart.append(fold - expected)
        learn(models, state)
    assert len(apart) > 10
    assert abs(np.mean(apart)) < 0.05


def test_the_parts_of_an_explanation_add_up_to_what_is_said() -> None:
    """To z; none of it is the player's own before anything was seen."""
    state = next(state for state in hands_of(STRANGERS["limper"](), 40) if state.betting.betting_round == 3)
    for models in ([PlayerModel(), PlayerModel()], learnt(hands_of(STRANGERS["limper"](), 40, 5))):
        reader = TableReader(models, NOISE)
        reader.follow(state.betting, state.board)
        for decision, _ in reader.reading.decisions():
            model = models[decision.situation.position]
            said = explained(model, decision.situation, decision.values.hands, decision.weights)
            triple = predicted_triple(model, decision)
            fold = said[0].chance if said[0] else 0.0
            raising = said[1].chance if said[1] else 0.0
            assert (fold, (1 - fold) * raising) == pytest.approx((triple.fold, triple.raise_), abs=1e-9)
            for each in filter(None, said):
                assert sum(z for _, z, _ in each.parts) == pytest.approx(each.z, abs=1e-9)
                z, *told = map(float, re.findall(r" ([+-]\d+\.\d\d)\b", str(each)))
                assert sum(told) == pytest.approx(z, abs=0.005 * (len(told) + 1) + 1e-9)
                assert 0 < each.kappa <= 1
                assert any(own for _, _, own in each.parts) == (model.decisions > 0)


def test_all_who_watch_a_hand_learn_the_same_and_none_learns_it_twice() -> None:
    state = next(state for state in hands_of(Random(), 6) if state.betting.is_showdown)
    (first, other), (second, _) = learnt([state]), learnt([state])

    assert first.state == second.state != PlayerModel().state
    assert first.as_dict() == second.as_dict()
    reader = TableReader([PlayerModel(), PlayerModel()], NOISE)
    refuses(ValueError, "once", learn_from_hand, [first, other], reader, state.betting, state.board, ((), ()))


def test_a_snapshot_keeps_what_was_known_and_learns_for_itself() -> None:
    states = hands_of(Random(), 4)
    models = learnt(states[:1])
    before = [model.as_dict() for model in models]
    snapshots = [model.snapshot() for model in models]

    learn(models, states[1])

    assert [model.as_dict() for model in snapshots] == before
    assert models[0].as_dict() != before[0]
    learn(snapshots, states[1])
    assert [model.as_dict() for model in snapshots] == [model.as_dict() for model in models]


def test_a_model_adopts_only_its_kind_and_survives_json() -> None:
    refuses(TypeError, "GenericModel", PlayerModel().adopt, GenericModel())
    model = learnt(hands_of(Random(), 15))[0]

    copied_model = PlayerModel.from_dict(json.loads(json.dumps(model.as_dict())))

    assert copied_model.as_dict() == model.as_dict()
    assert copied_model.decisions == model.decisions > 20


@pytest.mark.parametrize(
    "wrong",
    [
        {"decisions": -1}, {"folds": {"mean": [0.0], "covariance": [1.0]}},
        {"raises": {"mean": ["x"] * 40, "covariance": [0.0] * 820}},
        {"folds": {"mean": [0.0] * 37, "covariance": [-1.0] * 703}},
    ],
)  # fmt: skip
def test_a_model_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    refuses(ValueError, "model:", PlayerModel.from_dict, {**PlayerModel().as_dict(), **wrong})
