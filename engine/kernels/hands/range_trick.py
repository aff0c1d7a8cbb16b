"""All hands against a range on a board of five, in one pass over the combos instead of one for each hand.

The *range trick*: walk the classes that occur on the board in ascending order, and add up the weights by
class and, within a class, by card.  Then the weight below a hand is all weight below its class, less the
weight there with its first card and less that with its second.

`add_river` works combo by combo.  `add_board` works by pairs of ranks and by combos with a flush; it is
several times as fast, but handles only boards with at most three cards of a suit.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.hands.class_numbers import (
    NUM_WORDS,
    count_below,
    mark,
    number_combos,
    number_of_class,
)
from engine.kernels.poker.bits import card_bits
from engine.kernels.poker.ranking import board_key, fill_rank_pair_row, flush_on_board
from engine.kernels.poker.tables import FLUSH_AT, MAX_FLUSHES, NUM_RANK_PAIRS

COLUMNS: Final = 48
"""Columns of sums: the 47 cards that are not on the board, and the total."""

SCRATCH: Final = 1 << 13
"""Entries of a scratch array: more rows of COLUMNS than the 91 classes without a flush and 46 with one need.

It has 64 KB; the operating system hands out and takes back larger arrays at every call.
"""

_MASK: Final = SCRATCH - 1


@kernel()
def add_river(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    numbers: NDArray[np.uint8],
    sums: NDArray[np.float64],
    twice_won: NDArray[np.float64],
) -> None:
    """Add to each live combo on a board of five twice the weight below it and once the weight that ties.

    weights: shape (1326,).  twice_won: shape (1326,), added to in place.
    numbers: scratch, shape (1326,).  sums: scratch, shape (SCRATCH,).
    """
    count = number_combos(table, board, numbers)
    dead = card_bits(board, 5)
    live = np.empty(52, np.int64)
    num_live = 0
    for card in range(52):
        if dead >> card & 1 == 0:
            live[num_live] = card
            num_live += 1

    # Columns are the live cards in order; the last one is the total.  The masks have no effect but to tell
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
    # Twice the weight below a class, and once the weight in it.
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


_MAX_EVENTS: Final = NUM_RANK_PAIRS + MAX_FLUSHES
"""The most events on a board; see `Events`."""


class Events(NamedTuple):
    """The scratch arrays of `add_board`.  An *event* is a rank pair or, after these, a combo with a flush."""

    classes: NDArray[np.uint16]
    """The class of each event, shape (MAX_EVENTS,)."""
    highs: NDArray[np.uint8]
    """The higher card of each combo with a flush, shape (MAX_EVENTS,)."""
    lows: NDArray[np.uint8]
    """The lower card of each combo with a flush, shape (MAX_EVENTS,)."""
    occurring: NDArray[np.int64]
    """The set of classes that occur, shape (NUM_WORDS,)."""
    before: NDArray[np.int64]
    """What `count_below` fills in, shape (NUM_WORDS,)."""
    heads: NDArray[np.int16]
    """The first event of each class, by the number of the class; shape (MAX_EVENTS,)."""
    following: NDArray[np.int16]
    """The next event of the same class after each event, or -1; shape (MAX_EVENTS,)."""
    totals: NDArray[np.float64]
    """Twice the weight below the class of each event plus the weight in it, shape (MAX_EVENTS,)."""
    by_rank: NDArray[np.float64]
    """The weight of each card together with each rank, shape (13, 52)."""
    below: NDArray[np.float64]
    """The part of `totals` with a given card, by the rank of the hand's other card; shape (13, 52)."""
    met: NDArray[np.float64]
    """The weight with each card in the classes walked so far, shape (52,)."""
    alive: NDArray[np.float64]
    """0.0 for cards on the board, else 1.0; shape (52,)."""


@kernel(inlined=True)
def make_events() -> Events:
    """New arrays for `Events`."""
    return Events(
        np.empty(_MAX_EVENTS, np.uint16),
        np.empty(_MAX_EVENTS, np.uint8),
        np.empty(_MAX_EVENTS, np.uint8),
        np.empty(NUM_WORDS, np.int64),
        np.empty(NUM_WORDS, np.int64),
        np.empty(_MAX_EVENTS, np.int16),
        np.empty(_MAX_EVENTS, np.int16),
        np.empty(_MAX_EVENTS, np.float64),
        np.empty((13, 52), np.float64),
        np.empty((13, 52), np.float64),
        np.empty(52, np.float64),
        np.empty(52, np.float64),
    )


