"""Run-outs of a board, the ways to deal one or two more cards: how our hand then compares with every other.

Without a flush only the two ranks of a hand matter: a board has 91 values of hands, not 1081.  So each
run-out costs one comparison of our class with a row of 91 classes, 32 at a time in vector registers.  The
outcomes are added up by card of the run-out, because an opponent who holds that card cannot meet the
run-out::

    outcomes of a combo (c, d) = all run-outs - those with c - those with d + the one of c and d

Run-outs that leave three or more cards of a suit on the board are added up separately, in one group for each
suit and number of its cards.  For a combo that makes a flush there, the group is subtracted, and the outcomes
with its flush are added instead.  That takes work only where we have a flush or better ourselves; otherwise
such a combo is simply ahead of us.

An outcome is an integer: 1 for ahead, a higher bit for tied, 0 for behind.  So one addition counts both.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.cards import card_bits, list_live
from engine.kernels.poker.ranking import (
    bit_if,
    board_key,
    class_of_key,
    fill_board_ranks,
    fill_rank_pair_row,
    flush_suit,
    number_suited,
)
from engine.kernels.poker.tables import (
    FLUSH_AT,
    FLUSH_BITS,
    KEY_OF_CARD,
    KEY_OF_RANK_PAIR,
    LOWEST_FLUSH,
    NUM_RANK_PAIRS,
    TWO_MORE_SUITED,
)
from engine.support.arrays import Bytes, Floats, Ints, Ints32, Words16

LANES: Final = 96
"""The 91 rank pairs, padded to whole vectors."""

_MAX_GROUPS: Final = 5
"""The group of run-outs without three of a suit, and at most four groups with three or more."""

# Sums of outcomes count wins in the lower bits and ties in the higher bits.  A count stays below 48 in the
# 16-bit lanes, and below 2200 in the totals.
TIED_SHIFT: Final = 16
AHEAD_MASK: Final = (1 << TIED_SHIFT) - 1
_TIED: Final = 1 << TIED_SHIFT
_LANE_SHIFT: Final = 8
_LANE_MASK: Final = (1 << _LANE_SHIFT) - 1
_LANE_TIED: Final = 1 << _LANE_SHIFT


@kernel(allocates=False)
def _outcome(ours: int, theirs: int) -> int:
    """The outcome of our class against another one."""
    return 1 if theirs < ours else (_TIED if theirs == ours else 0)


@kernel(allocates=False)
def _fill_rows(table: Words16, key: int, look_ahead: int, rows: Words16) -> None:
    """The rank-pair rows of a board, whose key is `key`, with one more rank (13 rows) or two (91 rows).

    `rows`, shape (91, LANES), is filled in place; the row of two more ranks has the index that their pair has
    within a row.
    """
    for index in range(13 if look_ahead == 1 else NUM_RANK_PAIRS):
        more = KEY_OF_CARD[4 * index] if look_ahead == 1 else KEY_OF_RANK_PAIR[index]
        fill_rank_pair_row(table, key + more, rows[index])


@kernel(allocates=False)
def _clear(sums: Words16) -> None:
    """Set sums to 0; numba would take seconds to compile ``sums[:] = 0``."""
    for card in range(52):
        for lane in range(LANES):
            sums[card, lane] = 0


@kernel(allocates=False)
def _add_outcomes(row: Words16, ours: int, sums: Words16) -> None:
    """Add the outcomes of our class against a row of classes to sums."""
    mine = np.uint16(ours)
    for lane in range(LANES):
        theirs = row[lane]
        sums[lane] += 1 if theirs < mine else (_LANE_TIED if theirs == mine else 0)


@kernel(allocates=False)
def _add_outcomes_twice(row: Words16, ours: int, sums: Words16, other_sums: Words16) -> None:
    """`_add_outcomes` to two rows of sums."""
    mine = np.uint16(ours)
    for lane in range(LANES):
        theirs = row[lane]
        # In this form it runs in 16-bit lanes; arithmetic on uint16 would be widened to 64 bits by numba, and
        # take three times as long.
        outcome = 1 if theirs < mine else (_LANE_TIED if theirs == mine else 0)
        sums[lane] += outcome
        other_sums[lane] += outcome


@kernel(allocates=False)
def _add_lanes(more: Words16, sums: Words16) -> None:
    """Add one row of lanes to another.

    It is a function so that the compiler sees two plain rows; in the place of the call it ran lane by lane.
    """
    for lane in range(LANES):
        sums[lane] += more[lane]


@kernel(allocates=False)
def _add_up(
    sums: Words16, live: Ints, num_live: int, shift: int, ahead: Words16, tied: Words16, totals: Ints
) -> None:
    """Add up the sums of a group over all live cards; if `shift` is 1, the result is halved.

    ahead, tied: scratch, shape (LANES,).  totals: shape (LANES,), filled in place.
    """
    for lane in range(LANES):
        ahead[lane] = 0
        tied[lane] = 0
    for i in range(num_live):
        row = sums[live[i]]
        for lane in range(LANES):
            ahead[lane] += row[lane] & _LANE_MASK
            tied[lane] += row[lane] >> _LANE_SHIFT
    for lane in range(LANES):
        totals[lane] = (integer(ahead[lane]) >> shift) + (integer(tied[lane]) >> shift << TIED_SHIFT)


@kernel(allocates=False, inlined=True)
def outcomes_of_lane(count: int) -> int:
    """The sum in a lane, or of two lanes, as outcomes."""
    return (count & _LANE_MASK) + (count >> _LANE_SHIFT << TIED_SHIFT)


class Board(NamedTuple):
    """A board, and the classes of hands without a flush on it, now and with the cards to come."""

    cards: Bytes
    """The cards of the board, shape (3,) or (4,)."""
    key: int
    """The key of the board."""
    look_ahead: int
    """The number of cards to come: 1, or 2 with a board of three."""
    before: Words16
    """The class of each combo on the board, shape (1326,)."""
    rows: Words16
    """The class of each rank pair with the ranks of each run-out, shape (91, LANES)."""


class RunOutScratch(NamedTuple):
    """The scratch arrays of `fill_transitions`, made once for all hands on a board."""

    live: Ints
    """The cards that are neither on the board nor ours, in ascending order; shape (52,)."""
    board_masks: Ints
    """The ranks of each suit on the board, as bits; shape (4,)."""
    our_masks: Ints
    """The same for the board and our hand together."""
    sums: Words16
    """The outcomes of the run-outs with a card, by group, card and rank pair.

    Shape (_MAX_GROUPS, 52, LANES).
    """
    ahead: Words16
    tied: Words16
    """Wins and ties of a group, added up over all cards; shape (LANES,)."""
    totals: Ints
    """The outcomes of all run-outs of a group, shape (_MAX_GROUPS, LANES)."""
    flushes: Ints32
    """The outcomes to add for each combo to those of its rank pair, shape (1326,)."""
    group_of_three: Ints
    """By suit, the group of run-outs that leave three of its cards on the board; 0 for none; shape (4,)."""
    one_suited: Ints
    """The outcomes against one card of a suit with four on the board, by its rank; shape (13,)."""
    one_suited_by_card: Ints32
    """The part of `one_suited` in run-outs with each card, shape (52, 13)."""
    five_on_board: Ints
    """The outcomes against one card of a suit with five on the board, by its rank, and last against none.

    Shape (14,).
    """
    found: Floats
    """Four transition tables with rows of four, so that additions need not wait for each other; (64,)."""


NO_SUITED_CARD: Final = 13
"""The index in `RunOutScratch.five_on_board` of a hand without a card of the suit."""


class RunOutCards(NamedTuple):
    """Our hand together with a board."""

    our_key: int
    """The key of board and hand."""
    dead: int
    """Our cards and the board cards, as bits."""
    num_live: int
    """The number of cards left."""


class Groups(NamedTuple):
    """The groups of run-outs."""

    number: int
    """The number of groups."""
    of_four: int
    """The group of run-outs that leave four cards of a suit on the board; 0 if there are none."""
    long_suit: int
    """The one suit that can have four or five cards on the board; -1 if none can."""


@kernel(inlined=True)
def make_scratch() -> RunOutScratch:
    """New arrays for `RunOutScratch`."""
    return RunOutScratch(
        np.empty(52, np.int64),
        np.empty(4, np.int64),
        np.empty(4, np.int64),
        np.empty((_MAX_GROUPS, 52, LANES), np.uint16),
        np.empty(LANES, np.uint16),
        np.empty(LANES, np.uint16),
        np.empty((_MAX_GROUPS, LANES), np.int64),
        np.empty(1326, np.int32),
        np.empty(4, np.int64),
        np.empty(13, np.int64),
        np.empty((52, 13), np.int32),
        np.empty(14, np.int64),
        np.empty(64, np.float64),
    )


@kernel(allocates=False)
def look_at_cards(board: Board, first: int, second: int, scratch: RunOutScratch) -> RunOutCards:
    """Fill in `RunOutScratch.live` and the masks, and clear everything else but sums and totals."""
    for suit in range(4):
        scratch.board_masks[suit] = 0
        scratch.group_of_three[suit] = 0
    for i in range(board.cards.shape[0]):
        card = integer(board.cards[i])
        scratch.board_masks[card & 3] |= 1 << (card >> 2)
    for suit in range(4):
        scratch.our_masks[suit] = scratch.board_masks[suit]
    scratch.our_masks[first & 3] |= 1 << (first >> 2)
    scratch.our_masks[second & 3] |= 1 << (second >> 2)
    dead = card_bits(board.cards, board.cards.shape[0]) | 1 << first | 1 << second
    for card in range(52):
        for rank in range(13):
            scratch.one_suited_by_card[card, rank] = 0
    for combo in range(1326):
        scratch.flushes[combo] = 0
    for rank in range(13):
        scratch.one_suited[rank] = 0
    for rank in range(14):
        scratch.five_on_board[rank] = 0
    for place in range(64):
        scratch.found[place] = 0.0
    num_live = list_live(dead, scratch.live)
    return RunOutCards(board.key + KEY_OF_CARD[first] + KEY_OF_CARD[second], dead, num_live)


@kernel(allocates=False, inlined=True)
def _more_ranks(suit: int, first: int, second: int) -> int:
    """The rank bits that a run-out adds to a suit; `second` is -1 if it is one card."""
    return bit_if(first, suit) | (bit_if(second, suit) if second >= 0 else 0)


@kernel(allocates=False)
def _add_flushes(
    table: Words16,
    dead: int,
    first: int,
    second: int,
    ours: int,
    suit: int,
    suited: int,
    scratch: RunOutScratch,
) -> None:
    """Add the outcomes against flushes in one run-out, in which we have a flush or better.

    suit, suited: the suit of which the board then has three cards or more, and how many.
    """
    mask = integer(scratch.board_masks[suit]) | _more_ranks(suit, first, second)
    if suited == 5:
        scratch.five_on_board[NO_SUITED_CARD] += _outcome(ours, integer(table[FLUSH_AT + mask]))
    for a in range(13):
        card = 4 * a + suit
        if (dead >> card | mask >> a) & 1:
            continue
        with_a = FLUSH_AT + (mask | 1 << a)
        if suited >= 4:
            outcome = _outcome(ours, integer(table[with_a]))
            if suited == 4:
                scratch.one_suited[a] += outcome
                scratch.one_suited_by_card[first, a] += outcome
                if second >= 0:
                    scratch.one_suited_by_card[second, a] += outcome
            else:
                scratch.five_on_board[a] += outcome
        at = (card * (card - 1) >> 1) + suit
        for b in range(a):
            if (dead >> (4 * b + suit) | mask >> b) & 1 == 0:
                scratch.flushes[at + 4 * b] += _outcome(ours, integer(table[with_a | 1 << b]))


@kernel(allocates=False)
def add_run_outs(table: Words16, board: Board, cards: RunOutCards, scratch: RunOutScratch) -> Groups:
    """Add up the outcomes of all run-outs by group; fills sums, flushes and the arrays about suits."""
    sums, live = scratch.sums, scratch.live
    _clear(sums[0])
    num_groups = 1
    group_of_four = 0
    long_suit = -1
    # Plain loops in the order of `list_run_outs`: what the first card gives is found once for all that follow
    # it.  With the list, two cards to come took a tenth longer.
    for i in range(cards.num_live):
        first = live[i]
        for j in range(1 if board.look_ahead == 1 else i):
            key = board.key + KEY_OF_CARD[first]
            our_key = cards.our_key + KEY_OF_CARD[first]
            row_index = first >> 2
            second = -1
            if board.look_ahead == 2:
                second = live[j]
                key += KEY_OF_CARD[second]
                our_key += KEY_OF_CARD[second]
                row_index = (row_index * (row_index + 1) >> 1) + (second >> 2)
            if our_key & FLUSH_BITS == 0:
                ours = class_of_key(table, our_key)
            else:
                suit = flush_suit(our_key)
                mask = integer(scratch.our_masks[suit]) | _more_ranks(suit, first, second)
                ours = integer(table[FLUSH_AT + mask])

            group = suited = 0
            suit = -1
            if (key + TWO_MORE_SUITED) & FLUSH_BITS:
                suit = flush_suit(key + TWO_MORE_SUITED)
                suited = number_suited(key, suit)
                if suited == 3:
                    group = integer(scratch.group_of_three[suit])
                else:
                    long_suit = suit
                    group = group_of_four
                if group == 0 and suited < 5:
                    group = num_groups
                    num_groups += 1
                    _clear(sums[group])
                    if suited == 3:
                        scratch.group_of_three[suit] = group
                    else:
                        group_of_four = group

            if suited < 5:
                row = board.rows[row_index]
                if second < 0:
                    _add_outcomes(row, ours, sums[group, first])
                else:
                    _add_outcomes_twice(row, ours, sums[group, first], sums[group, second])
                    holding = (first & 3 == suit) + (second & 3 == suit)
                    if suit < 0 or suited + holding < 5:
                        scratch.flushes[(first * (first - 1) >> 1) + second] += _outcome(
                            ours, integer(row[row_index])
                        )
            if suit >= 0 and ours >= LOWEST_FLUSH:
                _add_flushes(table, cards.dead, first, second, ours, suit, suited, scratch)
    return Groups(num_groups, group_of_four, long_suit)


@kernel(allocates=False)
def add_up_groups(look_ahead: int, num_live: int, num_groups: int, scratch: RunOutScratch) -> None:
    """Fill in the totals of all groups, and add sums and totals of the others to those of the first group."""
    sums, live, totals = scratch.sums, scratch.live, scratch.totals
    # Each run-out of two cards was added up at both cards, hence the shift.
    for group in range(num_groups):
        _add_up(sums[group], live, num_live, look_ahead - 1, scratch.ahead, scratch.tied, totals[group])
    for group in range(1, num_groups):
        for i in range(num_live):
            _add_lanes(sums[group, live[i]], sums[0, live[i]])
        for lane in range(LANES):
            totals[0, lane] += totals[group, lane]


@kernel(inlined=True)
def look_at_board(table: Words16, cards: Bytes, look_ahead: int) -> Board:
    """The `Board` of 3 or 4 cards."""
    key = board_key(cards, cards.shape[0])
    before = np.empty(1326, np.uint16)
    rows = np.empty((NUM_RANK_PAIRS, LANES), np.uint16)
    fill_board_ranks(table, cards, before)
    _fill_rows(table, key, look_ahead, rows)
    return Board(cards, key, look_ahead, before, rows)
