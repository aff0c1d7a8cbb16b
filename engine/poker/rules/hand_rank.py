"""Comparing hands in plain Python: the best five of 1 to 10 cards, for any deck.

Used by the dealer, which must start without numpy, and as an oracle for the compiled evaluator
(`engine.hands`).  Rules of docs/acpc-dealer.md 3.7: straights and flushes always need five cards, the
ace is low only in 5-4-3-2-A, with fewer than five cards the possible categories are compared with the
kickers available, and suits never break a tie.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from engine.poker.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, rank_of, suit_of


class HandCategory(IntEnum):
    """The nine categories, in ascending order; a royal flush is the best straight flush."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8


(
    _HIGH_CARD, _PAIR, _TWO_PAIR, _THREE_OF_A_KIND, _STRAIGHT, _FLUSH, _FULL_HOUSE, _FOUR_OF_A_KIND,
    _STRAIGHT_FLUSH,
) = map(int, HandCategory)  # fmt: skip

# A hand is one integer, a sum over its cards: thirteen 3-bit rank counts below, four 5-bit suit counts
# above.  The suit counts start at 11, so that five of a suit set the count's top bit.
_SUIT_SHIFT: Final = 3 * NUM_RANKS
_RANK_MASK: Final = (1 << _SUIT_SHIFT) - 1
_CARD_KEYS: Final = tuple(
    (1 << 3 * rank_of(card)) + (1 << _SUIT_SHIFT + 5 * suit_of(card)) for card in range(NUM_CARDS)
)
_key_of: Final = _CARD_KEYS.__getitem__
_SUIT_BIAS: Final = sum(11 << _SUIT_SHIFT + 5 * suit for suit in range(NUM_SUITS))
_FLUSH_BITS: Final = sum(16 << _SUIT_SHIFT + 5 * suit for suit in range(NUM_SUITS))

_RANKS: Final = 0o1_111_111_111_111
# Sets of ranks have a bit for each: the lowest of its count.
_WHEEL: Final = 0o1_000_000_001_111
_FIVE: Final = 0o1_000
_CATEGORY_SHIFT: Final = 20

_VALUE_BITS: Final = 24
_VALUE_MASK: Final = (1 << _VALUE_BITS) - 1
SLOTS: Final = 65_521
"""Of the memory.  A prime: the 49,205 rank counts of seven cards are spread over it."""
_remembered = array("Q", bytes(8 * SLOTS))
"""Rank counts with their value, each in one number, the last that came to a slot: 512 KiB from the start,
however many hands a process sees.  No hand is 0.  A number is written in one go, whatever threads there are.
"""


def hand_rank(cards: Sequence[int]) -> int:
    """The value of the best five-card hand among some cards: greater wins, equal ties.

    Comparable among hands of equally many cards.  `hand_category` and `ranks_in_order` take it apart; the
    compiled evaluator's ranks, 0..7461, are on another scale.

    Args:
        cards: 1 to 10 different cards.
    """
    key = sum(map(_key_of, cards), _SUIT_BIAS)
    ranks = key & _RANK_MASK
    known = _remembered[ranks % SLOTS]
    if known >> _VALUE_BITS == ranks:
        value = known & _VALUE_MASK
    else:
        value = _value_of_ranks(ranks)
        _remembered[ranks % SLOTS] = ranks << _VALUE_BITS | value
    if key & _FLUSH_BITS:
        value = max(value, _best_flush(cards))
    return value


def hand_category(value: int) -> HandCategory:
    """The category of a `hand_rank`."""
    return HandCategory(value >> _CATEGORY_SHIFT)


def ranks_in_order(value: int) -> list[int]:
    """The ranks, 0..12, that a `hand_rank` is made of, most significant first: a pair before its kickers."""
    digits = [value >> shift & 15 for shift in range(_CATEGORY_SHIFT - 4, -1, -4)]
    return [digit - 1 for digit in digits if digit]


def _value(category: int, *held: tuple[int, int]) -> int:
    """Category and up to five ranks, most significant first, as one integer.

    Args:
        category: of the hand.
        held: ranks, a bit each as in `_RANKS`, and how many of the highest of them count.
    """
    value, left = category, 5
    for ranks, number in held:
        while ranks and number:
            digit = (ranks.bit_length() + 2) // 3
            ranks ^= 1 << 3 * digit - 3
            value = value << 4 | digit
            number -= 1
            left -= 1
    return value << 4 * left


def _straight(ranks: int) -> int:
    """The highest rank of the best straight, as its bit; 0 if there is none."""
    run = ranks & ranks << 3 & ranks << 6 & ranks << 9 & ranks << 12
    return _highest(run) if run else (_FIVE if ranks & _WHEEL == _WHEEL else 0)


def _highest(ranks: int) -> int:
    """The bit of the highest rank."""
    return 1 << ranks.bit_length() - 1


def _best_flush(cards: Sequence[int]) -> int:
    best = 0
    for suit in range(NUM_SUITS):
        suited = [card for card in cards if suit_of(card) == suit]
        if len(suited) >= 5:
            ranks = sum(1 << 3 * rank_of(card) for card in suited)
            high = _straight(ranks)
            value = _value(_STRAIGHT_FLUSH, (high, 1)) if high else _value(_FLUSH, (ranks, 5))
            best = max(best, value)
    return best


def _value_of_ranks(key: int) -> int:
    """Value by ranks alone, from the 3-bit counts."""
    ones, twos, fours = key & _RANKS, key >> 1 & _RANKS, key >> 2 & _RANKS
    held, threes, pairs = ones | twos | fours, ones & twos, twos & ~ones
    if fours:
        best = _highest(fours)
        return _value(_FOUR_OF_A_KIND, (best, 1), (held ^ best, 1))
    if threes:
        best = _highest(threes)
        other = threes ^ best | pairs
        if other:
            return _value(_FULL_HOUSE, (best, 1), (other, 1))
    high = _straight(held)
    if high:
        return _value(_STRAIGHT, (high, 1))
    if threes:
        return _value(_THREE_OF_A_KIND, (best, 1), (held ^ best, 2))
    if pairs:
        best = _highest(pairs)
        second = pairs ^ best
        if second:
            best |= _highest(second)
            return _value(_TWO_PAIR, (best, 2), (held ^ best, 1))
        return _value(_PAIR, (best, 1), (held ^ best, 3))
    return _value(_HIGH_CARD, (held, 5))
