"""Models that learn: from neutral to stereotype to specific, what tells nothing, calibration, memory."""

import itertools
import json
import math
from collections.abc import Callable, Sequence

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.bots.formula.agent import Formula
from clients.bots.hand_strength import HandStrengthBot
from clients.bots.simple import SimpleBot
from clients.core.agent import Agent
from clients.lab.experiments.next_action import NOISE, by_position, gain, losses_by_hand, score
from engine.kernels.players.bars import bars_place, with_bars
from engine.kernels.players.records import NUM_FOLD_PLACES, Noise
from engine.players.action_context import situation_of
from engine.players.board_values import board_values
from engine.players.learning import PredictionScore, learn_from_hand, predicted_triple
from engine.players.models.formula import continue_chance
from engine.players.models.generic import GenericModel
from engine.players.models.model import Decision, NoModel
from engine.players.models.specific import SpecificModel
from engine.players.probability_triple import ProbabilityTriple, TripleIndex
from engine.players.reweighting import SPREAD
from engine.players.table_reader import TableReader
from engine.poker.combos import NUM_COMBOS
from engine.poker.records import NUM_CONTEXTS, noise_index
from engine.poker.rules import HandState, load_game
from tests.engine.players.models.prediction import foretold, learn, play, worst_calibration
from tests.oracles import triples as oracle
from tests.oracles.triples import Answer, by_bars
from tests.support.asserting import refuses
from tests.support.strangers import STRANGERS


def hands_of(agent: Agent, number: int, seed: int = 77, other: type[Agent] = Random) -> list[HandState]:
    """Hands of an agent in seat 0, heads-up limit."""
    return play("limit-2p", [agent, other()], number, seed)


def learnt(states: Sequence[HandState]) -> list[SpecificModel]:
    """Models of both players that have watched some hands."""
    models = [SpecificModel(), SpecificModel()]
    for state in states:
        learn(models, state)
    return models


def stages(
    agent: Agent, learned: Sequence[int], tested: int, other: type[Agent] = Random
) -> tuple[list[PredictionScore], list[SpecificModel]]:
    """Scores of no model, the generic one, and the specific one after some hands, on the same hands."""
    states = hands_of(agent, learned[-1] + tested, other=other)
    later = states[learned[-1] :]
    scores = [score([model, model], later)[0] for model in (NoModel(), GenericModel())]
    models = [SpecificModel(), SpecificModel()]
    for number, state in enumerate(states[: learned[-1]], start=1):
        learn(models, state)
        if number in learned:
            scores.append(score(models, later)[0])
    return scores, models


@pytest.mark.parametrize("factory", [AlwaysCall, Formula])
def test_prediction_gets_better_from_stage_to_stage(factory: type[Agent]) -> None:
    (none, generic, ten, sixty), _ = stages(factory(), (10, 60), 40)

    assert ten.log_loss <= none.log_loss + 0.005
    assert sixty.log_loss <= ten.log_loss + 0.005
    assert sixty.log_loss < generic.log_loss
    assert sixty.accuracy >= sixty.most_frequent_accuracy - 0.06


