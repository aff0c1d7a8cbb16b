"""Counterfactual regret minimisation on a whole game tree: CFR, CFR+, DCFR and LCFR, players taking turns.

Source: Zinkevich and others, *Regret Minimization in Games with Incomplete Information* (2007); Tammelin,
*Solving Large Imperfect Information Games Using CFR+* (2014); Brown and Sandholm, *Solving
Imperfect-Information Games via Discounted Regret Minimization* (2019).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.solving.tree import Block, TreeArrays, fill_reach, fill_worth


class Discount(IntEnum):
    """Columns of a schedule, which has a row for each iteration."""

    POSITIVE = 0
    """The factor of positive regrets after the iteration."""
    NEGATIVE = 1
    """The factor of negative regrets after the iteration."""
    WEIGHT = 2
    """The weight of the iteration's strategy in the average."""


class Regrets(NamedTuple):
    """What the players have learnt; all arrays are by slot."""

    regrets: NDArray[np.float64]
    sums: NDArray[np.float64]
    """Weighted sums of the strategies played, times the player's own chance to play there."""
    free: NDArray[np.float64]
    """The strategy by regret matching."""
    played: NDArray[np.float64]
    """The strategy that is played: ``bound + loose * free``."""
    bound: NDArray[np.float64]
    """Chances prescribed to the players; all 0 in the game as it is."""
    loose: NDArray[np.float64]
    """The part left to the player's choice, the same for all actions of an information set."""


class Scratch(NamedTuple):
    """Scratch arrays for a pass."""

    reach: NDArray[np.float64]
    """See `fill_reach`; by node."""
    worth: NDArray[np.float64]
    """See `fill_worth`; by node."""
    action_worth: NDArray[np.float64]
    """See `fill_worth`; by slot."""
    sequences: NDArray[np.float64]
    """The player's own chance of all its actions up to and including this one; by slot."""


@kernel(allocates=False)
def minimise(tree: TreeArrays, learnt: Regrets, scratch: Scratch, schedule: NDArray[np.float64]) -> None:
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
def _learn(
    tree: TreeArrays, learnt: Regrets, scratch: Scratch, player: int, discount: NDArray[np.float64]
) -> None:
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
