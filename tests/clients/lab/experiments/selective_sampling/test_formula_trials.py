"""Trials on the whole formula: the same hands as the quick ones, and actions by the model's own triples."""

from __future__ import annotations

import numpy as np
import pytest

from clients.lab.experiments.selective_sampling.equal_time import FormulaTrials
from engine.players.models.generic import GenericModel
from engine.players.models.model import OpponentModel
from engine.players.table_reader import Reading, TableReader
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.trials import Spot, Trials
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, combos_without
from engine.poker.rules import CALL, FOLD, BettingState, load_game, parse_betting
from engine.poker.rules.showdown import chips_won

BOARD = (9, 22, 35, 3, 44)
OWN = (50, 37)


def spot_after(text: str, models: list[OpponentModel], game: str = "limit-2p") -> tuple[Spot, Reading]:
    betting = parse_betting(load_game(game), text)
    board = BOARD[: betting.num_board_cards]
    reader = TableReader(models)
    reader.follow(betting, board)
    position = betting.position_to_act
    players = simulated_players([OwnStrategy() if p == position else m for p, m in enumerate(models)])
    return Spot(betting, board, OWN, reader.reading.weights, players), reader.reading


@pytest.mark.parametrize("text", ["rc/rc/rc/r", "cc/cc/crc/cr"])
def test_a_call_that_ends_the_hand_is_worth_the_same_in_both_kinds_of_trials(text: str) -> None:
    spot, reading = spot_after(text, [GenericModel(), GenericModel()])
    quick = Trials(spot, 7)
    deals = quick.sample(60)

    costly = FormulaTrials(spot, reading, Trials(spot, 7))

    assert costly.value(deals, CALL).tolist() == pytest.approx(quick.value(deals, CALL).tolist())
    assert (costly.sample(60).holes == deals.holes).all()


def test_an_opponent_who_may_only_fold_or_call_does_so_as_the_model_says() -> None:
    """On the river after three raises the opponent's triple answers our last one, and the hand is over."""
    spot, reading = spot_after("rc/rc/rc/crrr", [GenericModel(), GenericModel()])
    raised: BettingState = spot.betting.apply(spot.betting.legal_actions().raising_to())
    after = reading.after(raised, BOARD)
    triples = GenericModel().triples(after.decision(raised))
    possible = np.flatnonzero(combos_without((*BOARD, *OWN)) * spot.weights[1 - spot.position])
    weights = spot.weights[1 - spot.position][possible]
    exact = 0.0
    for combo, weight in zip(possible.tolist(), weights / weights.sum(), strict=True):
        theirs = int(COMBO_HIGH[combo]), int(COMBO_LOW[combo])
        holes = [OWN, theirs] if spot.position == 0 else [theirs, OWN]
        fold = float(triples[combo, 0])
        ends = ((raised.apply(raised.legal_actions().nearest(action)), chance) for action, chance in (
            (FOLD, fold), (CALL, 1 - fold),
        ))  # fmt: skip
        for end, chance in ends:
            exact += weight * chance * chips_won(end, holes, BOARD)[spot.position]
    exact = (exact + spot.betting.spent[spot.position]) / spot.unit

    trials = FormulaTrials(spot, reading, Trials(spot, 3))
    values = trials.value(trials.sample(3000), spot.betting.legal_actions().raising_to())

    assert 0.02 < float(triples[possible, 0] @ weights / weights.sum()) < 0.98
    assert abs(values.mean() - exact) < 4 * values.std() / np.sqrt(len(values))


def test_a_hand_is_played_to_its_end_from_every_round() -> None:
    for text in ("", "rc/", "rc/cr", "rc/cc/c"):
        spot, reading = spot_after(text, [GenericModel(), GenericModel()])
        trials = FormulaTrials(spot, reading, Trials(spot, 1))
        deals = trials.sample(20)
        calls, raises = (
            trials.value(deals, action) for action in (CALL, spot.betting.legal_actions().raising_to())
        )

        assert len(np.unique(calls)) > 2
        assert np.abs(calls).max() <= 48
        assert np.abs(raises).max() <= 48
        assert trials.value(deals, CALL).tolist() == calls.tolist()


def test_nobody_chooses_sizes_in_them() -> None:
    spot, reading = spot_after("", [GenericModel(), GenericModel()], "nolimit-2p")

    with pytest.raises(ValueError, match="limit games"):
        FormulaTrials(spot, reading, Trials(spot, 1))
