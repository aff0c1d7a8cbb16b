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
    KEY_OF_RANK_PAIR,
    LOW_AT,
    MULTISET_AT,
    NUM_RANK_PAIRS,
    SUIT_SHIFT,
    TWO_MORE_SUITED,
    ranking_table,
)
from engine.support.arrays import Bytes, Ints, Words16

DEAD: Final = 0xFFFF
"""Stands for the class of a combo that shares a card with the board."""

NOT_A_CARD: Final = 1 << 56
"""A bit above the bits of all keys: the key of every byte that is not a card."""


def _keys_of_bytes() -> Ints:
    """The key of each byte, shape (256,): that of a card, or `NOT_A_CARD`."""
    keys = np.full(256, NOT_A_CARD, np.int64)
    keys[: len(KEY_OF_CARD)] = KEY_OF_CARD
    keys.flags.writeable = False
    return keys


_KEY_OF_BYTE: Final = _keys_of_bytes()

_TABLE: Words16 = np.zeros(0, np.uint16)


def _load_table() -> None:
    global _TABLE
    _TABLE = ranking_table()


@kernel()
def class_of_key(table: Words16, key: int) -> int:
    """The class of the hand with this key, if it has no flush."""
    half_offset = integer(table[HIGH_AT + ((key >> HIGH_SHIFT) & 0xFFFF)])
    place = integer(table[LOW_AT + (key & 0xFFFF)])
    return integer(table[MULTISET_AT + 2 * half_offset + place])


@kernel()
def bit_if(card: int, suit: int) -> int:
    """The rank bit of a card if it has that suit, else 0."""
    return integer((card & 3) == suit) << (card >> 2)


@kernel(allocates=False, inlined=True)
def rank_bits(cards: NDArray[Any], size: int, suit: int) -> int:
    """The rank bits of those of ``cards[:size]`` that have a suit."""
    mask = 0
    for i in range(size):
        mask |= bit_if(integer(cards[i]), suit)
    return mask


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
    return suit, number_suited(key, suit), rank_bits(board, size, suit)


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
def class_on_board(table: Words16, key: int, board: NDArray[Any], size: int, first: int, second: int) -> int:
    """The class of two hole cards with ``board[:size]``, 3, 4 or 5 cards, whose key is `key`."""
    key += KEY_OF_CARD[first] + KEY_OF_CARD[second]
    if key & FLUSH_BITS == 0:
        return class_of_key(table, key)
    suit = flush_suit(key)
    mask = bit_if(first, suit) | bit_if(second, suit) | rank_bits(board, size, suit)
    return integer(table[FLUSH_AT + mask])


@kernel()
def rank_hand(table: Words16, cards: Bytes) -> int:
    """The class of 5, 6 or 7 different cards, an array of shape (5|6|7,); nothing is checked."""
    key = board_key(cards, cards.shape[0])
    if key & FLUSH_BITS == 0:
        return class_of_key(table, key)
    return integer(table[FLUSH_AT + rank_bits(cards, cards.shape[0], flush_suit(key))])


@kernel()
def rank_hands(table: Words16, hands: Bytes, ranks: Words16) -> None:
    """Fill in `ranks`, shape (n,), with the class of every row of `hands`, shape (n, 5|6), C-contiguous.

    Hands of seven cards have a kernel of their own, `rank_seven_card_hands`.
    """
    for i in range(hands.shape[0]):
        ranks[i] = rank_hand(table, hands[i])


@kernel(allocates=False)
def _flush_class(table: Words16, cards: Bytes, at: int, key: int) -> int:
    """The class of ``cards[at:at + 7]``, whose key has five of a suit."""
    mask = rank_bits(cards[at : at + 7], 7, flush_suit(key))
    return integer(table[FLUSH_AT + (mask & 0x1FFF)])  # whatever stands beside the cards


