"""How much to bet in no-limit games: a share of the pot, with its reasons.

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
import random
from collections.abc import Sequence
from typing import Final

from engine.opponents.action_context import Situation
from engine.rules import Action, BettingState

_NEVER_FOLDS: Final = 0.08
"""A player who folds less often is one who never does."""


def bet_size(
    betting: BettingState, situation: Situation, value: float, folding: float, rng: random.Random
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
            limpers = len(situation.entered)
            total = betting.max_spent * (2.5 + drawn) + limpers * situation.big_blind
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
    betting: BettingState, situation: Situation, values: Sequence[float], folding: float, total: int
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
