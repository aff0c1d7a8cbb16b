"""Run-outs of a board, the ways to deal one or two more cards: how our hand then compares with every other.

Without a flush a hand is its two ranks: on a board there are 91 values, not 1081.  So each possible run-out
of the board costs one comparison of our class with a row of 91 classes, 32 at a time in vector registers.
The outcomes are added up per card of the run-out, because an opponent who holds that card cannot meet it::

    outcomes of a combo (c, d) = all run-outs - those with c - those with d + the one of c and d

Run-outs with three or more cards of a suit are added up apart, one group for each suit and number of its
cards.  For a combo that makes a flush there the group is taken out, and what it makes with its flush is
added instead.  That needs work only where we have a flush or better ourselves; otherwise such a combo is
simply ahead of us.

An outcome is an integer: 1 for ahead, a higher bit for tied, 0 for behind, so that one addition counts both.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
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
    NUM_RANK_PAIRS,
    TWO_MORE_SUITED,
)

LANES: Final = 96
"""The 91 rank pairs, filled up to whole vectors."""

_MAX_GROUPS: Final = 5
"""The run-outs without three of a suit, and at most four groups with."""

# Sums of outcomes have those ahead in the lower bits, those tied above.  In the 16-bit lanes a count stays
# below 48, in the totals below 2200.
TIED_SHIFT: Final = 16
AHEAD_MASK: Final = (1 << TIED_SHIFT) - 1
_TIED: Final = 1 << TIED_SHIFT
_LANE_SHIFT: Final = 8
_LANE_MASK: Final = (1 << _LANE_SHIFT) - 1
_LANE_TIED: Final = 1 << _LANE_SHIFT


@kernel(allocates=False)
def _outcome(ours: int, theirs: int) -> int:
    """Our outcome against a class."""
    return 1 if theirs < ours else (_TIED if theirs == ours else 0)


@kernel(allocates=False)
def _fill_rows(table: NDArray[np.uint16], key: int, look_ahead: int, rows: NDArray[np.uint16]) -> None:
    """The rank-pair rows of a board, whose key is `key`, with one more rank (13 rows) or with two (91 rows).

    `rows`, shape (91, LANES), is filled in place; the row of two more ranks stands where their pair stands
    in a row.
    """
    for index in range(13 if look_ahead == 1 else NUM_RANK_PAIRS):
        more = KEY_OF_CARD[4 * index] if look_ahead == 1 else KEY_OF_RANK_PAIR[index]
        fill_rank_pair_row(table, key + more, rows[index])


@kernel(allocates=False)
def _clear(sums: NDArray[np.uint16]) -> None:
    # As `sums[:] = 0` this takes numba seconds to compile.
    for card in range(52):
        for lane in range(LANES):
            sums[card, lane] = 0


@kernel(allocates=False)
def _add_outcomes(row: NDArray[np.uint16], ours: int, sums: NDArray[np.uint16]) -> None:
    mine = np.uint16(ours)
    for lane in range(LANES):
        theirs = row[lane]
        sums[lane] += 1 if theirs < mine else (_LANE_TIED if theirs == mine else 0)


@kernel(allocates=False)
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


@kernel(allocates=False)
def _add_lanes(more: NDArray[np.uint16], sums: NDArray[np.uint16]) -> None:
    # By itself, so that the compiler sees two plain rows: written out where it is called, it ran one lane at
    # a time.
    for lane in range(LANES):
        sums[lane] += more[lane]


@kernel(allocates=False)
def _add_up(
    sums: NDArray[np.uint16],
    live: NDArray[np.int64],
    num_live: int,
    shift: int,
    ahead: NDArray[np.uint16],
    tied: NDArray[np.uint16],
    totals: NDArray[np.int64],
) -> None:
    """The sums of a group over all live cards, halved if `shift` is 1; `totals`, shape (LANES,), is filled in
    place.

    ahead, tied: scratch, shape (LANES,).
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
    """What was added up in a lane, or in two of them, as outcomes."""
    return (count & _LANE_MASK) + (count >> _LANE_SHIFT << TIED_SHIFT)


class Board(NamedTuple):
    """A board, and what hands without a flush make of it now and with the cards to come."""

    cards: NDArray[np.uint8]
    """Shape (3,) or (4,)."""
    key: int
    look_ahead: int
    """Cards to come: 1, or 2 with a board of three."""
    before: NDArray[np.uint16]
    """The class of each combo on the board, shape (1326,)."""
    rows: NDArray[np.uint16]
    """The class of each rank pair with each run-out's ranks, shape (91, LANES)."""


