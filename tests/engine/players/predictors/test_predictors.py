"""The tree and the network beside players whose chances are known: how near they come to the entropy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.players.predictors.features import NAMES
from engine.players.predictors.model import PREDICTORS, Predictor, PredictorName
from engine.players.predictors.tree import GrowingTree

Floats = NDArray[np.float64]

KINDS: Final[tuple[PredictorName, ...]] = tuple(PREDICTORS)
USUAL: Final = np.array([0.3, 0.4, 0.3])
"""What a reasonable player does, as the predictors are told."""
CAN_RAISE, TO_CALL = NAMES.index("can raise"), NAMES.index("something to call")
RAISED, ODDS = NAMES.index("an opponent raised last"), NAMES.index("pot odds")


def by_the_price(features: Floats) -> Floats:
    """Raises whoever has raised, else folds when the call is dear: what no single count tells."""
    if features[RAISED]:
        return np.array([0.05, 0.15, 0.8])
    return np.array([0.7, 0.2, 0.1]) if features[ODDS] > 0.5 else np.array([0.1, 0.8, 0.1])


def reasonable(features: Floats) -> Floats:
    """What is expected."""
    return USUAL


def caller(features: Floats) -> Floats:
    """Calls whatever happens."""
    return np.array([0.0, 1.0, 0.0])


class Played:
    """Decisions of a player in random situations."""

    def __init__(self, player: Callable[[Floats], Floats], number: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.features = (rng.random((number, len(NAMES))) < 0.5).astype(np.float64)
        self.features[:, ODDS] = rng.random(number)
        self.legal = np.ones((number, 3), np.bool_)
        self.legal[:, 0] = self.features[:, TO_CALL] == 1
        self.legal[:, 2] = self.features[:, CAN_RAISE] == 1
        self.chances = np.array([player(row) for row in self.features]) * self.legal
        self.chances /= self.chances.sum(axis=1, keepdims=True)
        self.expected = USUAL * self.legal
        self.expected /= self.expected.sum(axis=1, keepdims=True)
        self.actions = [int(rng.choice(3, p=row)) for row in self.chances]

    def teach(self, predictor: Predictor) -> Predictor:
        """Learn from all of it; the same predictor."""
        for row in zip(self.features, self.expected, self.legal, self.actions, strict=True):
            predictor.learn(*row)
        return predictor

    def predicted(self, predictor: Predictor) -> Floats:
        """Shape (decisions, 3)."""
        rows = zip(self.features, self.expected, self.legal, strict=True)
        return np.array([predictor.chances(*row) for row in rows])

    def divergence(self, predicted: Floats) -> float:
        """By how much the mean log loss is above the player's entropy: the mean relative entropy."""
        ratio = np.where(self.chances > 0, self.chances / np.maximum(predicted, 1e-12), 1.0)
        return float((self.chances * np.log(ratio)).sum(axis=1).mean())


@pytest.fixture(scope="module")
def taught() -> dict[str, Predictor]:
    """By kind, after 1,500 decisions of `by_the_price`."""
    played = Played(by_the_price, 1500, 1)
    return {name: played.teach(PREDICTORS[name]()) for name in KINDS}


@pytest.mark.parametrize("name", KINDS)
def test_it_comes_near_to_the_entropy_of_a_player_with_rules_of_its_own(
    name: PredictorName, taught: dict[str, Predictor]
) -> None:
    """.21 is what expecting a reasonable player costs; the network takes sharp edges for slopes."""
    later = Played(by_the_price, 300, 2)

    assert later.divergence(later.expected) > 0.2
    assert later.divergence(later.predicted(taught[name])) < {"tree": 0.04, "network": 0.08}[name]


@pytest.mark.parametrize("name", KINDS)
def test_who_is_as_expected_is_left_as_expected(name: PredictorName) -> None:
    later = Played(reasonable, 200, 3)

    predictor = PREDICTORS[name]()
    at_once = later.predicted(predictor)
    Played(reasonable, 300, 4).teach(predictor)

    np.testing.assert_allclose(at_once, later.expected, atol=0.01)
    assert later.divergence(later.predicted(predictor)) < 0.03


@pytest.mark.parametrize("name", KINDS)
def test_who_does_the_same_everywhere_is_known_soon(name: PredictorName) -> None:
    later = Played(caller, 100, 5)

    predicted = later.predicted(Played(caller, 200, 6).teach(PREDICTORS[name]()))

    assert later.divergence(predicted) < 0.08


@pytest.mark.parametrize("name", KINDS)
def test_chances_are_of_what_is_allowed_and_add_up(name: PredictorName, taught: dict[str, Predictor]) -> None:
    later = Played(by_the_price, 100, 7)
    predicted = later.predicted(taught[name])

    np.testing.assert_allclose(predicted.sum(axis=1), 1.0)
    assert (predicted[~later.legal] == 0).all()
    assert (predicted[later.legal] > 0).all()


def test_a_tree_branches_where_the_player_does_and_nowhere_for_chance(taught: dict[str, Predictor]) -> None:
    tree, plain = taught["tree"], Played(reasonable, 1500, 8).teach(GrowingTree())
    assert isinstance(tree, GrowingTree)
    assert isinstance(plain, GrowingTree)

    branches = {NAMES[node["branch"][0]] for node in tree.as_dict()["nodes"] if "branch" in node}

    assert {"an opponent raised last", "pot odds"} <= branches
    assert plain.num_leaves <= 2


@pytest.mark.parametrize("name", KINDS)
def test_the_same_actions_teach_the_same(name: PredictorName) -> None:
    first, second = (Played(by_the_price, 150, 9).teach(PREDICTORS[name]()) for _ in range(2))

    assert first.as_dict() == second.as_dict()


@pytest.mark.parametrize("name", KINDS)
def test_a_copy_learns_for_itself(name: PredictorName, taught: dict[str, Predictor]) -> None:
    later = Played(by_the_price, 60, 10)
    before = later.predicted(taught[name])

    copied = taught[name].copy()
    Played(caller, 60, 11).teach(copied)

    assert (later.predicted(taught[name]) == before).all()
    assert (later.predicted(copied) != before).any()


@pytest.mark.parametrize("name", KINDS)
def test_it_survives_json_and_goes_on_learning_as_before(
    name: PredictorName, taught: dict[str, Predictor]
) -> None:
    again = PREDICTORS[name].from_dict(json.loads(json.dumps(taught[name].as_dict())))
    kept = taught[name].copy()

    for predictor in (kept, again):
        Played(by_the_price, 60, 12).teach(predictor)

    assert again.as_dict() == kept.as_dict()


def _damaged(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Each part missing, no numbers, or too many of them; trees that are none."""
    wrong = [{k: v for k, v in data.items() if k != name} for name in data]
    wrong += [{**data, name: value} for name in data for value in (None, "x", [[1, 2]], [float("nan")])]
    if "nodes" in data:
        first = data["nodes"][0]
        for branch in ([0, 3, 0, 1], [99, 3, 1, 2], [0, 0, 1, 2], [0, 3, 1, 10**6]):
            wrong.append({"nodes": [{**first, "branch": branch}, *data["nodes"][1:]]})
    return wrong


@pytest.mark.parametrize("name", KINDS)
def test_what_is_damaged_is_refused(name: PredictorName, taught: dict[str, Predictor]) -> None:
    for data in _damaged(taught[name].as_dict()):
        with pytest.raises(ValueError, match="model:"):
            PREDICTORS[name].from_dict(data)
