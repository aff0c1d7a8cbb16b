"""Trials in which everybody acts by the whole formula: exact to the card, and hundreds of times as costly.

The trials of ``engine.players.trials`` use a quick probability triple, with approximate strengths, and
ranges by classes of strength.  Here every action of a trial follows from the player's model after all that
has happened in the trial: everybody's tables are re-weighted by every action, on the actual board of the
trial, and the triple is that of the hand that was dealt.  This is the counterpart of Loki's first
experiment, in which the old betting strategy made the decisions within the simulation.

The cards are those of the quick trials with the same seed.  As there, the k-th action of a player in a
betting round is drawn with the same number after every first action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.players.models.formula import DEFAULT_PARAMETERS, Parameters, formula_triples
from engine.players.models.model import Decision, OpponentModel
from engine.players.table_reader import Reading
from engine.players.trials.trials import Deals, Spot, Trials
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, FOLD, Action, BettingState
from engine.poker.rules.showdown import chips_won
from engine.support.seeds import derive_seed

__all__ = ["FormulaTrials"]

Floats = NDArray[np.float64]

_UNIT: Final = 2.0**-32


class FormulaTrials:
    """The trials of one spot, for ``selective_sampling``.  Limit games only.

    Args:
        spot: the decision.
        reading: the reading of the actions up to the spot, from a ``TableReader``.
        quick: the quick trials, which deal the cards.
        parameters: the parameters of our own play after the simulated action.

    Raises:
        ValueError: a no-limit game.
    """

    def __init__(
        self, spot: Spot, reading: Reading, quick: Trials, parameters: Parameters = DEFAULT_PARAMETERS
    ) -> None:
        if not spot.betting.game.is_limit:
            raise ValueError("formula trials are for limit games: nobody chooses a size in them")
        self._spot, self._reading, self._quick = spot, reading, quick
        self._parameters = parameters
        self._after: dict[tuple[int, BettingState], Reading] = {}
        self._kept: list[Reading] = []  # what the keys of `_after` stand for

    def sample(self, trials: int) -> Deals:
        """Deal a number of trials."""
        return self._quick.sample(trials)

    def value(self, deals: Deals, action: Action) -> Floats:
        """The value of an action in each trial, in small bets, shape (trials,)."""
        return np.array([self._play(deals, trial, action) for trial in range(len(deals.boards))])

    def _play(self, deals: Deals, trial: int, action: Action) -> float:
        spot = self._spot
        position, players = spot.position, spot.betting.game.num_players
        board = tuple(int(card) for card in deals.boards[trial])
        holes = [tuple(int(card) for card in deals.holes[trial, p]) for p in range(players)]
        seed = int(deals.seeds[trial])
        betting = spot.betting.apply(action)
        reading = self._reading
        made: Counter[tuple[int, int]] = Counter()
        while True:
            reading = self._read(reading, betting, board)
            to_act = betting.position_to_act
            if to_act is None:
                break
            decision = reading.decision(betting)
            fold, _, raise_ = self._triple(reading, decision, combo_index(*holes[to_act]))
            place = to_act, betting.betting_round
            drawn = derive_seed(seed, (place[0] * 4 + place[1]) * 64 + made[place]) * _UNIT
            made[place] += 1
            if drawn < fold:
                betting = betting.apply(FOLD)
            elif drawn >= 1 - raise_ and decision.situation.can_raise:
                betting = betting.apply(betting.legal_actions().raising_to())
            else:
                betting = betting.apply(CALL)
        won = chips_won(betting, holes, board)[position]
        return (won + spot.betting.spent[position]) / spot.unit

    def _read(self, reading: Reading, betting: BettingState, board: Sequence[int]) -> Reading:
        """The reading after one more action; computed only once if no card of the trial has been dealt."""
        seen = tuple(board[: betting.num_board_cards])
        if betting.position_to_act is None:
            return reading
        if len(seen) > len(self._spot.board):
            return reading.after(betting, seen)
        key = id(reading), betting
        found = self._after.get(key)
        if found is None:
            found = self._after[key] = reading.after(betting, seen)
            self._kept.append(reading)
        return found

    def _triple(self, reading: Reading, decision: Decision, combo: int) -> tuple[float, float, float]:
        models: tuple[OpponentModel, ...] = reading.models
        situation = decision.situation
        if situation.position == self._spot.position:
            rows = formula_triples(
                situation, decision.values, decision.weights, reading.traits, self._parameters
            )
        else:
            rows = models[situation.position].triples(decision)
        fold, call, raise_ = (float(chance) for chance in rows[combo])
        total = fold + call + raise_
        return fold / total, call / total, raise_ / total
