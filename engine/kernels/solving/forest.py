"""Counterfactual regret minimisation with every hand apart: one player's pass over the betting of a round.

A *forest* holds the betting trees of a round after all ends of the round before, its *roots*.  Roots come
first, children after their parent and beside each other.  A pass for a player goes down with the other
player's reach, values the ends, and comes up with counterfactual values.  Down and up take `BLOCK` hands at a
time through the whole forest, so that all they touch stays in the processor's cache.  The ends are valued for
all hands at once; each end is a *lane*, and lanes stand in groups of `LANES`, so that every loop has a length
known to the compiler.

An array *by lane* has shape (groups of lanes, hands, LANES).  A table of regrets or sums has a row of `BLOCK`
hands for each board, block of hands, and edge, in this order.  Hands that pad a block have reach 0.

Indices before the last are worked out once for a loop over the last; a flat index of parts that might be
negative would keep the loop from becoming vector code.

At a showdown, hands stand in ascending order of strength.  Running sums of the opponent's reach, in total and
by card, begin at minus everything; a group of equals is added twice, and is read in between, where it counts
nothing itself.

Source: Johanson, Waugh, Bowling, Zinkevich, *Accelerating Best Response Calculation in Large Extensive Games*
(2011), for the sums by card; Brown and Sandholm, *Solving Imperfect-Information Games via Discounted Regret
Minimization* (2019).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import kernel
from engine.support.arrays import Bytes, Floats32, Ints32

BLOCK: Final = 64
"""Hands that go through the forest together."""
LANES: Final = 16
"""Ends that are valued together."""
_ALL: Final = 52
"""The row of sums over all cards, after those of the cards."""
_LEAST: Final = np.float32(1e-37)
"""Sums up to this are as good as none: one divided by the smallest numbers is infinite."""


class NodeColumn(IntEnum):
    """Columns of a forest's nodes."""

    PLAYER = 0
    """The player to act."""
    FIRST = 1
    """The first child."""
    ACTIONS = 2
    """0 at an end."""
    EDGE = 3
    """The first of its edges among those of the player to act."""
    ROW_0 = 4
    """The row of player 0's reach here: the same as at the parent unless that player has acted there."""
    ROW_1 = 5


class Mode(IntEnum):
    """The purposes of a pass."""

    LEARN = 0
    """Both play by regret matching; the opponent's sums and the player's regrets are updated."""
    VALUE = 1
    """Both play their averages."""
    RESPOND = 2
    """The player responds best to the opponent's average."""


class SideTables(NamedTuple):
    """One player on all boards of a level; all boards have the same forest."""

    regrets: Floats32
    sums: Floats32
    """Summed strategies, each weighted by the player's own reach."""
    bases: Ints32
    """Where each board begins in the tables."""
    blocks: Ints32
    """Blocks of hands on each board."""
    cards: Bytes
    """The cards of each hand, shape (boards, hands, 2)."""
    twins: Ints32
    """The place of the same hand in the other player's list, or -1; shape (boards, hands)."""
    groups: Ints32
    """Where each group of equals ends; both sides have the same groups; shape (boards, groups)."""
    places: Ints32
    """The place of each hand in the list of the board before, -1 for padding; shape (boards, hands)."""


class Forest(NamedTuple):
    """The betting of a round."""

    nodes: Ints32
    """Shape (nodes, len(NodeColumn))."""
    roots: int
    edges: tuple[int, int]
    """The number of edges of each player."""
    fold_lanes: Ints32
    end_lanes: Ints32
    """By lane: the node, and the rows of both players' reach there; shape (lanes, 3)."""
    fold_chips: Floats32
    """By player and lane, what it wins, or loses by its own fold; half of the pot at the start included."""
    end_chips: Floats32
    """By lane, the same for a showdown that is won; 1 where the next round begins."""


class Pass(NamedTuple):
    """A player, a purpose, and the factors of tables."""

    player: int
    """The player whose values come up."""
    mode: int
    positive: float
    negative: float
    """Factors of regrets before this pass adds to them."""
    gain: float
    """The factor of sums before this pass adds to them."""
    floor: float
    """The least regret kept."""


