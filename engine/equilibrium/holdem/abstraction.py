"""Which hands a strategy of hold'em takes for the same: its *abstraction*, by betting round and board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.combos import NUM_COMBOS
from engine.kernels.cards.tables import ranking_table
from engine.kernels.evaluation.combo_strength import order_combos

__all__ = ["NO_BUCKET", "Abstraction", "positions_on"]

NO_BUCKET: Final = -1
"""The bucket of a combo that shares a card with the board."""


class Abstraction(Protocol):
    """Hands in buckets."""

    @property
    def kind(self) -> str:
        """What files call it."""

    @property
    def num_buckets(self) -> tuple[int, ...]:
        """By betting round."""

    @property
    def buckets_on_a_board(self) -> tuple[int, ...]:
        """How many of a round's buckets there can be on one board: one stretch of so many, by round."""

    @property
    def notes(self) -> Mapping[str, Any]:
        """What makes it, as JSON has it."""

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """What a file must hold beside the notes to make it again."""

    def buckets(self, board: Sequence[int]) -> NDArray[np.int64]:
        """The bucket of each combo on a board of 0, 3, 4 or 5 cards, `NO_BUCKET` for none; shape (1326,)."""

    def bucket(self, combo: int, board: Sequence[int]) -> int:
        """The bucket of one combo that shares no card with the board: what a decision takes."""


def positions_on(board: Sequence[int]) -> NDArray[np.float64]:
    """The share of hands that are weaker than each combo on a full board, -1 for dead ones; shape (1326,)."""
    order, ends = np.empty(NUM_COMBOS, np.int64), np.empty(NUM_COMBOS, np.int64)
    live, groups = order_combos(ranking_table(), np.array(board, np.uint8), order, ends)
    starts = np.concatenate([[0], ends[: groups - 1]])
    positions = np.full(NUM_COMBOS, -1.0)
    positions[order[:live]] = np.repeat(starts / live, np.diff(ends[:groups], prepend=0))
    return positions
