"""The exact equity of each of the 169 starting hands against each other, over all boards.

Boards that differ by a renaming of suits are the same board for starting hands, so 134,459 boards stand for
the 2,598,960, each with a weight of 4, 12 or 24.  On one board the combos are numbered by class; then, with
2 for a win and 1 for a tie,

* all pairs of combos: per starting hand and number the points of a hand against all combos of each starting
hand,
  169 byte lanes at a time, added up once for the combos of a starting hand that have the same number;
* less the pairs that share a card: for each card and each two others the points of (card, x) against (card,
y),
  52 byte lanes at a time.

Sums are kept in 8 and 16 bits for a few boards of equal weight and then carried to 64.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.equity import number_combos

NUM_CANONICAL_BOARDS: Final = 134_459

_CLASS_LANES: Final = 176
"""169 starting hands, filled up to whole vectors."""

_CARD_LANES: Final = 64

_BLOCK: Final = 120
"""Boards until the sums are carried: 2 points a board fit a byte, 12 combos x 24 points 16 bits."""


@kernel()
def fill_canonical_boards(boards: NDArray[np.uint8], weights: NDArray[np.int64]) -> int:
    """One board of each class of suit renamings, and the size of the class; returns how many there are.

    `boards`, shape (NUM_CANONICAL_BOARDS, 5), and `weights` are filled in place, boards of equal weight
    together.
    """
    count = 0
    for weight in (4, 12, 24):
        masks = np.zeros(4, np.int64)
        for a in range(52):
            for b in range(a):
                for c in range(b):
                    for d in range(c):
                        for e in range(d):
                            masks[:] = 0
                            masks[a & 3] |= 1 << (a >> 2)
                            masks[b & 3] |= 1 << (b >> 2)
                            masks[c & 3] |= 1 << (c >> 2)
                            masks[d & 3] |= 1 << (d >> 2)
                            masks[e & 3] |= 1 << (e >> 2)
                            if masks[0] < masks[1] or masks[1] < masks[2] or masks[2] < masks[3]:
                                continue
                            # Two suits without a card are equal, and so are three; no others can be, with
                            # five cards.
                            equal = (masks[0] == masks[1]) + (masks[1] == masks[2]) + (masks[2] == masks[3])
                            size = 24 if equal == 0 else (12 if equal == 1 else 4)
                            if size == weight:
                                boards[count, 0] = a
                                boards[count, 1] = b
                                boards[count, 2] = c
                                boards[count, 3] = d
                                boards[count, 4] = e
                                weights[count] = weight
                                count += 1
    return count


@kernel()
def _add_scaled(points: NDArray[np.uint8], times: int, sums: NDArray[np.uint16]) -> None:
    factor = np.uint16(times)
    for lane in range(_CLASS_LANES):
        sums[lane] += factor * points[lane]


@kernel()
def _add_points(numbers: NDArray[np.uint8], number: int, sums: NDArray[np.uint8]) -> None:
    mine = np.uint8(number)
    for lane in range(_CARD_LANES):
        theirs = numbers[lane]
        sums[lane] += 2 if theirs < mine else (1 if theirs == mine else 0)


@kernel()
def _accumulate(points: NDArray[np.uint8], twice_below: NDArray[np.uint8]) -> None:
    for lane in range(_CLASS_LANES):
        inside = points[lane]
        points[lane] += twice_below[lane]
        twice_below[lane] += inside + inside


@kernel()
def fill_points(
    table: NDArray[np.uint16],
    boards: NDArray[np.uint8],
    weights: NDArray[np.int64],
    starting_hand: NDArray[np.uint8],
    combos_of: NDArray[np.int64],
    points: NDArray[np.int64],
) -> None:
    """The points of each starting hand against each: 2 for each pair of disjoint combos and board that it
    wins.

    boards, weights: of `fill_canonical_boards`.  starting_hand: of each combo, shape (1326,).
    combos_of: the combos of each starting hand, shape (169, 12), -1 after the last.
    points: shape (169, 169), filled in place; 1 for a tie.
    """
    points[:] = 0
    numbers = np.empty(1326, np.uint8)
    by_cards = np.empty((52, _CARD_LANES), np.uint8)
    per_number = np.empty((256, _CLASS_LANES), np.uint8)
    twice_below = np.empty(_CLASS_LANES, np.uint8)
    all_pairs = np.zeros((169, _CLASS_LANES), np.uint16)
    sharing = np.zeros((52, 52, _CARD_LANES), np.uint8)
    in_block = 0
    for index in range(boards.shape[0]):
        board = boards[index]
        count = number_combos(table, board, numbers)
        by_cards[:] = 255
        per_number[:count] = 0
        dead = 0
        for i in range(5):
            dead |= 1 << integer(board[i])
        combo = 0
        for high in range(52):
            if dead >> high & 1:
                combo += high
                continue
            for low in range(high):
                if dead >> low & 1 == 0:
                    number = numbers[combo]
                    by_cards[high, low] = number
                    by_cards[low, high] = number
                    per_number[number, starting_hand[combo]] += np.uint8(1)
                combo += 1
        twice_below[:] = 0
        for number in range(count):
            _accumulate(per_number[number], twice_below)
        for hand in range(169):
            number = -1
            times = 0
            for i in range(12):
                combo = combos_of[hand, i]
                if combo < 0:
                    break
                if by_cards[_HIGH[combo], _LOW[combo]] == 255:
                    continue
                this = integer(numbers[combo])
                if this != number:
                    if times:
                        _add_scaled(per_number[number], times, all_pairs[hand])
                    number = this
                    times = 0
                times += 1
            if times:
                _add_scaled(per_number[number], times, all_pairs[hand])
        for card in range(52):
            if dead >> card & 1:
                continue
            for x in range(52):
                if x != card and dead >> x & 1 == 0:
                    _add_points(by_cards[card], integer(by_cards[card, x]), sharing[card, x])
        in_block += 1

        if in_block == _BLOCK or index + 1 == boards.shape[0] or weights[index + 1] != weights[index]:
            weight = weights[index]
            for hand in range(169):
                for other in range(169):
                    points[hand, other] += weight * integer(all_pairs[hand, other])
            for card in range(52):
                for x in range(52):
                    if x == card:
                        continue
                    hand = starting_hand[_COMBO[card, x]]
                    for y in range(52):
                        # A combo shares two cards with itself, but must be taken out once.
                        if y != card and (y != x or x < card):
                            other = starting_hand[_COMBO[card, y]]
                            points[hand, other] -= weight * integer(sharing[card, x, y])
            all_pairs[:] = 0
            sharing[:] = 0
            in_block = 0


def _indices() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    high = np.repeat(np.arange(52), np.arange(52))
    low = np.concatenate([np.arange(card) for card in range(52)])
    combo = np.full((52, 52), -1)
    combo[high, low] = combo[low, high] = np.arange(1326)
    return high, low, combo


_HIGH, _LOW, _COMBO = _indices()