class PassScratch(NamedTuple):
    """Scratch arrays of one thread."""

    rows: Floats32
    """Reach or values by node for a block of hands, shape (nodes, BLOCK)."""
    chances: Floats32
    """Two more rows, shape (2, BLOCK)."""
    sums: Floats32
    """Sums by card for a group of lanes, shape (53, LANES)."""
    start: Floats32
    """The opponent's reach at the roots, by lane."""
    folds: Floats32
    ends: Floats32
    """The opponent's reach at the ends, by lane."""
    fold_values: Floats32
    end_values: Floats32
    """The player's values there, by lane, per chip."""
    kept: Floats32
    """The player's values at all nodes of the last board that was passed, shape (nodes, hands); or empty."""


@kernel(allocates=False)
def _match(table: Floats32, first: int, actions: int, chances: Floats32) -> None:
    """Fill in the two rows that turn a table's entries into chances: their factor, and what is added."""
    even = np.float32(1.0 / actions)
    for hand in range(BLOCK):
        chances[0, hand] = 0.0
    for edge in range(actions):
        at = first + edge
        for hand in range(BLOCK):
            chances[0, hand] += max(table[at, hand], np.float32(0.0))
    for hand in range(BLOCK):
        total = chances[0, hand]
        is_known = total > _LEAST
        chances[1, hand] = np.float32(0.0) if is_known else even
        chances[0, hand] = np.float32(1.0) / total if is_known else np.float32(0.0)


