"""The range walk: what every hand on a board wins against a weighted range, in one walk over the classes.

The classes that occur on the board are walked in ascending order, and the weight met so far is kept in total
and by card.  Then the weight below a hand is all weight below its class, less the weight there with its first
card and less that with its second, since an opponent cannot hold those.  Read before and after a class, it is
twice the weight below plus once the weight that ties.

`add_board` is the walk, for boards of 3, 4 or 5 cards.  It goes by combos, or, where no suit has more than
three cards on the board, by the 91 pairs of ranks and the combos with a flush: with the call from Python, 15
and 10 µs a river (``bench_evaluation``).

A variant stands elsewhere, an order of magnitude faster at what it does: ``walk_in_order`` in
``engine.kernels.solving.lanes`` for many ranges side by side (.9 µs a range).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.cards import card_bits, count_bits, list_live
from engine.kernels.poker.ranking import (
    board_key,
    fill_board_row,
    fill_rank_pair_row,
    flush_on_board,
    spread_over_combos,
)
from engine.kernels.poker.tables import FLUSH_AT, MAX_FLUSHES, NUM_CLASSES, NUM_RANK_PAIRS
from engine.support.arrays import Bytes, Floats, Ints, Words16

_NUM_WORDS: Final = NUM_CLASSES // 64 + 1
"""Words of 64 bits of a set of classes."""

_SCRATCH: Final = 1 << 13
"""Entries of a scratch array: enough for 137 classes, 46 of them with a flush, and 50 sums of each.

It has 64 KB; the operating system hands out and takes back larger arrays at every call.
"""

_MASK: Final = _SCRATCH - 1
"""Has no effect on indices but to tell the compiler that none is negative."""


@kernel(allocates=False, inlined=True)
def _mark(occurring: Ints, hand_class: int) -> None:
    """Add a class to a set."""
    occurring[hand_class >> 6] |= 1 << (hand_class & 63)


@kernel(allocates=False)
def _count_below(occurring: Ints, below: Ints) -> int:
    """Count the classes of a set in all words before each word; returns the number of classes in the set.

    below: shape (_NUM_WORDS,), filled in place.
    """
    count = 0
    for word in range(_NUM_WORDS):
        below[word] = count
        count += count_bits(occurring[word])
    return count


@kernel(allocates=False, inlined=True)
def _number_of_class(occurring: Ints, below: Ints, hand_class: int) -> int:
    """The number of classes of a set that are below a class; `below` comes from `_count_below`."""
    word = hand_class >> 6
    lower = (1 << (hand_class & 63)) - 1
    return integer(below[word]) + count_bits(occurring[word] & lower)


@kernel(allocates=False, inlined=True)
def _list_flushes(on_board: tuple[int, int, int], highs: Bytes, lows: Bytes, first: int) -> int:
    """List the flushes that hole cards can make with a board; returns the end of the list.

    on_board: from `flush_on_board`.
    highs, lows: the ranks of the hole cards, filled in place from `first` on; equal where one of them is
        enough.
    """
    suit, suited, mask = on_board
    count = first
    if suit >= 0:
        for high in range(13):
            if mask >> high & 1 == 0:
                for low in range(high + (suited >= 4)):
                    if mask >> low & 1 == 0:
                        highs[count] = high
                        lows[count] = low
                        count += 1
    return count


@kernel()
def number_combos(table: Words16, board: Bytes, numbers: Bytes) -> int:
    """Number the combos on a board of 3, 4 or 5 cards by their classes, ascending and without gaps.

    `numbers`, shape (1326,), is filled in place; its entries for combos that share a card with the board are
    meaningless.  Returns the number of different classes.
    """
    row = np.empty(NUM_RANK_PAIRS, np.uint16)
    on_board = fill_board_row(table, board, row)
    highs, lows = np.empty(MAX_FLUSHES, np.uint8), np.empty(MAX_FLUSHES, np.uint8)
    num_flushes = _list_flushes(on_board, highs, lows, 0)
    occurring = np.zeros(_NUM_WORDS, np.int64)
    for pair in range(NUM_RANK_PAIRS):
        _mark(occurring, integer(row[pair]))
    for i in range(num_flushes):
        _mark(occurring, integer(table[FLUSH_AT + (on_board[2] | 1 << highs[i] | 1 << lows[i])]))
    below = np.empty(_NUM_WORDS, np.int64)
    count = _count_below(occurring, below)
    row_of_numbers = np.empty(NUM_RANK_PAIRS, np.uint8)
    for pair in range(NUM_RANK_PAIRS):
        row_of_numbers[pair] = _number_of_class(occurring, below, integer(row[pair]))
    flushes = np.empty(1 << 13, np.uint8)
    for i in range(num_flushes):
        mask = on_board[2] | 1 << highs[i] | 1 << lows[i]
        flushes[mask] = _number_of_class(occurring, below, integer(table[FLUSH_AT + mask]))
    spread_over_combos(row_of_numbers, flushes, on_board, numbers)
    return count


_MAX_EVENTS: Final = NUM_RANK_PAIRS + MAX_FLUSHES


class Walk(NamedTuple):
    """The scratch arrays of `add_board`.  An *event* is a rank pair or, after these, a combo with a flush."""

    classes: Words16
    """The class of each event, shape (MAX_EVENTS,)."""
    highs: Bytes
    lows: Bytes
    """The cards of each combo with a flush, shape (MAX_EVENTS,)."""
    occurring: Ints
    """The set of classes that occur, shape (_NUM_WORDS,)."""
    before: Ints
    """What `_count_below` fills in, shape (_NUM_WORDS,)."""
    heads: NDArray[np.int16]
    """The first event of each class, by the number of the class; shape (MAX_EVENTS,)."""
    following: NDArray[np.int16]
    """The next event of the same class after each event, or -1; shape (MAX_EVENTS,)."""
    totals: Floats
    """Twice the weight below the class of each event plus the weight in it, shape (MAX_EVENTS,)."""
    by_rank: Floats
    """The weight of each card together with each rank, shape (13, 52)."""
    below: Floats
    """The part of `totals` with a given card, by the rank of the hand's other card; shape (13, 52)."""
    met: Floats
    """The weight with each card in the classes walked so far, shape (52,)."""
    alive: Floats
    """0.0 for cards on the board, else 1.0; shape (52,)."""
    live: Ints
    """The cards that are not on the board, shape (52,)."""
    numbers: Bytes
    """The number of the class of each combo, shape (1326,)."""
    sums: Floats
    """Weight by class and card, shape (_SCRATCH,)."""