PLAYERS: dict[str, Callable[[], Agent]] = {
    "always-call": AlwaysCall, "always-raise": AlwaysRaise, "random": Random,
    "folds-more": lambda: Random(0.3, 0.5, 0.2), "formula": Formula,
    "tight-aggressive": lambda: Formula(tightness=0.9, aggression=0.9),
    "loose-passive": lambda: Formula(tightness=0.1, aggression=0.1), "simple": SimpleBot,
    "hand-strength": HandStrengthBot,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", PLAYERS)
def test_after_500_hands_the_specific_model_is_the_best(name: str) -> None:
    """Three matches, of which 500 hands are learned and the next 300 predicted: ten hands may mislead.

    Log losses are compared on the same hands; one is above another if that is beyond chance, at 5 %.
    """
    found: dict[str, list[NDArray[np.float64]]] = {}
    accuracy = baseline = 0.0
    for seed in (77, 78, 79):
        states = hands_of(PLAYERS[name](), 800, seed, Formula)
        later = states[500:]
        models = [SpecificModel(), SpecificModel()]
        for stage, model in (("none", NoModel()), ("generic", GenericModel())):
            found.setdefault(stage, []).append(losses_by_hand([model, model], later))
        for number, state in enumerate(states[:500], start=1):
            learn(models, state)
            if number in (10, 100, 500):
                found.setdefault(str(number), []).append(losses_by_hand(models, later))
        last, _ = score(models, later)
        accuracy += last.accuracy / 3
        baseline += last.most_frequent_accuracy / 3
    losses = {stage: np.concatenate(of_matches) for stage, of_matches in found.items()}

    for before, after in itertools.pairwise(("none", "10", "100", "500")):
        fallen, error = gain(losses[before], losses[after])
        assert fallen >= -1.645 * error, f"from {before} to {after}: {fallen:.4f} +- {error:.4f}"
    fallen, error = gain(losses["generic"], losses["500"])
    # The generic model is the formula's own strategy: nobody could predict the formula better.
    assert fallen >= (-1.645 * error if name == "formula" else 0.0), f"{fallen:.4f} +- {error:.4f}"
    assert accuracy >= baseline - 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    "agent", [Random(0.1, 0.5, 0.4), HandStrengthBot(call=0.5)], ids=["random", "strong"]
)
def test_folds_come_as_often_as_predicted(agent: Agent) -> None:
    """In every context with 500 cases, each hand being predicted before it is learned."""
    hands = hands_of(agent, 1000, other=AlwaysRaise)

    distance, contexts = worst_calibration(foretold(hands), 500)

    assert contexts >= 3
    assert distance <= 0.03


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", PLAYERS)
def test_folds_come_as_often_as_predicted_heads_up(name: str) -> None:
    distance, contexts = worst_calibration(
        foretold(play("limit-2p", [PLAYERS[name](), Formula()], 4000)), 500
    )

    assert contexts >= 4
    assert distance <= 0.03


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("game", ["limit-6p", "limit-10p"])
def test_folds_come_as_often_as_predicted_at_full_tables(game: str) -> None:
    players = [Formula, *PLAYERS.values()][: load_game(game).num_players]
    hands = play(game, [make() for make in players], 2500)

    distance, contexts = worst_calibration(foretold(hands), 500)

    assert contexts >= 20
    assert distance <= 0.03


def test_calls_of_one_who_never_folds_and_raises_of_one_who_always_raises_tell_nothing() -> None:
    for factory, action in ((AlwaysCall, 1), (AlwaysRaise, 2)):
        states = hands_of(factory(), 110)
        models = learnt(states[:100])
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


def test_predictions_follow_from_the_hands_that_were_watched() -> None:
    """Frequencies and triples by the rules of ``tests.oracles.triples``, from the hands' own decisions."""
    states = hands_of(AlwaysCall(), 4, other=Formula)
    models, player = [SpecificModel(), SpecificModel()], oracle.CountedPlayer()
    answers: list[Answer] = []
    checked = 0
    for state in states:
        here = by_position(models, state)
        reader = TableReader(here, NOISE)
        reader.follow(state.betting, state.board)
        read: list[oracle.Seen] = []
        answered: list[Answer] = []
        for decision, action in reader.decisions:
            model, situation = here[decision.situation.position], decision.situation
            if model is not models[0] or not (situation.can_fold or situation.can_raise):
                continue
            generic = GenericModel().triples(decision)
            usual = oracle.chances(np.average(generic, axis=0, weights=decision.weights).tolist())
            legality = situation.can_fold, situation.can_raise
            known = player.frequencies(situation.numbers, usual, *legality)
            if decision.below is not None:
                # Learnt one by one, after those before it in the hand.
                then = oracle.CountedPlayer([*player.history, *read])
                without_bars = then.frequencies(situation.numbers, usual, *legality)
                fold, raising = known["fold"], known["raise"]
                for name, chance in (("fold", fold), ("raise", raising)):
                    place = bars_place(situation.public, TripleIndex[name.upper()])
                    if place < 0:
                        continue
                    part = decision.below if name == "fold" else 1 - decision.below
                    asked = Answer(
                        chance if name == "fold" else raising, part.tolist(), oracle.ACTIONS[action] == name,
                        name == "raise", place, situation.context.index,
                    )  # fmt: skip
                    drawn = by_bars(answers, asked)
                    answered.append(attrs.evolve(asked, chance=without_bars[name]))
                    if name == "fold":
                        raising *= (1 - drawn) / (1 - fold)
                        fold = drawn
                    else:
                        raising = min(drawn, max(raising, 0.99 * (1 - fold)))
                known = oracle.chances((fold, 1 - fold - raising, raising))
            assert models[0].frequencies(decision) == pytest.approx(tuple(known.values()), abs=1e-9)
            if state is states[-1]:
                check_triples(models[0], decision, generic, usual, known)
                checked += 1
            seen = oracle.Seen(situation.numbers, usual, *legality, oracle.ACTIONS[action])
            read.append(seen)
        learn(models, state)
        answers += answered
        player.history += [*read, *(attrs.evolve(seen, usual=None) for seen in read)]

    assert checked >= 2


