"""Abstractions: which hands a strategy of hold'em treats as equal, by betting round and board.

The simplest is `Percentiles`: the 169 starting hands before the flop, then percentiles of E[HS²] on the
board.  E[HS²] is the mean, over all boards to come, of the square of a hand's strength against a random hand
on the full board; the square favours hands that may become very strong.  A bucket is a percentile among all
hands on *this* board; on the river it is a percentile of strength itself.  So buckets are equally large on
every board.  Hands of equal value share the bucket of the lowest of them.

Source: Johanson, *Robust Strategies and Counter-Strategies* (2007), 2.5.5, for percentiles.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.hands.hand_rank import DEAD_COMBO, board_ranks
from engine.kernels.poker.tables import ranking_table
from engine.kernels.solving.strengths import mean_squares
from engine.poker.cards import NUM_SUITS
from engine.poker.combos import NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO, suit_renamings
from engine.support.arrays import Floats, Ints

NO_BUCKET: Final = -1
"""The bucket of a combo that shares a card with the board."""


class Abstraction(Protocol):
    """A way to put hands into buckets; hands in one bucket are played alike."""

    @property
    def kind(self) -> str:
        """Its name in files."""

    @property
    def num_buckets(self) -> tuple[int, ...]:
        """The number of buckets in each betting round."""

    @property
    def buckets_on_a_board(self) -> tuple[int, ...]:
        """The number of buckets that can occur on one board, by round; their numbers are consecutive."""

    @property
    def notes(self) -> Mapping[str, Any]:
        """The settings that it is made from, in terms of JSON."""

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that a file must hold, besides the notes, to make it again."""

    def buckets(self, board: Sequence[int]) -> Ints:
        """The bucket of each combo on a board of 0, 3, 4 or 5 cards, or `NO_BUCKET`; shape (1326,)."""

    def bucket(self, combo: int, board: Sequence[int]) -> int:
        """The bucket of one combo that shares no card with the board: all that a single decision needs."""


def by_strength(board: Sequence[int]) -> tuple[Ints, Ints]:
    """The live combos on a board in ascending order of strength, and where each group of equals ends.

    Args:
        board: 3, 4 or 5 cards.

    Returns:
        Shapes (live combos,) and (groups,).
    """
    ranks = board_ranks(board)
    order = np.argsort(ranks, kind="stable")[: np.count_nonzero(ranks != DEAD_COMBO)]
    return order, np.append(np.flatnonzero(np.diff(ranks[order])) + 1, len(order))


def positions_on(board: Sequence[int]) -> Floats:
    """The share of live hands weaker than each combo on a full board; -1 for dead ones; shape (1326,)."""
    held, ends = by_strength(board)
    positions = np.full(NUM_COMBOS, -1.0)
    sizes = np.diff(ends, prepend=0)
    positions[held] = np.repeat((ends - sizes) / len(held), sizes)
    return positions


_DIGITS: Final = 9
"""Digits kept, so that hands that differ only in the names of suits have exactly equal values."""
SUIT_NAMES: Final = tuple(itertools.permutations(range(NUM_SUITS)))
"""All ways to rename the suits: suit s becomes the s-th item."""


class Percentiles:
    """Buckets by percentile of E[HS²].

    Args:
        number: the number of buckets in each round after the first, 1 to 1000.

    Raises:
        ValueError: the number is out of range.
    """

    kind: Final = "percentiles"

    def __init__(self, number: int) -> None:
        if not 1 <= number <= 1000:
            raise ValueError(f"expected 1 to 1000 buckets, got {number}")
        self.number = number
        self.num_buckets = self.buckets_on_a_board = (NUM_STARTING_HANDS, number, number, number)
        self.notes: Mapping[str, Any] = {"buckets": [number] * 3}

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """No arrays: the settings say everything."""
        return {}

    def buckets(self, board: Sequence[int]) -> Ints:
        """The bucket of each combo on a board of 0, 3, 4 or 5 cards, or `NO_BUCKET`; shape (1326,)."""
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


def squared_strengths(board: tuple[int, ...]) -> Floats:
    """E[HS²] of each combo on a board of 3, 4 or 5 cards, -1 if it shares a card with it; shape (1326,).

    A flop takes some 30 ms, but only once for all flops that differ only in the names of suits; a turn takes
    1 ms, a river less.
    """
    if len(board) > 3:
        return _values(board)
    renamed, names = min(
        (tuple(sorted(renamed_card(card, names) for card in board)), names) for names in SUIT_NAMES
    )
    return _values(renamed)[renamed_combos(names)]


def renamed_card(card: int, names: tuple[int, ...]) -> int:
    """The card that a card becomes when the suits are renamed: suit s becomes ``names[s]``."""
    return card - card % NUM_SUITS + names[card % NUM_SUITS]


def renamed_combos(names: tuple[int, ...]) -> Ints:
    """The combo that each combo becomes when the suits are renamed; shape (1326,), read-only."""
    return suit_renamings()[SUIT_NAMES.index(names)]


@functools.lru_cache(maxsize=4096)
def _values(board: tuple[int, ...]) -> Floats:
    """`squared_strengths` on exactly this board, remembered."""
    values = np.empty(NUM_COMBOS)
    mean_squares(ranking_table(), np.array(board, np.uint8), values)
    return np.round(values, _DIGITS)
