"""Strength and potential of all combos on a board at once.

Computing the strength of every combo against weights takes some microseconds.  Potential is the average, over
the next card, of what the card adds to a combo's strength: against a random hand, computed once for a board
(`BoardValues.plain`), or against weights as in Poki 3.3.3 (`BoardValues.potentials`), which
takes a quarter of a millisecond.

For one combo the sum over the opponent's hands is taken before the positive part, card by card, whereas eq
3.1 takes it hand by hand.  The two differ only if a card helps us against some hands and hurts us against
others; ``tests/engine/players/test_statistics.py`` bounds the difference.

Source: Poki 3.3.1-3.3.3, 3.3.6.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import attrs
import numpy as np

from engine.hands.hand_rank import DEAD_COMBO, board_ranks, check_board
from engine.kernels.hands import strength as kernels
from engine.kernels.players.trials.strata import NUM_STRATA, fill_strata
from engine.kernels.poker.tables import ranking_table
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS
from engine.support.arrays import Bytes, Floats, Ints, read_only


class Potentials(NamedTuple):
    """The potentials of every combo for one card to come: shape (1326,) each, 0 for dead combos."""

    positive: Floats
    negative: Floats


@attrs.frozen(eq=False)
class BoardValues:
    """The values of every combo on a board.  Arrays of shape (1326,), read-only, 0 for dead combos."""

    board: tuple[int, ...]
    free: Floats
    """1 for combos that share no card with the board, otherwise 0."""
    plain: Potentials
    """The potentials against a random hand for one card to come; 0 on the river."""
    share: Floats
    """The strength against a random hand."""
    _cards: Bytes

    def strengths(self, weights: Floats) -> Floats:
        """The hand strength of every combo against a weight table, shape (1326,), float64.

        Combos that share a card with ours or the board are ignored, as in Fig. 3.3.
        """
        strengths = np.empty(NUM_COMBOS)
        kernels.shares_of_all_hands(ranking_table(), self._cards, 0, weights, 0.0, 0.5, strengths)
        return strengths

    def potentials(self, weights: Floats) -> Potentials:
        """PPot and NPot of every combo for one card to come against a weight table; 0 on the river.

        Args:
            weights: the weights of the combos without board cards, shape (1326,).
        """
        changes = np.zeros((2, NUM_COMBOS))
        if len(self.board) < 5:
            kernels.changes_against(ranking_table(), self._cards, weights, changes)
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
    free = (board_ranks(board) != DEAD_COMBO).astype(np.float64)
    plain = Potentials(np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS))
    if len(board) < 5:
        changes = np.empty((3, NUM_COMBOS))
        kernels.random_changes(ranking_table(), cards, changes)
        plain = _potentials(changes[0], changes[1], changes[2], free)
    share = np.empty(NUM_COMBOS)
    kernels.shares_of_all_hands(ranking_table(), cards, 0, free, 0.0, 0.5, share)
    return BoardValues(board, read_only(free), Potentials(*map(read_only, plain)), read_only(share), cards)


def _potentials(strengths: Floats, gained: Floats, lost: Floats, free: Floats) -> Potentials:
    """The share gained of what a combo was behind, and lost of what it was ahead."""
    return Potentials(
        np.clip(gained / np.maximum(1 - strengths, 1e-9), 0.0, 1.0) * free,
        np.clip(lost / np.maximum(strengths, 1e-9), 0.0, 1.0) * free,
    )


def parts_below(strata: Ints, weights: Floats) -> Floats:
    """The share of weights below the edge of each stratum, shape (NUM_STRATA + 1,), from 0 to 1."""
    in_stratum = np.bincount(strata, weights=weights, minlength=NUM_STRATA)
    below = np.concatenate([[0.0], np.cumsum(in_stratum)])
    return below / below[-1]


@functools.lru_cache(maxsize=256)
def strata_of_combos(board: tuple[int, ...]) -> Ints:
    """The stratum of each combo on a board of 3 to 5 cards, shape (1326,)."""
    strata = np.empty(NUM_COMBOS, np.int64)
    fill_strata(ranking_table(), COMBO_CARDS, np.array(board, np.uint8), strata)
    return strata
