"""Compiling what deciding by miximax takes, before a clock runs."""

from __future__ import annotations

import functools

import attrs

from engine.poker.rules import GameDefinition, HandView, load_game, parse_betting
from engine.solving.miximax.habits import Expectations, Habits
from engine.solving.miximax.shipped import reasonable_habits, shipped_changes
from engine.solving.miximax.trees import betting_tree
from engine.solving.miximax.values import Miximax

__all__ = ["warm_up"]


@functools.cache
def warm_up() -> None:
    """Decide in every betting round, and learn from a hand that was shown, limit and no-limit.

    With few chips, so that the bettings are soon made.
    """
    for name, chips in (("limit-2p", 40), ("nolimit-2p-100bb", 20)):
        _play(attrs.evolve(load_game(name), stacks=(chips, chips)))


def _play(game: GameDefinition) -> None:
    raises = "r" if game.is_limit else "r6"
    tree = betting_tree(game)
    miximax = Miximax(tree, shipped_changes())
    habits = Habits(tree, Expectations(tree, reasonable_habits(game)))
    board = (0, 17, 34, 51, 8)
    habits.observe(parse_betting(game, f"{raises}c/cc/cc/cc"), 0, (1, 2), board)
    for text, cards in (("", 0), ("c/c", 3), ("c/cc/c", 4), ("c/cc/cc/c", 5)):
        betting = parse_betting(game, text and raises + text)
        us = betting.position_to_act
        assert us is not None
        hole_cards = ((1, 2), ()) if us == 0 else ((), (1, 2))
        miximax.values(habits, HandView(betting, us, 0, hole_cards, board[:cards]), 0)
