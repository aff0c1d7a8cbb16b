"""Strategies on a small game's tree: a chance for each action at each information set.

A policy is an array by slot (`engine.equilibrium.game_tree`); a `Strategy` is a policy that can be asked what
it does with a hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.cards import format_cards
from engine.equilibrium.game_tree import GameTree
from engine.records import ProbabilityTriple
from engine.rules import Action, ActionKind, GameDefinition, HandView

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


class NoTriple(ValueError):
    """Fold, call and raise do not say what a player does: raises have several sizes; one line for people."""


def information_set_key(view: HandView) -> str:
    """What names an information set in files: betting, own cards and board, as in ``cr/:Ks|Qh``.

    The cards of each part are sorted, since their order tells nothing.
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
    """What all players of a game do."""

    tree: GameTree
    policy: NDArray[np.float64]
    """Chances by slot; those of an information set add up to one."""

    @property
    def game(self) -> GameDefinition:
        """What it plays."""
        return self.tree.game

    def chances(self, view: HandView) -> dict[Action, float]:
        """How likely each legal action is.

        Raises:
            ValueError: it is not the player's turn who sees this, or it is another game.
        """
        found = self.tree.information_set(view)
        return dict(zip(found.node.actions, map(float, self.policy[found.slots]), strict=True))

    def triple(self, view: HandView) -> ProbabilityTriple:
        """How likely a fold, a call and a raise of any size are.

        Raises:
            ValueError: it is not the player's turn who sees this, or it is another game.
        """
        chances = dict.fromkeys(ActionKind, 0.0)
        for action, chance in self.chances(view).items():
            chances[action.kind] += chance
        return ProbabilityTriple(
            *(chances[kind] for kind in (ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE))
        )

    def table(self) -> Mapping[str, dict[str, float]]:
        """All of it: chances by action's text, by `information_set_key`."""
        rows = {}
        for found in self.tree.information_sets():
            key = information_set_key(self.tree.hand_view(found))
            chances = map(float, self.policy[found.slots])
            rows[key] = dict(zip(map(str, found.node.actions), chances, strict=True))
        return rows


def uniform_policy(tree: GameTree) -> NDArray[np.float64]:
    """Every legal action alike."""
    return policy_with(tree, [1.0] * 3)


def policy_with(tree: GameTree, weights: Sequence[float]) -> NDArray[np.float64]:
    """The same weights of fold, call and each raise everywhere, where they are legal.

    Args:
        tree: the game.
        weights: of a fold, a call, and each raise there is; calling, which is always legal, or what is legal
            with it, must weigh something.
    """
    order = {ActionKind.FOLD: 0, ActionKind.CALL: 1, ActionKind.RAISE: 2}
    policy = np.zeros(tree.num_slots)
    for node in tree.decisions:
        node.slots(policy)[:] = np.array([weights[order[action.kind]] for action in node.actions])[:, None]
    return normalised(tree, policy)


def normalised(tree: GameTree, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights by slot as chances; every action alike where none weighs anything."""
    policy = np.empty_like(weights)
    for node in tree.decisions:
        found = node.slots(weights)
        total = found.sum(axis=0)
        share = np.full_like(found, 1.0 / len(node.actions))
        node.slots(policy)[:] = np.divide(found, total, out=share, where=total > 0)
    return policy


def policy_of_triples(tree: GameTree, triples: Triples) -> NDArray[np.float64]:
    """What a player does who says how likely they fold, call and raise with each hand.

    Args:
        tree: the game.
        triples: asked for each information set.

    Raises:
        NoTriple: somewhere a raise can have several sizes.
        ValueError: a triple that gives weight to nothing that is legal.
    """
    policy = np.zeros(tree.num_slots)
    order = {ActionKind.FOLD: 0, ActionKind.CALL: 1, ActionKind.RAISE: 2}
    for node in tree.decisions:
        columns = [order[action.kind] for action in node.actions]
        if columns.count(2) > 1:
            raise NoTriple(
                f"after {node.betting.text!r} a raise can have {columns.count(2)} sizes, and the player says "
                "only how likely they raise: expected a limit game"
            )
    for found in tree.information_sets():
        view = tree.hand_view(found)
        triple = triples(view)
        chances = np.array([triple[order[action.kind]] for action in found.node.actions])
        total = chances.sum()
        if not total > 0 or not np.isfinite(total) or chances.min() < 0:
            raise ValueError(
                f"{information_set_key(view)}: expected chances of {', '.join(map(str, found.node.actions))} "
                f"that add up to 1, got {tuple(triple)}"
            )
        policy[found.slots] = chances / total
    return policy
