"""What a hand of hold'em may become by the showdown: percentiles, and the buckets on the way there.

A *percentile* is the share of an opponent's 990 possible hands that a hand beats on a full board, ties
counted half.  Before the river a hand is known by a bucket, of equal widths, of the root of its mean squared
percentile over boards to come: E[HS²] of the literature on abstraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np

from engine.kernels.poker.tables import ranking_table
from engine.kernels.solving.miximax import strength as kernels
from engine.kernels.solving.miximax.strength import BUCKETS
from engine.poker.combos import NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO, starting_hand
from engine.support.arrays import Floats

_DRAWS: Final = (14, 14)
"""Turns, and rivers after each, that a hand on the flop is judged by."""


def percentile(cards: Sequence[int], board: Sequence[int]) -> float:
    """The percentile of two hole cards on a board of five."""
    ranks = np.empty(NUM_COMBOS, np.uint16)
    full = np.array(board, np.uint8)
    return float(kernels.percentile(ranking_table(), full, cards[0], cards[1], ranks))


@attrs.frozen(eq=False)
class Changes:
    """How hands change buckets from round to round, whatever they are: rows add up to 1."""

    flops: Floats
    """From starting hands to flops, shape (169, BUCKETS)."""
    turns: Floats
    """From flops to turns, shape (BUCKETS, BUCKETS)."""
    rivers: Floats
    """From turns to percentiles on rivers, shape (BUCKETS, BUCKETS)."""


def count_changes(deals: int, seed: int) -> Changes:
    """How random hands change, over deals that are drawn.

    Rows are smoothed by an observation of neighbouring buckets, so that none is empty.
    """
    flops = np.zeros((NUM_STARTING_HANDS, BUCKETS))
    turns, rivers = np.zeros((BUCKETS, BUCKETS)), np.zeros((BUCKETS, BUCKETS))
    kernels.count_changes(
        ranking_table(), seed, deals, _DRAWS, STARTING_HAND_OF_COMBO.copy(), flops, turns, rivers
    )
    flops += flops.sum(axis=0) / flops.sum()
    near = np.exp(-np.abs(np.subtract.outer(np.arange(BUCKETS), np.arange(BUCKETS))))
    turns += near / near.sum(axis=1, keepdims=True)
    rivers += near / near.sum(axis=1, keepdims=True)
    return Changes(*(counts / counts.sum(axis=1, keepdims=True) for counts in (flops, turns, rivers)))


def own_changes(
    changes: Changes, cards: Sequence[int], board: Sequence[int], seed: int
) -> tuple[Floats, Floats]:
    """How our hand changes from round to round, for `expectimax`.

    Args:
        changes: of hands in general, for what comes after the next card.
        cards: ours.
        board: of 0, 3, 4 or 5 cards.
        seed: of the turns and rivers that are drawn where the flop lies.

    Returns:
        The changes, shape (3, BUCKETS, BUCKETS), our own in the first row of the present round; and the
        percentiles of the buckets on the river, shape (BUCKETS,), our own the first where the river lies.
    """
    result = np.zeros((3, BUCKETS, BUCKETS))
    result[1], result[2] = changes.turns, changes.rivers
    percentiles = (np.arange(BUCKETS) + 0.5) / BUCKETS
    known = len(board)
    if known == 5:
        percentiles[0] = percentile(cards, board)
    elif known == 0:
        result[0, 0] = changes.flops[starting_hand(*cards)]
    else:
        full = np.zeros(5, np.uint8)
        full[:known] = board
        state = np.array([seed & 0xFFFFFFFFFFFFFFFF], np.uint64)
        hand = (int(cards[0]), int(cards[1]))
        if known == 3:
            kernels.flop_value(ranking_table(), state, full, hand, _DRAWS, result[1, 0])
        else:
            kernels.turn_value(ranking_table(), state, full, hand, 46, result[2, 0])
    return result, percentiles
