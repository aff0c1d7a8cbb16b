"""Every combo against every other one over all boards, with suits told apart.

Of boards that differ by a renaming of suits only one is used, with the size of their class as weight
(``engine.kernels.hands.preflop``).  So a single entry of the result is meaningless; the mean over the 24
renamings of both combos is exact.

On one board the combos are numbered by class.  A combo's points against all others come from comparing one
number with a row of bytes; they are added up for a block of boards of equal weight and carried to 32 bits.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.hands.range_walk import number_combos
from engine.kernels.poker.cards import card_bits
from engine.support.arrays import Bytes, Ints, Ints32, Words16

_LANES: Final = 1344
"""1326 combos, padded to whole vectors."""

_BLOCK: Final = 127
"""Boards after which sums are carried: with 2 points a board they fit a byte."""

_DEAD: Final = 255
"""In place of the number of a combo that shares a card with the board: greater than any number."""


@kernel(allocates=False)
def _add_points(numbers: Bytes, at: int, number: int, sums: Bytes) -> None:
    """Add the points of one number against the row of numbers from `at` to sums."""
    mine = np.uint8(number)
    for lane in range(_LANES):
        theirs = numbers[np.uint64(at + lane)]
        sums[np.uint64(lane)] += 2 if theirs < mine else (1 if theirs == mine else 0)


@kernel(allocates=False)
def _write_row(board: Bytes, found: Bytes, numbers: Bytes, at: int) -> None:
    """Write the numbers of a board's combos from `at` on; dead combos and unused lanes get _DEAD."""
    dead = card_bits(board, 5)
    combo = 0
    for high in range(52):
        for low in range(high):
            numbers[at + combo] = _DEAD if (dead >> high | dead >> low) & 1 else integer(found[combo])
            combo += 1
    for lane in range(combo, _LANES):
        numbers[at + lane] = _DEAD


@kernel()
def fill_pair_points(table: Words16, boards: Bytes, weights: Ints, points: Ints32) -> None:
    """The points of each combo against each other: 2 for a board won, 1 for a tie, times the board's weight.

    boards, weights: from `canonical_boards`.
    points: shape (1326, 1326), filled in place; meaningless for combos with a card in common.
    """
    points[:] = 0
    found = np.empty(1326, np.uint8)
    numbers = np.empty(_BLOCK * _LANES, np.uint8)
    sums = np.empty(_LANES, np.uint8)
    first = 0
    while first < boards.shape[0]:
        weight = weights[first]
        size = 0
        while size < _BLOCK and first + size < boards.shape[0] and weights[first + size] == weight:
            number_combos(table, boards[first + size], found)
            _write_row(boards[first + size], found, numbers, size * _LANES)
            size += 1
        for combo in range(1326):
            sums[:] = 0
            for board in range(size):
                number = integer(numbers[board * _LANES + combo])
                if number != _DEAD:
                    _add_points(numbers, board * _LANES, number, sums)
            for other in range(1326):
                points[combo, other] += weight * integer(sums[other])
        first += size
