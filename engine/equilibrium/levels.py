"""Chances on buckets as files keep them: whole numbers of parts, one action of each information set left out.

Calling, which is always allowed, is what the other actions leave.  The numbers of all buckets for one action
stand side by side, which compresses well: neighbours are alike, and most are nought or all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.equilibrium.holdem.betting import Decision, HoldemBetting
from engine.files.formats import shown
from engine.rules import ActionKind

__all__ = ["PARTS", "format_levels", "parse_levels"]

PARTS: Final = 63
"""Chances are kept in so many parts of one; what is less than half a part likely is never done."""
_MOST_PARTS: Final = 255


def format_levels(betting: HoldemBetting, policy: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Chances by slot, in parts: by decision, action but calling, and bucket.

    Sums of chances are rounded, so that the parts of an information set add up to `PARTS`.
    """
    found = []
    for decision, chances in _by_decision(betting, policy):
        sums = np.rint(chances.cumsum(axis=1) * PARTS)
        levels = np.diff(sums, axis=1, prepend=0.0)
        found.append(np.delete(levels, _call(decision), axis=1).T.ravel())
    return np.concatenate(found).astype(np.uint8)


def parse_levels(betting: HoldemBetting, levels: NDArray[Any] | None, parts: object) -> NDArray[np.float64]:
    """Chances by slot.

    Args:
        betting: of the game.
        levels: what `format_levels` gave.
        parts: what those of an information set add up to.

    Raises:
        ValueError: no such array.
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
    """Views of an array by slot, each of shape (buckets, actions)."""
    for decision in betting.decisions.values():
        actions = len(decision.actions)
        end = decision.first_slot + betting.num_buckets[decision.betting_round] * actions
        yield decision, by_slot[decision.first_slot : end].reshape(-1, actions)


def _call(decision: Decision) -> int:
    """The place of calling among the actions."""
    return next(place for place, action in enumerate(decision.actions) if action.kind is ActionKind.CALL)
