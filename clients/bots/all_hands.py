"""Hand strength of every combo, for rule-based bots that state what they would do with each hand."""

from __future__ import annotations

import functools

__all__ = ["all_strengths"]


@functools.lru_cache(maxsize=8)
def all_strengths(board: tuple[int, ...]) -> tuple[float, ...]:
    """The strength of every combo on a board against one random hand.

    Returns:
        1326 numbers between 0 and 1 in the order of ``engine.poker.combos``; 0 for combos that share a card
        with the board.
    """
    from engine.hands.hand_strength import all_hand_strengths  # compiled: half a second to load

    strengths: list[float] = all_hand_strengths(board).tolist()
    return tuple(strengths)
