"""Ranking of 5, 6 and 7 cards: the class of one hand, of many hands, and of every combo on a board.

``engine.kernels.poker.tables`` describes how hands are ranked.  Everywhere ``table`` is ``ranking_table()``,
uint16.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import INT, entry, integer, kernel
from engine.kernels.poker.tables import (
    EMPTY_KEY,
    FLUSH_AT,
    FLUSH_BITS,
    HIGH_AT,
    HIGH_SHIFT,
    KEY_OF_CARD,
    KEY_OF_RANK,
    KEY_OF_RANK_PAIR,
    LOW_AT,
    MULTISET_AT,
    NUM_RANK_PAIRS,
    ONE_MORE_SUITED,
    SUIT_SHIFT,
    TWO_MORE_SUITED,
    ranking_table,
)

DEAD: Final = 0xFFFF
"""Stands for the class of a combo that shares a card with the board."""

_TABLE: NDArray[np.uint16] = np.zeros(0, np.uint16)


def _load_table() -> None:
    global _TABLE
    _TABLE = ranking_table()


@kernel()
def class_of_key(table: NDArray[np.uint16], key: int) -> int:
    """The class of the hand with this key, if it has no flush."""
    half_offset = integer(table[HIGH_AT + ((key >> HIGH_SHIFT) & 0xFFFF)])
    place = integer(table[LOW_AT + (key & 0xFFFF)])
    return integer(table[MULTISET_AT + 2 * half_offset + place])


@kernel()
def bit_if(card: int, suit: int) -> int:
    """The rank bit of a card if it has that suit, else 0."""
    return integer((card & 3) == suit) << (card >> 2)


@kernel()
def flush_suit(key: int) -> int:
    """The suit of which the hand of a key has five cards or more; meaningless if there is none."""
    bits = (key >> (SUIT_SHIFT + 3)) & 0x1111
    return (1 if bits & 0x10 else 0) + (2 if bits & 0x100 else 0) + (3 if bits & 0x1000 else 0)


@kernel(allocates=False, inlined=True)
def board_key(board: NDArray[Any], size: int) -> int:
    """The key of the cards ``board[:size]``."""
    key = EMPTY_KEY
    for i in range(size):
        key += KEY_OF_CARD[board[i]]
    return key


@kernel(allocates=False, inlined=True)
def number_suited(key: int, suit: int) -> int:
    """The number of cards of a suit among the cards of a key."""
    return (key >> (SUIT_SHIFT + 4 * suit) & 15) - 3


@kernel(allocates=False, inlined=True)
def flush_on_board(key: int, board: NDArray[Any], size: int) -> tuple[int, int, int]:
    """The suit in which two hole cards can make a flush with ``board[:size]``, whose key is `key`.

    Returns:
        The suit, the number of board cards of that suit, and the bits of their ranks; -1, 0, 0 if no suit has
        three cards on the board.
    """
    if (key + TWO_MORE_SUITED) & FLUSH_BITS == 0:
        return -1, 0, 0
    suit = flush_suit(key + TWO_MORE_SUITED)
    mask = 0
    for i in range(size):
        mask |= bit_if(integer(board[i]), suit)
    return suit, number_suited(key, suit), mask


@kernel(prepare=_load_table, nogil=False)
def _rank_five(a: int, b: int, c: int, d: int, e: int) -> int:
    """The class of five different cards; nothing is checked."""
    keys = KEY_OF_CARD
    key = EMPTY_KEY + keys[a] + keys[b] + keys[c] + keys[d] + keys[e]
    if key & FLUSH_BITS == 0:
        return class_of_key(_TABLE, key)
    mask = 1 << (a >> 2) | 1 << (b >> 2) | 1 << (c >> 2) | 1 << (d >> 2) | 1 << (e >> 2)
    return integer(_TABLE[FLUSH_AT + mask])


@kernel(prepare=_load_table, nogil=False)
def _rank_six(a: int, b: int, c: int, d: int, e: int, f: int) -> int:
    """The class of the best five of six different cards; nothing is checked."""
    keys = KEY_OF_CARD
    key = EMPTY_KEY + keys[a] + keys[b] + keys[c] + keys[d] + keys[e] + keys[f]
    if key & FLUSH_BITS == 0:
        return class_of_key(_TABLE, key)
    suit = flush_suit(key)
    mask = bit_if(a, suit) | bit_if(b, suit) | bit_if(c, suit)
    mask |= bit_if(d, suit) | bit_if(e, suit) | bit_if(f, suit)
    return integer(_TABLE[FLUSH_AT + mask])


@kernel(prepare=_load_table, nogil=False)
def _rank_seven(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> int:
    """The class of the best five of seven different cards; nothing is checked."""
    keys = KEY_OF_CARD
    key = EMPTY_KEY + keys[a] + keys[b] + keys[c] + keys[d] + keys[e] + keys[f] + keys[g]
    if key & FLUSH_BITS == 0:
        return class_of_key(_TABLE, key)
    suit = flush_suit(key)
    mask = bit_if(a, suit) | bit_if(b, suit) | bit_if(c, suit)
    mask |= bit_if(d, suit) | bit_if(e, suit) | bit_if(f, suit) | bit_if(g, suit)
    return integer(_TABLE[FLUSH_AT + mask])


rank_five = entry(_rank_five, *[INT] * 5)
rank_six = entry(_rank_six, *[INT] * 6)
rank_seven = entry(_rank_seven, *[INT] * 7)


@kernel(allocates=False)
def class_on_board(
    table: NDArray[np.uint16], key: int, board: NDArray[Any], size: int, first: int, second: int
) -> int:
    """The class of two hole cards with ``board[:size]``, 3, 4 or 5 cards, whose key is `key`."""
    key += KEY_OF_CARD[first] + KEY_OF_CARD[second]
    if key & FLUSH_BITS == 0:
        return class_of_key(table, key)
    suit = flush_suit(key)
    mask = bit_if(first, suit) | bit_if(second, suit)
    for i in range(size):
        mask |= bit_if(integer(board[i]), suit)
    return integer(table[FLUSH_AT + mask])


@kernel()
def rank_hand(table: NDArray[np.uint16], cards: NDArray[np.uint8]) -> int:
    """The class of 5, 6 or 7 different cards, an array of shape (5|6|7,); nothing is checked."""
    key = board_key(cards, cards.shape[0])
    if key & FLUSH_BITS == 0:
        return class_of_key(table, key)
    suit = flush_suit(key)
    mask = 0
    for i in range(cards.shape[0]):
        mask |= bit_if(integer(cards[i]), suit)
    return integer(table[FLUSH_AT + mask])


@kernel()
def rank_hands(table: NDArray[np.uint16], hands: NDArray[np.uint8], ranks: NDArray[np.uint16]) -> None:
    """Fill in `ranks`, shape (n,), with the class of every row of `hands`, shape (n, 5|6), C-contiguous.

    Hands of seven cards have a kernel of their own, in ``engine.kernels.poker.batch``.
    """
    for i in range(hands.shape[0]):
        ranks[i] = rank_hand(table, hands[i])


@kernel()
def fill_rank_pair_row(table: NDArray[np.uint16], key: int, row: NDArray[np.uint16]) -> None:
    """The class that each pair of ranks makes with a board, whose key is `key`, without a flush.

    `row`, shape (91,) or longer, is filled in place: the pair of ranks ``a >= b`` is at ``a * (a + 1) / 2 +
    b``.  The entry of a pair that would be a fifth card of a rank is meaningless, as no combo has it.
    """
    rank_keys = key & ((1 << SUIT_SHIFT) - 1)
    for pair in range(NUM_RANK_PAIRS):
        with_pair = rank_keys + KEY_OF_RANK_PAIR[pair]
        half_offset = integer(table[HIGH_AT + ((with_pair >> HIGH_SHIFT) & 0xFFFF)])
        place = integer(table[LOW_AT + (with_pair & 0xFFFF)])
        row[pair] = table[MULTISET_AT + 2 * half_offset + place]


@kernel(allocates=False)
def spread_rank_pairs(row: NDArray[Any], by_combo: NDArray[Any]) -> None:
    """Copy the entry of each combo's pair of ranks from `row`, shape (91,) or longer.

    by_combo: shape (1326,), filled in place.
    """
    combo = 0
    for high_rank in range(13):
        base = high_rank * (high_rank + 1) >> 1
        for suits_below in range(4):
            for low_rank in range(high_rank):
                value = row[base + low_rank]
                by_combo[combo] = value
                by_combo[combo + 1] = value
                by_combo[combo + 2] = value
                by_combo[combo + 3] = value
                combo += 4
            value = row[base + high_rank]
            for _ in range(suits_below):
                by_combo[combo] = value
                combo += 1


@kernel()
def fill_board_ranks(table: NDArray[np.uint16], board: NDArray[np.uint8], ranks: NDArray[np.uint16]) -> None:
    """The class of every combo on a board of 3, 4 or 5 different cards, shape (3|4|5,).

    `ranks`, shape (1326,), is filled in place; combos that share a card with the board get `DEAD`.
    """
    key = board_key(board, board.shape[0])
    suit, suited, mask = flush_on_board(key, board, board.shape[0])
    row = np.empty(NUM_RANK_PAIRS, np.uint16)
    if suited == 5:
        for pair in range(NUM_RANK_PAIRS):
            row[pair] = table[FLUSH_AT + mask]
    else:
        fill_rank_pair_row(table, key, row)

    spread_rank_pairs(row, ranks)
    if suit >= 0:
        for high_rank in range(13):
            high = 4 * high_rank + suit
            if mask >> high_rank & 1:
                continue
            with_high = FLUSH_AT + (mask | 1 << high_rank)
            if suited >= 4:
                rank = integer(table[with_high])
                first = high * (high - 1) // 2
                for other in range(high):
                    ranks[first + other] = rank
                for other in range(high + 1, 52):
                    # A higher card of the suit comes later in the outer loop and overwrites this.
                    ranks[other * (other - 1) // 2 + high] = rank
            first = high * (high - 1) // 2 + suit
            for low_rank in range(high_rank):
                ranks[first + 4 * low_rank] = table[with_high | 1 << low_rank]

    for i in range(board.shape[0]):
        dead = integer(board[i])
        first = dead * (dead - 1) // 2
        for other in range(dead):
            ranks[first + other] = DEAD
        for other in range(dead + 1, 52):
            ranks[other * (other - 1) // 2 + dead] = DEAD


@kernel()
def count_all_seven_card_hands(table: NDArray[np.uint16], counts: NDArray[np.int64]) -> None:
    """Count the 133,784,560 seven-card hands in each class; `counts`, shape (7462,), is filled in place.

    The five highest cards are enumerated one by one.  The two below are taken together by their ranks, since
    they matter for a flush only if both have a suit of which the five have three cards.  If the five have
    more of a suit, as in one case in 23, the two are enumerated as well.
    """
    counts[:] = 0
    keys = KEY_OF_CARD
    for a in range(6, 52):
        for b in range(5, a):
            key_b = EMPTY_KEY + keys[a] + keys[b]
            for c in range(4, b):
                key_c = key_b + keys[c]
                for d in range(3, c):
                    key_d = key_c + keys[d]
                    for e in range(2, d):
                        key = key_d + keys[e]
                        if (key + ONE_MORE_SUITED) & FLUSH_BITS:
                            suit = flush_suit(key + ONE_MORE_SUITED)
                            mask = bit_if(a, suit) | bit_if(b, suit) | bit_if(c, suit)
                            mask |= bit_if(d, suit) | bit_if(e, suit)
                            _count_cards_below(table, key, e, suit, mask, counts)
                        elif (key + TWO_MORE_SUITED) & FLUSH_BITS:
                            suit = flush_suit(key + TWO_MORE_SUITED)
                            mask = bit_if(a, suit) | bit_if(b, suit) | bit_if(c, suit)
                            mask |= bit_if(d, suit) | bit_if(e, suit)
                            _count_ranks_below(table, key, e, suit, mask, counts)
                        else:
                            _count_ranks_below(table, key, e, -1, 0, counts)


@kernel()
def _count_ranks_below(
    table: NDArray[np.uint16], key: int, lowest: int, suit: int, mask: int, counts: NDArray[np.int64]
) -> None:
    """Count the hands of five given cards and any two below the lowest of them, by ranks.

    suit, mask: the suit that three of the five cards have and the bits of their ranks; -1 and 0 if no three
    have one suit.
    """
    rank_of_lowest, suits_below = lowest >> 2, lowest & 3
    for high in range(rank_of_lowest + 1):
        suits = suits_below if high == rank_of_lowest else 4
        with_high = key + KEY_OF_RANK[high]
        # One card of each lower rank makes a flush with one of these.
        flushes = 1 if suit >= 0 and (high < rank_of_lowest or suit < suits_below) else 0
        for low in range(high):
            counts[class_of_key(table, with_high + KEY_OF_RANK[low])] += 4 * suits - flushes
        counts[class_of_key(table, with_high + KEY_OF_RANK[high])] += suits * (suits - 1) >> 1
        if flushes:
            for low in range(high):
                counts[table[FLUSH_AT + (mask | 1 << high | 1 << low)]] += 1


@kernel()
def _count_cards_below(
    table: NDArray[np.uint16], key: int, lowest: int, suit: int, mask: int, counts: NDArray[np.int64]
) -> None:
    """Count the hands of five given cards and any two below the lowest of them, card by card.

    suit, mask: the suit that four or five of the five cards have, and the bits of their ranks.
    """
    for f in range(1, lowest):
        with_f = key + KEY_OF_CARD[f]
        mask_f = mask | bit_if(f, suit)
        for g in range(f):
            with_g = with_f + KEY_OF_CARD[g]
            if with_g & FLUSH_BITS == 0:
                counts[class_of_key(table, with_g)] += 1
            else:
                counts[table[FLUSH_AT + (mask_f | bit_if(g, suit))]] += 1


@kernel()
def count_all_five_card_hands(table: NDArray[np.uint16], counts: NDArray[np.int64]) -> None:
    """Count the 2,598,960 five-card hands in each class; `counts`, shape (7462,), is filled in place."""
    counts[:] = 0
    keys = KEY_OF_CARD
    for a in range(4, 52):
        for b in range(3, a):
            for c in range(2, b):
                key_c = EMPTY_KEY + keys[a] + keys[b] + keys[c]
                for d in range(1, c):
                    for e in range(d):
                        key = key_c + keys[d] + keys[e]
                        if key & FLUSH_BITS == 0:
                            counts[class_of_key(table, key)] += 1
                        else:
                            mask = (
                                1 << (a >> 2) | 1 << (b >> 2) | 1 << (c >> 2) | 1 << (d >> 2) | 1 << (e >> 2)
                            )
                            counts[table[FLUSH_AT + mask]] += 1
