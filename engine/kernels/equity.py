"""Equity at showdown: hand against hand, all hands against a range, several ranges, by enumeration or by
sampling.

*All hands against a range* on a full board takes one pass over the combos instead of one for each (the
range trick): number the classes that occur on the board in ascending order; add up the weights per class
and, in each class, per card; sum over the classes.  Then the weight below a hand is all weight below its
class less that with its first card and less that with its second.  Boards to come are enumerated, and the
sums of all are accumulated.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.ranking import bit_if, fill_rank_pair_row, flush_suit
from engine.kernels.strength import hand_strength
from engine.kernels.tables import (
    EMPTY_KEY,
    FLUSH_AT,
    FLUSH_BITS,
    KEY_OF_CARD,
    NUM_CLASSES,
    SUIT_SHIFT,
)

COLUMNS: Final = 48
"""The 47 cards that are not on the board, and the total."""

SCRATCH: Final = 1 << 14
"""Room for more rows of COLUMNS than the 91 classes without a flush and the 45 or 46 with one."""

_MASK: Final = SCRATCH - 1

_WORDS: Final = NUM_CLASSES // 32 + 1


@kernel()
def _popcount(word: int) -> int:
    """Bits set in a word of 32 bits; the compiler knows the idiom."""
    word = word - ((word >> 1) & 0x55555555)
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    return ((word * 0x01010101) & 0xFFFFFFFF) >> 24


@kernel()
def _number_of_class(occurring: NDArray[np.int64], below: NDArray[np.int64], hand_class: int) -> int:
    word = hand_class >> 5
    return integer(below[word]) + _popcount(integer(occurring[word]) & ((1 << (hand_class & 31)) - 1))


@kernel()
def number_combos(table: NDArray[np.uint16], board: NDArray[np.uint8], numbers: NDArray[np.uint8]) -> int:
    """Numbers the combos on a board of five by their classes, ascending without gaps; returns how many
    there are.

    `numbers`, shape (1326,), is filled in place; for combos that share a card with the board it is
    meaningless.
    """
    key = EMPTY_KEY
    for i in range(5):
        key += KEY_OF_CARD[board[i]]
    suit = -1
    suited = 0
    mask = 0
    if (key + (0x2222 << SUIT_SHIFT)) & FLUSH_BITS:
        suit = flush_suit(key + (0x2222 << SUIT_SHIFT))
        for i in range(5):
            mask |= bit_if(integer(board[i]), suit)
            suited += (board[i] & 3) == suit

    row = np.empty(96, np.uint16)
    if suited == 5:
        for pair in range(91):
            row[pair] = table[FLUSH_AT + mask]
    else:
        fill_rank_pair_row(table, key, row)

    occurring = np.zeros(_WORDS, np.int64)
    for pair in range(91):
        hand_class = integer(row[pair])
        occurring[hand_class >> 5] |= 1 << (hand_class & 31)
    if suit >= 0:
        for a in range(13):
            if mask >> a & 1:
                continue
            with_a = FLUSH_AT + (mask | 1 << a)
            if suited >= 4:
                hand_class = integer(table[with_a])
                occurring[hand_class >> 5] |= 1 << (hand_class & 31)
            for b in range(a):
                if mask >> b & 1 == 0:
                    hand_class = integer(table[with_a | 1 << b])
                    occurring[hand_class >> 5] |= 1 << (hand_class & 31)
    below = np.empty(_WORDS, np.int64)
    count = 0
    for word in range(_WORDS):
        below[word] = count
        count += _popcount(occurring[word])

    number_row = np.empty(96, np.uint8)
    for pair in range(91):
        number_row[pair] = _number_of_class(occurring, below, integer(row[pair]))
    combo = 0
    for high_rank in range(13):
        base = high_rank * (high_rank + 1) >> 1
        for suits_below in range(4):
            for low_rank in range(high_rank):
                number = number_row[base + low_rank]
                numbers[combo] = number
                numbers[combo + 1] = number
                numbers[combo + 2] = number
                numbers[combo + 3] = number
                combo += 4
            number = number_row[base + high_rank]
            for _ in range(suits_below):
                numbers[combo] = number
                combo += 1
    if suit >= 0:
        for a in range(13):
            if mask >> a & 1:
                continue
            high = 4 * a + suit
            at = high * (high - 1) >> 1
            with_a = FLUSH_AT + (mask | 1 << a)
            if suited >= 4:
                number = np.uint8(_number_of_class(occurring, below, integer(table[with_a])))
                for other in range(high):
                    numbers[at + other] = number
                for other in range(high + 1, 52):
                    # A higher card of the suit comes later in the outer loop and overwrites this.
                    numbers[(other * (other - 1) >> 1) + high] = number
            for b in range(a):
                if mask >> b & 1 == 0:
                    numbers[at + suit + 4 * b] = _number_of_class(
                        occurring, below, integer(table[with_a | 1 << b])
                    )
    return count


@kernel()
def add_river(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    numbers: NDArray[np.uint8],
    sums: NDArray[np.float64],
    twice_won: NDArray[np.float64],
) -> None:
    """Adds to each live combo on a board of five twice the weight below it and once the weight it ties with.

    weights: shape (1326,).  twice_won: shape (1326,), added to in place.
    numbers: scratch, shape (1326,).  sums: scratch, shape (SCRATCH,).
    """
    count = number_combos(table, board, numbers)
    dead = 0
    for i in range(5):
        dead |= 1 << integer(board[i])
    live = np.empty(52, np.int64)
    num_live = 0
    for card in range(52):
        if dead >> card & 1 == 0:
            live[num_live] = card
            num_live += 1

    # Columns are the live cards in order; the last one is the total.  The masks change nothing: they tell
    # the compiler that no index is negative.
    for place in range(count * COLUMNS):
        sums[place] = 0.0
    for i in range(num_live):
        at = live[i] * (live[i] - 1) >> 1
        for j in range(i):
            combo = (at + live[j]) & 0x7FF
            weight = weights[combo]
            row = integer(numbers[combo]) * COLUMNS
            sums[(row + i) & _MASK] += weight
            sums[(row + j) & _MASK] += weight
            sums[(row + COLUMNS - 1) & _MASK] += weight
    # Twice what is below a class and once what is in it.
    twice_below = np.zeros(COLUMNS, np.float64)
    for number in range(count):
        row_sums = sums[number * COLUMNS : (number + 1) * COLUMNS]
        for column in range(COLUMNS):
            inside = row_sums[column]
            row_sums[column] += twice_below[column]
            twice_below[column] += inside + inside
    for i in range(num_live):
        at = live[i] * (live[i] - 1) >> 1
        for j in range(i):
            combo = (at + live[j]) & 0x7FF
            row = integer(numbers[combo]) * COLUMNS
            won = sums[(row + COLUMNS - 1) & _MASK] - sums[(row + i) & _MASK] - sums[(row + j) & _MASK]
            # The hand itself was in the total once and under both of its cards.
            twice_won[combo] += won + weights[combo]


@kernel()
def list_run_outs(dead: int, number: int, run_outs: NDArray[np.uint8]) -> int:
    """All ways to deal 0, 1 or 2 cards that are not in the mask `dead`; returns how many there are.

    `run_outs`, shape (1176 or more, 2), is filled in place; of fewer cards than 2 the last columns mean
    nothing.
    """
    count = 0
    for first in range(52 if number else 1):
        if number and dead >> first & 1:
            continue
        for second in range(first if number == 2 else 1):
            if number == 2 and dead >> second & 1:
                continue
            run_outs[count, 0] = first
            run_outs[count, 1] = second
            count += 1
    return count


@kernel()
def all_hands_against_range(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    equities: NDArray[np.float64],
) -> None:
    """The equity of every combo against a weighted range on a board of 3, 4 or 5 cards.

    weights: shape (1326,).  `equities`, shape (1326,), is filled in place; nan for combos that share a card
    with the board and for those that no combo with weight can meet.
    """
    size = board.shape[0]
    full = np.empty(5, np.uint8)
    for i in range(size):
        full[i] = board[i]
    numbers = np.empty(1326, np.uint8)
    sums = np.empty(SCRATCH, np.float64)
    dead = 0
    for i in range(size):
        dead |= 1 << integer(board[i])
    for combo in range(1326):
        equities[combo] = 0.0
    to_come = np.empty((1176, 2), np.uint8)
    num_boards = list_run_outs(dead, 5 - size, to_come)
    # One call for all sizes: each one would be compiled by itself.
    for index in range(num_boards):
        for place in range(size, 5):
            full[place] = to_come[index, place - size]
        add_river(table, full, weights, numbers, sums, equities)
    run_outs = 1 if size == 5 else (44 if size == 4 else 990)

    # Each pair of disjoint hands meets on equally many boards.
    by_card = np.zeros(52, np.float64)
    total = 0.0
    combo = 0
    for high in range(52):
        for low in range(high):
            if (dead >> high | dead >> low) & 1 == 0:
                by_card[high] += weights[combo]
                by_card[low] += weights[combo]
                total += weights[combo]
            combo += 1
    combo = 0
    for high in range(52):
        for low in range(high):
            met = total - by_card[high] - by_card[low] + weights[combo]
            # What is left of a total by rounding is not weight.
            if (dead >> high | dead >> low) & 1 or met <= 1e-12 * total:
                equities[combo] = np.nan
            else:
                equities[combo] /= 2.0 * run_outs * met
            combo += 1


@kernel()
def fill_final_strengths(
    table: NDArray[np.uint16],
    first: int,
    second: int,
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    boards: NDArray[np.uint8],
    strengths: NDArray[np.float64],
) -> None:
    """A hand's strength on every final board that begins with `board`, shape (3|4|5,).

    boards: shape (N, 2|1|0), the cards to come, filled in place.
    strengths: shape (3, N), the weight ahead, tied and behind on each, filled in place.
    """
    size = board.shape[0]
    full = np.empty(5, np.uint8)
    for i in range(size):
        full[i] = board[i]
    dead = 1 << first | 1 << second
    for i in range(size):
        dead |= 1 << integer(board[i])
    to_come = np.empty((1176, 2), np.uint8)
    num_boards = list_run_outs(dead, 5 - size, to_come)
    for index in range(num_boards):
        for place in range(5 - size):
            boards[index, place] = to_come[index, place]
        for place in range(size, 5):
            full[place] = to_come[index, place - size]
        ahead, tied, behind = hand_strength(table, first, second, full, weights)
        strengths[0, index] = ahead
        strengths[1, index] = tied
        strengths[2, index] = behind
