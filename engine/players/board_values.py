"""Strength and potential of all combos on a board at once.

Computing the strength of every combo against weights takes some microseconds, because the order of the combos
on a board does not depend on the weights and is kept.  Potential is the average, over the next card, of what
the card adds to a combo's strength: against a random hand, computed once for a board
(`BoardValues.positive_potential`), or against weights as in Poki 3.3.3 (`BoardValues.potentials`), which
takes a quarter of a millisecond.

For one combo the sum over the opponent's hands is taken before the positive part, card by card, whereas eq
3.1 takes it hand by hand.  The two differ only if a card helps us against some hands and hurts us against
others; ``tests/engine/players/test_board_values.py`` bounds the difference.

Source: Poki 3.3.1-3.3.3, 3.3.6.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.hands.hand_rank import check_board
from engine.kernels.hands import combo_strength as kernels
from engine.kernels.players.trials.strata import NUM_STRATA, fill_strata
from engine.kernels.poker.tables import ranking_table
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS

__all__ = ["BoardValues", "Potentials", "board_values", "parts_below"]


def _frozen(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.flags.writeable = False
    return array


class Potentials(NamedTuple):
    """The potentials of every combo for one card to come: shape (1326,) each, 0 for dead combos."""

    positive: NDArray[np.float64]
    negative: NDArray[np.float64]


@attrs.frozen(eq=False)
class BoardValues:
    """The values of every combo on a board.  Arrays of shape (1326,), read-only, 0 for dead combos."""

    board: tuple[int, ...]
    free: NDArray[np.float64]
    """1 for combos that share no card with the board, otherwise 0."""
    plain: Potentials
    """The potentials against a random hand; 0 on the river."""
    _order: NDArray[np.int64]
    _ends: NDArray[np.int64]
    _groups: int

    def strengths(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The hand strength of every combo against a weight table, shape (1326,), float64.

        Combos that share a card with ours or the board are ignored, as in Fig. 3.3.
        """
        strengths = np.zeros(NUM_COMBOS)
        kernels.strengths_in_order(self._order, self._ends, self._groups, COMBO_CARDS, weights, strengths)
        return strengths

    def below_bars(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of a weight table below each bar (``engine.kernels.players.bars``), from 0 to 1.

        Args:
            weights: the weights of the combos, shape (1326,); those with a board card are ignored.

        Returns:
            Shape (NUM_BARS,), float64.
        """
        return parts_below(_strata_of_combos(self.board), weights * self.free)

    @property
    def positive_potential(self) -> NDArray[np.float64]:
        """PPot against a random hand for one card to come; 0 on the river."""
        return self.plain.positive

    @property
    def negative_potential(self) -> NDArray[np.float64]:
        """NPot against a random hand for one card to come; 0 on the river."""
        return self.plain.negative

    def potentials(self, weights: NDArray[np.float64]) -> Potentials:
        """PPot and NPot of every combo for one card to come against a weight table; 0 on the river.

        Args:
            weights: the weights of the combos without board cards, shape (1326,).
        """
        changes = np.zeros((2, NUM_COMBOS))
        if len(self.board) < 5:
            kernels.changes_against(
                self._order,
                self._ends,
                self._groups,
                *_next_orders(self.board),
                COMBO_CARDS,
                weights,
                changes,
            )
        return _potentials(self.strengths(weights), changes[0], changes[1], self.free)


def board_values(board: tuple[int, ...]) -> BoardValues:
    """The values of a board of 3, 4 or 5 cards; the order of its cards does not matter.

    Raises:
        ValueError: wrong cards.
    """
    return _board_values(tuple(sorted(check_board(board))))


@functools.lru_cache(maxsize=256)
def _board_values(board: tuple[int, ...]) -> BoardValues:
    cards = np.array(board, np.uint8)
    order, ends = np.empty(NUM_COMBOS, np.int64), np.empty(NUM_COMBOS, np.int64)
    live, groups = kernels.order_combos(ranking_table(), cards, order, ends)
    free = np.zeros(NUM_COMBOS)
    free[order[:live]] = 1.0
    positive, negative = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS)
    if len(board) < 5:
        strengths, gains, losses = np.empty(NUM_COMBOS), np.empty(NUM_COMBOS), np.empty(NUM_COMBOS)
        kernels.strengths_and_changes(ranking_table(), cards, COMBO_CARDS, strengths, gains, losses)
        positive, negative = _potentials(strengths, gains, losses, free)
    plain = Potentials(_frozen(positive), _frozen(negative))
    return BoardValues(board, _frozen(free), plain, order, ends, groups)


def _potentials(
    strengths: NDArray[np.float64],
    gained: NDArray[np.float64],
    lost: NDArray[np.float64],
    free: NDArray[np.float64],
) -> Potentials:
    """The share gained of what a combo was behind, and lost of what it was ahead."""
    return Potentials(
        np.clip(gained / np.maximum(1 - strengths, 1e-9), 0.0, 1.0) * free,
        np.clip(lost / np.maximum(strengths, 1e-9), 0.0, 1.0) * free,
    )


def parts_below(strata: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of weights below the edge of each stratum, shape (NUM_STRATA + 1,), from 0 to 1."""
    in_stratum = np.bincount(strata, weights=weights, minlength=NUM_STRATA)
    below = np.zeros(NUM_STRATA + 1)
    np.cumsum(in_stratum, out=below[1:])
    below /= below[-1]
    return below


@functools.lru_cache(maxsize=256)
def _strata_of_combos(board: tuple[int, ...]) -> NDArray[np.int64]:
    """The stratum of each combo on a board of 3 to 5 cards, shape (1326,)."""
    strata = np.empty(NUM_COMBOS, np.int64)
    fill_strata(ranking_table(), COMBO_CARDS, np.array(board, np.uint8), strata)
    return strata


@functools.lru_cache(maxsize=16)
def _next_orders(
    board: tuple[int, ...],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The order of the combos on the board with each next card: 1 MB, kept since a hand asks for it again."""
    orders, ends = np.empty((52, NUM_COMBOS), np.int64), np.empty((52, NUM_COMBOS), np.int64)
    groups = np.empty(52, np.int64)
    kernels.order_next_boards(ranking_table(), np.array(board, np.uint8), orders, ends, groups)
    return orders, ends, groups