class Scratch(NamedTuple):
    """What `fill_transitions` writes to, made once for all hands of a board."""

    live: NDArray[np.int64]
    """The cards that are neither on the board nor ours, in order; shape (52,)."""
    board_masks: NDArray[np.int64]
    """The ranks of each suit on the board, as bits.  Shape (4,)."""
    our_masks: NDArray[np.int64]
    """The same together with our hand."""
    sums: NDArray[np.uint16]
    """The outcomes of the run-outs with a card, by group, card and rank pair.

    Shape (_MAX_GROUPS, 52, LANES).
    """
    ahead: NDArray[np.uint16]
    tied: NDArray[np.uint16]
    """Those of a group over all cards, shape (LANES,)."""
    totals: NDArray[np.int64]
    """The outcomes of all run-outs, shape (_MAX_GROUPS, LANES)."""
    flushes: NDArray[np.int32]
    """What must be added for each combo to the outcomes of its rank pair.  Shape (1326,)."""
    group_of_three: NDArray[np.int64]
    """The group of the run-outs that leave three cards of a suit on the board; 0 if there are none.  Shape
    (4,)."""
    one_suited: NDArray[np.int64]
    """The outcomes of a suited card with an offsuit one on boards with four of a suit, by its rank.  Shape
    (13,)."""
    one_suited_by_card: NDArray[np.int32]
    """The part of that in run-outs with a card, shape (52, 13)."""
    five_on_board: NDArray[np.int64]
    """The outcomes of a suited card on boards with five of a suit, by its rank, and last of none.

    Shape (14,).
    """
    found: NDArray[np.float64]
    """Four transition tables with rows of four, shape (64,): an addition need not wait for the one before."""


NO_SUITED_CARD: Final = 13


class Cards(NamedTuple):
    """Our hand beside a board."""

    our_key: int
    """The key of board and hand."""
    dead: int
    """Our cards and those of the board, as bits."""
    num_live: int


class Groups(NamedTuple):
    """How the run-outs were grouped."""

    number: int
    of_four: int
    """The group of those with four of a suit on the board; 0 if there are none."""
    long_suit: int
    """The one suit that can have four or five cards on the board; -1 if none has."""


@kernel(inlined=True)
def make_scratch() -> Scratch:
    """Arrays of the shapes that `Scratch` says."""
    return Scratch(
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
def look_at_cards(board: Board, first: int, second: int, scratch: Scratch) -> Cards:
    """Fills `Scratch.live` and the masks, and clears the rest but sums and totals."""
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
    num_live = 0
    for card in range(52):
        if dead >> card & 1 == 0:
            scratch.live[num_live] = card
            num_live += 1
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
    return Cards(board.key + KEY_OF_CARD[first] + KEY_OF_CARD[second], dead, num_live)


@kernel(allocates=False, inlined=True)
def _more_ranks(suit: int, first: int, second: int) -> int:
    """The rank bits that a run-out adds to a suit; `second` is -1 for a run-out of one card."""
    return bit_if(first, suit) | (bit_if(second, suit) if second >= 0 else 0)


@kernel(allocates=False)
def _add_flushes(
    table: NDArray[np.uint16],
    dead: int,
    first: int,
    second: int,
    ours: int,
    suit: int,
    suited: int,
    scratch: Scratch,
) -> None:
    """Adds the outcomes against flushes, in a run-out in which we have a flush or better.

    suit, suited: the suit of which three cards or more are on the board then, and how many.
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
def add_run_outs(table: NDArray[np.uint16], board: Board, cards: Cards, scratch: Scratch) -> Groups:
    """Adds up the outcomes of all run-outs by group; fills sums, flushes and what else is kept of suits."""
    sums, live = scratch.sums, scratch.live
    _clear(sums[0])
    num_groups = 1
    group_of_four = 0
    long_suit = -1
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

            group = 0
            suited = 0
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
def add_up_groups(look_ahead: int, num_live: int, num_groups: int, scratch: Scratch) -> None:
    """The totals of all groups; to sums and totals of the first one those of the others are added."""
    sums, live, totals = scratch.sums, scratch.live, scratch.totals
    # Each run-out of two cards was added up at both.
    for group in range(num_groups):
        _add_up(sums[group], live, num_live, look_ahead - 1, scratch.ahead, scratch.tied, totals[group])
    for group in range(1, num_groups):
        for i in range(num_live):
            _add_lanes(sums[group, live[i]], sums[0, live[i]])
        for lane in range(LANES):
            totals[0, lane] += totals[group, lane]


@kernel(inlined=True)
def look_at_board(table: NDArray[np.uint16], cards: NDArray[np.uint8], look_ahead: int) -> Board:
    """What `Board` says of a board of 3 or 4 cards."""
    key = board_key(cards, cards.shape[0])
    before = np.empty(1326, np.uint16)
    rows = np.empty((NUM_RANK_PAIRS, LANES), np.uint16)
    fill_board_ranks(table, cards, before)
    _fill_rows(table, key, look_ahead, rows)
    return Board(cards, key, look_ahead, before, rows)
