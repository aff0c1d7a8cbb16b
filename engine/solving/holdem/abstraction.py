"""Abstractions: which hands a strategy of hold'em treats as equal, by betting round and board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.kernels.hands.combo_strength import order_combos
from engine.kernels.poker.tables import ranking_table
from engine.poker.combos import NUM_COMBOS

__all__ = ["NO_BUCKET", "Abstraction", "by_strength", "positions_on"]

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
        """By round, the number of buckets that can occur on one board; their numbers are consecutive."""

    @property
    def notes(self) -> Mapping[str, Any]:
        """The settings that it is made from, in terms of JSON."""

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that a file must hold, besides the notes, to make it again."""

    def buckets(self, board: Sequence[int]) -> NDArray[np.int64]:
        """The bucket of each combo on a board of 0, 3, 4 or 5 cards, or `NO_BUCKET`; shape (1326,)."""

    def bucket(self, combo: int, board: Sequence[int]) -> int:
        """The bucket of one combo that shares no card with the board: all that a single decision needs."""


def by_strength(board: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The live combos on a board in ascending order of strength, and where each group of equals ends.

    Args:
        board: 3, 4 or 5 cards.

    Returns:
        Shapes (live combos,) and (groups,).
    """
    order, ends = np.empty(NUM_COMBOS, np.int64), np.empty(NUM_COMBOS, np.int64)
    live, groups = order_combos(ranking_table(), np.array(board, np.uint8), order, ends)
    return order[:live], ends[:groups]


def positions_on(board: Sequence[int]) -> NDArray[np.float64]:
    """The share of live hands weaker than each combo on a full board; -1 for dead ones; shape (1326,)."""
    held, ends = by_strength(board)
    positions = np.full(NUM_COMBOS, -1.0)
    sizes = np.diff(ends, prepend=0)
    positions[held] = np.repeat((ends - sizes) / len(held), sizes)
    return positions
