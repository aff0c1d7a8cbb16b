"""How much to bet in no-limit games: a share of the pot, with its reasons.

Against a single opponent who is modelled, the size that is worth most (`best_totals`):
his folds to that size win the pot, and where he goes on the hand must beat what he goes on with.  One who
never folds is bet into later (`worths_of_raise`).  Else:

===========================  ==================================================================
a player who never folds      pays more: the pot with a good hand, twice the pot with a great one
a player who may fold        half to a whole pot, drawn each time and whatever we hold, so that
                             the size says nothing
before the flop              three big blinds and one for each caller; a raise is raised to
                             three times as much
little is left behind        all in, when the bet would be more than half of the stack: the rest
                             would follow anyhow
===========================  ==================================================================
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from engine.players.models.formula import worths_of_raise
from engine.poker.records import PublicSituation
from engine.poker.rules import Action, BettingState
from engine.support.arrays import Floats, Ints

_NEVER_FOLDS: Final = 0.08
"""A player who folds less often is one who never does."""

_OPENINGS: Final = (2.0, 3.0)
"""Raises before the flop that are compared, in parts of the last."""
_SHARES: Final = ((0.5, 0.75, 1.0), (0.5, 0.75, 1.0), (0.5, 0.75, 1.0, 2.0, math.inf))
"""Bets on the flop, the turn and the river that are compared, in pots: the greatest wait for the last card,
when it is known what a hand is worth."""


def totals_compared(betting: BettingState, situation: PublicSituation) -> list[int]:
    """The totals of raises among which the size that is worth most is chosen, against a single opponent."""
    if situation.betting_round == 0:
        more = _limps(betting, situation) if situation.raises == 0 else 0
        actions = [betting.raise_or_all_in(betting.max_spent * part + more) for part in _OPENINGS]
    else:
        actions = [betting.raise_of_pots(share) for share in _SHARES[situation.betting_round - 1]]
    return sorted({action.raise_to for action in actions if action.raise_to is not None})


def _limps(betting: BettingState, situation: PublicSituation) -> int:
    """The chips of those who have called the big blind."""
    return max(1, betting.game.big_blind) * situation.entered.bit_count()


def best_totals(betting: BettingState, chances: Floats, folds: Mapping[int, float], folding: float) -> Ints:
    """The total to raise to that is worth most with each hand, shape (n,).

    Args:
        betting: the state in which we raise, against a single opponent.
        chances: of each hand at the showdown, shape (n,).
        folds: by total, the chance that the opponent folds to it.
        folding: the same for a raise of a middling size.
    """
    worths = [worths_of_raise(betting, chances, total, fold, folding) for total, fold in folds.items()]
    return np.array(list(folds))[np.argmax(worths, axis=0)]


def bet_size(
    betting: BettingState, situation: PublicSituation, value: float, folding: float, rng: random.Random
) -> Action:
    """The raise to make; a call where no raise is legal.

    Args:
        betting: the state in which we are to act.
        situation: the same, for strategies.
        value: of our hand, 0 to 1.
        folding: chance that the likeliest to fold does so.
        rng: chooses among sizes.
    """
    legal = betting.legal_actions()
    if legal.is_limit or not legal.can_raise:
        return legal.raising_to()
    drawn = rng.random()
    if situation.betting_round == 0:
        if situation.raises == 0:
            total = betting.max_spent * (2.5 + drawn) + _limps(betting, situation)
        else:
            total = betting.max_spent * (2.6 + 0.8 * drawn)
        if folding < _NEVER_FOLDS:
            total *= 1.5
    else:
        share = _share_for_caller(value) if folding < _NEVER_FOLDS else 0.5 + 0.5 * drawn
        return betting.raise_of_pots(share)
    return betting.raise_or_all_in(total)


def _share_for_caller(value: float) -> float:
    """The share of the pot that is bet with a hand of some value into a player who never folds."""
    return 0.75 + max(0.0, value - 0.6) * 3


def size_chances(
    betting: BettingState, situation: PublicSituation, values: Sequence[float], folding: float, total: int
) -> list[float] | None:
    """How likely a raise is to be one to a total, by hand; None where the size says nothing of the hand.

    Args:
        betting: the state in which we have raised.
        situation: the same, for strategies.
        values: of every hand, 0 to 1.
        folding: chance that the likeliest to fold does so.
        total: of the raise.
    """
    if situation.betting_round == 0 or folding >= _NEVER_FOLDS:
        return None
    total_of = functools.cache(lambda share: betting.raise_of_pots(share).raise_to)
    return [float(total_of(_share_for_caller(value)) == total) for value in values]
