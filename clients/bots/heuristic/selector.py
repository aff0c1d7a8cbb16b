"""The action selector: draws one of the profitable actions, more profitable ones more often.

The action of the highest value in one hand need not be the best in the whole match: a player who always takes
it gives away their cards (sections 2.2 and 3).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from engine.poker.rules import CALL, FOLD, Action, ActionKind

__all__ = ["CONTINUED", "chances_of", "drawn"]

CONTINUED: Final = 1.5
"""The factor on the weight of a raise with continued aggression."""


def chances_of(
    values: Mapping[Action, float], randomness: float, *, can_fold: bool, raising: float = 1.0
) -> dict[Action, float]:
    """The probability of each action; they add up to 1.

    The weight of an action of positive value is that value to the power of 1 / `randomness`, for raises times
    `raising`.  If no value is positive, it checks if that is free, and folds otherwise.

    Args:
        values: the value of each legal action other than folding, in chips; folding is worth 0.
        randomness: 0 for the best alone; at .5 an action worth half as much is taken a quarter as often.
        can_fold: whether there is something to call.
        raising: factor on the weight of raises, 1 or more.
    """
    factors = {
        action: raising if action.kind is ActionKind.RAISE else 1.0
        for action, value in values.items()
        if value > 0
    }
    if not factors:
        return {FOLD if can_fold else CALL: 1.0}
    best = max(values[action] for action in factors)
    if randomness <= 0:
        first = max(factors, key=lambda action: values[action])
        return {first: 1.0}
    weights = {
        action: factor * (values[action] / best) ** (1 / randomness) for action, factor in factors.items()
    }
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def drawn(chances: Mapping[Action, float], rng: random.Random) -> Action:
    """An action drawn by its probability, with one number of the generator."""
    left = rng.random() * sum(chances.values())
    for action, chance in chances.items():
        left -= chance
        if left < 0:
            return action
    return max(chances, key=lambda action: chances[action])
