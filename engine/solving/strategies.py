"""Strategies on a small game's tree: a chance for each action at each information set.

A policy is an array by slot (`engine.solving.game_tree`).  A `Strategy` wraps a policy and answers what
it does with a hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.poker.cards import format_cards
from engine.poker.records import ProbabilityTriple
from engine.poker.rules import Action, ActionKind, GameDefinition, HandView
from engine.solving.game_tree import GameTree

__all__ = [
    "NoTriple",
    "Strategy",
    "information_set_key",
    "normalised",
    "policy_of_triples",
    "policy_with",
    "uniform_policy",
]

Triples = Callable[[HandView], ProbabilityTriple]
"""How likely a player folds, calls and raises in a view."""

_COLUMN: Final = {ActionKind.FOLD: 0, ActionKind.CALL: 1, ActionKind.RAISE: 2}
"""The place of each kind of action in a probability triple."""


class NoTriple(ValueError):
    """Triples do not determine a strategy: raises have several sizes.  The message is one line for people."""


def information_set_key(view: HandView) -> str:
    """The name of an information set in files: betting, own cards and board, as in ``cr/:Ks|Qh``.

    The cards of each part are sorted, since their order means nothing.
    """
    parts = [format_cards(sorted(view.own_cards))]
    start = 0
    for end in view.game.board_ends[: view.betting_round + 1]:
        if end > start:
            parts.append(format_cards(sorted(view.board[start:end])))
        start = end
    return f"{view.betting.text}:{'|'.join(parts)}"


@attrs.frozen(eq=False)
class Strategy:
    """A strategy for all players of a game."""

    tree: GameTree
    policy: NDArray[np.float64]
    """Chances by slot; those of an information set add up to 1."""

    @property
    def game(self) -> GameDefinition:
        """The game it plays."""
        return self.tree.game

    def chances(self, view: HandView) -> dict[Action, float]:
        """The chance of each legal action.

        Raises:
            ValueError: it is not the viewing player's turn, or it is another game.
        """
        found = self.tree.information_set(view)
        return dict(zip(found.node.actions, map(float, self.policy[found.slots]), strict=True))

    def triple(self, view: HandView) -> ProbabilityTriple:
        """The chances of a fold, a call, and a raise of any size.

        Raises:
            ValueError: it is not the viewing player's turn, or it is another game.
        """
        chances = dict.fromkeys(ActionKind, 0.0)
        for action, chance in self.chances(view).items():
            chances[action.kind] += chance
        return ProbabilityTriple(
            *(chances[kind] for kind in (ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE))
        )

    def table(self) -> Mapping[str, dict[str, float]]:
        """The whole strategy: for each `information_set_key`, the chance of each action by its text."""
        rows = {}
        for found in self.tree.information_sets():
            key = information_set_key(self.tree.hand_view(found))
            chances = map(float, self.policy[found.slots])
            rows[key] = dict(zip(map(str, found.node.actions), chances, strict=True))
        return rows


def uniform_policy(tree: GameTree) -> NDArray[np.float64]:
    """The policy that takes every legal action equally often, by slot."""
    return policy_with(tree, [1.0] * 3)


def policy_with(tree: GameTree, weights: Sequence[float]) -> NDArray[np.float64]:
    """The policy in proportion to the same weights everywhere, by slot; illegal actions are left out.

    Args:
        tree: the game.
        weights: the weights of a fold, a call, and each raise.  Where none of the legal actions has weight,
            all are equally likely.
    """
    policy = np.zeros(tree.num_slots)
    for node in tree.decisions:
        node.slots(policy)[:] = np.array([weights[_COLUMN[action.kind]] for action in node.actions])[:, None]
    return normalised(tree, policy)


def normalised(tree: GameTree, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The policy proportional to weights by slot; actions are equally likely where none has weight."""
    policy = np.empty_like(weights)
    for node in tree.decisions:
        found = node.slots(weights)
        total = found.sum(axis=0)
        share = np.full_like(found, 1.0 / len(node.actions))
        node.slots(policy)[:] = np.divide(found, total, out=share, where=total > 0)
    return policy


def policy_of_triples(tree: GameTree, triples: Triples) -> NDArray[np.float64]:
    """The policy of a player that discloses its probability triples, by slot.

    Args:
        tree: the game.
        triples: the player's triples; asked once for each information set.

    Raises:
        NoTriple: somewhere a raise can have several sizes.
        ValueError: a triple has a negative or infinite chance, or no weight on a legal action.
    """
    policy = np.zeros(tree.num_slots)
    for node in tree.decisions:
        columns = [_COLUMN[action.kind] for action in node.actions]
        if columns.count(2) > 1:
            raise NoTriple(
                f"after {node.betting.text!r} a raise can have {columns.count(2)} sizes, and the player says "
                "only how likely they raise: expected a limit game"
            )
    for found in tree.information_sets():
        view = tree.hand_view(found)
        triple = triples(view)
        chances = np.array([triple[_COLUMN[action.kind]] for action in found.node.actions])
        total = chances.sum()
        if not total > 0 or not np.isfinite(total) or chances.min() < 0:
            raise ValueError(
                f"{information_set_key(view)}: expected chances of {', '.join(map(str, found.node.actions))} "
                f"that add up to 1, got {tuple(triple)}"
            )
        policy[found.slots] = chances / total
    return policy
