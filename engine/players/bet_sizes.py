"""A player's raises in no-limit games, and folds to raises, both counted by size.

The sizes are those of simulations (`RaiseSize`): shares of the pot after a call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.poker.records import NUM_SIZES, RaiseSize
from engine.poker.rules.action import ActionKind
from engine.poker.rules.betting import BettingState

__all__ = ["BetSizes", "FoldsBySize", "RaiseSize", "answers_to_raises", "size_of_raise"]

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


_SHARES: Final = np.array([0.3, 0.5, 1.0, 2.0, 4.0])
"""The approximate share of the pot of a raise of each size."""
_STEEPNESS: Final = 0.5
"""How much the log odds of a fold rise with the logarithm of the size, before anything is known."""
_FOLDS_PRIOR: Final = 8.0
"""The weight of what is expected, in answers to raises of a size."""


def answers_to_raises(betting: BettingState) -> Iterator[tuple[BettingState, int, int, bool]]:
    """The answers to raises in a hand: state before the raise, its total, position, whether it folded."""
    raised: tuple[BettingState, int] | None = None
    for before, position, action in betting.steps():
        if raised is not None and before.betting_round == raised[0].betting_round:
            yield *raised, position, action.kind is ActionKind.FOLD
        if action.raise_to is not None:
            raised = before, action.raise_to


class FoldsBySize:
    """A player's answers to raises; for sizes rarely met, they are shrunk towards what is expected."""

    def __init__(self) -> None:
        self._counts = np.zeros((2, NUM_SIZES, 2))  # before and after the flop: continued, folded

    def observe(self, before: BettingState, total: int, folded: bool) -> None:
        """Count the player's answer to a raise to `total` made in the state `before`."""
        self._counts[min(before.betting_round, 1), size_of_raise(before, total), int(folded)] += 1

    def cases(self, betting_round: int) -> int:
        """The number of raises met, before the flop or after it."""
        return int(self._counts[min(betting_round, 1)].sum())

    def chance(self, before: BettingState, total: int, usual: float) -> float:
        """The probability that the player folds to a raise.

        Args:
            before: the state in which it would be made.
            total: the total of the raise.
            usual: the probability of a fold to raises of a middle size, if nothing is known about sizes.
        """
        size = size_of_raise(before, total)
        continued, folded = self._counts[min(before.betting_round, 1), size]
        odds = usual / max(1e-9, 1 - usual) * (_SHARES[size] / 0.75) ** _STEEPNESS
        return float((folded + _FOLDS_PRIOR * odds / (1 + odds)) / (continued + folded + _FOLDS_PRIOR))


class BetSizes:
    """The sizes of one player's raises."""

    def __init__(self) -> None:
        self._counts = np.zeros((2, NUM_SIZES))

    def observe(self, before: BettingState, total: int) -> None:
        """Count the player's raise to `total` in the state `before`."""
        self._counts[min(before.betting_round, 1), size_of_raise(before, total)] += 1

    @property
    def chances(self) -> NDArray[np.float64]:
        """The probability of each size, before and after the flop: shape (2, NUM_SIZES), rows add up to 1."""
        counts = self._counts + _PRIOR_WEIGHT * np.array(_PRIOR)
        chances: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
        return chances
