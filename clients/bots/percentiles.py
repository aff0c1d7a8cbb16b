"""The share of hands that are worse: of starting hands, and of hands on a board; for rule-based bots.

Starting hands are looked up in tables without compiled code: their order is that of the packaged pot shares
(`riverboat preflop`).
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from engine.hands.preflop.tables import shipped_tables
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, COMBOS_PER_STARTING_HAND, STARTING_HAND_OF_COMBO

_TIED: Final = 1e-9
"""Pot shares closer than this are equal."""

_FIRST: Final = np.unique(STARTING_HAND_OF_COMBO, return_index=True)[1].tolist()
STARTING_HAND_PLACES: Final = tuple([NUM_CARDS * int(COMBO_HIGH[c]) + int(COMBO_LOW[c]) for c in _FIRST])
"""The index in `starting_hand_percentiles` of each of the 169 starting hands."""


@functools.cache
def starting_hand_percentiles(players: int) -> tuple[float, ...]:
    """For each pair of hole cards, the share of all starting hands that are worse; ties count half.

    Hands are ordered by their share of the pot against ``players - 1`` random hands.

    Args:
        players: dealt in, 2 to 10.

    Returns:
        2704 numbers between 0 and 1; that of the cards a and b is at ``52 * a + b``, in either order.

    Raises:
        ValueError: not 2 to 10 players.
    """
    tables = shipped_tables()
    # Two players: exact equities.  More: those of a roll-out.
    shares = tables.raw_odds[:, 0] if players == 2 else tables.table(players).shares
    counts = COMBOS_PER_STARTING_HAND.astype(np.float64)
    worse = (shares[None, :] < shares[:, None] - _TIED) @ counts
    tied = (np.abs(shares[None, :] - shares[:, None]) <= _TIED) @ counts
    of_hand = (worse + tied / 2) / counts.sum()
    table = [0.0] * (NUM_CARDS * NUM_CARDS)
    hands = STARTING_HAND_OF_COMBO.tolist()
    for high, low, hand in zip(COMBO_HIGH.tolist(), COMBO_LOW.tolist(), hands, strict=True):
        table[NUM_CARDS * high + low] = table[NUM_CARDS * low + high] = float(of_hand[hand])
    return tuple(table)


@functools.lru_cache(maxsize=64)
def strength_of(hole_cards: tuple[int, ...], board: tuple[int, ...]) -> float:
    """The strength of a hand on a board against one random hand, 0 to 1."""
    from engine.hands.hand_strength import hand_strength  # compiled: half a second to load

    return hand_strength(hole_cards, board).value


@functools.lru_cache(maxsize=8)
def all_strengths(board: tuple[int, ...]) -> tuple[float, ...]:
    """The strength of every combo on a board against one random hand.

    Returns:
        1326 numbers between 0 and 1 in the order of ``engine.poker.combos``; 0 for combos that share a card
        with the board.
    """
    from engine.hands.hand_strength import all_hand_strengths  # compiled, too

    strengths: list[float] = all_hand_strengths(board).tolist()
    return tuple(strengths)
