"""Strategies on a small game's tree, and their value: to each position, and against a best response.

A policy is an array of chances by slot (`engine.solving.game_tree`).  A `Strategy` wraps a policy and answers
what it does with a hand.

A best response knows the others' strategies, but only the cards that its position sees.  *NashConv* is the
sum of what each position could gain by a best response while the others stay as they are; it is 0 in an
equilibrium.  *Exploitability* is NashConv divided by the number of positions: heads up, what a best response
wins from the strategy, averaged over the seats.

Source: Lanctot and others, *A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning* (2017),
3.3, for NashConv.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import attrs
import numpy as np

from engine.kernels.solving.tree import fill_reach, fill_worth
from engine.players.probability_triple import TRIPLE_INDEX, triple_of
from engine.poker.cards import format_cards
from engine.poker.records import ProbabilityTriple
from engine.poker.rules import Action, ActionKind, GameDefinition, HandView
from engine.solving.game_tree import GameTree
from engine.support.arrays import Floats, as_chances

Triples = Callable[[HandView], ProbabilityTriple]
"""How likely a player folds, calls and raises in a view."""


class NoTriple(ValueError):
    """Triples do not determine a strategy: raises have several sizes.  The message is one line for people."""


def information_set_key(view: HandView) -> str:
    """The name of an information set in files: betting, own cards and board, as in ``cr/:Ks|Qh``.

    The cards of each part are sorted, since their order means nothing.
    """
    ends = (0, *view.game.board_ends[: view.betting_round + 1])
    boards = [view.board[start:end] for start, end in itertools.pairwise(ends) if end > start]
    parts = [format_cards(sorted(cards)) for cards in (view.own_cards, *boards)]
    return f"{view.betting.text}:{'|'.join(parts)}"


@attrs.frozen(eq=False)
class Strategy:
    """A strategy for all players of a game."""

    tree: GameTree
    policy: Floats
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
        return triple_of(self.chances(view).items())

    def table(self) -> Mapping[str, dict[str, float]]:
        """The whole strategy: for each `information_set_key`, the chance of each action by its text."""
        rows = {}
        for found in self.tree.information_sets():
            key = information_set_key(self.tree.hand_view(found))
            chances = map(float, self.policy[found.slots])
            rows[key] = dict(zip(map(str, found.node.actions), chances, strict=True))
        return rows


def uniform_policy(tree: GameTree) -> Floats:
    """The policy that takes every legal action equally often, by slot."""
    return policy_with(tree, [1.0] * 3)


def policy_with(tree: GameTree, weights: Sequence[float]) -> Floats:
    """The policy in proportion to the same weights everywhere, by slot; illegal actions are left out.

    Args:
        tree: the game.
        weights: the weights of a fold, a call, and each raise.  Where none of the legal actions has weight,
            all are equally likely.
    """
    policy = np.zeros(tree.num_slots)
    for node in tree.decisions:
        chosen = [weights[TRIPLE_INDEX[action.kind]] for action in node.actions]
        node.slots(policy)[:] = np.array(chosen)[:, None]
    return normalised(tree, policy)


def normalised(tree: GameTree, weights: Floats) -> Floats:
    """The policy proportional to weights by slot; actions are equally likely where none has weight."""
    policy = np.empty_like(weights)
    for node in tree.decisions:
        node.slots(policy)[:] = as_chances(node.slots(weights), axis=0)
    return policy


def policy_of_triples(tree: GameTree, triples: Triples) -> Floats:
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
        raises = [action.kind for action in node.actions].count(ActionKind.RAISE)
        if raises > 1:
            raise NoTriple(
                f"after {node.betting.text!r} a raise can have {raises} sizes, and the player says "
                "only how likely they raise: expected a limit game"
            )
    for found in tree.information_sets():
        view = tree.hand_view(found)
        triple = triples(view)
        chances = np.array([triple[TRIPLE_INDEX[action.kind]] for action in found.node.actions])
        total = chances.sum()
        if not total > 0 or not np.isfinite(total) or chances.min() < 0:
            raise ValueError(
                f"{information_set_key(view)}: expected chances of {', '.join(map(str, found.node.actions))} "
                f"that add up to 1, got {tuple(triple)}"
            )
        policy[found.slots] = chances / total
    return policy


@attrs.frozen(eq=False)
class BestResponse:
    """A best response of one position to the strategies of the others."""

    value: float
    """Chips it wins per hand."""
    policy: Floats
    """The others' policy, with the response in the slots of its position.

    The response is pure; among equally good actions it takes the first.
    """


@attrs.frozen
class Exploitability:
    """How far a strategy is from an equilibrium, in chips per hand."""

    values: tuple[float, ...]
    """What each position wins if all play the strategy."""
    responses: tuple[float, ...]
    """What a best response in each position wins against the others."""

    @property
    def nash_conv(self) -> float:
        """The sum of what each position could gain by deviating alone."""
        return sum(self.responses) - sum(self.values)

    @property
    def mean(self) -> float:
        """Exploitability: NashConv divided by the number of positions."""
        return self.nash_conv / len(self.values)


def best_response(tree: GameTree, policy: Floats, position: int) -> BestResponse:
    """A best response of a position when the others play a policy."""
    response = policy.copy()
    return BestResponse(_pass(tree, response, position, True), response)


def values(tree: GameTree, policy: Floats) -> tuple[float, ...]:
    """Chips each position wins per hand if all play a policy."""
    return tuple(_pass(tree, policy, position, False) for position in range(tree.game.num_players))


def exploitability(tree: GameTree, policy: Floats) -> Exploitability:
    """How far a policy is from an equilibrium."""
    responses = (best_response(tree, policy, position).value for position in range(tree.game.num_players))
    return Exploitability(values(tree, policy), tuple(responses))


def _pass(tree: GameTree, policy: Floats, position: int, responds: bool) -> float:
    """Chips a position wins per hand; if it responds, its slots of the policy are filled in place."""
    reach, worth = np.empty(tree.num_nodes), np.empty(tree.num_nodes)
    policy = policy if responds else np.ascontiguousarray(policy)
    fill_reach(tree.arrays, policy, position, reach)
    fill_worth(tree.arrays, policy, position, responds, reach, worth, np.zeros(tree.num_slots))
    return float(worth[: tree.arrays.deals.size].sum())
