"""After the flop: straight play by reflective hand odds and implied odds, free cards and bluffs.

The hand odds rho are those against the hands that opponents would have played as they did (`Reading`).
Further bets are estimated from what is known of the opponents: in each round to come half of the callers pay
a bet, more if they play loosely, and we pay half a bet; a draw pays none, since it folds if it misses.

`straight_play` decides by rho, the implied odds of a call (or of the bet considered) and the raise odds.  In
addition, a made hand bets if nobody has, since checking would give a free card.  On the river, after
everybody has checked, the worst hands bet just often enough that b/(P + 2b) of all bets are bluffs, which
makes a call worth nothing to a player who beats only bluffs.

Source: *Hold'em Killer*, "Implied Odds", "Check or Bet? Call or Raise?", and "Bluffing on the Preflop" for
how often to bluff.
"""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np

from engine.hands import pot_odds
from engine.hands.equity import equity_against
from engine.hands.reflective_odds import reflective_hand_odds
from engine.players.board_values import board_values
from engine.players.models.formula import bluff_share
from engine.poker.combos import combo_index
from engine.poker.rules import HandView
from engine.support.arrays import Floats

_PAYS: Final = 0.5
"""The share of later rounds' bets that a player of ideal looseness pays, and that we pay."""
_DRAW: Final = 0.15
"""The positive potential from which a hand that is behind is a draw."""
_MADE: Final = 0.5
"""The hand strength from which a hand is a made hand."""


def hand_odds(view: HandView, weights: Floats) -> float:
    """Reflective hand odds: our share of the pot against what opponents may hold if nobody folds.

    Args:
        view: after the flop.
        weights: the opponents' weights, shape (opponents, 1326).
    """
    if len(weights) == 1:  # the same, computed faster
        return equity_against(view.own_cards, view.board, weights[0])
    return reflective_hand_odds(view.own_cards, view.board, weights)


def hand_strengths(board: tuple[int, ...], weights: Floats) -> Floats:
    """The probability that each combo is the best hand now against all opponents, shape (1326,)."""
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
    """The probability of holding the best hand now, against the same hands."""
    potential: float
    """PPot, one card ahead."""
    pot: float
    to_call: float
    bet: float
    """The chips that a bet or raise adds to the call; 0 if none is allowed."""
    later: float
    """The chips of one bet in each round to come."""
    loosenesses: tuple[float, ...]
    """How many times the ideal share of hands each opponent plays."""

    @property
    def is_draw(self) -> bool:
        """Whether the hand is behind, but likely enough to get ahead."""
        return self.potential > _DRAW and self.strength < _MADE

    @property
    def callers(self) -> float:
        """The expected number of opponents who pay a bet, given that somebody does."""
        return max(1.0, sum(min(1.0, _PAYS * each) for each in self.loosenesses))


def further_bets(decision: Postflop) -> pot_odds.FurtherBets:
    """The further bets that we win in the hands we win, and lose in those we lose."""
    paying = sum(min(1.0, _PAYS * each) for each in decision.loosenesses)
    lost = 0.0 if decision.is_draw else _PAYS * decision.later
    return pot_odds.FurtherBets(decision.later * paying, lost)


def decide(decision: Postflop) -> pot_odds.StraightPlay:
    """The action of straight play, where a made hand also bets if nobody has."""
    facing = decision.to_call > 0
    further = further_bets(decision)
    raising = pot_odds.raise_odds(decision.callers, decision.bet) if decision.bet > 0 else None
    if facing:
        implied = pot_odds.implied_odds(decision.pot, decision.to_call, further)
    elif decision.bet > 0:
        implied = pot_odds.implied_odds_of_raise(decision.pot, 0.0, decision.bet, decision.callers, further)
    else:
        return pot_odds.StraightPlay.CHECK
    play = pot_odds.straight_play(decision.hand_odds, implied, raising, facing_bet=facing)
    is_good = decision.strength >= _MADE and pot_odds.is_callable(decision.hand_odds, implied)
    if play is pot_odds.StraightPlay.CHECK and is_good:
        return pot_odds.StraightPlay.BET
    return play


def bluff_chance(view: HandView, weights: Floats, decision: Postflop) -> float:
    """The probability of betting a hopeless hand on the river after everybody has checked.

    The worst hands bet, so many that b/(P + 2b) of all bets are bluffs; equal hands at the boundary bet with
    a probability between 0 and 1.

    Args:
        view: on the river, with nothing to call.
        weights: the opponents' weights, shape (opponents, 1326).
        decision: the decision in numbers.
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
