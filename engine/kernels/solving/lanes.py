"""The arrays of public chance sampling: betting rounds in lanes, workspaces, and the hands of a board.

All sequences that begin a betting round (its *starts*) lead to the same betting tree, so one tree of *nodes*
serves them all.  Every quantity at a node is a row with one number for each start; the starts are the
*lanes*.  A *workspace* is a set of scratch arrays.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from engine.kernels._jit import kernel
from engine.support.arrays import Floats32, Ints

LIVE_HANDS: Final = 1081
"""Hands that share no card with a full board."""
LIVE_CARDS: Final = 47
"""Cards that are not on a full board.  Row `LIVE_CARDS` of sums by card is the sum over all hands."""
RIVER: Final = 3
"""The number of the last betting round."""


class BatchNode(IntEnum):
    """Columns of `Round.nodes`; the children of a node have greater numbers and are adjacent."""

    KIND = 0
    PLAYER = 1
    """The position to act or, at a fold, the position that has folded."""
    PARENT = 2
    FIRST = 3
    """The first child."""
    NUM_ACTIONS = 4
    LEAF = 5
    """At a `NEXT` node, its number among those nodes."""


class NodeKind(IntEnum):
    """Kinds of nodes: the values of `BatchNode.KIND`."""

    DECISION = 0
    FOLD = 1
    NEXT = 2
    """The next round begins."""
    SHOWDOWN = 3


class Round(NamedTuple):
    """The betting of a round and what has been learnt there.

    Every node but the first stands for the action that leads to it.
    """

    nodes: Ints
    """Shape (nodes, len(BatchNode))."""
    chips: Floats32
    """Chips that change hands at each end, per possible hand of the opponent; shape (nodes, lanes)."""
    regrets: Floats32
    """Regrets by which strategies are matched, shape (nodes - 1, buckets, lanes)."""
    sums: Floats32
    """Summed strategies, in the same shape; without buckets if the average is not wanted."""


class Workspace(NamedTuple):
    """Scratch arrays of one side for a round with `w` lanes."""

    chances: Floats32
    """The chance of each action of the side at its parent, shape (nodes, buckets, w)."""
    plays: Floats32
    """The side's chance of playing from the start to a node, without trembles; the same shape."""
    seen: Floats32
    """The same with trembles, as the other side meets it."""
    values: Floats32
    """The value of each node for a bucket, added up over its hands; the same shape."""
    own: Floats32
    """`reach` added up by bucket, shape (buckets, w)."""
    reach: Floats32
    """The side's chance of having played to the start with each hand, shape (hands, w)."""
    worth: Floats32
    """The value of the start for each hand, shape (hands, w)."""
    totals: Floats32
    """The other side's reach at the ends, added up by card; shape (nodes, LIVE_CARDS + 1, w)."""


class RiverWorkspace(NamedTuple):
    """Scratch arrays for showdowns; `w` lanes."""

    by_card: Floats32
    """The opponent's reach by bucket and card, shape (buckets, LIVE_CARDS + 1, w)."""
    within: Floats32
    """What a hand wins from the hands of its own bucket, shape (hands, w)."""
    within_sums: Floats32
    """The same by bucket, shape (buckets, w)."""
    beaten: Floats32
    """The reach of weaker hands less that of stronger ones, by card; shape (nodes, LIVE_CARDS + 1, w)."""
    margin: Floats32
    """Row 0: the same at one end; row 1: its weighted sum over the ends; shape (2, LIVE_CARDS + 1, w)."""
    rows: Floats32
    """Four more rows, shape (4, w)."""


class BatchHands(NamedTuple):
    """The live hands on a full board, in ascending order of strength."""

    cards: Ints
    """The cards of each hand, numbered among the live cards; shape (hands, 2)."""
    ends: Ints
    """Where each group of equally strong hands ends, shape (groups,)."""
    buckets: Ints
    """The bucket of each hand in each round, counted from `first_rows`; shape (4, hands).

    On the river buckets ascend, and are the same within a group.
    """
    bounds: Ints
    """Where the hands of each river bucket begin, and where the last ends; shape (buckets + 1,)."""
    counts: Floats32
    """The number of hands of a river bucket with each card; in the last column, minus all of them.

    Shape (buckets, LIVE_CARDS + 1).
    """
    first_rows: Ints
    """By round, the first of the buckets that can occur on this board, shape (4,)."""


class Learning(NamedTuple):
    """The settings of a pass over a board."""

    player: int
    """The position that learns."""
    weight: float
    """The weight of the pass in regrets and sums."""
    trembles: float
    """The part of the opponent's actions that are trembles: any legal action, equally likely."""
    best_responses: bool
    """Whether the opponent plays a best response by bucket on the river of this very board."""
    opponent_learns: bool
    """Whether the opponent learns a strategy of its own; on the river it then plays a best response."""


Rounds = tuple[Round, Round, Round]
Workspaces = tuple[Workspace, Workspace, Workspace]
"""Rounds and workspaces before the river: preflop, flop and turn."""


class Side(NamedTuple):
    """One side, the player who learns or the opponent: what it has learnt, and the hands in its buckets."""

    rounds: Rounds
    spaces: Workspaces
    hands: BatchHands


@kernel(allocates=False)
def walk_in_order(
    cards: Ints, ends: Ints, groups: tuple[int, int], weights: Floats32, sums: Floats32, twice_below: Floats32
) -> None:
    """The range walk (``engine.kernels.hands.range_walk``) over hands in order, in all lanes at once.

    A walk by classes would need a row of lanes for each class and card, and leave the processor's cache.

    Args:
        cards: the two cards of each hand, rows of `sums`; shape (hands, 2).
        ends: where each group of equally strong hands ends, shape (groups,).
        groups: the first of the groups that are walked, and the end.
        weights: shape (hands, lanes).
        sums: weight by card, and in the last row the total; added to in place.
        twice_below: shape (hands, lanes), filled in place: what `sums` holds before and after a hand's group,
            less the rows of its cards.  So the hand itself is taken out once too often.
    """
    total, width = sums.shape[0] - 1, weights.shape[1]
    start = ends[groups[0] - 1] if groups[0] else 0
    for group in range(groups[0], groups[1]):
        end = ends[group]
        everyone = sums[total]
        for hand in range(start, end):
            first, second, out = sums[cards[hand, 0]], sums[cards[hand, 1]], twice_below[hand]
            for lane in range(width):
                out[lane] = everyone[lane] - first[lane] - second[lane]
        for hand in range(start, end):
            first, second, row = sums[cards[hand, 0]], sums[cards[hand, 1]], weights[hand]
            for lane in range(width):
                first[lane] += row[lane]
            for lane in range(width):
                second[lane] += row[lane]
            for lane in range(width):
                everyone[lane] += row[lane]
        for hand in range(start, end):
            first, second, out = sums[cards[hand, 0]], sums[cards[hand, 1]], twice_below[hand]
            for lane in range(width):
                out[lane] += everyone[lane] - first[lane] - second[lane]
        start = end
