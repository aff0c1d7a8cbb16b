"""After the flop: straight play by reflective hand odds and implied odds, free cards and bluffs.

The hand odds rho are those against the hands that opponents would have played as they did (`Reading`).
Further bets come from models of them: in each round to come a bet is paid by half of the callers, more of
those who play loosely, and half of one is paid by us; a draw pays none, for it folds when it misses.

With rho, the implied odds of a call (or of the bet contemplated) and the raise odds, `straight_play` decides.
Beyond it, a made hand is bet where nobody has, since checking would give a free card; and on the river, when
everybody has checked, the worst hands are bet so often that b/(P + 2b) of all bets are bluffs, which makes
calling worth nothing to those who beat only bluffs.

Source: *Hold'em Killer*, "Implied Odds", "Check or Bet? Call or Raise?", and "Bluffing on the Preflop" for
how often to bluff.
"""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.combos import combo_index
from engine.evaluation.equity import equity_against
from engine.evaluation.pot_odds import (
    FurtherBets,
    StraightPlay,
    implied_odds,
    implied_odds_of_raise,
    is_callable,
    raise_odds,
    straight_play,
)
from engine.evaluation.reflective_odds import reflective_hand_odds
from engine.opponents.board_values import board_values
from engine.opponents.models.formula import bluff_share
from engine.rules import HandView

__all__ = ["Postflop", "bluff_chance", "decide", "further_bets", "hand_odds", "hand_strengths"]

Floats = NDArray[np.float64]

_PAYS: Final = 0.5
"""Part of the bets of later rounds that a player of ideal looseness pays, and that we pay."""
_DRAW: Final = 0.15
"""Positive potential from which a hand that is behind is a draw."""
_MADE: Final = 0.5
"""Hand strength from which a hand is made."""


def hand_odds(view: HandView, weights: Floats) -> float:
    """Reflective hand odds: our share of the pot against what opponents may hold, nobody folding.

    Args:
        view: after the flop.
        weights: shape (opponents, 1326).
    """
    if len(weights) == 1:  # the same, by a quicker way
        return equity_against(view.own_cards, view.board, weights[0])
    return reflective_hand_odds(view.own_cards, view.board, weights)


def hand_strengths(board: tuple[int, ...], weights: Floats) -> Floats:
    """The chance of every combo to be the best hand now against all opponents, shape (1326,)."""
    values = board_values(board)
    product: Floats = np.ones(weights.shape[1])
    for table in weights:
        product = product * values.strengths(np.ascontiguousarray(table))
    return product


@attrs.frozen
class Postflop:
    """A decision after the flop, in the paper's numbers."""

    hand_odds: float
    """rho."""
    strength: float
    """The chance to hold the best hand now, against the same hands."""
    potential: float
    """PPot, one card ahead."""
    pot: float
    to_call: float
    bet: float
    """What a bet or raise adds to the call; 0 where none is allowed."""
    later: float
    """Chips of one bet in each round to come."""
    loosenesses: tuple[float, ...]
    """Of the opponents: how many times the ideal share of hands they play."""

    @property
    def is_draw(self) -> bool:
        """Behind, and likely enough to get ahead."""
        return self.potential > _DRAW and self.strength < _MADE

    @property
    def callers(self) -> float:
        """Opponents who are expected to pay a bet, if anybody does."""
        return max(1.0, sum(min(1.0, _PAYS * each) for each in self.loosenesses))


def further_bets(decision: Postflop) -> FurtherBets:
    """What is still won in the hands that we win, and lost in those that we lose."""
    paying = sum(min(1.0, _PAYS * each) for each in decision.loosenesses)
    lost = 0.0 if decision.is_draw else _PAYS * decision.later
    return FurtherBets(decision.later * paying, lost)


def decide(decision: Postflop) -> StraightPlay:
    """What straight play does, a made hand being bet where nobody has."""
    facing = decision.to_call > 0
    further = further_bets(decision)
    raising = raise_odds(decision.callers, decision.bet) if decision.bet > 0 else None
    if facing:
        implied = implied_odds(decision.pot, decision.to_call, further)
    elif decision.bet > 0:
        implied = implied_odds_of_raise(decision.pot, 0.0, decision.bet, decision.callers, further)
    else:
        return StraightPlay.CHECK
    play = straight_play(decision.hand_odds, implied, raising, facing_bet=facing)
    if play is StraightPlay.CHECK and decision.strength >= _MADE and is_callable(decision.hand_odds, implied):
        return StraightPlay.BET
    return play


def bluff_chance(view: HandView, weights: Floats, decision: Postflop) -> float:
    """How likely to bet a hopeless hand on the river that has been checked to us.

    The worst hands are bet, as many as make b/(P + 2b) of all that are bet bluffs; of equal hands at the
    boundary a part.

    Args:
        view: on the river, with nothing to call.
        weights: shape (opponents, 1326).
        decision: the same in numbers.
    """
    if decision.bet <= 0 or decision.strength >= _MADE:
        return 0.0
    of_all = hand_strengths(view.board, weights)
    strengths = of_all[board_values(view.board).free > 0]
    own = of_all[combo_index(*view.own_cards)]
    value = float((strengths >= _MADE).mean())
    share = bluff_share(decision.bet, decision.pot)
    below, equal = float((strengths < own).mean()), float((strengths == own).mean())
    return min(1.0, max(0.0, (value * share / (1 - share) - below) / equal))
