"""Chances on buckets as files keep them: whole numbers of 63rds, without the chance of calling.

Calling is always legal, so its chance is what the other actions leave.  The numbers of all buckets for one
action are adjacent, which compresses well: neighbours are similar, and most numbers are 0 or 63.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.poker.rules import ActionKind
from engine.solving.holdem.betting import Decision, HoldemBetting
from engine.support.files.formats import shown

__all__ = ["PARTS", "format_levels", "parse_levels"]

PARTS: Final = 63
"""Chances are kept as multiples of 1 / `PARTS`; an action less likely than half of that is never taken."""
_MOST_PARTS: Final = 255
"""The most parts that a byte can count."""


def format_levels(betting: HoldemBetting, policy: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The chances of a policy as numbers of parts, shape (slots less information sets,).

    They are ordered by decision, then by action without calling, then by bucket.  Cumulative chances are
    rounded, so that the parts of an information set add up to `PARTS`.

    Args:
        betting: the betting of the game.
        policy: chances by slot.
    """
    found = []
    for decision, chances in _by_decision(betting, policy):
        sums = np.rint(chances.cumsum(axis=1) * PARTS)
        levels = np.diff(sums, axis=1, prepend=0.0)
        found.append(np.delete(levels, _call(decision), axis=1).T.ravel())
    return np.concatenate(found).astype(np.uint8)


def parse_levels(betting: HoldemBetting, levels: NDArray[Any] | None, parts: object) -> NDArray[np.float64]:
    """Chances by slot, from numbers of parts.

    Args:
        betting: the betting of the game.
        levels: the array that `format_levels` made.
        parts: the number of parts that make up a chance of 1.

    Raises:
        ValueError: the array or the number of parts cannot be what `format_levels` used.
    """
    if not isinstance(parts, int) or not 1 <= parts <= _MOST_PARTS:
        raise ValueError(f"expected 1 to {_MOST_PARTS} 'parts', got {shown(parts)}")
    if levels is None or levels.dtype != np.uint8:
        raise ValueError("expected chances as bytes in 'policy'")
    expected = betting.num_slots - betting.num_information_sets
    if levels.shape != (expected,):
        raise ValueError(f"expected {expected} chances, got an array of shape {levels.shape}")
    chance_of = np.arange(_MOST_PARTS + 1) / parts
    policy = np.empty(betting.num_slots)
    start = 0
    for decision, chances in _by_decision(betting, policy):
        buckets, actions = chances.shape
        left = np.full(buckets, parts, np.int16)
        call = _call(decision)
        for action in range(actions):
            if action != call:
                column = levels[start : start + buckets]
                chances[:, action] = chance_of[column]
                left -= column
                start += buckets
        if left.min() < 0:
            raise ValueError(f"expected chances that add up to {parts} parts at most")
        chances[:, call] = chance_of[left]
    return policy


def _by_decision(
    betting: HoldemBetting, by_slot: NDArray[np.float64]
) -> Iterator[tuple[Decision, NDArray[np.float64]]]:
    """Each decision with its part of an array by slot, shape (buckets, actions); not copies."""
    for decision in betting.decisions.values():
        yield decision, betting.rows(decision, by_slot)


def _call(decision: Decision) -> int:
    """The index of calling among the actions of a decision."""
    return next(place for place, action in enumerate(decision.actions) if action.kind is ActionKind.CALL)
