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

_WHEEL: Final = 0b1_0000_0000_1111
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


def _value(category: HandCategory, *ranks: int) -> int:
    """Category and up to five ranks, most significant first, as one integer."""
    value = int(category)
    for k in range(5):
        value = value << 4 | (ranks[k] + 1 if k < len(ranks) else 0)
    return value


def _straight_high(mask: int) -> int | None:
    """Highest rank of the best straight in a 13-bit mask of ranks."""
    run = mask & mask << 1 & mask << 2 & mask << 3 & mask << 4
    if run:
        return run.bit_length() - 1
    return 3 if mask & _WHEEL == _WHEEL else None


def _best_flush(cards: Sequence[int]) -> int:
    best = 0
    for suit in range(NUM_SUITS):
        ranks = sorted((rank_of(card) for card in cards if suit_of(card) == suit), reverse=True)
        if len(ranks) >= 5:
            high = _straight_high(sum(1 << rank for rank in ranks))
            best = max(
                best,
                _value(HandCategory.FLUSH, *ranks[:5])
                if high is None
                else _value(HandCategory.STRAIGHT_FLUSH, high),
            )
    return best


def _value_of_ranks(key: int) -> int:
    """Value by ranks alone, from the 3-bit counts."""
    by_count: list[list[int]] = [[], [], [], [], []]
    mask = 0
    for rank in range(NUM_RANKS - 1, -1, -1):
        count = key >> 3 * rank & 7
        by_count[count].append(rank)
        if count:
            mask |= 1 << rank
    _, singles, pairs, trips, quads = by_count

    def kickers(number: int, *used: int) -> list[int]:
        return [r for r in range(NUM_RANKS - 1, -1, -1) if mask >> r & 1 and r not in used][:number]

    if quads:
        return _value(HandCategory.FOUR_OF_A_KIND, quads[0], *kickers(1, quads[0]))
    if trips and len(trips) + len(pairs) > 1:
        return _value(HandCategory.FULL_HOUSE, trips[0], max([*trips[1:], *pairs]))
    high = _straight_high(mask)
    if high is not None:
        return _value(HandCategory.STRAIGHT, high)
    if trips:
        return _value(HandCategory.THREE_OF_A_KIND, trips[0], *kickers(2, trips[0]))
    if len(pairs) > 1:
        return _value(HandCategory.TWO_PAIR, pairs[0], pairs[1], *kickers(1, pairs[0], pairs[1]))
    if pairs:
        return _value(HandCategory.PAIR, pairs[0], *kickers(3, pairs[0]))
    return _value(HandCategory.HIGH_CARD, *singles[:5])
