"""Percentiles of starting hands, as tables in which rule-based bots look up their hole cards.

Reading them takes no compiled code: the order is that of the packaged pot shares (`riverboat preflop`).
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from engine.hands.preflop.tables import shipped_tables
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, COMBOS_PER_STARTING_HAND, STARTING_HAND_OF_COMBO

__all__ = ["STARTING_HAND_PLACES", "starting_hand_percentiles"]

_TIED: Final = 1e-9
"""Pot shares closer than this are equal."""

STARTING_HAND_PLACES: Final = tuple(
    [
        NUM_CARDS * int(COMBO_HIGH[combo]) + int(COMBO_LOW[combo])
        for combo in np.unique(STARTING_HAND_OF_COMBO, return_index=True)[1]
    ]
)
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
