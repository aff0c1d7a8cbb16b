"""The exact equity of two known hands before the flop: of each combo against each, with its own suits.

The 169 x 169 matrix of ``engine.hands.equity`` would not do for luck corrections.  It is a mean over
suits, but the changes that flops cause have mean zero only relative to the two hands' own equity.

Up to a renaming of suits there are 47,008 pairs of disjoint combos.  Computing all of them takes some seconds
(``engine.kernels.evidence.pair_points``), and they are kept in the user's cache; if only a few are needed,
they are computed one by one.
"""

from __future__ import annotations

import functools
import math
from typing import Final

import numpy as np

from engine.hands.equity import KIND, SCHEMA, hand_equity
from engine.kernels.evidence.pair_points import fill_pair_points
from engine.kernels.hands.preflop import canonical_boards
from engine.kernels.poker.tables import ranking_table
from engine.poker.combos import (
    COMBOS_PER_STARTING_HAND,
    NUM_COMBOS,
    NUM_STARTING_HANDS,
    STARTING_HAND_OF_COMBO,
    combo_cards,
    combos_without,
    suit_renamings,
)
from engine.support.arrays import Bytes, Floats, Ints, Ints32
from engine.support.files.archive import Archive
from engine.support.files.cache import load_cached, store_cached

PAIR_POINTS: Final = 2 * math.comb(48, 5)
"""The points of both hands of a pair together: two for each board won, one each for a tie."""

FEW: Final = 150
"""Up to this number, pairs are computed one by one, some 20 ms each; more, and all are computed."""

_CACHED: Final = "pair_points"
_SCHEMA: Final = 1
_SHAPE: Final = (NUM_STARTING_HANDS, NUM_COMBOS)


def combos_of(holes: Bytes) -> Ints:
    """The combo of each pair of cards.  Takes shape (..., 2), returns shape (...)."""
    high = holes.max(axis=-1).astype(np.int64)
    return high * (high - 1) // 2 + holes.min(axis=-1)


def pair_equities(first: Ints, second: Ints) -> Floats:
    """The equity of each first combo against its second, exact.

    Args:
        first: combos, shape (n,).
        second: combos that share no card with those of `first`, shape (n,).

    Returns:
        Shape (n,).
    """
    hands = STARTING_HAND_OF_COMBO[first].astype(np.int64)
    others = suit_renamings()[_to_first_combo()[first], second]
    points = _kept_points()
    if points is None:
        pairs, place = np.unique(hands * NUM_COMBOS + others, return_inverse=True)
        if len(pairs) <= FEW:
            return np.array([_dealt_out(pair) for pair in pairs.tolist()])[place]
        points = pair_points()
    return points[hands, others] / PAIR_POINTS


def _dealt_out(pair: int) -> float:
    hand, other = divmod(pair, NUM_COMBOS)
    return hand_equity([combo_cards(int(_first_combos()[hand])), combo_cards(other)])[0].value


def pair_points() -> Ints32:
    """The points of each starting hand, held in its first combo, against each combo; read-only.

    Shape (169, 1326), of `PAIR_POINTS`; meaningless for combos that share a card.  Computed in some seconds
    at a user's first call, then read from the cache directory.
    """
    kept = _kept_points()
    if kept is None:
        kept = _compute_points()
        store_cached(_CACHED, _SCHEMA, {"points": kept})
        _memory.append(kept)
    return kept


_memory: Final[list[Ints32]] = []


def _kept_points() -> Ints32 | None:
    """The points, where they have been computed before."""
    if not _memory:
        kept = load_cached(_CACHED, _SCHEMA, {"points": (_SHAPE, np.int32)})
        if kept is None:
            return None
        _memory.append(kept["points"])
    return _memory[0]


def _compute_points() -> Ints32:
    boards, weights = canonical_boards()
    weighted = np.empty((NUM_COMBOS, NUM_COMBOS), np.int32)
    fill_pair_points(ranking_table(), boards, weights, weighted)
    # A canonical board stands for its renamings: so do the 24 renamings of a pair, met on that board alone.
    points = np.zeros(_SHAPE, np.int64)
    for renamed in suit_renamings():
        points += weighted[renamed[_first_combos()]][:, renamed]
    points //= len(suit_renamings())
    return points.astype(np.int32)


@functools.cache
def _first_combos() -> Ints:
    """The first combo of each starting hand.  Shape (169,)."""
    return np.unique(STARTING_HAND_OF_COMBO, return_index=True)[1].astype(np.int64)


@functools.cache
def _to_first_combo() -> Ints:
    """For each combo a renaming of suits that makes it the first combo of its starting hand.

    Shape (1326,).
    """
    wanted = _first_combos()[STARTING_HAND_OF_COMBO]
    return np.argmax(suit_renamings() == wanted, axis=0).astype(np.int64)


def format_preflop_points() -> bytes:
    """The file of ``engine.hands.equity.preflop_equities`` that comes with Riverboat, computed anew."""
    disjoint = np.array([combos_without(combo_cards(int(combo))) for combo in _first_combos()])
    points = np.where(disjoint, pair_points(), 0).astype(np.int64)
    by_hand = points @ np.eye(NUM_STARTING_HANDS, dtype=np.int64)[STARTING_HAND_OF_COMBO]
    by_hand *= COMBOS_PER_STARTING_HAND.astype(np.int64)[:, None]
    return Archive(KIND, SCHEMA, {}, {"points": by_hand}).encode(compressed=True)
