"""The action selector: chance decides among the profitable actions, and prefers the more profitable.

An action of the greatest value in one hand need not be the best in the whole match: who always takes it tells
their cards (sections 2.2 and 3).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from engine.rules import CALL, FOLD, Action, ActionKind

__all__ = ["CONTINUED", "chances_of", "drawn"]

CONTINUED: Final = 1.5
"""What a raise weighs more with continued aggression."""


def chances_of(
    values: Mapping[Action, float], randomness: float, *, can_fold: bool, raising: float = 1.0
) -> dict[Action, float]:
    """How likely each action is taken; the chances add up to 1.

    The weight of an action of positive value is that value to the power of one over the randomness; raises
    weigh `raising` times that.  Where no value is positive, a check if it is free, else a fold.

    Args:
        values: of the legal actions other than folding, in chips, folding being 0.
        randomness: 0 for the best alone; at .5 an action worth half as much is taken a quarter as often.
        can_fold: there is something to call.
        raising: for raises, 1 or more.
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
    """An action by its chance, with one number of the generator."""
    left = rng.random() * sum(chances.values())
    for action, chance in chances.items():
        left -= chance
        if left < 0:
            return action
    return max(chances, key=lambda action: chances[action])
