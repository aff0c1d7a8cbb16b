"""Final strengths of hands over all full boards: their distributions and mean squares; nearest centres."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.hands.combo_strength import order_combos
from engine.kernels.hands.equity import list_run_outs
from engine.kernels.hands.strength import hand_strength
from engine.kernels.poker.bits import card_bits

_TWICE_OPPONENTS: Final = 1980
"""Twice the hands an opponent may hold on a full board."""


@kernel()
def fill_distributions(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    cards: NDArray[np.int64],
    counts: NDArray[np.uint16],
) -> None:
    """Count the full boards on which the strength of each combo against a random hand falls into each bin.

    Args:
        table: `ranking_table()`.
        board: shape (3|4|5,).
        cards: the cards of each combo, shape (1326, 2).
        counts: shape (1326, bins), filled in place; bins are equally wide, and dead combos have zeros.
    """
    size, bins = board.shape[0], counts.shape[1]
    full = np.empty(5, np.uint8)
    for place in range(size):
        full[place] = board[place]
    to_come = np.empty((1176, 2), np.uint8)
    num_boards = list_run_outs(card_bits(board, size), 5 - size, to_come)
    order = np.empty(1326, np.int64)
    ends = np.empty(1326, np.int64)
    first = np.empty(1326, np.uint8)
    second = np.empty(1326, np.uint8)
    twice = np.empty(1326, np.int32)
    below = np.zeros(52, np.int32)
    bin_of = np.empty(_TWICE_OPPONENTS + 1, np.uint8)
    for both in range(_TWICE_OPPONENTS + 1):
        bin_of[both] = both * bins // (_TWICE_OPPONENTS + 1)
    counts[:] = 0
    for index in range(num_boards):
        for place in range(size, 5):
            full[place] = to_come[index, place - size]
        live, groups = order_combos(table, full, order, ends)
        for place in range(live):
            first[place] = cards[order[place], 0]
            second[place] = cards[order[place], 1]
        below[:] = 0
        start = 0
        for group in range(groups):
            end = integer(ends[group])
            # Twice the strength: the hands below, without and with those that tie.
            for place in range(start, end):
                twice[place] = start - below[first[place]] - below[second[place]]
            for place in range(start, end):
                below[first[place]] += 1
                below[second[place]] += 1
            for place in range(start, end):
                both = twice[place] + end - below[first[place]] - below[second[place]] + 1
                counts[order[place], bin_of[both]] += 1
            start = end


@kernel()
def fill_distribution(
    table: NDArray[np.uint16], first: int, second: int, board: NDArray[np.uint8], counts: NDArray[np.uint16]
) -> None:
    """`fill_distributions` for one hand of two cards; `counts`, shape (bins,), is filled in place."""
    size, bins = board.shape[0], counts.shape[0]
    full = np.empty(5, np.uint8)
    for place in range(size):
        full[place] = board[place]
    to_come = np.empty((1176, 2), np.uint8)
    num_boards = list_run_outs(card_bits(board, size) | 1 << first | 1 << second, 5 - size, to_come)
    alike = np.empty(0, np.float64)
    counts[:] = 0
    for index in range(num_boards):
        for place in range(size, 5):
            full[place] = to_come[index, place - size]
        beaten, tied, _ = hand_strength(table, first, second, full, alike)
        counts[integer(2.0 * beaten + tied) * bins // (_TWICE_OPPONENTS + 1)] += 1


@kernel()
def find_nearest(
    points: NDArray[np.float32], centres: NDArray[np.float32], nearest: NDArray[np.int64]
) -> None:
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
def mean_squares(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    cards: NDArray[np.int64],
    squares: NDArray[np.float64],
) -> None:
    """E[HS²] of every combo on a board: the mean square of its strength over all full boards.

    Args:
        table: `ranking_table()`.
        board: shape (3|4|5,).
        cards: the cards of each combo, shape (1326, 2).
        squares: shape (1326,), filled in place; -1 for combos that share a card with the board.
    """
    size = board.shape[0]
    full = np.empty(5, np.uint8)
    for place in range(size):
        full[place] = board[place]
    to_come = np.empty((1176, 2), np.uint8)
    num_boards = list_run_outs(card_bits(board, size), 5 - size, to_come)
    order = np.empty(1326, np.int64)
    ends = np.empty(1326, np.int64)
    counts = np.zeros(1326)
    below = np.zeros(52)
    twice = np.zeros(1326)
    squares[:] = 0.0
    for index in range(num_boards):
        for place in range(size, 5):
            full[place] = to_come[index, place - size]
        _, groups = order_combos(table, full, order, ends)
        below[:] = 0.0
        beaten = 0.0
        start = 0
        for group in range(groups):
            end = integer(ends[group])
            # Twice the strength: the hands below, without and with those that tie.
            for place in range(start, end):
                combo = integer(order[place])
                twice[combo] = beaten - below[cards[combo, 0]] - below[cards[combo, 1]]
            for place in range(start, end):
                combo = integer(order[place])
                below[cards[combo, 0]] += 1.0
                below[cards[combo, 1]] += 1.0
                beaten += 1.0
            for place in range(start, end):
                combo = integer(order[place])
                both = twice[combo] + beaten - below[cards[combo, 0]] - below[cards[combo, 1]] + 1.0
                strength = both / _TWICE_OPPONENTS
                squares[combo] += strength * strength
                counts[combo] += 1.0
            start = end
    for combo in range(1326):
        squares[combo] = squares[combo] / counts[combo] if counts[combo] > 0.0 else -1.0
