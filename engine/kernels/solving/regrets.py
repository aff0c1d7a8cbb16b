"""Counterfactual regret minimisation on a game tree: on all of it, players taking turns, or by sampling.

CFR, CFR+, DCFR and LCFR walk the whole tree.  In external sampling a player tries all of its actions; the
others' actions and the cards are drawn.

Source: Zinkevich and others, *Regret Minimization in Games with Incomplete Information* (2007); Tammelin,
*Solving Large Imperfect Information Games Using CFR+* (2014); Brown and Sandholm, *Solving
Imperfect-Information Games via Discounted Regret Minimization* (2019); Lanctot and others, *Monte Carlo
Sampling for Regret Minimization in Extensive Games* (2009), for external sampling.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from engine.kernels._jit import kernel
from engine.kernels.solving.tree import CHANCE, TERMINAL, Block, TreeArrays, fill_reach, fill_worth
from engine.kernels.splitmix import random_number
from engine.support.arrays import Floats, Ints, Words


class Discount(IntEnum):
    """Columns of a schedule, which has a row for each iteration."""

    POSITIVE = 0
    """The factor of positive regrets after the iteration."""
    NEGATIVE = 1
    """The factor of negative regrets after the iteration."""
    WEIGHT = 2
    """The weight of the iteration's strategy in the average."""


class Regrets(NamedTuple):
    """The players' regrets and averages; all arrays are by slot."""

    regrets: Floats
    sums: Floats
    """Weighted sums of the strategies played, times the player's own chance to play there."""
    free: Floats
    """The strategy by regret matching."""
    played: Floats
    """The strategy that is played: ``bound + loose * free``."""
    bound: Floats
    """Chances prescribed to the players; all 0 in the game as it is."""
    loose: Floats
    """The part left to the player's choice, the same for all actions of an information set."""


class RegretScratch(NamedTuple):
    """Scratch arrays for a pass."""

    reach: Floats
    """See `fill_reach`; by node."""
    worth: Floats
    """See `fill_worth`; by node."""
    action_worth: Floats
    """See `fill_worth`; by slot."""
    sequences: Floats
    """The player's own chance of all its actions up to and including this one; by slot."""


@kernel(allocates=False)
def minimise(tree: TreeArrays, learnt: Regrets, scratch: RegretScratch, schedule: Floats) -> None:
    """Run as many iterations as the schedule has rows.

    Within an iteration the players take turns: each plays against what those before it have just learnt.

    Args:
        tree: the game.
        learnt: changed in place.
        scratch: overwritten.
        schedule: shape (iterations, len(Discount)).
    """
    for iteration in range(schedule.shape[0]):
        for player in range(tree.payoffs.shape[0]):
            fill_reach(tree, learnt.played, player, scratch.reach)
            fill_worth(tree, learnt.played, player, False, scratch.reach, scratch.worth, scratch.action_worth)
            _learn(tree, learnt, scratch, player, schedule[iteration])


@kernel(allocates=False)
def _learn(tree: TreeArrays, learnt: Regrets, scratch: RegretScratch, player: int, discount: Floats) -> None:
    """Add a player's regrets and strategy of one pass, and update its strategy by regret matching."""
    blocks, worth = tree.blocks, scratch.action_worth
    for block in range(blocks.shape[0]):
        if blocks[block, Block.KIND] != player:
            continue
        num_actions, num_views = blocks[block, Block.NUM_ACTIONS], blocks[block, Block.NUM_VIEWS]
        first_slot = blocks[block, Block.FIRST_SLOT]
        end = num_actions * num_views
        for view in range(num_views):
            parent = tree.parents[blocks[block, Block.FIRST_SET] + view]
            own = 1.0 if parent < 0 else scratch.sequences[parent]
            first = first_slot + view
            value = 0.0
            for slot in range(first, first + end, num_views):
                value += learnt.free[slot] * worth[slot]
                scratch.sequences[slot] = own * learnt.played[slot]
                learnt.sums[slot] += discount[Discount.WEIGHT] * own * learnt.played[slot]
            total = 0.0
            for slot in range(first, first + end, num_views):
                regret = learnt.regrets[slot] + worth[slot] - value
                if regret > 0.0:
                    regret *= discount[Discount.POSITIVE]
                    total += regret
                else:
                    regret *= discount[Discount.NEGATIVE]
                learnt.regrets[slot] = regret
            for slot in range(first, first + end, num_views):
                chance = max(learnt.regrets[slot], 0.0) / total if total > 0.0 else 1.0 / num_actions
                learnt.free[slot] = chance
                learnt.played[slot] = learnt.bound[slot] + learnt.loose[slot] * chance


class Visits(NamedTuple):
    """Scratch arrays for one player's traversal: a list of the nodes it visits, at most one of each block."""

    nodes: Ints
    """The columns `BLOCK`, `DEAL` and `FIRST`, shape (blocks + 1, 3)."""
    worth: Floats
    """The value of each node to the player, shape (blocks + 1,)."""
    chances: Floats
    """The chances of the actions at each node, shape (blocks + 1, most actions)."""


BLOCK: Final = 0
DEAL: Final = 1
FIRST: Final = 2
"""Columns of `Visits.nodes`: a node's block, its number there, and the place of its first child."""


@kernel(allocates=False)
def sample(
    tree: TreeArrays, regrets: Floats, sums: Floats, visits: Visits, random: Words, iterations: int
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
    tree: TreeArrays, regrets: Floats, sums: Floats, visits: Visits, random: Words, player: int
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