# The ranks of each pair, in the order of rank-pair rows; unsigned, so that the compiler knows that no index
# is negative.
_HIGHER_RANK: Final = np.tril_indices(13)[0].astype(np.uint8)
_LOWER_RANK: Final = np.tril_indices(13)[1].astype(np.uint8)


@kernel(allocates=False)
def _sum_by_rank(
    weights: NDArray[np.float64], alive: NDArray[np.float64], suit: int, by_rank: NDArray[np.float64]
) -> None:
    """The weight of each card together with each rank: ``by_rank[rank, card]``, (13, 52), filled in place.

    weights: shape (52, 52), symmetric, 0 on the diagonal.
    alive: shape (52,), 0.0 for cards on the board, else 1.0.
    suit: combos of two cards of this suit are left out; -1 for none.
    """
    for rank in range(13):
        row_0, row_1, row_2, row_3 = (
            weights[4 * rank],
            weights[4 * rank + 1],
            weights[4 * rank + 2],
            weights[4 * rank + 3],
        )
        alive_0, alive_1, alive_2, alive_3 = (
            alive[4 * rank],
            alive[4 * rank + 1],
            alive[4 * rank + 2],
            alive[4 * rank + 3],
        )
        sums = by_rank[rank]
        for card in range(52):
            sums[card] = alive[card] * (
                alive_0 * row_0[card] + alive_1 * row_1[card] + alive_2 * row_2[card] + alive_3 * row_3[card]
            )
    if suit >= 0:
        for card in range(suit, 52, 4):
            if alive[card] != 0.0:
                for rank in range(13):
                    total = 0.0
                    for other in range(4 * rank, 4 * rank + 4):
                        if other & 3 != suit:
                            total += alive[other] * weights[other, card]
                    by_rank[rank, card] = total


@kernel(allocates=False)
def _list_events(table: NDArray[np.uint16], key: int, suit: int, mask: int, events: Events) -> int:
    """Fill in classes, highs and lows; returns the number of events.

    suit, mask: the suit that three cards of the board have, or -1, and the bits of their ranks.
    """
    fill_rank_pair_row(table, key, events.classes)
    num_events = NUM_RANK_PAIRS
    if suit >= 0:
        for a in range(13):
            if mask >> a & 1:
                continue
            for b in range(a):
                if mask >> b & 1 == 0:
                    events.classes[num_events] = table[FLUSH_AT + (mask | 1 << a | 1 << b)]
                    events.highs[num_events] = 4 * a + suit
                    events.lows[num_events] = 4 * b + suit
                    num_events += 1
    return num_events


@kernel(allocates=False)
def _sort_events(num_events: int, events: Events) -> int:
    """Number the classes that occur and chain the events of each; returns the number of classes."""
    for word in range(NUM_WORDS):
        events.occurring[word] = 0
    for event in range(num_events):
        mark(events.occurring, integer(events.classes[event]))
    count = count_below(events.occurring, events.before)
    for number in range(count):
        events.heads[number] = -1
    for event in range(num_events):
        number = number_of_class(events.occurring, events.before, integer(events.classes[event]))
        events.following[event] = events.heads[number]
        events.heads[number] = event
    return count