@kernel(inlined=True)
def make_walk() -> Walk:
    """New arrays for `Walk`."""
    return Walk(
        np.empty(_MAX_EVENTS, np.uint16),
        np.empty(_MAX_EVENTS, np.uint8),
        np.empty(_MAX_EVENTS, np.uint8),
        np.empty(_NUM_WORDS, np.int64),
        np.empty(_NUM_WORDS, np.int64),
        np.empty(_MAX_EVENTS, np.int16),
        np.empty(_MAX_EVENTS, np.int16),
        np.empty(_MAX_EVENTS, np.float64),
        np.empty((13, 52), np.float64),
        np.empty((13, 52), np.float64),
        np.empty(52, np.float64),
        np.empty(52, np.float64),
        np.empty(52, np.int64),
        np.empty(1326, np.uint8),
        np.empty(_SCRATCH, np.float64),
    )


# The ranks of each pair, in the order of rank-pair rows; unsigned, so that the compiler knows that no index
# is negative.
_HIGHER_RANK: Final = np.tril_indices(13)[0].astype(np.uint8)
_LOWER_RANK: Final = np.tril_indices(13)[1].astype(np.uint8)


@kernel(allocates=False)
def _sum_by_rank(weights: Floats, alive: Floats, suit: int, by_rank: Floats) -> None:
    """The weight of each card together with each rank: ``by_rank[rank, card]``, (13, 52), filled in place.

    weights: shape (52, 52), symmetric, 0 on the diagonal.  alive: as in `Walk`.
    suit: combos of two cards of this suit are left out; -1 for none.
    """
    for rank in range(13):
        at = 4 * rank
        row_0, row_1, row_2, row_3 = weights[at], weights[at + 1], weights[at + 2], weights[at + 3]
        alive_0, alive_1, alive_2, alive_3 = alive[at], alive[at + 1], alive[at + 2], alive[at + 3]
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
def _list_events(table: Words16, key: int, on_board: tuple[int, int, int], walk: Walk) -> int:
    """Fill in classes, highs and lows; returns the number of events.

    key: that of the board.  on_board: from `flush_on_board`, of at most three cards of a suit.
    """
    fill_rank_pair_row(table, key, walk.classes)
    num_events = _list_flushes(on_board, walk.highs, walk.lows, NUM_RANK_PAIRS)
    suit, _, mask = on_board
    for event in range(NUM_RANK_PAIRS, num_events):
        high, low = integer(walk.highs[event]), integer(walk.lows[event])
        walk.classes[event] = table[FLUSH_AT + (mask | 1 << high | 1 << low)]
        walk.highs[event] = 4 * high + suit
        walk.lows[event] = 4 * low + suit
    return num_events


@kernel(allocates=False)
def _sort_events(num_events: int, walk: Walk) -> int:
    """Number the classes that occur and chain the events of each; returns the number of classes."""
    walk.occurring[:] = 0
    for event in range(num_events):
        _mark(walk.occurring, integer(walk.classes[event]))
    count = _count_below(walk.occurring, walk.before)
    for number in range(count):
        walk.heads[number] = -1
    for event in range(num_events):
        number = _number_of_class(walk.occurring, walk.before, integer(walk.classes[event]))
        walk.following[event] = walk.heads[number]
        walk.heads[number] = event
    return count