def check_triples(
    model: SpecificModel,
    decision: Decision,
    generic: NDArray[np.float64],
    usual: oracle.Chances,
    known: oracle.Chances,
) -> None:
    """Some rows of a model's triples: formula and implied thresholds by shares, part of it blind."""
    situation, values = decision.situation, decision.values
    share = oracle.own_share(usual, known)
    assert share > 0
    own = oracle.own_frequencies(usual, known, share, situation.can_fold, situation.can_raise)
    at = oracle.implied_thresholds(
        decision.weights.tolist(), values.value.tolist(), values.call.tolist(), own,
        [SPREAD] * NUM_COMBOS, [SPREAD] * NUM_COMBOS,
    )  # fmt: skip
    triples = model.triples(decision)
    for combo in range(0, NUM_COMBOS, 53):
        by_own = oracle.threshold_chances(
            float(values.value[combo]), float(values.call[combo]), *at, SPREAD, SPREAD
        )
        sharp = {
            name: (1 - share) * formula + share * by_own[name]
            for formula, name in zip(generic[combo], oracle.ACTIONS, strict=True)
        }
        noises = model.noises[noise_index(situation.betting_round, len(situation.opponents))].tolist()
        expected = oracle.blurred(sharp, known, *noises)
        assert triples[combo] == pytest.approx(tuple(expected.values()), abs=1e-5)


@pytest.mark.parametrize(("factory", "least", "most"), [(Random, 0.45, 1.0), (Formula, 0.0, 0.55)])
def test_showdowns_show_who_throws_dice(factory: type[Agent], least: float, most: float) -> None:
    models = learnt(hands_of(factory(), 50))

    assert least <= models[0].noises[1].min() <= models[0].noises[1].max() <= most


def test_showdowns_show_who_bets_by_dice_and_folds_by_the_hand() -> None:
    models = learnt(hands_of(STRANGERS["dice-bettor"](), 100, other=AlwaysCall))

    assert (models[0].noises[:2, Noise.RAISES] > 0.6).all()
    assert (models[0].noises[:, Noise.FOLDS] < 0.5).all()
    _, against_one, in_company = models[0].noises[:, Noise.RAISES].tolist()
    assert SpecificModel().noises[2, Noise.RAISES] < in_company < against_one  # nobody played three-handed
    assert models[0].traits.noise == (against_one, in_company)


def test_how_far_the_hand_decides_begins_anew_where_folds_and_raises_were_one() -> None:
    models = learnt(hands_of(Random(), 10))
    older = {**models[0].as_dict(), "noise_evidence": [1.0] * 11}

    model = SpecificModel.from_dict(older)

    assert (model.noises == SpecificModel().noises).all()
    assert model.as_dict()["contexts"] == older["contexts"]


def test_folds_to_our_raise_depend_on_the_range_as_after_it() -> None:
    """The chance that the public state gives is drawn towards the part of the range that is folded."""
    models, moved = [SpecificModel(), SpecificModel()], 0
    for number, state in enumerate(hands_of(STRANGERS["limper"](), 150)):
        here, opponent = by_position(models, state), state.hand_number % 2
        reader = TableReader(here, NOISE)
        for before, position, _ in state.betting.steps() if number >= 100 else ():
            legal = before.legal_actions()
            if position == opponent or not legal.can_raise or before.betting_round == 0:
                continue
            reader.follow(before, state.board)
            situation, reading = reader.decision(before).situation, reader.reading
            usual = 1 - continue_chance(situation, reading.traits, opponent)
            fold = 1 - continue_chance(situation, reading.traits_here(before), opponent)

            answer = situation_of(before.apply(legal.raising_to()))
            below = board_values(reading.board).below_bars(reader.weights(opponent))
            triple = ProbabilityTriple(usual, 1 - usual, 0.0)
            counts, context = models[0].counts, answer.context.index
            assert fold == pytest.approx(with_bars(triple, counts, answer.public, context, below).fold)
            moved += abs(fold - usual) > 0.05
        learn(models, state)
    assert moved > 10


