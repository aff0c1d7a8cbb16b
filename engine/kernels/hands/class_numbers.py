"""Numbering the classes that occur on a board of five: ascending and without gaps.

A set of classes is an array of NUM_WORDS words of 64 bits.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.bits import count_bits
from engine.kernels.poker.ranking import board_key, fill_rank_pair_row, flush_on_board, spread_rank_pairs
from engine.kernels.poker.tables import FLUSH_AT, NUM_CLASSES, NUM_RANK_PAIRS

NUM_WORDS: Final = NUM_CLASSES // 64 + 1


@kernel(allocates=False, inlined=True)
def mark(occurring: NDArray[np.int64], hand_class: int) -> None:
    """Add a class to a set."""
    occurring[hand_class >> 6] |= 1 << (hand_class & 63)


@kernel(allocates=False)
def count_below(occurring: NDArray[np.int64], below: NDArray[np.int64]) -> int:
    """Count the classes of a set in all words before each word; returns the number of classes in the set.

    below: shape (NUM_WORDS,), filled in place.
    """
    count = 0
    for word in range(NUM_WORDS):
        below[word] = count
        count += count_bits(occurring[word])
    return count


@kernel(allocates=False, inlined=True)
def number_of_class(occurring: NDArray[np.int64], below: NDArray[np.int64], hand_class: int) -> int:
    """The number of classes of a set that are below a class; `below` comes from `count_below`."""
    word = hand_class >> 6
    lower = (1 << (hand_class & 63)) - 1
    return integer(below[word]) + count_bits(occurring[word] & lower)


@kernel()
def number_combos(table: NDArray[np.uint16], board: NDArray[np.uint8], numbers: NDArray[np.uint8]) -> int:
    """Number the combos on a board of five by their classes; returns the number of different classes.

    `numbers`, shape (1326,), is filled in place; its entries for combos that share a card with the board are
    meaningless.
    """
    key = board_key(board, 5)
    suit, suited, mask = flush_on_board(key, board, 5)

    row = np.empty(96, np.uint16)
    if suited == 5:
        for pair in range(NUM_RANK_PAIRS):
            row[pair] = table[FLUSH_AT + mask]
    else:
        fill_rank_pair_row(table, key, row)

    occurring = np.zeros(NUM_WORDS, np.int64)
    for pair in range(NUM_RANK_PAIRS):
        mark(occurring, integer(row[pair]))
    if suit >= 0:
        for a in range(13):
            if mask >> a & 1:
                continue
            with_a = FLUSH_AT + (mask | 1 << a)
            if suited >= 4:
                mark(occurring, integer(table[with_a]))
            for b in range(a):
                if mask >> b & 1 == 0:
                    mark(occurring, integer(table[with_a | 1 << b]))
    below = np.empty(NUM_WORDS, np.int64)
    count = count_below(occurring, below)

    number_row = np.empty(96, np.uint8)
    for pair in range(NUM_RANK_PAIRS):
        number_row[pair] = number_of_class(occurring, below, integer(row[pair]))
    spread_rank_pairs(number_row, numbers)
    if suit >= 0:
        for a in range(13):
            if mask >> a & 1:
                continue
            high = 4 * a + suit
            at = high * (high - 1) >> 1
            with_a = FLUSH_AT + (mask | 1 << a)
            if suited >= 4:
                number = np.uint8(number_of_class(occurring, below, integer(table[with_a])))
                for other in range(high):
                    numbers[at + other] = number
                for other in range(high + 1, 52):
                    # A higher card of the suit comes later in the outer loop and overwrites this.
                    numbers[(other * (other - 1) >> 1) + high] = number
            for b in range(a):
                if mask >> b & 1 == 0:
                    numbers[at + suit + 4 * b] = number_of_class(
                        occurring, below, integer(table[with_a | 1 << b])
                    )
    return count
