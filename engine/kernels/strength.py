"""Hand strength: how many of an opponent's combos are worse, equal and better on the board as it is (Fig.
3.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.ranking import bit_if, class_of_key, fill_board_ranks, fill_rank_pair_row, flush_suit
from engine.kernels.tables import EMPTY_KEY, FLUSH_AT, FLUSH_BITS, KEY_OF_CARD, SUIT_SHIFT


@kernel()
def weights_are_valid(weights: NDArray[np.float64]) -> bool:
    """Whether every weight is finite and not negative; `weights` of any length, float64."""
    good = 0
    for i in range(weights.shape[0]):
        good += (weights[i] >= 0.0) & (weights[i] < np.inf)
    return integer(weights.shape[0]) == good


@kernel()
def hand_strength(
    table: NDArray[np.uint16], first: int, second: int, board: NDArray[np.uint8], weights: NDArray[np.float64]
) -> tuple[float, float, float]:
    """The weight of the combos that are worse than ours, equal to it and better.

    board: shape (3|4|5,).  weights: shape (1326,); those of dead combos must be finite and do not count.
    """
    key = EMPTY_KEY
    dead = 1 << first | 1 << second
    for i in range(board.shape[0]):
        key += KEY_OF_CARD[board[i]]
        dead |= 1 << integer(board[i])
    our_key = key + KEY_OF_CARD[first] + KEY_OF_CARD[second]
    if our_key & FLUSH_BITS == 0:
        ours = class_of_key(table, our_key)
    else:
        suit = flush_suit(our_key)
        mask = bit_if(first, suit) | bit_if(second, suit)
        for i in range(board.shape[0]):
            mask |= bit_if(integer(board[i]), suit)
        ours = integer(table[FLUSH_AT + mask])

    alive = np.empty(52, np.float64)
    for card in range(52):
        alive[card] = 1.0 - float(dead >> card & 1)

    ahead = 0.0
    tied = 0.0
    behind = 0.0
    if (key + (0x2222 << SUIT_SHIFT)) & FLUSH_BITS == 0:
        # Nobody has a flush: add the weights up by pairs of ranks, four neighbours at a time.
        row = np.empty(91, np.uint16)
        fill_rank_pair_row(table, key, row)
        sums = np.zeros(91, np.float64)
        at = 0
        for high in range(52):
            rank = high >> 2
            base = rank * (rank + 1) >> 1
            if alive[high] != 0.0:
                for low_rank in range(rank):
                    low = 4 * low_rank
                    sums[base + low_rank] += (
                        weights[at + low] * alive[low]
                        + weights[at + low + 1] * alive[low + 1]
                        + weights[at + low + 2] * alive[low + 2]
                        + weights[at + low + 3] * alive[low + 3]
                    )
                for low in range(4 * rank, high):
                    sums[base + rank] += weights[at + low] * alive[low]
            at += high
        for pair in range(91):
            theirs = integer(row[pair])
            if theirs < ours:
                ahead += sums[pair]
            elif theirs == ours:
                tied += sums[pair]
            else:
                behind += sums[pair]
    else:
        ranks = np.empty(1326, np.uint16)
        fill_board_ranks(table, board, ranks)
        at = 0
        for high in range(52):
            if alive[high] != 0.0:
                for low in range(high):
                    weight = weights[at + low] * alive[low]
                    theirs = integer(ranks[at + low])
                    ahead += weight if theirs < ours else 0.0
                    tied += weight if theirs == ours else 0.0
                    behind += weight if theirs > ours else 0.0
            at += high
    return ahead, tied, behind
