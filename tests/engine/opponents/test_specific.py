"""Models that learn: from neutral to stereotype to specific, what tells nothing, calibration, memory."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence

import numpy as np
import pytest

from clients.agent import Agent
from clients.arena import Arena
from clients.baselines import AlwaysCall, AlwaysRaise, Random
from clients.formula.agent import Formula
from engine.opponents.generic import GenericModel
from engine.opponents.learning import PredictionScore, learn_from_hand, predicted_triple
from engine.opponents.model import NoModel, OpponentModel
from engine.opponents.specific import SpecificModel
from engine.opponents.table_reader import TableReader
from engine.rules import HandState, load_game

NOISE = 0.05


def hands_of(agent: Agent, number: int, seed: int = 77, other: type[Agent] = Random) -> list[HandState]:
    """Hands of an agent in seat 0, heads-up limit."""
    states: list[HandState] = []
    arena = Arena(load_game("limit-2p"), [agent, other()], seed)
    arena.play(number, on_hand=lambda state, _: states.append(state))
    return states


def by_position(models: Sequence[OpponentModel], state: HandState) -> list[OpponentModel]:
    return [models[(position + state.hand_number) % len(models)] for position in range(len(models))]


def learn(models: Sequence[OpponentModel], state: HandState) -> None:
    here = by_position(models, state)
    reader = TableReader(here, NOISE)
    reader.follow(state.betting, state.board)
    shown = [
        cards if state.betting.is_showdown and not folded else ()
        for cards, folded in zip(state.deal.hole_cards, state.betting.folded, strict=True)
    ]
    learn_from_hand(here, reader, state.betting, state.board, shown)


def score(models: Sequence[OpponentModel], states: Sequence[HandState]) -> PredictionScore:
    """Of the model of seat 0, without learning."""
    result = PredictionScore()
    for state in states:
        here = by_position(models, state)
        reader = TableReader(here, NOISE)
        reader.follow(state.betting, state.board)
        for decision, action in reader.decisions:
            position = decision.situation.position
            if (position + state.hand_number) % len(models) == 0:
                result.observe(decision, predicted_triple(here[position], decision), action)
    return result


def stages(
    agent: Agent, learned: Sequence[int], tested: int, other: type[Agent] = Random
) -> tuple[list[PredictionScore], list[SpecificModel]]:
    """Scores of no model, the generic one, and the specific one after so many hands, on the same hands."""
    states = hands_of(agent, learned[-1] + tested, other=other)
    later = states[learned[-1] :]
    scores = [score([NoModel(), NoModel()], later), score([GenericModel(), GenericModel()], later)]
    models = [SpecificModel(), SpecificModel()]
    for number, state in enumerate(states[: learned[-1]], start=1):
        learn(models, state)
        if number in learned:
            scores.append(score(copy.deepcopy(models), later))
    return scores, models


@pytest.mark.parametrize("factory", [AlwaysCall, Formula])
def test_prediction_gets_better_from_stage_to_stage(factory: type[Agent]) -> None:
    (none, generic, ten, sixty), _ = stages(factory(), (10, 60), 40)

    assert ten.log_loss <= none.log_loss + 0.005
    assert sixty.log_loss <= ten.log_loss + 0.005
    assert sixty.log_loss < generic.log_loss
    assert sixty.accuracy >= sixty.most_frequent_accuracy - 0.06


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "agent",
    [AlwaysCall(), AlwaysRaise(), Random(), Formula(), Formula(tightness=0.9), Random(0.3, 0.5, 0.2)],
    ids=["always-call", "always-raise", "random", "formula", "tight", "folds-more"],
)
def test_after_500_hands_the_specific_model_is_best_and_calibrated(agent: Agent) -> None:
    (none, generic, ten, hundred, five_hundred), _ = stages(agent, (10, 100, 500), 700, Formula)

    losses = [none.log_loss, ten.log_loss, hundred.log_loss, five_hundred.log_loss]
    assert losses == sorted(losses, reverse=True)
    assert five_hundred.log_loss < generic.log_loss
    for context in five_hundred.calibration(500):
        assert context.predicted == pytest.approx(context.observed, abs=0.03)


def test_calls_of_one_who_never_folds_and_raises_of_one_who_always_raises_tell_nothing() -> None:
    for factory, action in ((AlwaysCall, 1), (AlwaysRaise, 2)):
        models = [SpecificModel(), SpecificModel()]
        states = hands_of(factory(), 110)
        for state in states[:100]:
            learn(models, state)
        spreads = []
        for state in states[100:]:
            here = by_position(models, state)
            reader = TableReader(here, 0.0)
            reader.follow(state.betting, state.board)
            for decision, done in reader.decisions:
                position = decision.situation.position
                if (position + state.hand_number) % 2 == 0 and done == action:
                    chances = here[position].triples(decision)[:, action][decision.weights > 0]
                    spreads.append(float(chances.max() - chances.min()))
        assert np.median(spreads) < 0.15


@pytest.mark.parametrize(("factory", "least", "most"), [(Random, 0.55, 1.0), (Formula, 0.0, 0.55)])
def test_showdowns_show_who_throws_dice(factory: type[Agent], least: float, most: float) -> None:
    models = [SpecificModel(), SpecificModel()]
    for state in hands_of(factory(), 50):
        learn(models, state)

    assert least <= models[0].noise <= most


def test_with_nothing_seen_the_specific_model_is_the_generic_one() -> None:
    state = hands_of(AlwaysCall(), 1)[0]
    reader = TableReader([GenericModel(), GenericModel()], NOISE)
    reader.follow(state.betting, state.board)

    for decision, _ in reader.decisions:
        generic = predicted_triple(GenericModel(), decision)
        assert predicted_triple(SpecificModel(), decision) == pytest.approx(generic, abs=1e-6)


def test_habits_are_those_that_were_seen() -> None:
    models = [SpecificModel(), SpecificModel()]
    for state in hands_of(AlwaysRaise(), 80):
        learn(models, state)

    traits = models[0].traits
    assert traits.bet > 0.9
    assert traits.raise_ > 0.9
    assert traits.fold_to_bet < 0.1
    assert traits.preflop_raise > 1.8


def test_a_model_survives_json() -> None:
    models = [SpecificModel(), SpecificModel()]
    for state in hands_of(Random(), 15):
        learn(models, state)

    copied = SpecificModel.from_dict(json.loads(json.dumps(models[0].as_dict())))

    assert copied.as_dict() == models[0].as_dict()
    assert copied.traits == models[0].traits


@pytest.mark.parametrize(
    "wrong",
    [{"contexts": None}, {"groups": [[1, 2, 3]]}, {"raises_seen": [-1, 0]}, {"noise_evidence": ["x"] * 11}],
)
def test_a_model_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="model:"):
        SpecificModel.from_dict({**SpecificModel().as_dict(), **wrong})


def test_all_who_watch_a_hand_learn_the_same_and_none_learns_it_twice() -> None:
    state = next(state for state in hands_of(Random(), 6) if state.betting.is_showdown)
    readers = []
    for _ in range(2):
        models = [SpecificModel(), SpecificModel()]
        learn(models, state)
        readers.append(models)
    (first, _), (second, _) = readers

    assert first.state == second.state != SpecificModel().state
    assert first.as_dict() == second.as_dict()
    reader = TableReader([SpecificModel(), SpecificModel()], NOISE)
    with pytest.raises(ValueError, match="once"):
        learn_from_hand(readers[0], reader, state.betting, state.board, ((), ()))


def test_a_snapshot_keeps_what_was_known_and_learns_for_itself() -> None:
    states = hands_of(Random(), 4)
    models = [SpecificModel(), SpecificModel()]
    learn(models, states[0])
    before = [model.as_dict() for model in models]
    snapshots = [model.snapshot() for model in models]

    learn(models, states[1])

    assert [model.as_dict() for model in snapshots] == before
    assert models[0].as_dict() != before[0]
    learn(snapshots, states[1])
    assert [model.as_dict() for model in snapshots] == [model.as_dict() for model in models]


def test_a_specific_model_adopts_only_its_kind() -> None:
    with pytest.raises(TypeError, match="GenericModel"):
        SpecificModel().adopt(GenericModel())