def test_a_memory_that_knows_the_bars_of_folds_alone_is_read() -> None:
    """What it knows of them is kept; of the bars of raises nothing is known."""
    models = learnt(hands_of(Formula(), 20))
    older, known = models[0].as_dict(), models[0].counts
    for name in ("bars_evidence", "bars_weight_evidence", "bars_seen"):
        older[name] = older[name][:NUM_FOLD_PLACES]
    older["bars_offsets"] = older["bars_offsets"][:NUM_CONTEXTS]

    counts, nothing = SpecificModel.from_dict(older).counts, SpecificModel().counts

    for found, kept, begun, rows in (
        (counts.bars, known.bars, nothing.bars, NUM_FOLD_PLACES),
        (counts.bars_weight, known.bars_weight, nothing.bars_weight, NUM_FOLD_PLACES),
        (counts.bars_moved, known.bars_moved, nothing.bars_moved, NUM_CONTEXTS),
    ):
        assert found[:rows] == pytest.approx(kept[:rows])
        assert (found[rows:] == begun[rows:]).all()
        assert (kept[:rows] != begun[:rows]).any()
        assert (kept[rows:] != begun[rows:]).any()


def test_a_memory_that_knows_nothing_of_company_is_read() -> None:
    """What was known of pots of any size is known of both; what company changes begins anew."""
    models = learnt(hands_of(Random(), 10))
    older = models[0].as_dict()
    del older["company"], older["company_evidence"]
    older["noise_evidence"] = older["noise_evidence"][:2]

    model = SpecificModel.from_dict(older)

    assert model.noises[:2] == pytest.approx(models[0].noises[:2])
    assert model.noises[2] == pytest.approx(model.noises[1])
    assert not model.counts.company.any()
    assert model.counts.company_weight == pytest.approx(1 / (1 + math.e))


def test_with_nothing_seen_the_specific_model_is_the_generic_one() -> None:
    state = hands_of(AlwaysCall(), 1)[0]
    reader = TableReader([GenericModel(), GenericModel()], NOISE)
    reader.follow(state.betting, state.board)

    for decision, _ in reader.decisions:
        generic = predicted_triple(GenericModel(), decision)
        assert predicted_triple(SpecificModel(), decision) == pytest.approx(generic, abs=1e-6)


def test_habits_are_those_that_were_seen() -> None:
    models = learnt(hands_of(AlwaysRaise(), 80))

    traits = models[0].traits
    assert traits.bet > 0.9
    assert traits.raise_ > 0.9
    assert traits.fold_to_bet < 0.1
    assert traits.preflop_raise > 1.8


def test_a_model_survives_json() -> None:
    models = learnt(hands_of(Random(), 15))

    copied = SpecificModel.from_dict(json.loads(json.dumps(models[0].as_dict())))

    assert copied.as_dict() == models[0].as_dict()
    assert copied.traits == models[0].traits


def test_who_calls_everything_is_soon_no_reasonable_player_to_the_model() -> None:
    caller, reasonable = learnt(hands_of(AlwaysCall(), 10, other=Formula))

    assert SpecificModel().neutral_share == 0
    assert caller.neutral_share > 0.9
    assert reasonable.neutral_share == 0


def test_a_memory_from_before_the_neutral_model_was_weighed_begins_to_weigh_it() -> None:
    models = learnt(hands_of(AlwaysCall(), 10))
    older = models[0].as_dict()
    del older["neutral_evidence"]

    model = SpecificModel.from_dict(older)

    assert model.as_dict() == {**older, "neutral_evidence": SpecificModel().as_dict()["neutral_evidence"]}
    assert model.neutral_share == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"contexts": None}, {"groups": [[1, 2, 3]]}, {"raises_seen": [-1, 0]}, {"noise_evidence": ["x"] * 11},
        {"noise_evidence": [[1.0] * 11]}, {"neutral_evidence": []},
    ],
)  # fmt: skip
def test_a_model_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    refuses(ValueError, "model:", SpecificModel.from_dict, {**SpecificModel().as_dict(), **wrong})


def test_all_who_watch_a_hand_learn_the_same_and_none_learns_it_twice() -> None:
    state = next(state for state in hands_of(Random(), 6) if state.betting.is_showdown)
    (first, other), (second, _) = learnt([state]), learnt([state])

    assert first.state == second.state != SpecificModel().state
    assert first.as_dict() == second.as_dict()
    reader = TableReader([SpecificModel(), SpecificModel()], NOISE)
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


def test_a_specific_model_adopts_only_its_kind() -> None:
    refuses(TypeError, "GenericModel", SpecificModel().adopt, GenericModel())
