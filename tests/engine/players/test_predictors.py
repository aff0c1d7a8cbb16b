"""Models with a tree or a network: how near they come to the entropy, how they are kept and vote."""

import json
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from clients.bots.baselines import AlwaysRaise
from clients.bots.heuristic.agent import Heuristic
from clients.bots.heuristic.prediction import VotedFolds
from clients.bots.opponent_book import MODELS, model_of
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.lab.experiments.next_action import NOISE, score
from engine.players.models.specific import SpecificModel
from engine.players.models.vote import Vote
from engine.players.predictors.features import NAMES, features_of
from engine.players.predictors.model import PREDICTORS, PredictedModel, Predictor, PredictorName
from engine.players.predictors.tree import GrowingTree
from engine.players.probability_triple import TRIPLE_INDEX, ProbabilityTriple
from engine.players.table_reader import TableReader
from engine.poker.rules import HandState, HandView, load_game, parse_betting
from tests.engine.players.models.prediction import learn, play
from tests.engine.players.models.test_specific import PLAYERS
from tests.support.asserting import refuses

# --- predictors ---------------------------------------------------------------------------------------------

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
        refuses(ValueError, "model:", PREDICTORS[name].from_dict, data)


# --- model --------------------------------------------------------------------------------------------------

KIND_NAMES: tuple[PredictorName, ...] = tuple(PREDICTORS)
USUAL_TRIPLE = ProbabilityTriple(0.2, 0.5, 0.3)


@pytest.fixture(scope="module")
def states() -> list[HandState]:
    """Hands of somebody who always raises against one who does as well."""
    return play("limit-2p", [AlwaysRaise(), AlwaysRaise()], 12)


@pytest.mark.parametrize("name", KIND_NAMES)
def test_it_begins_as_the_counting_model_and_learns(name: PredictorName, states: list[HandState]) -> None:
    counting = score([SpecificModel(), SpecificModel()], states)[0].log_loss
    models = [PredictedModel(name), PredictedModel(name)]
    before = score(models, states)[0].log_loss
    for state in states:
        learn(models, state)

    assert before == pytest.approx(counting, abs=0.02)
    assert score(models, states)[0].log_loss < counting / 2


@pytest.mark.parametrize("name", KIND_NAMES)
def test_a_snapshot_and_a_file_know_the_same(name: PredictorName, states: list[HandState]) -> None:
    models = [PredictedModel(name), PredictedModel(name)]
    for state in states[:6]:
        learn(models, state)
    snapshots = [model.snapshot() for model in models]
    files = [PredictedModel.from_dict(json.loads(json.dumps(model.as_dict()))) for model in models]
    known = score(models, states)[0].log_loss
    for state in states[6:]:
        learn(models, state)

    assert score(snapshots, states)[0].log_loss == known
    assert score(files, states)[0].log_loss == pytest.approx(known, abs=1e-9)
    assert files[0].name == name
    assert score(models, states)[0].log_loss < known


def test_models_of_different_kinds_are_never_taken_for_each_other(states: list[HandState]) -> None:
    """At the first hand all have seen nothing; readers of equal states share their work."""
    models = [SpecificModel(), *map(PredictedModel, KIND_NAMES)]

    assert len({model.state for model in models}) == len(models)
    for model in models[1:]:
        refuses(TypeError, "expected a PredictedModel", model.adopt, models[0])


def test_features_lie_between_0_and_1_and_tell_what_they_say() -> None:
    reader = TableReader([model_of("generic")] * 2, NOISE)
    game = load_game("limit-2p")
    for text, board in (("", ()), ("rrr", ()), ("rc/cr", (0, 17, 34)), ("rc/cc/rr", (0, 17, 34, 51))):
        betting = parse_betting(game, text)
        reader.follow(betting, board)
        situation = reader.decision(betting).situation
        numbers = dict(zip(NAMES, features_of(situation, USUAL_TRIPLE).tolist(), strict=True))

        assert all(0 <= number <= 1 for number in numbers.values())
        assert numbers["river"] == 0
        assert numbers["turn or later"] == (len(board) == 4)
        assert numbers["something to call"] == situation.can_fold
        assert numbers["can raise"] == situation.can_raise
        assert numbers["reasonable raise"] == 0.3


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_name(name: str) -> None:
    model = model_of(name)  # type: ignore[arg-type]

    assert getattr(model, "name", name) == name


# --- vote ---------------------------------------------------------------------------------------------------

triples = st.tuples(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.01, 1)).map(
    lambda given: tuple(each / sum(given) for each in given)
)


@given(st.lists(st.tuples(triples, triples, st.integers(0, 2)), max_size=20), st.floats(0.5, 1))
def test_weights_are_products_of_chances_that_fade(
    seen: list[tuple[tuple[float, ...], tuple[float, ...], int]], fading: float
) -> None:
    vote = Vote(2, fading)
    for first, second, action in seen:
        vote.observe((first, second), action)

    last = len(seen) - 1
    logs = [0.0, 0.0]
    for t, (first, second, action) in enumerate(seen):
        for model, triple in enumerate((first, second)):
            logs[model] += fading ** (last - t) * math.log(triple[action])
    assert vote.weights[0] == pytest.approx(1 / (1 + math.exp(logs[1] - logs[0])), abs=1e-9)
    assert sum(vote.weights) == pytest.approx(1)


def test_a_model_that_was_wrong_gets_its_vote_back() -> None:
    vote = Vote(2)
    folds, raises = (0.8, 0.1, 0.1), (0.1, 0.1, 0.8)
    for _ in range(50):
        vote.observe((folds, raises), 0)
    assert vote.mixed((folds, raises)) == pytest.approx(folds, abs=1e-6)
    for _ in range(200):
        vote.observe((folds, raises), 2)

    assert vote.mixed((folds, raises)) == pytest.approx(raises, abs=1e-6)


def test_impossible_votes_are_refused() -> None:
    refuses(ValueError, "one model or more", Vote, 0)
    refuses(ValueError, "fading", Vote, 2, 0.0)
    refuses(ValueError, "argument 2", Vote(2).observe, ((1.0, 0.0, 0.0),), 0)


class _Judge(VotedFolds):
    """Notes what each model, and the vote, gave to what came."""

    def __init__(self) -> None:
        super().__init__()
        self.chances: list[tuple[float, ...]] = []

    def hand_finished(self, view: HandView) -> None:
        reader = self.book.follow(view)
        steps = view.betting.steps()
        for (before, position, action), (decision, _) in zip(steps, reader.decisions, strict=True):
            if position == view.position or not (decision.situation.can_fold or decision.situation.can_raise):
                continue
            model = reader.reading.models[position]
            done = TRIPLE_INDEX[action.kind]
            each = self.predictions(view, before, decision, model)
            together = self._triple(view, before, decision, model)
            self.chances.append((*(triple[done] for triple in each), together[done]))
        super().hand_finished(view)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", PLAYERS)
def test_after_500_actions_the_vote_is_hardly_worse_than_the_best_model(name: str) -> None:
    """Log loss of the next 500 actions, on each player that the specific model is tried on."""
    player: Agent = PLAYERS[name]()
    watcher = Heuristic(model="vote")
    judge = _Judge()
    watcher.predictor = judge
    arena = Arena(load_game("limit-2p"), [player, watcher], 77)
    while len(judge.chances) < 1000:
        arena.play(20)

    losses = -np.log(np.maximum(np.array(judge.chances[500:1000]), 1e-3)).mean(axis=0)
    assert losses[3] <= losses[:3].min() + 0.02, losses
