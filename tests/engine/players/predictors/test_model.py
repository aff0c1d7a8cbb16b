"""Models of opponents with a tree or a network: what they learn of hands, how they are copied and kept."""

from __future__ import annotations

import json

import pytest

from clients.bots.baselines import AlwaysRaise
from clients.bots.opponent_book import MODELS, model_of
from engine.players.models.specific import SpecificModel
from engine.players.predictors.features import NAMES, features_of
from engine.players.predictors.model import PREDICTORS, PredictedModel, PredictorName
from engine.players.probability_triple import ProbabilityTriple
from engine.players.table_reader import TableReader
from engine.poker.rules import HandState, load_game, parse_betting
from tests.engine.players.models.prediction import NOISE, learn, play, score

KINDS: tuple[PredictorName, ...] = tuple(PREDICTORS)
USUAL = ProbabilityTriple(0.2, 0.5, 0.3)


@pytest.fixture(scope="module")
def states() -> list[HandState]:
    """Hands of somebody who always raises against one who does as well."""
    return play("limit-2p", [AlwaysRaise(), AlwaysRaise()], 12)


@pytest.mark.parametrize("name", KINDS)
def test_it_begins_as_the_counting_model_does_and_learns(
    name: PredictorName, states: list[HandState]
) -> None:
    counting = score([SpecificModel(), SpecificModel()], states)[0].log_loss
    models = [PredictedModel(name), PredictedModel(name)]
    before = score(models, states)[0].log_loss
    for state in states:
        learn(models, state)

    assert before == pytest.approx(counting, abs=0.02)
    assert score(models, states)[0].log_loss < counting / 2


@pytest.mark.parametrize("name", KINDS)
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
    models = [SpecificModel(), *map(PredictedModel, KINDS)]

    assert len({model.state for model in models}) == len(models)
    for model in models[1:]:
        with pytest.raises(TypeError, match="expected a PredictedModel"):
            model.adopt(models[0])


def test_features_lie_between_0_and_1_and_tell_what_they_say() -> None:
    reader = TableReader([model_of("generic")] * 2, NOISE)
    game = load_game("limit-2p")
    for text, board in (("", ()), ("rrr", ()), ("rc/cr", (0, 17, 34)), ("rc/cc/rr", (0, 17, 34, 51))):
        betting = parse_betting(game, text)
        reader.follow(betting, board)
        situation = reader.decision(betting).situation
        numbers = dict(zip(NAMES, features_of(situation, USUAL).tolist(), strict=True))

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
