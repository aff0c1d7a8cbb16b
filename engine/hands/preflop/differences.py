"""The starting hands on which two strategies of the preflop game differ.

Source: *Poki* section 3.2, last paragraph, which compares the iterated roll-outs with optimal play.
"""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np

from engine.hands.preflop.game import (
    Floats,
    Fold,
    Matchups,
    Node,
    PreflopGame,
    Showdown,
    Strategy,
    action_values,
    add_reached,
)
from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_NAMES

__all__ = ["Difference", "differences"]


@attrs.frozen
class Difference:
    """A hand that two strategies play differently."""

    history: str
    """The decision, by the actions that lead to it."""
    hand: str
    """The starting hand, such as ``"K7o"``."""
    played: str
    """The action of the strategy that is judged."""
    optimal: str
    """The likeliest action of the optimal strategy."""
    optimal_chance: float
    """The probability with which the optimal strategy takes the action that was played."""
    cost: float
    """What the action played loses each time against the optimal strategy, in thousandths of a big blind."""


_NEGLIGIBLE: Final = 1e-6


def differences(
    game: PreflopGame,
    strategy: Strategy,
    optimal: Strategy,
    matchups: Matchups,
    *,
    tolerance: float = 0.5,
) -> list[Difference]:
    """The hands on which a strategy takes an action that the optimal one takes less often than ``tolerance``.

    Decisions that the optimal strategy does not reach with a hand are left out.

    Returns:
        The differences by their cost, the most expensive first.
    """
    found: list[Difference] = []
    for position in (0, 1):
        values = action_values(game, optimal, matchups, position)
        reached: dict[str, Floats] = {
            node.history: np.zeros((len(node.actions), 169)) for node in game.decisions()
        }
        add_reached(game.root, position, optimal, np.ones(NUM_STARTING_HANDS), reached)
        opponent_chance = _opponent_chances(game, optimal, matchups, position)
        for node in game.decisions():
            if node.position != position:
                continue
            own_chance = reached[node.history].sum(axis=0)
            for hand, name in enumerate(STARTING_HAND_NAMES):
                action = int(np.argmax(strategy[node.history][:, hand]))
                chance = float(optimal[node.history][action, hand])
                frequency = float(opponent_chance[node.history][hand])
                if chance >= tolerance or own_chance[hand] < 0.01 or frequency < _NEGLIGIBLE:
                    continue
                worth = values[node.history][:, hand] / frequency
                found.append(
                    Difference(
                        node.history,
                        name,
                        node.actions[action],
                        node.actions[int(np.argmax(optimal[node.history][:, hand]))],
                        chance,
                        1000 * float(worth.max() - worth[action]),
                    )
                )
    return sorted(found, key=lambda difference: -difference.cost)


def _opponent_chances(
    game: PreflopGame, strategy: Strategy, matchups: Matchups, position: int
) -> dict[str, Floats]:
    """For each decision, the joint probability of each hand of `position` and the opponent's actions."""
    chances: dict[str, Floats] = {}

    def walk(node: Node | Fold | Showdown, reach: Floats) -> None:
        if not isinstance(node, Node):
            return
        chances[node.history] = matchups.met @ reach if position == 0 else reach @ matchups.met
        for child, chance in zip(node.children, strategy[node.history], strict=True):
            walk(child, reach if node.position == position else reach * chance)

    walk(game.root, np.ones(NUM_STARTING_HANDS))
    return chances
