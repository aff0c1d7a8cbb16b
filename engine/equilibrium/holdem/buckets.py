"""Hands in buckets: the 169 starting hands before the flop, then percentiles of E[HS²] on the board.

E[HS²] is the mean, over all boards to come, of the square of a hand's strength on the full board against
a random hand; the square favours hands that may become very strong.  A bucket is a percentile among all hands
on *this* board, on the river by strength itself: buckets are equally large everywhere; hands of equal value
share the bucket of the lowest of them.

Source: Johanson, *Robust Strategies and Counter-Strategies* (2007), 2.5.5.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.cards import NUM_CARDS, NUM_SUITS
from engine.combos import COMBO_CARDS, NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.equilibrium.holdem.abstraction import NO_BUCKET, positions_on
from engine.kernels.cards.tables import ranking_table
from engine.kernels.equilibrium.strengths import mean_squares

__all__ = ["Percentiles", "renamed_combos", "squared_strengths"]

_DIGITS: Final = 9
"""Values that differ in the names of the suits alone are equal to so many digits."""


class Percentiles:
    """Buckets by percentile.

    Args:
        number: of buckets in each round after the first.

    Raises:
        ValueError: none, or more than there are hands.
    """

    kind: Final = "percentiles"

    def __init__(self, number: int) -> None:
        if not 1 <= number <= 1000:
            raise ValueError(f"expected 1 to 1000 buckets, got {number}")
        self.number = number
        self.num_buckets = (NUM_STARTING_HANDS, number, number, number)
        """By betting round."""

    @property
    def buckets_on_a_board(self) -> tuple[int, ...]:
        """All of them."""
        return self.num_buckets

    @property
    def notes(self) -> Mapping[str, Any]:
        """What makes it."""
        return {"buckets": [self.number] * 3}

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """None."""
        return {}

    def buckets(self, board: Sequence[int]) -> NDArray[np.int64]:
        """The bucket of each combo on a board of 0, 3, 4 or 5 cards, `NO_BUCKET` for none; shape (1326,)."""
        if not board:
            return STARTING_HAND_OF_COMBO.astype(np.int64)
        if len(board) == 5:
            positions = positions_on(board)
            return np.where(positions < 0, NO_BUCKET, (self.number * positions).astype(np.int64))
        values = squared_strengths(tuple(sorted(board)))
        live = values >= 0
        ordered = np.sort(values[live])
        buckets = np.searchsorted(ordered, values) * self.number // ordered.size
        return np.where(live, buckets, NO_BUCKET)

    def bucket(self, combo: int, board: Sequence[int]) -> int:
        """The bucket of one combo."""
        return int(self.buckets(board)[combo])


def squared_strengths(board: tuple[int, ...]) -> NDArray[np.float64]:
    """E[HS²] of each combo on a board of 3, 4 or 5 cards, -1 for those that share a card with it.

    A flop takes some 30 ms, but only once for all that differ in the names of the suits; a turn one, a river
    less.
    """
    if len(board) > 3:
        return _values(board)
    names = min(_suit_names(), key=lambda names: sorted(_renamed(board, names)))
    return _values(tuple(sorted(_renamed(board, names))))[renamed_combos(names)]


def _suit_names() -> Iterable[tuple[int, ...]]:
    """All ways to name the suits anew."""
    return itertools.permutations(range(NUM_SUITS))


def _renamed(cards: Iterable[int], names: tuple[int, ...]) -> list[int]:
    return [card - card % NUM_SUITS + names[card % NUM_SUITS] for card in cards]


@functools.cache
def renamed_combos(names: tuple[int, ...]) -> NDArray[np.int64]:
    """What each combo is called when the suits have other names."""
    cards = np.array(_renamed(range(NUM_CARDS), names))[COMBO_CARDS]
    high, low = cards.max(axis=1), cards.min(axis=1)
    combos: NDArray[np.int64] = high * (high - 1) // 2 + low
    return combos


@functools.lru_cache(maxsize=4096)
def _values(board: tuple[int, ...]) -> NDArray[np.float64]:
    values = np.empty(NUM_COMBOS)
    mean_squares(ranking_table(), np.array(board, np.uint8), COMBO_CARDS.copy(), values)
    return np.round(values, _DIGITS)