@kernel(allocates=False)
def _walk_events(
    count: int, weights: NDArray[np.float64], events: Events, twice_won: NDArray[np.float64]
) -> None:
    """Walk the classes in ascending order; fills totals and below.

    The weight walked so far is kept by card and in total, and read before and after each class (hence twice).

    weights, twice_won: shape (52, 52).
    """
    totals, below, met, by_rank, following = (
        events.totals,
        events.below,
        events.met,
        events.by_rank,
        events.following,
    )
    for card in range(52):
        met[card] = 0.0
    total = 0.0
    for number in range(count):
        event = integer(events.heads[number])
        while event >= 0:
            if event < NUM_RANK_PAIRS:
                rank, other = integer(_HIGHER_RANK[event]), integer(_LOWER_RANK[event])
                for suit_of in range(4):
                    below[other, 4 * rank + suit_of] = met[4 * rank + suit_of]
                    below[rank, 4 * other + suit_of] = met[4 * other + suit_of]
                totals[event] = total
            else:
                totals[event] = total - met[events.highs[event]] - met[events.lows[event]]
            event = integer(following[event])
        event = integer(events.heads[number])
        while event >= 0:
            if event < NUM_RANK_PAIRS:
                rank, other = integer(_HIGHER_RANK[event]), integer(_LOWER_RANK[event])
                inside = 0.0
                for suit_of in range(4):
                    weight = by_rank[other, 4 * rank + suit_of]
                    met[4 * rank + suit_of] += weight
                    inside += weight
                if rank == other:
                    inside /= 2.0
                else:
                    for suit_of in range(4):
                        met[4 * other + suit_of] += by_rank[rank, 4 * other + suit_of]
                total += inside
            else:
                high, low = events.highs[event], events.lows[event]
                weight = weights[high, low]
                met[high] += weight
                met[low] += weight
                total += weight
            event = integer(following[event])
        event = integer(events.heads[number])
        while event >= 0:
            if event < NUM_RANK_PAIRS:
                rank, other = integer(_HIGHER_RANK[event]), integer(_LOWER_RANK[event])
                for suit_of in range(4):
                    below[other, 4 * rank + suit_of] += met[4 * rank + suit_of]
                    if rank != other:
                        below[rank, 4 * other + suit_of] += met[4 * other + suit_of]
                totals[event] += total
            else:
                # The hand itself was in the total once and under both of its cards.
                high, low = events.highs[event], events.lows[event]
                totals[event] += total - met[high] - met[low] + weights[high, low]
                # `_add_to_combos` overwrites the entry of this combo with it.
                totals[event] += twice_won[high, low]
            event = integer(following[event])


@kernel(allocates=False)
def _add_to_combos(
    num_events: int, weights: NDArray[np.float64], events: Events, twice_won: NDArray[np.float64]
) -> None:
    """Add to each combo the result of its rank pair or, if it makes a flush, its own.

    weights, twice_won: shape (52, 52); of `twice_won` the part below the diagonal is added to.
    """
    alive, totals, below = events.alive, events.totals, events.below
    for high in range(52):
        if alive[high] == 0.0:
            continue
        rank = high >> 2
        pair = rank * (rank + 1) >> 1
        won = twice_won[high]
        own = weights[high]
        below_low = below[rank]
        for low_rank in range(rank):
            low = 4 * low_rank
            rest = totals[pair + low_rank] - below[low_rank, high]
            won_0 = won[low] + alive[low] * (rest - below_low[low] + own[low])
            won_1 = won[low + 1] + alive[low + 1] * (rest - below_low[low + 1] + own[low + 1])
            won_2 = won[low + 2] + alive[low + 2] * (rest - below_low[low + 2] + own[low + 2])
            won_3 = won[low + 3] + alive[low + 3] * (rest - below_low[low + 3] + own[low + 3])
            won[low] = won_0
            won[low + 1] = won_1
            won[low + 2] = won_2
            won[low + 3] = won_3
        rest = totals[pair + rank] - below[rank, high]
        for low in range(4 * rank, high):
            won[low] += alive[low] * (rest - below_low[low] + own[low])
    for event in range(NUM_RANK_PAIRS, num_events):
        twice_won[events.highs[event], events.lows[event]] = totals[event]


@kernel(allocates=False)
def add_board(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    events: Events,
    twice_won: NDArray[np.float64],
) -> bool:
    """`add_river` by rank pairs instead of combos.

    Returns False and does nothing if four or more cards of the board have one suit.

    weights, twice_won: shape (52, 52); of `twice_won` the part below the diagonal is added to.
    events: scratch.
    """
    key = board_key(board, 5)
    suit, suited, mask = flush_on_board(key, board, 5)
    if suited >= 4:
        return False
    for card in range(52):
        events.alive[card] = 1.0
    for i in range(5):
        events.alive[board[i]] = 0.0
    _sum_by_rank(weights, events.alive, suit, events.by_rank)
    num_events = _list_events(table, key, suit, mask, events)
    count = _sort_events(num_events, events)
    _walk_events(count, weights, events, twice_won)
    _add_to_combos(num_events, weights, events, twice_won)
    return True
