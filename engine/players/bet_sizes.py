"""A player's raises in no-limit games, counted by size.

The sizes are those of simulations (`RaiseSize`): shares of the pot after a call.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.poker.records import NUM_SIZES, RaiseSize
from engine.poker.rules.betting import BettingState
from engine.support.arrays import Floats

_PRIOR: Final = ((0.15, 0.35, 0.35, 0.05, 0.10), (0.10, 0.35, 0.40, 0.05, 0.10))
"""The usual frequencies of the sizes, before and after the flop."""
_PRIOR_WEIGHT: Final = 4.0
"""The weight of the usual frequencies, in raises."""


def size_of_raise(before: BettingState, total: int) -> RaiseSize:
    """The size of a raise to a total, made by the position to act.

    Raises:
        ValueError: the hand is over.
    """
    position = before.position_to_act
    if position is None:
        raise ValueError(f"after {before.text!r} the hand is over: nobody is to act")
    if total >= before.game.betting_stacks[position]:
        return RaiseSize.ALL_IN
    share = before.pots_of_raise(total)
    if share < 0.75:
        is_least = total <= (before.legal_actions().min_raise_to or 0) and share < 0.4
        return RaiseSize.SMALLEST if is_least else RaiseSize.HALF_POT
    return RaiseSize.POT if share < 1.5 else RaiseSize.TWO_POTS


class BetSizes:
    """The sizes of one player's raises.

    counts: of each size, before and after the flop, shape (2, NUM_SIZES); None for none yet.
    """

    def __init__(self, counts: Floats | None = None) -> None:
        self.counts = np.zeros((2, NUM_SIZES)) if counts is None else counts

    def observe(self, before: BettingState, total: int) -> None:
        """Count the player's raise to `total` in the state `before`."""
        self.counts[min(before.betting_round, 1), size_of_raise(before, total)] += 1

    @property
    def chances(self) -> Floats:
        """The probability of each size, before and after the flop: shape (2, NUM_SIZES), rows add up to 1."""
        counts = self.counts + _PRIOR_WEIGHT * np.array(_PRIOR)
        return counts / counts.sum(axis=1, keepdims=True)
