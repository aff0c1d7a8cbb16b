"""Hand strength and hand potential: how a hand compares with every other one now, and after one or two more
cards.

Without a flush a hand is its two ranks: on a board there are 91 values, not 1081.  So each possible run-out
of the board costs one comparison of our class with a row of 91 classes, 32 at a time in vector registers.
The outcomes are added up per card of the run-out, because an opponent who holds that card cannot meet it::

    outcomes of a combo (c, d) = all run-outs - those with c - those with d + the one of c and d

Run-outs with three or more cards of a suit are added up apart, one group for each suit and number of its
cards.  For a combo that makes a flush there the group is taken out, and what it makes with its flush is
added instead.  That needs work only where we have a flush or better ourselves; otherwise such a combo is
simply ahead of us.

An outcome is a small integer: 1 for ahead, ``TIED`` for tied, 0 for behind, so that one addition counts both.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import CARDS, FLOAT_CUBE, FLOAT_MATRIX, FLOATS, INT, TABLE, entry, integer, kernel
from engine.kernels.cards.bits import card_bits
from engine.kernels.cards.ranking import (
    bit_if,
    board_key,
    class_of_key,
    fill_board_ranks,
    fill_rank_pair_row,
    flush_suit,
    number_suited,
)
from engine.kernels.cards.tables import (
    FLUSH_AT,
    FLUSH_BITS,
    KEY_OF_CARD,
    KEY_OF_RANK_PAIR,
    LOWEST_FLUSH,
    TWO_MORE_SUITED,
)
from engine.kernels.evaluation.strength import read_cards, weights_are_valid

LANES: Final = 96
"""The 91 rank pairs, filled up to whole vectors."""

MAX_GROUPS: Final = 5
"""The run-outs without three of a suit, and at most four groups with."""

# In the 16-bit lanes a count stays below 48, in the totals below 2200.
_LANE_TIED: Final = 1 << 8
_TIED: Final = 1 << 16


@kernel()
def _outcome(ours: int, theirs: int) -> int:
    return 1 if theirs < ours else (_TIED if theirs == ours else 0)


@kernel()
def fill_rows(table: NDArray[np.uint16], key: int, look_ahead: int, rows: NDArray[np.uint16]) -> None:
    """The rank-pair rows of a board, whose key is `key`, with one more rank (13 rows) or with two (91 rows).

    `rows`, shape (91, LANES), is filled in place; the row of two more ranks stands where their pair stands
    in a row.
    """
    for index in range(13 if look_ahead == 1 else 91):
        more = KEY_OF_CARD[4 * index] if look_ahead == 1 else KEY_OF_RANK_PAIR[index]
        fill_rank_pair_row(table, key + more, rows[index])


@kernel()
def _clear(sums: NDArray[np.uint16]) -> None:
    # As `sums[:] = 0` this takes numba seconds to compile.
    for card in range(52):
        for lane in range(LANES):
            sums[card, lane] = 0


@kernel()
def _add_outcomes(row: NDArray[np.uint16], ours: int, sums: NDArray[np.uint16]) -> None:
    mine = np.uint16(ours)
    for lane in range(LANES):
        theirs = row[lane]
        sums[lane] += 1 if theirs < mine else (_LANE_TIED if theirs == mine else 0)


@kernel()
def _add_outcomes_twice(
    row: NDArray[np.uint16], ours: int, sums: NDArray[np.uint16], other_sums: NDArray[np.uint16]
) -> None:
    mine = np.uint16(ours)
    for lane in range(LANES):
        theirs = row[lane]
        # Written so, this runs in 16-bit lanes; as arithmetic on uint16 numba widens it to 64 bits, 3 x
        # slower.
        outcome = 1 if theirs < mine else (_LANE_TIED if theirs == mine else 0)
        sums[lane] += outcome
        other_sums[lane] += outcome


@kernel()
def _add_lanes(more: NDArray[np.uint16], sums: NDArray[np.uint16]) -> None:
    # By itself, so that the compiler sees two plain rows: written out where it is called, it ran one lane at
    # a time.
    for lane in range(LANES):
        sums[lane] += more[lane]


@kernel()
def _add_up(
    sums: NDArray[np.uint16], live: NDArray[np.int64], num_live: int, shift: int, totals: NDArray[np.int64]
) -> None:
    """The sums of a group over all live cards, halved if `shift` is 1; `totals`, shape (LANES,), filled in
    place.
    """
    ahead = np.zeros(LANES, np.uint16)
    tied = np.zeros(LANES, np.uint16)
    for i in range(num_live):
        row = sums[live[i]]
        for lane in range(LANES):
            ahead[lane] += row[lane] & 0xFF
            tied[lane] += row[lane] >> 8
    for lane in range(LANES):
        totals[lane] = (integer(ahead[lane]) >> shift) + (integer(tied[lane]) >> shift << 16)


@kernel()
def fill_transitions(
    table: NDArray[np.uint16],
    hole: NDArray[np.uint8],
    board: NDArray[np.uint8],
    look_ahead: int,
    before: NDArray[np.uint16],
    rows: NDArray[np.uint16],
    weights: NDArray[np.float64],
    sums: NDArray[np.uint16],
    flushes: NDArray[np.int32],
    transitions: NDArray[np.float64],
) -> None:
    """The transition table of Fig. 3.4: ``transitions[before, after]``, 0 ahead, 1 tied, 2 behind.

    hole: shape (2,).  board: shape (3,) or (4,); with (4,) `look_ahead` is 1.
    before: the class of each combo on the board, shape (1326,).  rows: of `fill_rows`, shape (91, LANES).
    weights: of each combo for the opponent, shape (1326,); those of dead combos are not read.
    sums: scratch, shape (MAX_GROUPS, 52, LANES).  flushes: scratch, shape (1326,).
    transitions: shape (3, 3), filled in place.
    """
    for combo in range(1326):
        flushes[combo] = 0
    _clear(sums[0])

    key_before = board_key(board, board.shape[0])
    dead = card_bits(board, board.shape[0]) | card_bits(hole, 2)
    board_masks = np.zeros(4, np.int64)
    our_masks = np.zeros(4, np.int64)
    for i in range(board.shape[0]):
        card = integer(board[i])
        board_masks[card & 3] |= 1 << (card >> 2)
    our_key = key_before
    for suit in range(4):
        our_masks[suit] = board_masks[suit]
    for i in range(2):
        card = integer(hole[i])
        our_key += KEY_OF_CARD[card]
        our_masks[card & 3] |= 1 << (card >> 2)
    live = np.empty(52, np.int64)
    num_live = 0
    for card in range(52):
        if dead >> card & 1 == 0:
            live[num_live] = card
            num_live += 1

    # Group of the run-outs that leave three (four) cards of a suit on the board; 0 as long as there are none.
    group_of_three = np.zeros(4, np.int64)
    group_of_four = 0
    num_groups = 1
    # Only one suit can have four or five cards on the board.  Of the runs with four: what one suited card
    # makes with an offsuit one, by suited rank, in all and by offsuit card; of those with five the same, at
    # 13 with none.
    long_suit = -1
    one_suited = np.zeros(14, np.int64)
    one_suited_by_card = np.zeros((52, 13), np.int32)
    five_on_board = np.zeros(14, np.int64)

    num_seconds = 1 if look_ahead == 1 else num_live
    for i in range(num_live):
        first = live[i]
        for j in range(num_seconds if look_ahead == 1 else i):
            key = key_before + KEY_OF_CARD[first]
            with_ours = our_key + KEY_OF_CARD[first]
            row_index = first >> 2
            second = -1
            if look_ahead == 2:
                second = live[j]
                key += KEY_OF_CARD[second]
                with_ours += KEY_OF_CARD[second]
                row_index = (row_index * (row_index + 1) >> 1) + (second >> 2)
            if with_ours & FLUSH_BITS == 0:
                ours = class_of_key(table, with_ours)
            else:
                suit = flush_suit(with_ours)
                mask = our_masks[suit] | bit_if(first, suit)
                if look_ahead == 2:
                    mask |= bit_if(second, suit)
                ours = integer(table[FLUSH_AT + mask])

            group = 0
            suited = 0
            suit = -1
            if (key + TWO_MORE_SUITED) & FLUSH_BITS:
                suit = flush_suit(key + TWO_MORE_SUITED)
                suited = number_suited(key, suit)
                if suited == 3:
                    group = group_of_three[suit]
                elif suited == 4:
                    group = group_of_four
                    long_suit = suit
                else:
                    long_suit = suit
                if group == 0 and suited < 5:
                    group = num_groups
                    num_groups += 1
                    _clear(sums[group])
                    if suited == 3:
                        group_of_three[suit] = group
                    else:
                        group_of_four = group

            if suited < 5:
                row = rows[row_index]
                if look_ahead == 1:
                    _add_outcomes(row, ours, sums[group, first])
                else:
                    _add_outcomes_twice(row, ours, sums[group, first], sums[group, second])
                    holding = (first & 3 == suit) + (second & 3 == suit)
                    if suit < 0 or suited + holding < 5:
                        flushes[(first * (first - 1) >> 1) + second] += _outcome(
                            ours, integer(row[row_index])
                        )

            if suit >= 0 and ours >= LOWEST_FLUSH:
                mask = board_masks[suit] | bit_if(first, suit)
                if look_ahead == 2:
                    mask |= bit_if(second, suit)
                if suited == 5:
                    five_on_board[13] += _outcome(ours, integer(table[FLUSH_AT + mask]))
                for a in range(13):
                    card = 4 * a + suit
                    if (dead >> card | mask >> a) & 1:
                        continue
                    with_a = FLUSH_AT + (mask | 1 << a)
                    if suited >= 4:
                        outcome = _outcome(ours, integer(table[with_a]))
                        if suited == 4:
                            one_suited[a] += outcome
                            one_suited_by_card[first, a] += outcome
                            if look_ahead == 2:
                                one_suited_by_card[second, a] += outcome
                        else:
                            five_on_board[a] += outcome
                    at = (card * (card - 1) >> 1) + suit
                    for b in range(a):
                        if (dead >> (4 * b + suit) | mask >> b) & 1 == 0:
                            flushes[at + 4 * b] += _outcome(ours, integer(table[with_a | 1 << b]))

    # Each run-out of two cards was added up at both.
    totals = np.zeros((MAX_GROUPS, LANES), np.int64)
    for group in range(num_groups):
        _add_up(sums[group], live, num_live, look_ahead - 1, totals[group])
    for group in range(1, num_groups):
        for i in range(num_live):
            _add_lanes(sums[group, live[i]], sums[0, live[i]])
        for lane in range(LANES):
            totals[0, lane] += totals[group, lane]

    if our_key & FLUSH_BITS == 0:
        ours_now = class_of_key(table, our_key)
    else:
        ours_now = integer(table[FLUSH_AT + our_masks[flush_suit(our_key)]])

    num_left = num_live - 2
    num_run_outs = num_left if look_ahead == 1 else num_left * (num_left - 1) >> 1
    # Four tables in turn, so that an addition need not wait for the one before it.
    found = np.zeros(64, np.float64)
    for i in range(num_live):
        high = live[i]
        rank = high >> 2
        at = high * (high - 1) >> 1
        # Slices, and `low` from a range: so the compiler knows that no index is negative.
        own_weights, own_flushes, own_before = (
            weights[at : at + high],
            flushes[at : at + high],
            before[at : at + high],
        )
        base = rank * (rank + 1) >> 1
        with_high, totals_of = sums[0, high, base : base + 13], totals[0, base : base + 13]
        for low in range(high):
            weight = own_weights[low]
            if dead >> low & 1 or weight == 0.0:
                continue
            lane = base + (low >> 2)
            with_either = integer(with_high[low >> 2]) + integer(sums[0, low, base + (low >> 2)])
            outcomes = totals_of[low >> 2] - (with_either & 0xFF) - (with_either >> 8 << 16)
            outcomes += integer(own_flushes[low])
            if num_groups > 1 or long_suit >= 0:
                high_suit, low_suit = high & 3, low & 3
                if high_suit == low_suit and group_of_three[high_suit]:
                    group = group_of_three[high_suit]
                    with_either = integer(sums[group, high, lane]) + integer(sums[group, low, lane])
                    outcomes -= totals[group, lane] - (with_either & 0xFF) - (with_either >> 8 << 16)
                if long_suit >= 0:
                    suited_card, other_card = -1, -1
                    if high_suit == long_suit:
                        suited_card, other_card = high, low
                    elif low_suit == long_suit:
                        suited_card, other_card = low, high
                    if suited_card < 0:
                        outcomes += five_on_board[13]
                    else:
                        if group_of_four:
                            group = group_of_four
                            with_either = integer(sums[group, high, lane]) + integer(sums[group, low, lane])
                            outcomes -= totals[group, lane] - (with_either & 0xFF) - (with_either >> 8 << 16)
                        if high_suit != low_suit:
                            a = suited_card >> 2
                            outcomes += one_suited[a] - integer(one_suited_by_card[other_card, a])
                            outcomes += five_on_board[a]
            ahead = outcomes & 0xFFFF
            tied = outcomes >> 16
            theirs_now = integer(own_before[low])
            place = 16 * (low & 3) + 4 * ((theirs_now >= ours_now) + (theirs_now > ours_now)) & 63
            found[place] += weight * ahead
            found[place + 1] += weight * tied
            found[place + 2] += weight * (num_run_outs - ahead - tied)
    for now in range(3):
        for then in range(3):
            at = 4 * now + then
            transitions[now, then] = (found[at] + found[at + 16]) + (found[at + 32] + found[at + 48])


@kernel()
def _transitions_of_cards(
    table: NDArray[np.uint16],
    weights: NDArray[np.float64],
    transitions: NDArray[np.float64],
    look_ahead: int,
    first: int,
    second: int,
    a: int,
    b: int,
    c: int,
    d: int,
) -> bool:
    """The transition table of one hand, as `fill_transitions`; `transitions`, shape (3, 3), is filled in
    place.

    The board is given card by card, `d` being -1 if there are three.  Returns False if a card or a weight
    is wrong or if the opponent has no hand.
    """
    cards = np.empty(5, np.uint8)
    size = read_cards(first, second, a, b, c, d, -1, cards)
    if size == 0 or not weights_are_valid(weights):
        return False
    board = cards[:size]
    hole = np.empty(2, np.uint8)
    hole[0], hole[1] = first, second
    before = np.empty(1326, np.uint16)
    rows = np.empty((91, LANES), np.uint16)
    sums = np.empty((MAX_GROUPS, 52, LANES), np.uint16)
    flushes = np.empty(1326, np.int32)
    fill_board_ranks(table, board, before)
    fill_rows(table, board_key(board, board.shape[0]), look_ahead, rows)
    fill_transitions(table, hole, board, look_ahead, before, rows, weights, sums, flushes, transitions)
    total = 0.0
    for now in range(3):
        for then in range(3):
            total += transitions[now, then]
    return total > 0.0


transitions_of_cards = entry(_transitions_of_cards, TABLE, FLOATS, FLOAT_MATRIX, INT, *[INT] * 6)


@kernel()
def _all_transitions(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    look_ahead: int,
    weights: NDArray[np.float64],
    transitions: NDArray[np.float64],
) -> None:
    """The transition tables of every combo on a board; `transitions`, shape (1326, 3, 3), is filled in place.

    Dead combos get nan.
    """
    dead = card_bits(board, board.shape[0])
    before = np.empty(1326, np.uint16)
    rows = np.empty((91, LANES), np.uint16)
    sums = np.empty((MAX_GROUPS, 52, LANES), np.uint16)
    flushes = np.empty(1326, np.int32)
    hole = np.empty(2, np.uint8)
    fill_board_ranks(table, board, before)
    fill_rows(table, board_key(board, board.shape[0]), look_ahead, rows)
    combo = 0
    for high in range(52):
        for low in range(high):
            if (dead >> high | dead >> low) & 1:
                transitions[combo] = np.nan
            else:
                hole[0] = high
                hole[1] = low
                fill_transitions(
                    table, hole, board, look_ahead, before, rows, weights, sums, flushes, transitions[combo]
                )
            combo += 1


all_transitions = entry(_all_transitions, TABLE, CARDS, INT, FLOATS, FLOAT_CUBE)
