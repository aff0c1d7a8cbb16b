"""All boards of five cards up to the names of suits, and what the 169 starting hands are worth over them.

Boards that differ by a renaming of suits are the same board for starting hands.  So 134,459 boards stand for
all 2,598,960, each with a weight of 4, 12 or 24.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.hands.range_walk import (
    add_from_classes,
    make_walk,
    number_combos,
    sum_by_class,
    walk_classes,
)
from engine.kernels.poker.cards import card_bits, combo_of, list_live, next_run_out
from engine.support.arrays import Bytes, Floats, Ints, Words16

NUM_CANONICAL_BOARDS: Final = 134_459
"""Boards of five cards that differ in more than the names of suits."""


@kernel()
def _fill_canonical_boards(boards: Bytes, weights: Ints) -> None:
    """Fill in the arrays of `canonical_boards`."""
    count = 0
    masks = np.empty(4, np.int64)
    for weight in (4, 12, 24):
        places = np.arange(5)[::-1].copy()
        while True:
            masks[:] = 0
            for card in places:
                masks[card & 3] |= 1 << (card >> 2)
            if masks[0] >= masks[1] and masks[1] >= masks[2] and masks[2] >= masks[3]:
                # With five cards, only suits without cards can be equal: two of them or three.
                equal = (masks[0] == masks[1]) + (masks[1] == masks[2]) + (masks[2] == masks[3])
                if weight == (24 if equal == 0 else (12 if equal == 1 else 4)):
                    for i in range(5):
                        boards[count, i] = places[i]
                    weights[count] = weight
                    count += 1
            if not next_run_out(places, 52):
                break


def canonical_boards() -> tuple[Bytes, Ints]:
    """One board of each class of boards that are equal up to suits, and the sizes of the classes.

    Boards of equal size are adjacent.  Shapes (NUM_CANONICAL_BOARDS, 5) and (NUM_CANONICAL_BOARDS,).
    """
    boards = np.empty((NUM_CANONICAL_BOARDS, 5), np.uint8)
    weights = np.empty(NUM_CANONICAL_BOARDS, np.int64)
    _fill_canonical_boards(boards, weights)
    return boards, weights


@kernel()
def raw_odds_of_starting_hands(
    table: Words16, boards: Bytes, board_weights: Ints, starting_hands: Bytes, odds: Floats
) -> None:
    """The raw odds of every starting hand against 1, 2, ... opponents, exact over all 2,598,960 boards.

    On each board, one walk over the classes gives every combo's chances against one random hand.  Their
    powers are the chances against several; they are averaged over the combos of a starting hand.

    boards, board_weights: from `canonical_boards`.  starting_hands: that of each combo, shape (1326,).
    odds: shape (169, opponents), filled in place.
    """
    opponents = odds.shape[1]
    odds[:] = 0.0
    times = np.zeros(169, np.float64)
    alike = np.ones((52, 52), np.float64)
    walk, all_live = make_walk(), np.empty(52, np.int64)
    tied, twice_won = np.empty((52, 52), np.float64), np.empty((52, 52), np.float64)
    for b in range(boards.shape[0]):
        live = all_live[: list_live(card_bits(boards[b], 5), all_live)]
        count = number_combos(table, boards[b], walk.numbers)
        sum_by_class(live, walk.numbers, count, alike, walk.sums)
        tied[:] = 0.0
        add_from_classes(live, walk.numbers, alike, walk.sums, tied)
        walk_classes(count, 48, walk.sums, walk.met)
        twice_won[:] = 0.0
        add_from_classes(live, walk.numbers, alike, walk.sums, twice_won)
        for high in live:
            for low in live:
                if low == high:
                    break
                hand = starting_hands[combo_of(high, low)]
                times[hand] += board_weights[b]
                not_lost = (twice_won[high, low] + tied[high, low]) / 1980.0
                win = (twice_won[high, low] - tied[high, low]) / 1980.0
                # ((win + tie)^(n+1) - win^(n+1)) / ((n + 1) tie), the share of the pot, expanded.
                total = power = 1.0
                for n in range(opponents):
                    power *= win
                    total = total * not_lost + power
                    odds[hand, n] += board_weights[b] * total / (n + 2)
    for hand in range(169):
        for n in range(opponents):
            odds[hand, n] /= times[hand]