@kernel(allocates=False)
def go_down(forest: Forest, side: SideTables, board: int, step: Pass, room: PassScratch) -> None:
    """Take the opponent's reach from the roots to all ends, and add its strategy to its sums.

    Args:
        forest: the betting.
        side: the opponent's; `sums` are updated if it learns.
        board: the number of the board.
        step: what the pass is for.
        room: `start` is read, `folds` and `ends` are filled in.
    """
    nodes, rows, chances = forest.nodes, room.rows, room.chances
    other = 1 - step.player
    column, edges = NodeColumn.ROW_0 + other, forest.edges[other]
    learns = step.mode == Mode.LEARN
    table = side.regrets if learns else side.sums
    gain = np.float32(step.gain)
    for block in range(side.blocks[board]):
        begin = block * BLOCK
        base = side.bases[board] + block * edges
        for number in range(nodes.shape[0]):
            row = nodes[number, column]
            if number < forest.roots:
                for hand in range(BLOCK):
                    rows[row, hand] = room.start[number // LANES, begin + hand, number % LANES]
            if nodes[number, NodeColumn.ACTIONS] and nodes[number, NodeColumn.PLAYER] == other:
                first = base + nodes[number, NodeColumn.EDGE]
                actions = nodes[number, NodeColumn.ACTIONS]
                _match(table, first, actions, chances)
                for edge in range(actions):
                    child = nodes[nodes[number, NodeColumn.FIRST] + edge, column]
                    at = first + edge
                    for hand in range(BLOCK):
                        chance = max(table[at, hand], np.float32(0.0)) * chances[0, hand] + chances[1, hand]
                        rows[child, hand] = rows[row, hand] * chance
                    if learns:
                        for hand in range(BLOCK):
                            side.sums[at, hand] = side.sums[at, hand] * gain + rows[child, hand]
        _to_lanes(rows, forest.fold_lanes, 1 + other, begin, room.folds)
        _to_lanes(rows, forest.end_lanes, 1 + other, begin, room.ends)


@kernel(allocates=False)
def _to_lanes(rows: Floats32, lanes: Ints32, column: int, begin: int, out: Floats32) -> None:
    """Copy the rows of a block of hands to an array by lane."""
    for number in range(lanes.shape[0]):
        row, group, lane = lanes[number, column], number // LANES, number % LANES
        for hand in range(BLOCK):
            out[group, begin + hand, lane] = rows[row, hand]


@kernel(allocates=False)
def value_folds(mine: SideTables, theirs: SideTables, board: int, lanes: int, room: PassScratch) -> None:
    """Fill in what each hand meets of the opponent's reach at the folds: all hands without its cards."""
    sums, reach, values = room.sums, room.folds, room.fold_values
    width = sums.shape[1]
    for group in range((lanes + LANES - 1) // LANES):
        sums[:] = np.float32(0.0)
        _add(theirs, board, (0, theirs.blocks[board] * BLOCK), reach[group], sums)
        for hand in range(mine.blocks[board] * BLOCK):
            one, two, twin = mine.cards[board, hand, 0], mine.cards[board, hand, 1], mine.twins[board, hand]
            for lane in range(width):
                values[group, hand, lane] = sums[_ALL, lane] - sums[one, lane] - sums[two, lane]
            if twin >= 0:
                for lane in range(width):
                    values[group, hand, lane] += reach[group, twin, lane]


@kernel(allocates=False, inlined=True)
def _add(side: SideTables, board: int, hands: tuple[int, int], reach: Floats32, sums: Floats32) -> None:
    """Add the reach of some hands in a group of lanes to the sums; reach: shape (hands, LANES)."""
    width = sums.shape[1]
    for hand in range(hands[0], hands[1]):
        one, two = side.cards[board, hand, 0], side.cards[board, hand, 1]
        for lane in range(width):
            weight = reach[hand, lane]
            sums[_ALL, lane] += weight
            sums[one, lane] += weight
            sums[two, lane] += weight


@kernel(allocates=False)
def _value_showdowns(mine: SideTables, theirs: SideTables, board: int, lanes: int, room: PassScratch) -> None:
    """Fill in the opponent's reach below each hand less that above, without its cards, at all showdowns."""
    sums, values = room.sums, room.end_values
    width = sums.shape[1]
    for group in range((lanes + LANES - 1) // LANES):
        reach = room.ends[group]
        sums[:] = np.float32(0.0)
        _add(theirs, board, (0, theirs.blocks[board] * BLOCK), reach, sums)
        for row in range(_ALL + 1):
            for lane in range(width):
                sums[row, lane] = -sums[row, lane]
        hand, begin = 0, 0
        for number in range(mine.groups.shape[1]):
            end = theirs.groups[board, number]
            _add(theirs, board, (begin, end), reach, sums)
            for place in range(hand, mine.groups[board, number]):
                one, two = mine.cards[board, place, 0], mine.cards[board, place, 1]
                for lane in range(width):
                    values[group, place, lane] = sums[_ALL, lane] - sums[one, lane] - sums[two, lane]
            _add(theirs, board, (begin, end), reach, sums)
            hand, begin = mine.groups[board, number], end


@kernel(allocates=False)
def come_up(
    forest: Forest, side: SideTables, board: int, step: Pass, room: PassScratch, out: Floats32
) -> None:
    """Take values from the ends to the roots, and learn from them.

    Args:
        forest: the betting.
        side: the player's; `regrets` are updated if it learns.
        board: the number of the board.
        step: what the pass is for.
        room: `fold_values` and `end_values` are read, `kept` is filled in.
        out: the values at the roots, by lane; filled in.
    """
    nodes, rows = forest.nodes, room.rows
    player = step.player
    edges = forest.edges[player]
    for block in range(side.blocks[board]):
        begin = block * BLOCK
        base = side.bases[board] + block * edges
        _from_lanes(room.fold_values, forest.fold_lanes, forest.fold_chips[player], begin, rows)
        _from_lanes(room.end_values, forest.end_lanes, forest.end_chips, begin, rows)
        for number in range(nodes.shape[0] - 1, -1, -1):
            actions, child = nodes[number, NodeColumn.ACTIONS], nodes[number, NodeColumn.FIRST]
            if actions == 0:
                continue
            if nodes[number, NodeColumn.PLAYER] == player:
                _decide(side, step, base + nodes[number, NodeColumn.EDGE], actions, number, child, room)
                continue
            for hand in range(BLOCK):
                rows[number, hand] = rows[child, hand]
            for edge in range(1, actions):
                for hand in range(BLOCK):
                    rows[number, hand] += rows[child + edge, hand]
        for number in range(forest.roots):
            for hand in range(BLOCK):
                out[number // LANES, begin + hand, number % LANES] = rows[number, hand]
        for number in range(room.kept.shape[0]):
            for hand in range(BLOCK):
                room.kept[number, begin + hand] = rows[number, hand]


@kernel(allocates=False)
def _from_lanes(values: Floats32, lanes: Ints32, chips: Floats32, begin: int, rows: Floats32) -> None:
    """Copy values by lane, times chips, to the rows of the ends for a block of hands."""
    for number in range(lanes.shape[0]):
        row, group, lane, stake = lanes[number, 0], number // LANES, number % LANES, chips[number]
        for hand in range(BLOCK):
            rows[row, hand] = stake * values[group, begin + hand, lane]


@kernel(allocates=False)
def _decide(
    side: SideTables, step: Pass, first: int, actions: int, row: int, child: int, room: PassScratch
) -> None:
    """Fill in the value of a decision of the player for a block of hands, and update its regrets."""
    rows, chances = room.rows, room.chances
    if step.mode == Mode.RESPOND:
        for hand in range(BLOCK):
            rows[row, hand] = rows[child, hand]
        for edge in range(1, actions):
            for hand in range(BLOCK):
                rows[row, hand] = max(rows[row, hand], rows[child + edge, hand])
        return
    table = side.regrets if step.mode == Mode.LEARN else side.sums
    _match(table, first, actions, chances)
    for hand in range(BLOCK):
        rows[row, hand] = 0.0
    for edge in range(actions):
        at, below = first + edge, child + edge
        for hand in range(BLOCK):
            chance = max(table[at, hand], np.float32(0.0)) * chances[0, hand] + chances[1, hand]
            rows[row, hand] += chance * rows[below, hand]
    if step.mode != Mode.LEARN:
        return
    positive, negative, floor = np.float32(step.positive), np.float32(step.negative), np.float32(step.floor)
    for edge in range(actions):
        at, below = first + edge, child + edge
        for hand in range(BLOCK):
            regret = table[at, hand]
            kept = regret * (positive if regret > np.float32(0.0) else negative)
            table[at, hand] = max(kept + rows[below, hand] - rows[row, hand], floor)


@kernel(allocates=False)
def gather(side: SideTables, board: int, lanes: int, before: Floats32, start: Floats32) -> None:
    """Fill in the reach at the roots on a board from the reach at the ends of the round before.

    Args:
        side: whose reach it is.
        board: the number of the board.
        lanes: the number of roots.
        before: by lane.
        start: by lane; filled in, with 0 for padding.
    """
    width = start.shape[2]
    for group in range((lanes + LANES - 1) // LANES):
        for hand in range(side.blocks[board] * BLOCK):
            place = side.places[board, hand]
            for lane in range(width):
                start[group, hand, lane] = before[group, place, lane] if place >= 0 else np.float32(0.0)


@kernel(allocates=False)
def scatter(places: Ints32, weight: float, lanes: int, values: Floats32, total: Floats32) -> None:
    """Add the values at the roots on a board to those at the ends of the round before.

    Args:
        places: the place of each hand in the list of the board before, -1 for padding; shape (hands on the
            board,).
        weight: the chance of the board for two hands that it may meet.
        lanes: the number of roots.
        values: by lane.
        total: by lane; added to in place.
    """
    factor, width = np.float32(weight), total.shape[2]
    for group in range((lanes + LANES - 1) // LANES):
        for hand in range(places.shape[0]):
            if places[hand] >= 0:
                for lane in range(width):
                    total[group, places[hand], lane] += factor * values[group, hand, lane]


@kernel(allocates=False)
def pass_rivers(
    forest: Forest,
    sides: tuple[SideTables, SideTables],
    boards: tuple[int, int],
    before: Floats32,
    step: Pass,
    room: PassScratch,
    out: Floats32,
) -> None:
    """A pass over some river boards, each apart.

    Args:
        forest: the betting on the river.
        sides: the player's and the opponent's.
        boards: the first and the end of the boards.
        before: the opponent's reach at the ends of the turn, by lane.
        step: what the pass is for.
        room: scratch.
        out: the player's values at the roots, by board and lane; filled in.
    """
    mine, theirs = sides
    for board in range(boards[0], boards[1]):
        gather(theirs, board, forest.roots, before, room.start)
        go_down(forest, theirs, board, step, room)
        value_folds(mine, theirs, board, len(forest.fold_lanes), room)
        _value_showdowns(mine, theirs, board, len(forest.end_lanes), room)
        come_up(forest, mine, board, step, room, out[board])
