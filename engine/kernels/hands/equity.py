"""The equity of all hands against a range at showdown, and a hand's strength on all final boards.

The boards to come are enumerated.  On each, the range trick (``engine.kernels.hands.range_trick``) finds
what every hand wins; the results of all boards are added up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import CARD_MATRIX, CARDS, FLOAT_MATRIX, FLOATS, INT, TABLE, entry, kernel
from engine.kernels.hands.range_trick import SCRATCH, add_board, add_river, make_events
from engine.kernels.hands.strength import hand_strength
from engine.kernels.poker.bits import card_bits


@kernel()
def list_run_outs(dead: int, number: int, run_outs: NDArray[np.uint8]) -> int:
    """List all ways to deal 0, 1 or 2 cards that are not in the mask `dead`; returns how many there are.

    `run_outs`, shape (1176 or more, 2), is filled in place; with fewer than 2 cards the last columns are
    meaningless.
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
def _all_hands_against_range(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    equities: NDArray[np.float64],
) -> None:
    """The equity of every combo against a weighted range on a board of 3, 4 or 5 cards.

    weights: shape (1326,).  equities: shape (1326,), filled in place; nan for combos that share a card with
    the board, or with every combo that has weight.
    """
    size = board.shape[0]
    full = np.empty(5, np.uint8)
    for i in range(size):
        full[i] = board[i]
    numbers = np.empty(1326, np.uint8)
    sums = np.empty(SCRATCH, np.float64)
    matrix = np.zeros((52, 52), np.float64)
    won = np.zeros((52, 52), np.float64)
    events = make_events()
    dead = card_bits(board, size)
    alive = np.ones(52, np.float64)
    for i in range(size):
        alive[board[i]] = 0.0
    combo = 0
    for high in range(52):
        for low in range(high):
            equities[combo] = 0.0
            weight = weights[combo] * (alive[high] * alive[low])
            matrix[high, low] = weight
            matrix[low, high] = weight
            combo += 1
    to_come = np.empty((1176, 2), np.uint8)
    num_boards = list_run_outs(dead, 5 - size, to_come)
    # One call for boards of all sizes: each inlined call would be compiled by itself.
    for index in range(num_boards):
        for place in range(size, 5):
            full[place] = to_come[index, place - size]
        if not add_board(table, full, matrix, events, won):
            add_river(table, full, weights, numbers, sums, equities)
    run_outs = 1 if size == 5 else (44 if size == 4 else 990)

    # Each pair of disjoint hands meets on equally many boards.
    by_card = np.zeros(52, np.float64)
    for card in range(52):
        row = matrix[card]
        for other in range(52):
            by_card[other] += row[other]
    total = 0.0
    for card in range(52):
        total += by_card[card] / 2.0
    for high in range(52):
        at = high * (high - 1) >> 1
        shares, own, won_row = equities[at : at + high], matrix[high], won[high]
        for low in range(high):
            met = total - by_card[high] - by_card[low] + own[low]
            # Less than this is a rounding error, not weight.
            possible = (alive[high] * alive[low] != 0.0) & (met > 1e-12 * total)
            shares[low] = (shares[low] + won_row[low]) / (2.0 * run_outs * met) if possible else np.nan


@kernel()
def _fill_final_strengths(
    table: NDArray[np.uint16],
    first: int,
    second: int,
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    boards: NDArray[np.uint8],
    strengths: NDArray[np.float64],
) -> None:
    """A hand's strength on every final board that begins with `board`, shape (3|4|5,).

    boards: the cards to come, shape (N, 2|1|0), filled in place.
    strengths: the weight of the hands that we beat, tie and lose to on each board, shape (3, N), filled in
    place.
    """
    size = board.shape[0]
    full = np.empty(5, np.uint8)
    for i in range(size):
        full[i] = board[i]
    dead = 1 << first | 1 << second | card_bits(board, size)
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


all_hands_against_range = entry(_all_hands_against_range, TABLE, CARDS, FLOATS, FLOATS)
fill_final_strengths = entry(_fill_final_strengths, TABLE, INT, INT, CARDS, FLOATS, CARD_MATRIX, FLOAT_MATRIX)
