"""The tables of hand ranking: one small perfect index over all multisets of ranks.

A hand's *key* is the sum over its cards of a 64-bit constant.  Its parts::

    bits  0..15   sum over the low ranks (deuce to eight)
    bits 16..31   sum over the high ranks (nine to ace)
    bits 32..47   four suit counters of four bits, each started at 3

In both halves the constants of the ranks are chosen so that every multiset of at most seven cards, with at
most four of a rank, has a sum of its own.  The sum of a high multiset gives the offset of a block; the sum of
a low multiset gives a place in every block.  Low multisets are numbered by size, and the block of a high
multiset of h cards holds the low ones of up to 7 - h cards.  So ``offset + place`` numbers the 76,155
multisets of 0..7 cards almost without gaps, and nothing is searched.  (Blocks begin at even numbers, so that
half an offset fits 16 bits.)

A suit counter that reaches 8 says that five cards have that suit.  Then the suit's 13-bit rank mask
determines the class, since seven cards cannot hold both a flush and a full house or four of a kind.

All tables are in one uint16 array, so that a kernel takes one argument::

    FLUSH_AT     class by the rank mask of a suit with five cards or more
    HIGH_AT      half the block offset, by the sum over the high ranks
    LOW_AT       place, by the sum over the low ranks
    MULTISET_AT  class by offset + place, without regard to suits

Classes are dense: 0 (75432 offsuit) .. 7461 (a royal flush), the same for 5, 6 and 7 cards; greater is
better.  The tables take 284 KB; numpy builds them from the rules of poker in some 50 ms.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

import numpy as np

from engine.support.arrays import Ints, Words16

NUM_CLASSES: Final = 7462
NUM_RANK_PAIRS: Final = 91
"""Pairs of ranks ``a >= b``; without a flush, two hole cards are no more than such a pair."""
MAX_FLUSHES: Final = 45
"""The most combos that can make a flush with three cards of a suit on the board: 10 * 9 / 2."""
MAX_CARDS: Final = 7

# Found by a random search that minimised the greatest sum: 38,773 for seven ranks and 10,551 for six.
LOW_RANK_CONSTANTS: Final = (1, 5, 24, 113, 525, 2351, 7930)
HIGH_RANK_CONSTANTS: Final = (1, 5, 24, 112, 521, 2247)

HIGH_SHIFT: Final = 16
SUIT_SHIFT: Final = 32
EMPTY_KEY: Final = 0x3333 << SUIT_SHIFT
"""The key of no cards: every suit counter at 3."""

FLUSH_BITS: Final = 0x8888 << SUIT_SHIFT
"""The top bits of the suit counters; a suit's bit is set from its fifth card on."""

TWO_MORE_SUITED: Final = 0x2222 << SUIT_SHIFT
"""Added to a key, counts two more cards of every suit: flush bits then mean three cards."""

FLUSH_AT: Final = 0
HIGH_AT: Final = FLUSH_AT + (1 << 13)
LOW_AT: Final = HIGH_AT + 10552
MULTISET_AT: Final = LOW_AT + 38774

# Categories in ascending order; a score is category << 26 | main ranks << 13 | kickers, ranks as 13-bit
# masks.
CATEGORY_SHIFT: Final = 26
MAIN_SHIFT: Final = 13


def _multisets(constants: tuple[int, ...]) -> tuple[Ints, Ints, Ints]:
    """All multisets of at most seven cards over some ranks: counts (n, ranks), sizes (n,), sums (n,)."""
    counts = np.zeros((1, 0), dtype=np.int64)
    for _ in constants:
        counts = np.concatenate(
            [np.column_stack([counts, np.full(len(counts), number)]) for number in range(5)]
        )
        counts = counts[counts.sum(axis=1) <= MAX_CARDS]
    return counts, counts.sum(axis=1), counts @ np.asarray(constants)


def _popcounts() -> Ints:
    """The number of ranks in each rank mask, shape (8192,)."""
    masks = np.arange(1 << 13)
    return sum(((masks >> bit) & 1 for bit in range(13)), np.zeros_like(masks))


_POPCOUNT: Final = _popcounts()


def _highest_bits(number: int) -> Ints:
    """The highest `number` bits of each rank mask, or all of them if it has fewer."""
    result = np.arange(1 << 13)
    for _ in range(13 - number):
        result = np.where(_POPCOUNT[result] > number, result & (result - 1), result)
    return result


_HIGHEST: Final = {number: _highest_bits(number) for number in (1, 2, 3, 5)}


def _straight_tops() -> Ints:
    """The top rank of each rank mask's best straight, or -1; the ace also counts as low."""
    masks = np.arange(1 << 13)
    with_low_ace = masks << 1 | masks >> 12
    tops = np.full(1 << 13, -1)
    for top in range(3, 13):
        run = 0b11111 << (top - 3)
        tops[with_low_ace & run == run] = top
    return tops


STRAIGHT_TOP: Final = _straight_tops()


def _score(category: int, main: Ints | int, kickers: Ints | int) -> Ints:
    """Scores of hands of one category; see `class_scores`."""
    return np.asarray(category << CATEGORY_SHIFT | np.asarray(main) << MAIN_SHIFT | kickers, dtype=np.int64)


