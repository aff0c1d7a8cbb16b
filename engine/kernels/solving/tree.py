"""A game tree as arrays, in blocks: one block for each public node, with one node for each deal.

All nodes of a block have the same betting and are adjacent, in the order of the deals.  After an action, the
child of the d-th node is the d-th node of the child's block; after cards are dealt in k ways, its children
are the k nodes from the k·d-th on.  An information set is a view (own cards and board) at a block.  A *slot*
is an action at an information set; in each block, the slots of one action are adjacent, one for each view.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from engine.kernels._jit import kernel
from engine.support.arrays import Floats, Ints, Ints32

CHANCE: Final = -1
TERMINAL: Final = -2
"""Kinds of blocks; other kinds are positions to act."""


class Block(IntEnum):
    """Columns of `TreeArrays.blocks`."""

    KIND = 0
    """The position to act, `CHANCE` or `TERMINAL`."""
    FIRST_NODE = 1
    SIZE = 2
    """The number of its nodes: one for each deal so far."""
    FIRST_CHILD = 3
    """The place of its first child in `TreeArrays.children`."""
    NUM_ACTIONS = 4
    """The number of a player's actions, or of ways to deal the next cards."""
    FIRST_SLOT = 5
    """The first slot of a decision, or the first column of payoffs of a terminal block."""
    NUM_VIEWS = 6
    FIRST_VIEW = 7
    """The place in `TreeArrays.views` where the views of the position to act begin."""
    FIRST_SET = 8
    """The number of its first information set."""


class TreeArrays(NamedTuple):
    """A game tree; parents come before their children."""

    blocks: Ints
    """Shape (blocks, len(Block))."""
    children: Ints
    """Numbers of blocks; the children of one parent are adjacent."""
    views: Ints32
    """Views by deal, in one stretch for each round and position."""
    parents: Ints
    """The slot of the player's own last action before each information set; -1 for none."""
    payoffs: Floats
    """Chips won by each position, shape (positions, terminal nodes)."""
    deals: Floats
    """The chance of each deal of hole cards; they add up to 1."""


@kernel(allocates=False)
def fill_reach(tree: TreeArrays, policy: Floats, player: int, reach: Floats) -> None:
    """The counterfactual reach of each node: the chances of the deal and of all players but one.

    Args:
        tree: the game.
        policy: chances of actions by slot; those of `player` are not read.
        player: the position whose own chances are left out.
        reach: by node, filled in place.
    """
    blocks, children, views = tree.blocks, tree.children, tree.views
    for deal in range(tree.deals.size):
        reach[deal] = tree.deals[deal]
    for block in range(blocks.shape[0]):
        kind = blocks[block, Block.KIND]
        if kind == TERMINAL:
            continue
        node, size = blocks[block, Block.FIRST_NODE], blocks[block, Block.SIZE]
        first_child, num_actions = blocks[block, Block.FIRST_CHILD], blocks[block, Block.NUM_ACTIONS]
        if kind == CHANCE:
            below = blocks[children[first_child], Block.FIRST_NODE]
            for deal in range(size):
                share = reach[node + deal] / num_actions
                for way in range(num_actions):
                    reach[below + deal * num_actions + way] = share
            continue
        slot, view = blocks[block, Block.FIRST_SLOT], blocks[block, Block.FIRST_VIEW]
        for action in range(num_actions):
            below = blocks[children[first_child + action], Block.FIRST_NODE]
            if kind == player:
                for deal in range(size):
                    reach[below + deal] = reach[node + deal]
            else:
                for deal in range(size):
                    reach[below + deal] = reach[node + deal] * policy[slot + views[view + deal]]
            slot += blocks[block, Block.NUM_VIEWS]


@kernel(allocates=False)
def fill_worth(
    tree: TreeArrays,
    policy: Floats,
    player: int,
    responds: bool,
    reach: Floats,
    worth: Floats,
    action_worth: Floats,
) -> None:
    """The counterfactual value of each node to a player: its value times its reach (`fill_reach`).

    Args:
        tree: the game.
        policy: chances of actions by slot; if the player responds, its own are filled in place: 1 for the
            best action, the first of several, and 0 for the others.
        player: the position whose chips are counted.
        responds: whether the player plays a best response to the others' `policy`.
        reach: by node.
        worth: by node, filled in place.
        action_worth: by slot, the player's filled in place: the sum over the nodes of the information set.
    """
    blocks, children, views = tree.blocks, tree.children, tree.views
    for block in range(blocks.shape[0] - 1, -1, -1):
        kind = blocks[block, Block.KIND]
        node, size = blocks[block, Block.FIRST_NODE], blocks[block, Block.SIZE]
        first_slot = blocks[block, Block.FIRST_SLOT]
        if kind == TERMINAL:
            for deal in range(size):
                worth[node + deal] = reach[node + deal] * tree.payoffs[player, first_slot + deal]
            continue
        first_child, num_actions = blocks[block, Block.FIRST_CHILD], blocks[block, Block.NUM_ACTIONS]
        if kind == CHANCE:
            below = blocks[children[first_child], Block.FIRST_NODE]
            for deal in range(size):
                total = 0.0
                for way in range(num_actions):
                    total += worth[below + deal * num_actions + way]
                worth[node + deal] = total
            continue
        for deal in range(size):
            worth[node + deal] = 0.0
        if kind != player:
            for action in range(num_actions):
                below = blocks[children[first_child + action], Block.FIRST_NODE]
                for deal in range(size):
                    worth[node + deal] += worth[below + deal]
            continue
        num_views, view = blocks[block, Block.NUM_VIEWS], blocks[block, Block.FIRST_VIEW]
        for slot in range(first_slot, first_slot + num_actions * num_views):
            action_worth[slot] = 0.0
        for action in range(num_actions):
            below = blocks[children[first_child + action], Block.FIRST_NODE]
            slot = first_slot + action * num_views
            for deal in range(size):
                action_worth[slot + views[view + deal]] += worth[below + deal]
        if responds:
            _choose_best(policy, action_worth, first_slot, num_actions, num_views)
        for action in range(num_actions):
            below = blocks[children[first_child + action], Block.FIRST_NODE]
            slot = first_slot + action * num_views
            for deal in range(size):
                worth[node + deal] += policy[slot + views[view + deal]] * worth[below + deal]


@kernel(allocates=False)
def _choose_best(
    policy: Floats, action_worth: Floats, first_slot: int, num_actions: int, num_views: int
) -> None:
    """Give each view of a block its best action, in place."""
    for slot in range(first_slot, first_slot + num_views):
        best = slot
        for action in range(num_actions):
            policy[slot + action * num_views] = 0.0
            if action_worth[slot + action * num_views] > action_worth[best]:
                best = slot + action * num_views
        policy[best] = 1.0
