"""Equity at showdown: hand against hand, all hands against a range, several ranges, by enumeration or by
sampling.

*All hands against a range* on a full board takes one pass over the combos instead of one for each (the
range trick): number the classes that occur on the board in ascending order; add up the weights per class
and, in each class, per card; sum over the classes.  Then the weight below a hand is all weight below its
class less that with its first card and less that with its second.  Boards to come are enumerated, and the
sums of all are accumulated.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import CARD_MATRIX, CARDS, FLOAT_MATRIX, FLOATS, INT, TABLE, entry, integer, kernel
from engine.kernels.cards.bits import card_bits
from engine.kernels.cards.ranking import board_key, fill_rank_pair_row, flush_on_board
from engine.kernels.cards.tables import FLUSH_AT, NUM_CLASSES
from engine.kernels.evaluation.strength import hand_strength

COLUMNS: Final = 48
"""The 47 cards that are not on the board, and the total."""

SCRATCH: Final = 1 << 13
"""Room for more rows of COLUMNS than the 91 classes without a flush and the 45 or 46 with one; 64 KB, since
the operating system gives and takes back larger arrays at every call.
"""

_MASK: Final = SCRATCH - 1

_WORDS: Final = NUM_CLASSES // 64 + 1


@kernel()
def _popcount(word: np.uint64) -> int:
    """Bits set in a word.  In unsigned numbers of 64 bits the compiler knows the idiom."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return integer((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel()
def _mark(occurring: NDArray[np.uint64], hand_class: int) -> None:
    occurring[hand_class >> 6] |= np.uint64(1) << np.uint64(hand_class & 63)


@kernel()
def _count_below(occurring: NDArray[np.uint64], below: NDArray[np.int64]) -> int:
    """How many classes are marked in the words below each word, filled in place; returns how many in all."""
    count = 0
    for word in range(_WORDS):
        below[word] = count
        count += _popcount(occurring[word])
    return count


@kernel()
def _number_of_class(occurring: NDArray[np.uint64], below: NDArray[np.int64], hand_class: int) -> int:
    word = hand_class >> 6
    lower = (np.uint64(1) << np.uint64(hand_class & 63)) - np.uint64(1)
    return integer(below[word]) + _popcount(occurring[word] & lower)


@kernel()
def number_combos(table: NDArray[np.uint16], board: NDArray[np.uint8], numbers: NDArray[np.uint8]) -> int:
    """Numbers the combos on a board of five by their classes, ascending without gaps; returns how many
    there are.

    `numbers`, shape (1326,), is filled in place; for combos that share a card with the board it is
    meaningless.
    """
    key = board_key(board, 5)
    suit, suited, mask = flush_on_board(key, board, 5)

    row = np.empty(96, np.uint16)
    if suited == 5:
        for pair in range(91):
            row[pair] = table[FLUSH_AT + mask]
    else:
        fill_rank_pair_row(table, key, row)

    occurring = np.zeros(_WORDS, np.uint64)
    for pair in range(91):
        _mark(occurring, integer(row[pair]))
    if suit >= 0:
        for a in range(13):
            if mask >> a & 1:
                continue
            with_a = FLUSH_AT + (mask | 1 << a)
            if suited >= 4:
                _mark(occurring, integer(table[with_a]))
            for b in range(a):
                if mask >> b & 1 == 0:
                    _mark(occurring, integer(table[with_a | 1 << b]))
    below = np.empty(_WORDS, np.int64)
    count = _count_below(occurring, below)

    number_row = np.empty(96, np.uint8)
    for pair in range(91):
        number_row[pair] = _number_of_class(occurring, below, integer(row[pair]))
    combo = 0
    for high_rank in range(13):
        base = high_rank * (high_rank + 1) >> 1
        for suits_below in range(4):
            for low_rank in range(high_rank):
                number = number_row[base + low_rank]
                numbers[combo] = number
                numbers[combo + 1] = number
                numbers[combo + 2] = number
                numbers[combo + 3] = number
                combo += 4
            number = number_row[base + high_rank]
            for _ in range(suits_below):
                numbers[combo] = number
                combo += 1
    if suit >= 0:
        for a in range(13):
            if mask >> a & 1:
                continue
            high = 4 * a + suit
            at = high * (high - 1) >> 1
            with_a = FLUSH_AT + (mask | 1 << a)
            if suited >= 4:
                number = np.uint8(_number_of_class(occurring, below, integer(table[with_a])))
                for other in range(high):
                    numbers[at + other] = number
                for other in range(high + 1, 52):
                    # A higher card of the suit comes later in the outer loop and overwrites this.
                    numbers[(other * (other - 1) >> 1) + high] = number
            for b in range(a):
                if mask >> b & 1 == 0:
                    numbers[at + suit + 4 * b] = _number_of_class(
                        occurring, below, integer(table[with_a | 1 << b])
                    )
    return count


@kernel()
def add_river(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    numbers: NDArray[np.uint8],
    sums: NDArray[np.float64],
    twice_won: NDArray[np.float64],
) -> None:
    """Adds to each live combo on a board of five twice the weight below it and once the weight it ties with.

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

    # Columns are the live cards in order; the last one is the total.  The masks change nothing: they tell
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
    # Twice what is below a class and once what is in it.
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


# Of each pair of ranks, in the order of rank-pair rows; unsigned, so that the compiler knows that no index is
# negative.
_HIGHER_RANK: Final = np.tril_indices(13)[0].astype(np.uint8)
_LOWER_RANK: Final = np.tril_indices(13)[1].astype(np.uint8)


@kernel()
def _sum_by_rank(
    weights: NDArray[np.float64], alive: NDArray[np.float64], suit: int, by_rank: NDArray[np.float64]
) -> None:
    """The weight of each card with each rank: ``by_rank[rank, card]``, shape (13, 52), filled in place.

    weights: shape (52, 52), symmetric, 0 on the diagonal.  alive: shape (52,), 0.0 for cards on the board,
    else 1.0.
    suit: in which two cards are left out together, or -1.
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