@kernel(allocates=False)
def _walk_events(count: int, weights: Floats, walk: Walk, twice_won: Floats) -> None:
    """Walk the classes in ascending order; fills totals and below.

    The weight walked so far is kept by card and in total, and read before and after each class (hence twice).

    weights, twice_won: shape (52, 52).
    """
    totals, below, met = walk.totals, walk.below, walk.met
    by_rank, following = walk.by_rank, walk.following
    met[:] = 0.0
    total = 0.0
    for number in range(count):
        event = integer(walk.heads[number])
        while event >= 0:
            if event < NUM_RANK_PAIRS:
                rank, other = integer(_HIGHER_RANK[event]), integer(_LOWER_RANK[event])
                for suit_of in range(4):
                    below[other, 4 * rank + suit_of] = met[4 * rank + suit_of]
                    below[rank, 4 * other + suit_of] = met[4 * other + suit_of]
                totals[event] = total
            else:
                totals[event] = total - met[walk.highs[event]] - met[walk.lows[event]]
            event = integer(following[event])
        event = integer(walk.heads[number])
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
                high, low = walk.highs[event], walk.lows[event]
                weight = weights[high, low]
                met[high] += weight
                met[low] += weight
                total += weight
            event = integer(following[event])
        event = integer(walk.heads[number])
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
                high, low = walk.highs[event], walk.lows[event]
                totals[event] += total - met[high] - met[low] + weights[high, low]
                # `_add_to_combos` overwrites the entry of this combo with it.
                totals[event] += twice_won[high, low]
            event = integer(following[event])


@kernel(allocates=False)
def _add_to_combos(num_events: int, weights: Floats, walk: Walk, twice_won: Floats) -> None:
    """Add to each combo the result of its rank pair or, if it makes a flush, its own.

    weights, twice_won: shape (52, 52); of `twice_won` the part below the diagonal is added to.
    """
    alive, totals, below = walk.alive, walk.totals, walk.below
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
        twice_won[walk.highs[event], walk.lows[event]] = totals[event]


@kernel(allocates=False)
def sum_by_class(live: Ints, numbers: Bytes, count: int, weights: Floats, sums: Floats) -> None:
    """Add up the weights by class and, within a class, by card and in total.

    live: the cards that are not on the board.  numbers, count: from `number_combos`.  weights: (52, 52).
    sums: shape (_SCRATCH,), filled in place with a row for each class: by live card, and last the total.
    """
    total = live.shape[0]
    for place in range(count * (total + 1)):
        sums[place] = 0.0
    for i in range(live.shape[0]):
        at = live[i] * (live[i] - 1) >> 1
        own = weights[live[i]]
        for j in range(i):
            weight = own[live[j]]
            row = integer(numbers[(at + live[j]) & 0x7FF]) * (total + 1)
            sums[(row + i) & _MASK] += weight
            sums[(row + j) & _MASK] += weight
            sums[(row + total) & _MASK] += weight


@kernel(allocates=False)
def walk_classes(count: int, columns: int, sums: Floats, twice_below: Floats) -> None:
    """Turn the weight in each class into twice the weight below it plus that; `sums` is changed in place.

    columns: the number of live cards, and the total.  twice_below: scratch, shape (columns or more,).
    """
    twice_below[:] = 0.0
    for number in range(count):
        row_sums = sums[number * columns : (number + 1) * columns]
        for column in range(columns):
            inside = row_sums[column]
            row_sums[column] += twice_below[column]
            twice_below[column] += inside + inside


@kernel(allocates=False)
def add_from_classes(live: Ints, numbers: Bytes, weights: Floats, sums: Floats, result: Floats) -> None:
    """Add to each combo the sums of its class, less those with its cards; `result` has shape (52, 52)."""
    total = live.shape[0]
    for i in range(total):
        at = live[i] * (live[i] - 1) >> 1
        own, out = weights[live[i]], result[live[i]]
        for j in range(i):
            row = integer(numbers[(at + live[j]) & 0x7FF]) * (total + 1)
            won = sums[(row + total) & _MASK] - sums[(row + i) & _MASK] - sums[(row + j) & _MASK]
            # The hand itself was in the total once and under both of its cards.
            out[live[j]] += won + own[live[j]]


@kernel(allocates=False)
def add_board(table: Words16, board: Bytes, weights: Floats, walk: Walk, twice_won: Floats) -> None:
    """Add to each live combo on a board twice the weight below it and once the weight that ties.

    weights: shape (52, 52), symmetric, 0 on the diagonal; those of cards on the board do not count.
    walk: scratch.  twice_won: shape (52, 52); only the part below the diagonal is added to.
    """
    size = board.shape[0]
    key = board_key(board, size)
    on_board = flush_on_board(key, board, size)
    if on_board[1] >= 4:
        num_live = list_live(card_bits(board, size), walk.live)
        live = walk.live[:num_live]
        count = number_combos(table, board, walk.numbers)
        sum_by_class(live, walk.numbers, count, weights, walk.sums)
        walk_classes(count, num_live + 1, walk.sums, walk.met)
        add_from_classes(live, walk.numbers, weights, walk.sums, twice_won)
        return
    walk.alive[:] = 1.0
    for i in range(size):
        walk.alive[board[i]] = 0.0
    _sum_by_rank(weights, walk.alive, on_board[0], walk.by_rank)
    num_events = _list_events(table, key, on_board, walk)
    count = _sort_events(num_events, walk)
    _walk_events(count, weights, walk, twice_won)
    _add_to_combos(num_events, weights, walk, twice_won)
