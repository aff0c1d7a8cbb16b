"""The 1326 combos (pairs of hole cards) and the 169 starting hands as indices.

A combo of the cards ``high > low`` has the index ``high * (high - 1) / 2 + low``: 0 is 2d2c, 1325 is AsAh.
Every array over "each hand an opponent may hold" has shape (1326,) and this order.

A starting hand is a cell of the usual 13 x 13 grid, ``row * 13 + column`` with ranks ascending: a pair on
the diagonal, suited hands at (high, low), offsuit hands at (low, high).  So 22 is 0, AA is 168, AKs is 12 *
13 + 11 and AKo is 11 * 13 + 12.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from typing import Final

import numpy as np

from engine.poker.cards import CARD_TEXTS, NUM_CARDS, NUM_RANKS, NUM_SUITS, RANKS
from engine.support.arrays import Bools, Bytes, Ints, read_only

NUM_COMBOS: Final = NUM_CARDS * (NUM_CARDS - 1) // 2
NUM_STARTING_HANDS: Final = NUM_RANKS * NUM_RANKS


def combo_index(card: int, other_card: int) -> int:
    """The index 0..1325 of two different cards, in either order."""
    high, low = (card, other_card) if card > other_card else (other_card, card)
    if not 0 <= low < high < NUM_CARDS:
        raise ValueError(f"a combo is two different cards of 0..51, got {card} and {other_card}")
    return high * (high - 1) // 2 + low


def combo_cards(combo: int) -> tuple[int, int]:
    """The cards of a combo, the higher one first."""
    if not 0 <= combo < NUM_COMBOS:
        raise ValueError(f"a combo index is 0..{NUM_COMBOS - 1}, got {combo}")
    return int(COMBO_HIGH[combo]), int(COMBO_LOW[combo])


def format_combo(combo: int) -> str:
    """The text of a combo, the higher card first: ``"AsAh"``."""
    high, low = combo_cards(combo)
    return CARD_TEXTS[high] + CARD_TEXTS[low]


def combos_without(cards: Iterable[int]) -> Bools:
    """A mask of the combos without the given cards.  Shape (1326,), a fresh array."""
    free = np.ones(NUM_CARDS, dtype=np.bool_)
    for card in cards:
        if not 0 <= card < NUM_CARDS:
            raise ValueError(f"a card is 0..51, got {card}")
        free[card] = False
    return free[COMBO_HIGH] & free[COMBO_LOW]


def starting_hand(card: int, other_card: int) -> int:
    """The starting hand 0..168 of two different cards."""
    return int(STARTING_HAND_OF_COMBO[combo_index(card, other_card)])


def parse_starting_hand(text: str) -> int:
    """The starting hand of its usual name: ``"AA"``, ``"AKs"``, ``"T9o"``; the higher rank first."""
    try:
        return _STARTING_HAND_BY_NAME[text]
    except KeyError:
        raise ValueError(f"{text!r} is not a starting hand: expected a name such as AA, AKs or T9o") from None


COMBO_HIGH: Final = read_only(np.repeat(np.arange(NUM_CARDS), np.arange(NUM_CARDS)).astype(np.uint8))
"""The higher card of each combo.  Shape (1326,), uint8."""

COMBO_LOW: Final = read_only(np.concatenate([np.arange(high) for high in range(NUM_CARDS)]).astype(np.uint8))
"""The lower card of each combo.  Shape (1326,), uint8."""

COMBO_CARDS: Final = read_only(np.column_stack([COMBO_HIGH, COMBO_LOW]).astype(np.int64))
"""Both cards of each combo, the higher one first.  Shape (1326, 2), for kernels."""


def _starting_hands() -> Bytes:
    high, low = (COMBO_HIGH >> 2).astype(np.int64), (COMBO_LOW >> 2).astype(np.int64)
    suited = (COMBO_HIGH & 3) == (COMBO_LOW & 3)
    return np.where(suited, high * NUM_RANKS + low, low * NUM_RANKS + high).astype(np.uint8)


STARTING_HAND_OF_COMBO: Final = read_only(_starting_hands())
"""The starting hand of each combo.  Shape (1326,), uint8."""

COMBOS_PER_STARTING_HAND: Final = read_only(
    np.bincount(STARTING_HAND_OF_COMBO, minlength=NUM_STARTING_HANDS).astype(np.uint8)
)
"""6 for a pair, 4 for a suited, 12 for an offsuit hand.  Shape (169,), uint8."""


def _starting_hand_name(row: int, column: int) -> str:
    if row == column:
        return RANKS[row] * 2
    return RANKS[row] + RANKS[column] + "s" if row > column else RANKS[column] + RANKS[row] + "o"


STARTING_HAND_NAMES: Final = tuple(
    _starting_hand_name(row, column) for row in range(NUM_RANKS) for column in range(NUM_RANKS)
)
"""The name of each starting hand, ``STARTING_HAND_NAMES[168] == "AA"``."""

_STARTING_HAND_BY_NAME: Final = {name: index for index, name in enumerate(STARTING_HAND_NAMES)}


@functools.cache
def suit_renamings() -> Ints:
    """The combo that each combo becomes under each renaming of the suits.  Shape (24, 1326), read-only.

    The renamings are in the order of ``itertools.permutations(range(4))``: suit s becomes the s-th item.
    """
    renamed = np.empty((24, NUM_COMBOS), np.int64)
    for number, suits in enumerate(itertools.permutations(range(NUM_SUITS))):
        cards = COMBO_CARDS - COMBO_CARDS % NUM_SUITS + np.array(suits)[COMBO_CARDS % NUM_SUITS]
        high = cards.max(axis=1)
        renamed[number] = high * (high - 1) // 2 + cards.min(axis=1)
    return read_only(renamed)
