"""How much a player raises in no-limit games: his raises counted by size.

There are five sizes (`SIZES`), those a simulation knows.  A size is a part of the pot as it would be after a
call.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.rules.betting import BettingState

__all__ = ["SIZES", "BetSizes", "size_of_raise"]

SIZES: Final = ("smallest", "half-pot", "pot", "two-pots", "all-in")

_PRIOR: Final = ((0.15, 0.35, 0.35, 0.05, 0.10), (0.10, 0.35, 0.40, 0.05, 0.10))
"""Before and after the flop: what is usual."""
_PRIOR_WEIGHT: Final = 4.0
"""Raises that weigh as much as what is usual."""


def size_of_raise(before: BettingState, total: int) -> int:
    """Which of `SIZES` a raise to a total is, made by the position to act.

    Raises:
        ValueError: the hand is over.
    """
    position = before.position_to_act
    if position is None:
        raise ValueError(f"after {before.text!r} the hand is over: nobody is to act")
    if total >= before.game.stacks[position]:
        return 4
    pot = before.pot + before.amount_to_call(position)
    share = (total - before.max_spent) / max(pot, 1)
    if share < 0.75:
        return 0 if total <= (before.legal_actions().min_raise_to or 0) and share < 0.4 else 1
    return 2 if share < 1.5 else 3


class BetSizes:
    """One player's raises."""

    def __init__(self) -> None:
        self._counts = np.zeros((2, len(SIZES)))

    def observe(self, before: BettingState, total: int) -> None:
        """He raised to a total where it was his turn."""
        self._counts[min(before.betting_round, 1), size_of_raise(before, total)] += 1

    @property
    def chances(self) -> NDArray[np.float64]:
        """Of each size, before the flop and after it: shape (2, 5), rows add to 1."""
        counts = self._counts + _PRIOR_WEIGHT * np.array(_PRIOR)
        chances: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
        return chances
