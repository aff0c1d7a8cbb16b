"""What rule-based bots ask about every hand they could hold, so that they can say what they would do with
it."""

from __future__ import annotations

import functools

__all__ = ["all_strengths"]


@functools.lru_cache(maxsize=8)
def all_strengths(board: tuple[int, ...]) -> tuple[float, ...]:
    """The strength of every combo on a board against one random hand; 0 for those that share a card with it.

    In the order of ``engine.combos``.
    """
    from engine.evaluation.hand_strength import all_hand_strengths  # compiled: half a second to load

    strengths: list[float] = all_hand_strengths(board).tolist()
    return tuple(strengths)
