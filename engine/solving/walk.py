"""The walk over all bettings of a game, without numpy; `engine.solving.betting_tree` keeps what it finds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from engine.poker.rules import (
    CALL,
    FOLD,
    LIMIT_RAISE,
    Action,
    BettingState,
    GameDefinition,
    initial_betting,
    raise_to,
)


class TooLarge(ValueError):
    """A game has more nodes than can be counted or kept; the message is one line for people."""


Actions = Callable[[BettingState], dict[Action, float]]
"""The actions at a betting in ascending order, each with the part of the pot that it raises by, or 0."""


def every_action(betting: BettingState) -> dict[Action, float]:
    """All legal actions: fold, call, then raises by size."""
    legal = betting.legal_actions()
    actions = [FOLD, CALL] if legal.can_fold else [CALL]
    if legal.min_raise_to is not None and legal.max_raise_to is not None:
        totals = range(legal.min_raise_to, legal.max_raise_to + 1)
        actions += [LIMIT_RAISE] if legal.is_limit else map(raise_to, totals)
    return dict.fromkeys(actions, 0.0)


def walk(
    game: GameDefinition, actions: Actions = every_action
) -> Iterator[tuple[int, BettingState, dict[Action, float]]]:
    """All bettings of a game, each before those below it, and what is below one action before the next.

    Yields:
        The number of the betting before, counted in this order, -1 at the start; the betting; its actions,
        none where the hand is over.
    """
    stack = [(-1, initial_betting(game))]
    for number in itertools.count():
        if not stack:
            return
        before, betting = stack.pop()
        found = {} if betting.is_finished else actions(betting)
        yield before, betting, found
        stack.extend((number, betting.apply(action)) for action in reversed(found))
