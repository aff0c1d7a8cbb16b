"""External sampling: a player tries all of its actions; the others' actions and the cards are drawn.

Source: Lanctot and others, *Monte Carlo Sampling for Regret Minimization in Extensive Games* (2009).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.solving.tree import CHANCE, TERMINAL, Block, TreeArrays
from engine.kernels.splitmix import random_number


class Visits(NamedTuple):
    """Scratch arrays for one player's traversal: a list of the nodes it visits, at most one of each block."""

    nodes: NDArray[np.int64]
    """The columns `BLOCK`, `DEAL` and `FIRST`, shape (blocks + 1, 3)."""
    worth: NDArray[np.float64]
    """The value of each node to the player, shape (blocks + 1,)."""
    chances: NDArray[np.float64]
    """The chances of the actions at each node, shape (blocks + 1, most actions)."""


BLOCK: Final = 0
DEAL: Final = 1
FIRST: Final = 2
"""Columns of `Visits.nodes`: a node's block, its number there, and the place of its first child."""


@kernel(allocates=False)
def sample(
    tree: TreeArrays,
    regrets: NDArray[np.float64],
    sums: NDArray[np.float64],
    visits: Visits,
    random: NDArray[np.uint64],
    iterations: int,
) -> None:
    """Run iterations in which each player in turn tries all of its actions.

    Args:
        tree: the game; its deals are equally likely.
        regrets: by slot, changed in place.
        sums: summed strategies by slot, changed in place; while a player tries its actions, the strategy of
            the next player is added.
        visits: overwritten.
        random: the state of a SplitMix64 generator, shape (1,), advanced in place.
        iterations: the number of iterations.
    """
    for _ in range(iterations):
        for player in range(tree.payoffs.shape[0]):
            _traverse(tree, regrets, sums, visits, random, player)


@kernel(allocates=False)
def _traverse(
    tree: TreeArrays,
    regrets: NDArray[np.float64],
    sums: NDArray[np.float64],
    visits: Visits,
    random: NDArray[np.uint64],
    player: int,
) -> None:
    """One player's turn: list the nodes visited, parents first; then learn, children first."""
    blocks, children, views = tree.blocks, tree.children, tree.views
    nodes, worth, chances = visits.nodes, visits.worth, visits.chances
    averaged = (player + 1) % tree.payoffs.shape[0]
    nodes[0, BLOCK] = 0
    nodes[0, DEAL] = int(random_number(random) * tree.deals.size)
    count = 1
    visit = 0
    while visit < count:
        block, deal = nodes[visit, BLOCK], nodes[visit, DEAL]
        kind = blocks[block, Block.KIND]
        nodes[visit, FIRST] = count
        if kind == TERMINAL:
            worth[visit] = tree.payoffs[player, blocks[block, Block.FIRST_SLOT] + deal]
            visit += 1
            continue
        num_actions, first_child = blocks[block, Block.NUM_ACTIONS], blocks[block, Block.FIRST_CHILD]
        if kind == CHANCE:
            nodes[count, BLOCK] = children[first_child]
            nodes[count, DEAL] = deal * num_actions + int(random_number(random) * num_actions)
            count += 1
            visit += 1
            continue
        num_views = blocks[block, Block.NUM_VIEWS]
        slot = blocks[block, Block.FIRST_SLOT] + views[blocks[block, Block.FIRST_VIEW] + deal]
        total = 0.0
        for action in range(num_actions):
            chance = max(regrets[slot + action * num_views], 0.0)
            chances[visit, action] = chance
            total += chance
        for action in range(num_actions):
            chances[visit, action] = chances[visit, action] / total if total > 0.0 else 1.0 / num_actions
        if kind == player:
            for action in range(num_actions):
                nodes[count, BLOCK] = children[first_child + action]
                nodes[count, DEAL] = deal
                count += 1
        else:
            if kind == averaged:
                for action in range(num_actions):
                    sums[slot + action * num_views] += chances[visit, action]
            drawn = random_number(random)
            action = 0
            while action < num_actions - 1 and drawn >= chances[visit, action]:
                drawn -= chances[visit, action]
                action += 1
            nodes[count, BLOCK] = children[first_child + action]
            nodes[count, DEAL] = deal
            count += 1
        visit += 1

    for visit in range(count - 1, -1, -1):
        block = nodes[visit, BLOCK]
        kind = blocks[block, Block.KIND]
        if kind == TERMINAL:
            continue
        first = nodes[visit, FIRST]
        if kind != player:
            worth[visit] = worth[first]
            continue
        num_actions, num_views = blocks[block, Block.NUM_ACTIONS], blocks[block, Block.NUM_VIEWS]
        value = 0.0
        for action in range(num_actions):
            value += chances[visit, action] * worth[first + action]
        worth[visit] = value
        slot = blocks[block, Block.FIRST_SLOT] + views[blocks[block, Block.FIRST_VIEW] + nodes[visit, DEAL]]
        for action in range(num_actions):
            regrets[slot + action * num_views] += worth[first + action] - value