@kernel()
def _add_board(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    by_rank: NDArray[np.float64],
    below: NDArray[np.float64],
    twice_won: NDArray[np.float64],
) -> bool:
    """`add_river` by rank pairs instead of combos; returns False and does nothing if the board has four of
    a suit.

    Rank pairs, and combos with a flush, are taken in the order of their classes.  The weight met so far is
    kept for each card and in all, read before and after the class (hence twice).

    weights, twice_won: shape (52, 52); of `twice_won` the part below the diagonal is added to.
    by_rank, below: scratch, shape (13, 52).
    """
    key = board_key(board, 5)
    suit, suited, mask = flush_on_board(key, board, 5)
    if suited >= 4:
        return False
    alive = np.ones(52, np.float64)
    for i in range(5):
        alive[board[i]] = 0.0
    _sum_by_rank(weights, alive, suit, by_rank)

    # The events: 91 rank pairs, then the combos with a flush.
    classes = np.empty(91 + 45, np.uint16)
    fill_rank_pair_row(table, key, classes)
    num_events = 91
    highs = np.empty(91 + 45, np.uint8)
    lows = np.empty(91 + 45, np.uint8)
    if suit >= 0:
        for a in range(13):
            if mask >> a & 1:
                continue
            for b in range(a):
                if mask >> b & 1 == 0:
                    classes[num_events] = table[FLUSH_AT + (mask | 1 << a | 1 << b)]
                    highs[num_events] = 4 * a + suit
                    lows[num_events] = 4 * b + suit
                    num_events += 1

    # Sorted: the classes that occur are numbered, and the events of each are chained.
    occurring = np.zeros(_WORDS, np.uint64)
    for event in range(num_events):
        _mark(occurring, integer(classes[event]))
    before = np.empty(_WORDS, np.int64)
    count = _count_below(occurring, before)
    heads = np.empty(91 + 45, np.int16)
    for number in range(count):
        heads[number] = -1
    following = np.empty(91 + 45, np.int16)
    for event in range(num_events):
        number = _number_of_class(occurring, before, integer(classes[event]))
        following[event] = heads[number]
        heads[number] = event

    totals = np.empty(91 + 45, np.float64)
    met = np.zeros(52, np.float64)
    total = 0.0
    for number in range(count):
        event = integer(heads[number])
        while event >= 0:
            if event < 91:
                rank, other = integer(_HIGHER_RANK[event]), integer(_LOWER_RANK[event])
                for suit_of in range(4):
                    below[other, 4 * rank + suit_of] = met[4 * rank + suit_of]
                    below[rank, 4 * other + suit_of] = met[4 * other + suit_of]
                totals[event] = total
            else:
                totals[event] = total - met[highs[event]] - met[lows[event]]
            event = integer(following[event])
        event = integer(heads[number])
        while event >= 0:
            if event < 91:
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
                weight = weights[highs[event], lows[event]]
                met[highs[event]] += weight
                met[lows[event]] += weight
                total += weight
            event = integer(following[event])
        event = integer(heads[number])
        while event >= 0:
            if event < 91:
                rank, other = integer(_HIGHER_RANK[event]), integer(_LOWER_RANK[event])
                for suit_of in range(4):
                    below[other, 4 * rank + suit_of] += met[4 * rank + suit_of]
                    if rank != other:
                        below[rank, 4 * other + suit_of] += met[4 * other + suit_of]
                totals[event] += total
            else:
                # The hand itself was in the total once and under both of its cards.
                high, low = highs[event], lows[event]
                totals[event] += total - met[high] - met[low] + weights[high, low]
                # What the loop below makes of it is overwritten.
                totals[event] += twice_won[high, low]
            event = integer(following[event])

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
    for event in range(91, num_events):
        twice_won[highs[event], lows[event]] = totals[event]
    return True


@kernel()
def list_run_outs(dead: int, number: int, run_outs: NDArray[np.uint8]) -> int:
    """All ways to deal 0, 1 or 2 cards that are not in the mask `dead`; returns how many there are.

    `run_outs`, shape (1176 or more, 2), is filled in place; of fewer cards than 2 the last columns mean
    nothing.
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

    weights: shape (1326,).  `equities`, shape (1326,), is filled in place; nan for combos that share a card
    with the board and for those that no combo with weight can meet.
    """
    size = board.shape[0]
    full = np.empty(5, np.uint8)
    for i in range(size):
        full[i] = board[i]
    numbers = np.empty(1326, np.uint8)
    sums = np.empty(SCRATCH, np.float64)
    matrix = np.zeros((52, 52), np.float64)
    won = np.zeros((52, 52), np.float64)
    by_rank = np.empty((13, 52), np.float64)
    below = np.empty((13, 52), np.float64)
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
    # One call for all sizes: each one would be compiled by itself.
    for index in range(num_boards):
        for place in range(size, 5):
            full[place] = to_come[index, place - size]
        if not _add_board(table, full, matrix, by_rank, below, won):
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
            # What is left of a total by rounding is not weight.
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

    boards: shape (N, 2|1|0), the cards to come, filled in place.
    strengths: shape (3, N), the weight ahead, tied and behind on each, filled in place.
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
