"""Ranking many hands of seven cards in one pass, which also checks that they are cards."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.ranking import bit_if, class_of_key, flush_suit
from engine.kernels.poker.tables import EMPTY_KEY, FLUSH_AT, FLUSH_BITS, KEY_OF_CARD
from engine.poker.cards import NUM_CARDS

NOT_A_CARD: Final = 1 << 56
"""A bit above the bits of all keys: the key of every byte that is not a card."""


def _keys_of_bytes() -> NDArray[np.int64]:
    """The key of each byte, shape (256,): that of a card, or `NOT_A_CARD`."""
    keys = np.full(256, NOT_A_CARD, np.int64)
    keys[:NUM_CARDS] = KEY_OF_CARD
    keys.flags.writeable = False
    return keys


_KEY_OF_BYTE: Final = _keys_of_bytes()


@kernel(allocates=False)
def _flush_class(table: NDArray[np.uint16], cards: NDArray[np.uint8], at: int, key: int) -> int:
    """The class of ``cards[at:at + 7]``, whose key has five of a suit."""
    suit = flush_suit(key)
    mask = 0
    for j in range(7):
        mask |= bit_if(integer(cards[at + j]), suit)
    return integer(table[FLUSH_AT + (mask & 0x1FFF)])  # whatever stands beside the cards


@kernel(allocates=False)
def rank_seven_card_hands(
    table: NDArray[np.uint16], cards: NDArray[np.uint8], ranks: NDArray[np.uint16]
) -> int:
    """Fill in the class of each hand; returns `NOT_A_CARD` or more if some byte was not a card.

    Args:
        table: `ranking_table()`.
        cards: the cards, one hand after the other, shape (7 * n,).
        ranks: shape (n,), filled in place.
    """
    keys = _KEY_OF_BYTE
    seen = 0
    at = 0
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