def _scores_without_flush(counts: Ints) -> Ints:
    """The score of the best five cards of each rank multiset, given as counts of shape (n, 13).

    Masks of equally many ranks compare as integers in the way hands compare by their highest card.
    """
    bits = 1 << np.arange(13)
    ones, twos, threes, fours = ((counts >= number) @ bits for number in (1, 2, 3, 4))
    top = STRAIGHT_TOP[ones]

    four = _HIGHEST[1][fours]
    three = _HIGHEST[1][threes]
    pair_beside_three = _HIGHEST[1][twos & ~three]
    pair = _HIGHEST[1][twos]
    two_pair = _HIGHEST[2][twos]
    choices = [
        (fours > 0, _score(7, four, _HIGHEST[1][ones & ~four])),
        ((threes > 0) & (pair_beside_three > 0), _score(6, three, pair_beside_three)),
        (top >= 0, _score(4, 1 << np.maximum(top, 0), 0)),
        (threes > 0, _score(3, three, _HIGHEST[2][ones & ~three])),
        (_POPCOUNT[twos] >= 2, _score(2, two_pair, _HIGHEST[1][ones & ~two_pair])),
        (twos > 0, _score(1, pair, _HIGHEST[3][ones & ~pair])),
    ]
    return np.select(
        [condition for condition, _ in choices],
        [score for _, score in choices],
        default=_score(0, 0, _HIGHEST[5][ones]),
    )


def _scores_of_flushes() -> Ints:
    """The score of each rank mask of one suit; meaningless for fewer than five ranks."""
    top = STRAIGHT_TOP
    return np.where(top >= 0, _score(8, 1 << np.maximum(top, 0), 0), _score(5, 0, _HIGHEST[5]))


class _Built(NamedTuple):
    table: Words16
    scores: Ints


@functools.cache
def _build() -> _Built:
    low_counts, low_sizes, low_sums = _multisets(LOW_RANK_CONSTANTS)
    by_size = np.argsort(low_sizes, kind="stable")
    low_counts, low_sizes, low_sums = low_counts[by_size], low_sizes[by_size], low_sums[by_size]
    high_counts, high_sizes, high_sums = _multisets(HIGH_RANK_CONSTANTS)

    # The block of a high multiset holds the low multisets of up to 7 - size cards, which come first.
    block_sizes = np.cumsum(np.bincount(low_sizes, minlength=MAX_CARDS + 1))[MAX_CARDS - high_sizes]
    even_sizes = block_sizes + (block_sizes & 1)
    offsets = np.cumsum(even_sizes) - even_sizes
    high_of = np.repeat(np.arange(len(high_sums)), block_sizes)
    low_of = np.arange(len(high_of)) - (np.cumsum(block_sizes) - block_sizes)[high_of]

    counts = np.hstack([low_counts[low_of], high_counts[high_of]])
    scores = _scores_without_flush(counts)
    flush_scores = _scores_of_flushes()
    sizes = low_sizes[low_of] + high_sizes[high_of]
    five_cards = np.sort(np.concatenate([scores[sizes == 5], flush_scores[_POPCOUNT == 5]]))
    class_scores = five_cards[np.diff(five_cards, prepend=-1) > 0]  # `np.unique` loads numpy.ma, 20 ms
    assert len(class_scores) == NUM_CLASSES

    # Five or six of a rank may have a sum beyond its table.  Rank-pair rows look them up, though nobody reads
    # the result: the place is then read from among the classes, at most 7461, and must stay in the array.
    table = np.zeros(MULTISET_AT + even_sizes.sum() + NUM_CLASSES, dtype=np.uint16)
    table[HIGH_AT + high_sums] = offsets >> 1
    table[LOW_AT + low_sums] = np.arange(len(low_sums))
    enough = sizes >= 5
    places = MULTISET_AT + offsets[high_of] + low_of
    table[places[enough]] = np.searchsorted(class_scores, scores[enough])
    enough = _POPCOUNT >= 5
    table[FLUSH_AT : FLUSH_AT + (1 << 13)][enough] = np.searchsorted(class_scores, flush_scores[enough])
    table.flags.writeable = False
    return _Built(table, class_scores)


def ranking_table() -> Words16:
    """All tables in one array, built at the first call in a process: some 142,000 uint16, read-only."""
    return _build().table


def class_scores() -> Ints:
    """The score of each class: ``category << 26 | main ranks << 13 | kickers``, with ranks as 13-bit masks.

    Categories count from 0 (high card) to 8 (straight flush).  The main ranks are the ranks of pairs, of
    three or four of a kind, or the top rank of a straight.  Shape (7462,), int64, ascending.
    """
    return _build().scores


def _keys() -> Ints:
    """The constant of each card."""
    rank_keys = np.asarray(LOW_RANK_CONSTANTS + tuple(c << HIGH_SHIFT for c in HIGH_RANK_CONSTANTS))
    suit_keys = 1 << (SUIT_SHIFT + 4 * np.arange(4))
    return (rank_keys[:, None] + suit_keys[None, :]).ravel()


KEY_OF_CARD: Final = _keys()
"""The constant of each card.  Shape (52,), int64; small enough to be embedded in every kernel."""

KEY_OF_RANK: Final = KEY_OF_CARD[::4] & ((1 << SUIT_SHIFT) - 1)
"""The constant of each rank, without a suit.  Shape (13,), int64."""


def _pair_keys() -> Ints:
    """The constant of each pair of ranks."""
    high, low = np.tril_indices(13)
    return KEY_OF_RANK[high] + KEY_OF_RANK[low]


KEY_OF_RANK_PAIR: Final = _pair_keys()
"""The constant of each pair of ranks ``a >= b``, without suits, at ``a * (a + 1) / 2 + b``.

Shape (91,), int64.
"""

LOWEST_FLUSH: Final = 5863
"""The class of 7-5-4-3-2 suited: there are 1277 + 2860 + 858 + 858 + 10 classes of lower categories."""
