"""Final strengths of hands over all full boards: their distributions and mean squares; nearest centres."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.hands.range_walk import Walk, add_board, make_walk
from engine.kernels.hands.strength import hand_strength
from engine.kernels.poker.cards import MAX_RUN_OUTS, card_bits, combo_of, extended, list_live, list_run_outs
from engine.support.arrays import Bytes, Floats, Floats32, Ints, Words16

_TWICE_OPPONENTS: Final = 1980
"""Twice the hands an opponent may hold on a full board."""


class _Final(NamedTuple):
    """The full boards that begin with a board, and what each hand beats on one of them."""

    full: Bytes
    """The board of the moment, shape (5,)."""
    run_outs: Bytes
    """The cards to come, shape (MAX_RUN_OUTS, 2)."""
    live: Ints
    """The cards that are not on the board of the moment, shape (52,)."""
    alike: Floats
    """The weights of a random hand, shape (52, 52)."""
    walk: Walk
    """Scratch."""
    twice_beaten: Floats
    """Twice the hands below each hand, and once those that tie; shape (52, 52)."""


@kernel(inlined=True)
def _final_boards(board: Bytes) -> _Final:
    """New arrays for `_Final`; only the board is filled in."""
    return _Final(
        extended(board, 5),
        np.empty((MAX_RUN_OUTS, 2), np.uint8),
        np.empty(52, np.int64),
        1.0 - np.eye(52),
        make_walk(),
        np.empty((52, 52), np.float64),
    )


@kernel(allocates=False)
def _walk_board(table: Words16, size: int, index: int, final: _Final) -> int:
    """Walk the hands on the final board with a run-out; returns the number of its live cards.

    size: that of the board so far.  index: the run-out's.  final: `live` and `twice_beaten` are filled in.
    """
    for place in range(size, 5):
        final.full[place] = final.run_outs[index, place - size]
    for high in range(52):
        for low in range(high):
            final.twice_beaten[high, low] = 0.0
    add_board(table, final.full, final.alike, final.walk, final.twice_beaten)
    return list_live(card_bits(final.full, 5), final.live)


@kernel()
def fill_distributions(table: Words16, board: Bytes, counts: Words16) -> None:
    """Count the full boards on which the strength of each combo against a random hand falls into each bin.

    Args:
        table: `ranking_table()`.
        board: shape (3|4|5,).
        counts: shape (1326, bins), filled in place; bins are equally wide, and dead combos have zeros.
    """
    size, bins = board.shape[0], counts.shape[1]
    final = _final_boards(board)
    bin_of = np.empty(_TWICE_OPPONENTS + 1, np.uint8)
    for both in range(_TWICE_OPPONENTS + 1):
        bin_of[both] = both * bins // (_TWICE_OPPONENTS + 1)
    counts[:] = 0
    for index in range(list_run_outs(card_bits(board, size), 5 - size, final.run_outs)):
        for i in range(_walk_board(table, size, index, final)):
            high = final.live[i]
            for j in range(i):
                low = final.live[j]
                counts[combo_of(high, low), bin_of[integer(final.twice_beaten[high, low])]] += 1


@kernel()
def fill_distribution(table: Words16, first: int, second: int, board: Bytes, counts: Words16) -> None:
    """`fill_distributions` for one hand of two cards; `counts`, shape (bins,), is filled in place."""
    size, bins = board.shape[0], counts.shape[0]
    full = extended(board, 5)
    to_come = np.empty((MAX_RUN_OUTS, 2), np.uint8)
    dead = card_bits(board, size) | 1 << first | 1 << second
    alike = np.empty(0, np.float64)
    counts[:] = 0
    for index in range(list_run_outs(dead, 5 - size, to_come)):
        for place in range(size, 5):
            full[place] = to_come[index, place - size]
        beaten, tied, _ = hand_strength(table, first, second, full, alike)
        counts[integer(2.0 * beaten + tied) * bins // (_TWICE_OPPONENTS + 1)] += 1


@kernel()
def find_nearest(points: Floats32, centres: Floats32, nearest: Ints) -> None:
    """The number of the centre nearest to each point by Euclidean distance; the first of several.

    Args:
        points: shape (points, dimensions).
        centres: shape (dimensions, centres).
        nearest: shape (points,), filled in place.
    """
    dimensions, num_centres = centres.shape
    distances = np.empty(num_centres, np.float32)
    for point in range(points.shape[0]):
        distances[:] = np.float32(0.0)
        for dimension in range(dimensions):
            at, row = points[point, dimension], centres[dimension]
            for centre in range(num_centres):
                away = row[centre] - at
                distances[centre] += away * away
        best = 0
        for centre in range(num_centres):
            if distances[centre] < distances[best]:
                best = centre
        nearest[point] = best


@kernel()
def mean_squares(table: Words16, board: Bytes, squares: Floats) -> None:
    """E[HS²] of every combo on a board: the mean square of its strength over all full boards.

    Args:
        table: `ranking_table()`.
        board: shape (3|4|5,).
        squares: shape (1326,), filled in place; -1 for combos that share a card with the board.
    """
    size = board.shape[0]
    final = _final_boards(board)
    counts = np.zeros(1326)
    squares[:] = 0.0
    for index in range(list_run_outs(card_bits(board, size), 5 - size, final.run_outs)):
        for i in range(_walk_board(table, size, index, final)):
            high = final.live[i]
            for j in range(i):
                low = final.live[j]
                combo = combo_of(high, low)
                strength = final.twice_beaten[high, low] / _TWICE_OPPONENTS
                squares[combo] += strength * strength
                counts[combo] += 1.0
    for combo in range(1326):
        squares[combo] = squares[combo] / counts[combo] if counts[combo] > 0.0 else -1.0
