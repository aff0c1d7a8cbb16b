"""The tree of a game, whichever kind it is."""

from __future__ import annotations

import functools

from engine.poker.rules import GameDefinition
from engine.solving.holdem.betting import is_heads_up_no_limit_holdem
from engine.solving.miximax.betting_tree import BettingTree, TooManyBettings, is_heads_up_limit
from engine.solving.miximax.no_limit import LATER_SIZES, NoLimitTree

__all__ = ["TooManyBettings", "betting_tree", "has_tree"]


def has_tree(game: GameDefinition) -> bool:
    """Whether it is hold'em for two: limit, or no-limit without antes or rake."""
    return is_heads_up_limit(game) or is_heads_up_no_limit_holdem(game)


@functools.lru_cache(maxsize=4)
def betting_tree(game: GameDefinition) -> BettingTree:
    """A game's tree, remembered; without raises of half the pot where it would be too large.

    Raises:
        ValueError: it has none.
        TooManyBettings: it would be too large even so.
    """
    if game.is_limit:
        return BettingTree(game)
    try:
        return NoLimitTree(game)
    except TooManyBettings:
        return NoLimitTree(game, LATER_SIZES)
