"""Hand strength: how many of an opponent's combos are worse, equal and better on the board now (Fig. 3.3)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import FLOATS, INT, TABLE, entry, integer, kernel
from engine.kernels.poker.bits import card_bits, count_bits
from engine.kernels.poker.ranking import board_key, class_on_board, fill_board_ranks, fill_rank_pair_row
from engine.kernels.poker.tables import FLUSH_BITS, NUM_RANK_PAIRS, TWO_MORE_SUITED

_DECK: Final = (1 << 52) - 1
"""All cards, as bits."""


@kernel(nogil=False)
def weights_are_valid(weights: NDArray[np.float64]) -> bool:
    """Whether every weight is finite and not negative; `weights` of any length, float64."""
    good = 0
    for i in range(weights.shape[0]):
        good += (weights[i] >= 0.0) & (weights[i] < np.inf)
    return integer(weights.shape[0]) == good


check_weights = entry(weights_are_valid, FLOATS)


@kernel()
def hand_strength(
    table: NDArray[np.uint16], first: int, second: int, board: NDArray[np.uint8], weights: NDArray[np.float64]
) -> tuple[float, float, float]:
    """The weights of the combos that are worse than ours, equal to ours, and better.

    board: shape (3|4|5,).
    weights: shape (1326,), or (0,) if all are 1; weights of dead combos must be finite and do not count.
    """
    size = board.shape[0]
    key = board_key(board, size)
    dead = 1 << first | 1 << second | card_bits(board, size)
    ours = class_on_board(table, key, board, size, first, second)
    uniform = weights.shape[0] == 0

    ahead = 0.0
    tied = 0.0
    behind = 0.0
    if (key + TWO_MORE_SUITED) & FLUSH_BITS == 0:
        # No flush is possible: only the weight of each pair of ranks counts.
        row = np.empty(NUM_RANK_PAIRS, np.uint16)
        fill_rank_pair_row(table, key, row)
        alive = np.empty(52, np.float64)
        alive_of_rank = np.empty(13, np.float64)
        for rank in range(13):
            for card in range(4 * rank, 4 * rank + 4):
                alive[card] = 1.0 - float(dead >> card & 1)
            alive_of_rank[rank] = (
                alive[4 * rank] + alive[4 * rank + 1] + alive[4 * rank + 2] + alive[4 * rank + 3]
            )
        sums = np.empty(48, np.float64)
        for rank in range(13):
            if uniform:
                pairs = alive_of_rank[rank] * (alive_of_rank[rank] - 1.0) / 2.0
            else:
                # Always 48 steps, so that they become vectors; sums beyond the lower ranks are of other
                # weights and never read.  A slice for each row, so that no index can be negative.
                high = 4 * rank
                at = high * (high - 1) >> 1
                row_0, row_1 = weights[at : at + 51], weights[at + high : at + high + 51]
                at += 2 * high + 1
                row_2, row_3 = weights[at : at + 51], weights[at + high + 2 : at + high + 53]
                alive_0, alive_1, alive_2, alive_3 = (
                    alive[high],
                    alive[high + 1],
                    alive[high + 2],
                    alive[high + 3],
                )
                for low in range(48):
                    sums[low] = alive[low] * (
                        alive_0 * row_0[low]
                        + alive_1 * row_1[low]
                        + alive_2 * row_2[low]
                        + alive_3 * row_3[low]
                    )
                pairs = alive_0 * (alive_1 * row_1[high] + alive_2 * row_2[high] + alive_3 * row_3[high])
                pairs += alive_1 * (alive_2 * row_2[high + 1] + alive_3 * row_3[high + 1])
                pairs += alive_2 * alive_3 * row_3[high + 2]
            base = rank * (rank + 1) >> 1
            for low_rank in range(rank + 1):
                if low_rank == rank:
                    weight = pairs
                elif uniform:
                    weight = alive_of_rank[rank] * alive_of_rank[low_rank]
                else:
                    low = 4 * low_rank
                    weight = (sums[low] + sums[low + 1]) + (sums[low + 2] + sums[low + 3])
                theirs = integer(row[base + low_rank])
                ahead += weight if theirs < ours else 0.0
                tied += weight if theirs == ours else 0.0
                behind += weight if theirs > ours else 0.0
    else:
        ranks = np.empty(1326, np.uint16)
        fill_board_ranks(table, board, ranks)
        at = 0
        for high in range(52):
            if dead >> high & 1 == 0:
                for low in range(high):
                    weight = 0.0 if dead >> low & 1 else (1.0 if uniform else weights[at + low])
                    theirs = integer(ranks[at + low])
                    ahead += weight if theirs < ours else 0.0
                    tied += weight if theirs == ours else 0.0
                    behind += weight if theirs > ours else 0.0
            at += high
    return ahead, tied, behind


@kernel()
def read_cards(
    first: int, second: int, a: int, b: int, c: int, d: int, e: int, board: NDArray[np.uint8]
) -> int:
    """Write a board given card by card, with -1 for the cards to come, to `board`, shape (5,).

    Returns the number of board cards, or 0 if these and the two hole cards are not different cards of 0..51.
    """
    size = 3 + (d >= 0) + (e >= 0)
    cards = first | second | a | b | c | (d if size > 3 else 0) | (e if size > 4 else 0)
    if cards < 0 or cards > 63:  # shifts by such numbers are not defined
        return 0
    board[0], board[1], board[2] = a, b, c
    cards = 1 << first | 1 << second | 1 << a | 1 << b | 1 << c
    if size > 3:
        board[3] = d
        cards |= 1 << d
    if size > 4:
        board[4] = e
        cards |= 1 << e
    return size if count_bits(cards & _DECK) == size + 2 else 0


# Many parameters: a small array of the board would take Python half a microsecond a call.
@kernel(nogil=False)
def _strength_of_cards(
    table: NDArray[np.uint16],
    weights: NDArray[np.float64],
    first: int,
    second: int,
    a: int,
    b: int,
    c: int,
    d: int,
    e: int,
) -> tuple[float, float, float]:
    """`hand_strength` for a board given card by card, with -1 for the cards to come.

    Everything but the shape of the weights is checked here, in a tenth of a microsecond; if anything is
    wrong, all three numbers are 0.
    """
    board = np.empty(5, np.uint8)
    size = read_cards(first, second, a, b, c, d, e, board)
    if size == 0 or not weights_are_valid(weights):
        return 0.0, 0.0, 0.0
    return hand_strength(table, first, second, board[:size], weights)


strength_of_cards = entry(_strength_of_cards, TABLE, FLOATS, *[INT] * 7)
"""Takes ints instead of an array since making a small array takes Python half a microsecond."""