@kernel(allocates=False)
def rank_seven_card_hands(table: Words16, cards: Bytes, ranks: Words16) -> int:
    """Fill in the class of each hand; returns `NOT_A_CARD` or more if some byte was not a card.

    Args:
        table: `ranking_table()`.
        cards: the cards, one hand after the other, shape (7 * n,).
        ranks: shape (n,), filled in place.
    """
    keys = _KEY_OF_BYTE
    seen = at = 0
    for i in range(ranks.shape[0]):
        # Written out, since a loop over the seven cards takes a third longer.
        key = (
            EMPTY_KEY
            + keys[cards[at]]
            + keys[cards[at + 1]]
            + keys[cards[at + 2]]
            + keys[cards[at + 3]]
            + keys[cards[at + 4]]
            + keys[cards[at + 5]]
            + keys[cards[at + 6]]
        )
        seen |= key
        # Looked up for every hand, with or without a flush: the processor then need not guess which it is,
        # which saves a quarter of the time.
        ranks[i] = class_of_key(table, key)
        if key & FLUSH_BITS:
            ranks[i] = _flush_class(table, cards, at, key)
        at += 7
    return seen


@kernel()
def fill_rank_pair_row(table: Words16, key: int, row: Words16) -> None:
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


@kernel()
def fill_board_row(table: Words16, board: Bytes, row: Words16) -> tuple[int, int, int]:
    """`fill_rank_pair_row` on a board of 3, 4 or 5 cards; returns what `flush_on_board` does.

    If all five cards have one suit, a pair of ranks is worth the flush on the board.
    """
    key = board_key(board, board.shape[0])
    suit, suited, mask = flush_on_board(key, board, board.shape[0])
    if suited == 5:
        for pair in range(NUM_RANK_PAIRS):
            row[pair] = table[FLUSH_AT + mask]
    else:
        fill_rank_pair_row(table, key, row)
    return suit, suited, mask


@kernel(allocates=False, inlined=True)
def spread_over_combos(
    row: NDArray[Any], flushes: NDArray[Any], on_board: tuple[int, int, int], by_combo: NDArray[Any]
) -> None:
    """Give each combo the entry of its flush with the board or else of its pair of ranks.

    row: by pair of ranks, shape (91,) or longer.  flushes: by the rank mask of a suit, shape (8192,) or more.
    on_board: from `flush_on_board`.  by_combo: shape (1326,), filled in place.
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
    suit, suited, mask = on_board
    if suit < 0:
        return
    for high_rank in range(13):
        if mask >> high_rank & 1:
            continue
        high = 4 * high_rank + suit
        first = high * (high - 1) >> 1
        with_high = mask | 1 << high_rank
        if suited >= 4:
            value = flushes[with_high]
            for other in range(high):
                by_combo[first + other] = value
            for other in range(high + 1, 52):
                # A higher card of the suit comes later in the outer loop and overwrites this.
                by_combo[(other * (other - 1) >> 1) + high] = value
        for low_rank in range(high_rank):
            if mask >> low_rank & 1 == 0:
                by_combo[first + suit + 4 * low_rank] = flushes[with_high | 1 << low_rank]


@kernel()
def fill_board_ranks(table: Words16, board: Bytes, ranks: Words16) -> None:
    """The class of every combo on a board of 3, 4 or 5 different cards, shape (3|4|5,).

    `ranks`, shape (1326,), is filled in place; combos that share a card with the board get `DEAD`.
    """
    row = np.empty(NUM_RANK_PAIRS, np.uint16)
    on_board = fill_board_row(table, board, row)
    spread_over_combos(row, table[FLUSH_AT:], on_board, ranks)
    for i in range(board.shape[0]):
        dead = integer(board[i])
        first = dead * (dead - 1) // 2
        for other in range(dead):
            ranks[first + other] = DEAD
        for other in range(dead + 1, 52):
            ranks[other * (other - 1) // 2 + dead] = DEAD
