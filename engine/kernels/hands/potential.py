"""Hand potential: how a hand compares with every other one now, and after one or two more cards (Fig. 3.4).

The outcomes of all run-outs are added up first (``engine.kernels.hands.run_outs``).  Then the outcomes
against each combo of the opponent are read from the sums, and counted by how the two hands compare now.
"""

from __future__ import annotations

import numpy as np

from engine.kernels._jit import FLOAT_MATRIX, FLOATS, INT, TABLE, entry, integer, kernel
from engine.kernels.hands.run_outs import (
    AHEAD_MASK,
    NO_SUITED_CARD,
    TIED_SHIFT,
    Board,
    Groups,
    RunOutCards,
    RunOutScratch,
    add_run_outs,
    add_up_groups,
    look_at_board,
    look_at_cards,
    make_scratch,
    outcomes_of_lane,
)
from engine.kernels.hands.strength import read_cards, weights_are_valid
from engine.kernels.poker.ranking import class_of_key, flush_suit
from engine.kernels.poker.tables import FLUSH_AT, FLUSH_BITS
from engine.support.arrays import Floats, Words16


@kernel(allocates=False, inlined=True)
def _outcomes_without(scratch: RunOutScratch, group: int, high: int, low: int, lane: int) -> int:
    """The outcomes of a group's run-outs that contain neither of two cards, for a rank pair."""
    with_either = integer(scratch.sums[group, high, lane]) + integer(scratch.sums[group, low, lane])
    return integer(scratch.totals[group, lane]) - outcomes_of_lane(with_either)


@kernel(allocates=False, inlined=True)
def _outcomes_by_suit(scratch: RunOutScratch, groups: Groups, high: int, low: int, lane: int) -> int:
    """The correction to the outcomes of a combo that its suits make necessary.

    Run-outs in which its two cards make a flush are taken out; their true outcomes are in `flushes`.
    Run-outs in which one of the cards makes a flush are taken out, and their true outcomes added.
    """
    outcomes = 0
    high_suit, low_suit = high & 3, low & 3
    if high_suit == low_suit and scratch.group_of_three[high_suit]:
        outcomes -= _outcomes_without(scratch, integer(scratch.group_of_three[high_suit]), high, low, lane)
    if groups.long_suit >= 0:
        suited_card, other_card = -1, -1
        if high_suit == groups.long_suit:
            suited_card, other_card = high, low
        elif low_suit == groups.long_suit:
            suited_card, other_card = low, high
        if suited_card < 0:
            outcomes += integer(scratch.five_on_board[NO_SUITED_CARD])
        else:
            if groups.of_four:
                outcomes -= _outcomes_without(scratch, groups.of_four, high, low, lane)
            if high_suit != low_suit:
                a = suited_card >> 2
                outcomes += integer(scratch.one_suited[a]) - integer(
                    scratch.one_suited_by_card[other_card, a]
                )
                outcomes += integer(scratch.five_on_board[a])
    return outcomes


@kernel(allocates=False)
def _sum_over_combos(
    board: Board,
    cards: RunOutCards,
    groups: Groups,
    ours_now: int,
    weights: Floats,
    scratch: RunOutScratch,
    transitions: Floats,
) -> None:
    """Add up the outcomes against all combos by weight; `transitions` is filled in place."""
    num_left = cards.num_live - 2
    num_run_outs = num_left if board.look_ahead == 1 else num_left * (num_left - 1) >> 1
    by_suit = groups.number > 1 or groups.long_suit >= 0
    sums, totals, found = scratch.sums, scratch.totals, scratch.found
    for i in range(cards.num_live):
        high = scratch.live[i]
        rank = high >> 2
        at = high * (high - 1) >> 1
        # Slices, and `low` from a range, tell the compiler that no index is negative.
        own_weights, own_flushes, own_before = (
            weights[at : at + high],
            scratch.flushes[at : at + high],
            board.before[at : at + high],
        )
        base = rank * (rank + 1) >> 1
        with_high, totals_of = sums[0, high, base : base + 13], totals[0, base : base + 13]
        for low in range(high):
            weight = own_weights[low]
            if cards.dead >> low & 1 or weight == 0.0:
                continue
            with_either = integer(with_high[low >> 2]) + integer(sums[0, low, base + (low >> 2)])
            outcomes = totals_of[low >> 2] - outcomes_of_lane(with_either)
            outcomes += integer(own_flushes[low])
            if by_suit:
                outcomes += _outcomes_by_suit(scratch, groups, high, low, base + (low >> 2))
            ahead = outcomes & AHEAD_MASK
            tied = outcomes >> TIED_SHIFT
            theirs_now = integer(own_before[low])
            place = 16 * (low & 3) + 4 * ((theirs_now >= ours_now) + (theirs_now > ours_now)) & 63
            found[place] += weight * ahead
            found[place + 1] += weight * tied
            found[place + 2] += weight * (num_run_outs - ahead - tied)
    for now in range(3):
        for then in range(3):
            at = 4 * now + then
            transitions[now, then] = (found[at] + found[at + 16]) + (found[at + 32] + found[at + 48])


@kernel(allocates=False)
def fill_transitions(
    table: Words16,
    board: Board,
    first: int,
    second: int,
    weights: Floats,
    scratch: RunOutScratch,
    transitions: Floats,
) -> None:
    """The transition table of Fig. 3.4: ``transitions[before, after]``, where 0 is ahead, 1 tied, 2 behind.

    first, second: our cards.
    weights: the weight of each combo of the opponent, shape (1326,); those of dead combos are not read.
    transitions: shape (3, 3), filled in place.
    """
    cards = look_at_cards(board, first, second, scratch)
    groups = add_run_outs(table, board, cards, scratch)
    add_up_groups(board.look_ahead, cards.num_live, groups.number, scratch)
    if cards.our_key & FLUSH_BITS == 0:
        ours_now = class_of_key(table, cards.our_key)
    else:
        ours_now = integer(table[FLUSH_AT + scratch.our_masks[flush_suit(cards.our_key)]])
    _sum_over_combos(board, cards, groups, ours_now, weights, scratch, transitions)


# Many parameters: a small array of the board would take Python half a microsecond a call.
@kernel()
def _transitions_of_cards(
    table: Words16,
    weights: Floats,
    transitions: Floats,
    look_ahead: int,
    first: int,
    second: int,
    a: int,
    b: int,
    c: int,
    d: int,
) -> bool:
    """`fill_transitions` for one hand; `transitions`, shape (3, 3), is filled in place.

    The board is given card by card; `d` is -1 if there are three.  Returns False if a card or a weight is
    wrong, or if the opponent cannot have a hand.
    """
    cards = np.empty(5, np.uint8)
    size = read_cards(first, second, a, b, c, d, -1, cards)
    if size == 0 or not weights_are_valid(weights):
        return False
    board = look_at_board(table, cards[:size], look_ahead)
    fill_transitions(table, board, first, second, weights, make_scratch(), transitions)
    total = 0.0
    for now in range(3):
        for then in range(3):
            total += transitions[now, then]
    return total > 0.0


transitions_of_cards = entry(_transitions_of_cards, TABLE, FLOATS, FLOAT_MATRIX, INT, *[INT] * 6)
