"""How strong a hand of hold'em may become: percentiles on final boards, and buckets on the way there.

``table`` is ``ranking_table()``, uint16, wherever it occurs.  A *percentile* is the share of the 990 hands of
an opponent that a hand beats on a full board, ties counted half.  Before the river a hand is known by the
*bucket* of the root of its mean squared percentile over boards to come.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.cards import card_bits, combo_of, list_live
from engine.kernels.poker.ranking import fill_board_ranks
from engine.kernels.splitmix import next_word
from engine.support.arrays import Bytes, Floats, Ints, Words, Words16

BUCKETS: Final = 24
"""Of hands on the flop and the turn, and of percentiles on the river."""


@kernel()
def _deal(state: Words, deck: Ints, size: int, first: int, last: int) -> None:
    """Puts random cards of ``deck[first:size]`` at ``deck[first:last]``; `state`, shape (1,), moves on."""
    for place in range(first, last):
        word = next_word(state)
        chosen = place + (integer(word >> np.uint64(32)) * (size - place) >> 32)
        deck[place], deck[chosen] = deck[chosen], deck[place]


@kernel()
def bucket_of(value: float) -> int:
    """The bucket of a number from 0 to 1."""
    return min(BUCKETS - 1, max(0, int(value * BUCKETS)))


@kernel()
def percentile(table: Words16, board: Bytes, first: int, second: int, ranks: Words16) -> float:
    """The percentile of two hole cards on a full board, shape (5,); `ranks`, shape (1326,), is scratch."""
    fill_board_ranks(table, board, ranks)
    ours = ranks[combo_of(first, second)]
    below = up_to = 0
    for combo in range(1326):  # a combo with a card of the board ranks above all
        below += ranks[combo] < ours
        up_to += ranks[combo] <= ours
    for card in (first, second):
        for other in range(52):
            if other != card:
                combo = combo_of(card, other)
                below -= ranks[combo] < ours
                up_to -= ranks[combo] <= ours
    up_to += 1  # our own combo has been taken out twice
    return 0.5 * (below + up_to) / 990.0


@kernel()
def _live_deck(first: int, second: int, board: NDArray[Any], known: int, deck: Ints) -> int:
    """The cards that are left, into `deck`; returns how many."""
    return list_live(card_bits(board, known) | 1 << first | 1 << second, deck)


@kernel()
def turn_value(
    table: Words16, state: Words, board: Bytes, hand: tuple[int, int], rivers: int, chances: Floats
) -> float:
    """The root mean square of a hand's percentiles over rivers, and in which buckets they lie.

    board: shape (5,), the last card is overwritten.  rivers: how many are drawn; 46 and more: all.
    chances: shape (BUCKETS,), filled in place.
    """
    ranks = np.empty(1326, np.uint16)
    deck = np.empty(52, np.int64)
    size = _live_deck(hand[0], hand[1], board, 4, deck)
    drawn = min(rivers, size)
    if drawn < size:
        _deal(state, deck, size, 0, drawn)
    chances[:] = 0.0
    total = 0.0
    for river in range(drawn):
        board[4] = deck[river]
        value = percentile(table, board, hand[0], hand[1], ranks)
        total += value * value
        chances[bucket_of(value)] += 1.0 / drawn
    return float(np.sqrt(total / drawn))


@kernel()
def flop_value(
    table: Words16, state: Words, board: Bytes, hand: tuple[int, int], draws: tuple[int, int], chances: Floats
) -> float:
    """The same on the flop: over turns that are drawn, and in which buckets the hand then is.

    board: shape (5,), the last two cards are overwritten.  draws: of turns, and of rivers after each.
    """
    deck = np.empty(52, np.int64)
    after = np.empty(BUCKETS, np.float64)
    size = _live_deck(hand[0], hand[1], board, 3, deck)
    _deal(state, deck, size, 0, draws[0])
    chances[:] = 0.0
    total = 0.0
    for turn in range(draws[0]):
        board[3] = deck[turn]
        value = turn_value(table, state, board, hand, draws[1], after)
        total += value * value
        chances[bucket_of(value)] += 1.0 / draws[0]
    return float(np.sqrt(total / draws[0]))


@kernel()
def count_changes(
    table: Words16,
    seed: int,
    deals: int,
    draws: tuple[int, int],
    starting_hands: Bytes,
    flops: Floats,
    turns: Floats,
    rivers: Floats,
) -> None:
    """How hands that are dealt at random change buckets from round to round.

    starting_hands: shape (1326,), that of each combo.
    flops, turns, rivers: shapes (169, BUCKETS), (BUCKETS, BUCKETS), (BUCKETS, BUCKETS), added to in place:
        from starting hands to flops, from there to turns, from there to rivers.
    """
    state = np.zeros(1, np.uint64)
    state[0] = np.uint64(seed)
    deck = np.arange(52)
    board = np.empty(5, np.uint8)
    after = np.empty(BUCKETS, np.float64)
    for _ in range(deals):
        _deal(state, deck, 52, 0, 6)
        first, second = deck[0], deck[1]
        for i in range(3):
            board[i] = deck[2 + i]
        flop = bucket_of(flop_value(table, state, board, (first, second), draws, after))
        flops[starting_hands[combo_of(first, second)], flop] += 1.0
        for bucket in range(BUCKETS):
            turns[flop, bucket] += after[bucket]
        board[3] = deck[5]
        turn = bucket_of(turn_value(table, state, board, (first, second), draws[1], after))
        for bucket in range(BUCKETS):
            rivers[turn, bucket] += after[bucket]
