"""The value of strategies: at each node, to each position, and against a best response.

A best response knows the others' strategies, but only the cards that its position sees.  *NashConv* is the
sum of what each position could gain by a best response while the others stay as they are; it is 0 in an
equilibrium.  *Exploitability* is NashConv divided by the number of positions: heads up, what a best response
wins from the strategy, averaged over the seats.

Source: Lanctot and others, *A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning* (2017),
3.3, for NashConv.
"""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.tree import CHANCE, TERMINAL, Block, fill_reach, fill_worth
from engine.solving.game_tree import GameTree

__all__ = ["BestResponse", "Exploitability", "best_response", "exploitability", "node_values", "values"]


@attrs.frozen(eq=False)
class BestResponse:
    """A best response of one position to the strategies of the others."""

    value: float
    """Chips it wins per hand."""
    policy: NDArray[np.float64]
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


def best_response(tree: GameTree, policy: NDArray[np.float64], position: int) -> BestResponse:
    """A best response of a position when the others play a policy."""
    response = policy.copy()
    return BestResponse(_pass(tree, response, position, True), response)


def values(tree: GameTree, policy: NDArray[np.float64]) -> tuple[float, ...]:
    """Chips each position wins per hand if all play a policy."""
    return tuple(_pass(tree, policy, position, False) for position in range(tree.game.num_players))


def exploitability(tree: GameTree, policy: NDArray[np.float64]) -> Exploitability:
    """How far a policy is from an equilibrium."""
    responses = (best_response(tree, policy, position).value for position in range(tree.game.num_players))
    return Exploitability(values(tree, policy), tuple(responses))


def node_values(tree: GameTree, policy: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value v(h) of each node to each position if all play a policy from there on.

    Returns:
        Chips, shape (positions, nodes); `GameTree.node_of` gives the number of a node.
    """
    worth = np.zeros((tree.game.num_players, tree.num_nodes))
    for node in reversed(tree.nodes):
        if node.kind == TERMINAL:
            first = tree.arrays.blocks[node.number][Block.FIRST_SLOT]
            worth[:, node.nodes] = tree.arrays.payoffs[:, first : first + node.size]
        elif node.kind == CHANCE:
            below = worth[:, tree.nodes[node.children[0]].nodes]
            worth[:, node.nodes] = below.reshape(len(worth), node.size, -1).mean(axis=2)
        else:
            chances = node.slots(policy)[:, tree.views_at(node)]
            for chance, child in zip(chances, node.children, strict=True):
                worth[:, node.nodes] += chance * worth[:, tree.nodes[child].nodes]
    return worth


def _pass(tree: GameTree, policy: NDArray[np.float64], position: int, responds: bool) -> float:
    """Chips a position wins per hand; if it responds, its slots of the policy are filled in place."""
    reach, worth = np.empty(tree.num_nodes), np.empty(tree.num_nodes)
    policy = policy if responds else np.ascontiguousarray(policy)
    fill_reach(tree.arrays, policy, position, reach)
    fill_worth(tree.arrays, policy, position, responds, reach, worth, np.zeros(tree.num_slots))
    return float(worth[: tree.arrays.deals.size].sum())
