"""The ranges of two players of hold'em as weights, and their equities against each other.

A known player's weights are the probabilities with which it would have come here with each combo; an unknown
player holds one combo for certain.  Equities are exact at every moment, so the expectation before cards is
the mean of the equities after them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.evidence.pair_equities import pair_equities
from engine.hands.equity import all_hand_equities
from engine.poker.combos import (
    COMBO_HIGH,
    COMBO_LOW,
    NUM_COMBOS,
    combo_index,
    combos_without,
)

__all__ = ["Against", "PolicyError", "Ranges", "against"]

Floats = NDArray[np.float64]


class PolicyError(ValueError):
    """What a player has told of its strategy cannot be true of what it did."""


@attrs.frozen(eq=False)
class Against:
    """What each combo meets in an opponent's range.  Arrays of shape (1326,)."""

    weight: Floats
    """The opponent's weight on hands that share no card with it; 0 for combos that share one with the
    board."""
    equity: Floats
    """Its share of the pot at the showdown if nobody bets any more, with ties as half; 0 if it meets no
    hand."""


def against(weights: Floats, board: tuple[int, ...]) -> Against:
    """What each combo meets in an opponent's range, exact.

    Args:
        weights: the opponent's, shape (1326,), some of them positive on hands without the board's cards.
        board: 0, 3, 4 or 5 cards.
    """
    free = combos_without(board)
    live = np.where(free, weights, 0.0)
    by_card = np.bincount(COMBO_HIGH, live, 52) + np.bincount(COMBO_LOW, live, 52)
    met = live.sum() - by_card[COMBO_HIGH] - by_card[COMBO_LOW] + live
    # What rounding leaves of a sum is not a weight.
    met = np.where(free & (met > 1e-12 * live.sum()), met, 0.0)
    if board:
        equity = np.nan_to_num(all_hand_equities(board, live))
    else:
        won = _preflop_points() @ live
        equity = np.divide(won, met, out=np.zeros(NUM_COMBOS), where=met > 0)
    return Against(met, np.where(met > 0, equity, 0.0))


@functools.cache
def _preflop_points() -> Floats:
    """The equity of each combo against each other, 0 for those that share a card.  Shape (1326, 1326)."""
    first, second = np.divmod(np.arange(NUM_COMBOS * NUM_COMBOS), NUM_COMBOS)
    high, low = COMBO_HIGH.astype(np.int64), COMBO_LOW.astype(np.int64)
    disjoint = (
        (high[first] != high[second])
        & (high[first] != low[second])
        & (low[first] != high[second])
        & (low[first] != low[second])
    )
    points = np.zeros(NUM_COMBOS * NUM_COMBOS)
    points[disjoint] = pair_equities(first[disjoint], second[disjoint])
    return points.reshape(NUM_COMBOS, NUM_COMBOS)


class Ranges:
    """The ranges of both players as a hand goes on.

    Args:
        hole_cards: by position; None for a known player.
    """

    def __init__(self, hole_cards: Sequence[tuple[int, ...] | None]) -> None:
        self.board: tuple[int, ...] = ()
        self.weights = [_certain(cards) for cards in hole_cards]
        """By position, shape (1326,) each."""
        self._against: list[Against | None] = [None, None]

    def against(self, position: int) -> Against:
        """What each combo meets in the range of the player in a position."""
        found = self._against[position]
        if found is None:
            found = self._against[position] = against(self.weights[position], self.board)
        return found

    def deal(self, board: tuple[int, ...]) -> None:
        """Set the board after more cards."""
        self.board = board
        self._against = [None, None]

    def act(self, position: int, chances: Floats) -> None:
        """Update the range of a position by an action that it takes with these probabilities, shape (1326,).

        Raises:
            PolicyError: it never takes this action with any hand that it may hold.
        """
        weights = self.weights[position] * chances * combos_without(self.board)
        greatest = float(weights.max())
        if not greatest > 0:
            raise PolicyError("a player has done what it has told that it never does")
        self.weights[position] = weights / greatest
        self._against[position] = None

    def share(self) -> float:
        """Position 0's share of the pot on average if nobody bets any more.

        Raises:
            PolicyError: there are no two hands that the players can hold together.
        """
        # Either side's view gives it; the one already computed costs nothing.
        viewer = 1 if self._against[0] is not None else 0
        met = self.against(1 - viewer)
        reach = self.weights[viewer] * met.weight
        total = float(reach.sum())
        if not total > 0:
            raise PolicyError("by what players have told they hold no hands that can be held together")
        share = float(reach @ met.equity) / total
        return share if viewer == 0 else 1.0 - share


def _certain(cards: tuple[int, ...] | None) -> Floats:
    weights = np.ones(NUM_COMBOS) if cards is None else np.zeros(NUM_COMBOS)
    if cards is not None:
        weights[combo_index(*cards)] = 1.0
    return weights
