"""Public chance sampling: all hands on one board, at all betting sequences of a round side by side.

The sequences are *lanes* (`engine.kernels.solving.lanes`), so that loops over them become vector code.
The chances of playing from a round's start to a node depend on a hand's bucket alone; single hands are only
looked at where a round begins and where it ends.

Source: Johanson, Bard, Lanctot, Gibson, Bowling, *Efficient Nash Equilibrium Approximation through Monte
Carlo Counterfactual Regret Minimization* (2012); Johanson, Bard, Burch, Bowling, *Finding Optimal Abstract
Strategies in Extensive-Form Games* (2012), for best responses on the river (CFR-BR).
"""

from __future__ import annotations

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.solving.lanes import (
    LIVE_CARDS,
    LIVE_HANDS,
    RIVER,
    BatchHands,
    BatchNode,
    Learning,
    NodeKind,
    RiverWorkspace,
    Round,
    Side,
    Workspace,
)
from engine.kernels.solving.river_ends import compare_within, pay_ends
from engine.support.arrays import Floats32, Ints


@kernel(allocates=False)
def descend(ours: Side, theirs: Side, learning: Learning) -> None:
    """Begin a pass: fill in both sides' chances of playing to all starts and nodes before the river.

    Args:
        ours: the side that learns; its workspaces are overwritten.
        theirs: the opponent; its workspaces are overwritten.
        learning: who learns, and how.
    """
    _come_down(ours, learning.player, 0.0)
    _come_down(theirs, 1 - learning.player, learning.trembles)


@kernel(allocates=False)
def _come_down(side: Side, player: int, trembles: float) -> None:
    """`descend` for one side, with a part of trembles."""
    rounds, spaces, hands = side.rounds, side.spaces, side.hands
    for hand in range(LIVE_HANDS):
        spaces[0].reach[hand, 0] = 1.0
    for betting_round in range(RIVER):
        space, buckets = spaces[betting_round], hands.buckets[betting_round]
        nodes = rounds[betting_round].nodes
        _match(rounds[betting_round], space, hands.first_rows[betting_round], 0, player)
        _play(nodes, space.chances, space.plays, player, 0.0)
        if trembles > 0.0:
            _play(nodes, space.chances, space.seen, player, trembles)
        _add_up(space.reach, buckets, space.own)
        space.values[:] = 0.0
        space.worth[:] = 0.0
        width = space.own.shape[1]
        if betting_round == RIVER - 1:
            continue
        for node in range(nodes.shape[0]):
            if nodes[node, BatchNode.KIND] == NodeKind.NEXT:
                below = spaces[betting_round + 1]
                _spread(
                    space.reach, space.seen[node], buckets, below.reach, width * nodes[node, BatchNode.LEAF]
                )


@kernel(allocates=False)
def ascend(ours: Side, theirs: Side, learning: Learning) -> None:
    """End a pass: change the regrets and sums of all rounds before the river in place.

    Args:
        ours: the side that learns, after `descend` and after `take_back` of the value of the river.
        theirs: the opponent; if it learns as well, after the same.
        learning: who learns, and how.
    """
    _come_back(ours, theirs, learning.player, learning.weight)
    if learning.opponent_learns:
        _come_back(theirs, ours, 1 - learning.player, learning.weight)


@kernel(allocates=False)
def _come_back(ours: Side, theirs: Side, player: int, weight: float) -> None:
    """`ascend` for one side."""
    rounds, spaces, hands = ours.rounds, ours.spaces, ours.hands
    for betting_round in range(RIVER - 1, -1, -1):
        space, other, buckets = (
            spaces[betting_round],
            theirs.spaces[betting_round],
            hands.buckets[betting_round],
        )
        nodes = rounds[betting_round].nodes
        width = space.own.shape[1]
        if betting_round < RIVER - 1:
            for node in range(nodes.shape[0]):
                if nodes[node, BatchNode.KIND] == NodeKind.NEXT:
                    first = width * nodes[node, BatchNode.LEAF]
                    take_back(space, buckets, node, spaces[betting_round + 1].worth, first)
        for node in range(nodes.shape[0]):
            if nodes[node, BatchNode.KIND] == NodeKind.FOLD:
                sign = -1.0 if nodes[node, BatchNode.PLAYER] == player else 1.0
                chips = rounds[betting_round].chips[node]
                met = theirs.hands.buckets[betting_round]
                _pay_fold(space, other, hands, buckets, met, node, chips, sign)
        _climb(rounds[betting_round], space, hands.first_rows[betting_round], 0, player, weight)


@kernel(allocates=False)
def play_river(
    rnd: Round,
    spaces: tuple[Workspace, Workspace],
    river: RiverWorkspace,
    turns: tuple[Side, Side],
    start: tuple[int, int],
    learning: Learning,
) -> None:
    """Play and learn the river after one node of the turn, in all of the turn's lanes.

    The result is the value of each hand at the start of the river, `Workspace.worth`.  On the river both
    sides have the same buckets.

    Args:
        rnd: the river; its regrets and sums are changed in place, in the lanes that follow `start`.
        spaces: workspaces for the side that learns and for the opponent; overwritten.
        river: workspace for showdowns; overwritten.
        turns: both sides, after `descend`.
        start: the number of a `NodeKind.NEXT` node of the turn, and its number among these nodes.
        learning: who learns, and how.
    """
    ours, theirs = spaces
    hands, player = turns[0].hands, learning.player
    node, first = start[0], ours.own.shape[1] * start[1]
    for number in range(2):
        turn, buckets = turns[number].spaces[RIVER - 1], turns[number].hands.buckets[RIVER - 1]
        _spread(turn.reach, turn.seen[node], buckets, spaces[number].reach, 0)
    _add_up(ours.reach, hands.buckets[RIVER], ours.own)
    first_row = hands.first_rows[RIVER]
    _match(rnd, ours, first_row, first, player)
    _play(rnd.nodes, ours.chances, ours.plays, player, 0.0)
    if learning.best_responses:
        compare_within(ours.reach, hands, river)
        pay_ends(rnd, theirs, ours, river, hands, first, 1 - player, (True, False))
        _respond(rnd.nodes, theirs, river, 1 - player)
        if learning.opponent_learns:
            _play(rnd.nodes, theirs.chances, theirs.plays, 1 - player, 0.0)
            pay_ends(rnd, theirs, ours, river, hands, first, 1 - player, (False, True))
    else:
        _match(rnd, theirs, first_row, first, 1 - player)
    _play(rnd.nodes, theirs.chances, theirs.seen, 1 - player, learning.trembles)
    compare_within(theirs.reach, hands, river)
    pay_ends(rnd, ours, theirs, river, hands, first, player, (True, True))
    _climb(rnd, ours, first_row, first, player, learning.weight)


@kernel(allocates=False)
def _spread(reach: Floats32, chances: Floats32, buckets: Ints, below: Floats32, first: int) -> None:
    """Multiply hands' reach by the chances of their buckets; fills `below` from the lane `first` on."""
    width = chances.shape[1]
    for hand in range(LIVE_HANDS):
        row, factor, out = reach[hand], chances[buckets[hand]], below[hand, first : first + width]
        for lane in range(width):
            out[lane] = row[lane] * factor[lane]


@kernel(allocates=False)
def _add_up(rows: Floats32, buckets: Ints, sums: Floats32) -> None:
    """Add up the rows of hands by bucket; `sums` is filled in place."""
    width = sums.shape[1]
    sums[:] = 0.0
    for hand in range(LIVE_HANDS):
        row, out = rows[hand], sums[buckets[hand]]
        for lane in range(width):
            out[lane] += row[lane]


@kernel(allocates=False)
def take_back(space: Workspace, buckets: Ints, node: int, worth: Floats32, first: int) -> None:
    """Add the value of the next round to the round before it.

    Args:
        space: the workspace of the round before; `values` and `worth` are added to in place.
        buckets: the buckets of the hands in that round, shape (hands,).
        node: the node after which the next round begins.
        worth: the value of each hand where the next round begins, shape (hands, lanes).
        first: the first lane of `worth` that belongs to `node`.
    """
    width = space.own.shape[1]
    for hand in range(LIVE_HANDS):
        row = worth[hand, first : first + width]
        values, chances = space.values[node, buckets[hand]], space.plays[node, buckets[hand]]
        out = space.worth[hand]
        for lane in range(width):
            values[lane] += row[lane]
        for lane in range(width):
            out[lane] += chances[lane] * row[lane]


@kernel(allocates=False)
def _match(rnd: Round, space: Workspace, first_row: int, first: int, player: int) -> None:
    """Fill in `Workspace.chances` of a player's actions in a round by regret matching."""
    nodes = rnd.nodes
    num_buckets, width = space.own.shape
    none = np.float32(0.0)
    for node in range(nodes.shape[0]):
        if nodes[node, BatchNode.KIND] != NodeKind.DECISION or nodes[node, BatchNode.PLAYER] != player:
            continue
        child, num_actions = nodes[node, BatchNode.FIRST], nodes[node, BatchNode.NUM_ACTIONS]
        even = np.float32(1.0 / num_actions)
        for bucket in range(num_buckets):
            total = space.values[node, bucket]  # free until values are filled in
            total[:] = none
            for action in range(child, child + num_actions):
                regrets = rnd.regrets[action - 1, first_row + bucket, first : first + width]
                for lane in range(width):
                    total[lane] += max(regrets[lane], none)
            for action in range(child, child + num_actions):
                regrets = rnd.regrets[action - 1, first_row + bucket, first : first + width]
                chances = space.chances[action, bucket]
                for lane in range(width):
                    chances[lane] = max(regrets[lane], none) / total[lane] if total[lane] > none else even


@kernel(allocates=False)
def _play(nodes: Ints, chances: Floats32, plays: Floats32, player: int, trembles: float) -> None:
    """Fill in a player's chances of playing from a round's start to each node; `plays` is overwritten."""
    num_buckets, width = plays.shape[1:]
    meant = np.float32(1.0 - trembles)
    plays[0] = 1.0
    for node in range(nodes.shape[0]):
        if nodes[node, BatchNode.KIND] != NodeKind.DECISION:
            continue
        child, num_actions = nodes[node, BatchNode.FIRST], nodes[node, BatchNode.NUM_ACTIONS]
        acts = nodes[node, BatchNode.PLAYER] == player
        tremble = (np.float32(1.0) - meant) * np.float32(1.0 / num_actions)
        for bucket in range(num_buckets):
            before = plays[node, bucket]
            for action in range(child, child + num_actions):
                chance, after = chances[action, bucket], plays[action, bucket]
                if acts:
                    for lane in range(width):
                        after[lane] = before[lane] * (meant * chance[lane] + tremble)
                else:
                    for lane in range(width):
                        after[lane] = before[lane]


@kernel(allocates=False)
def _respond(nodes: Ints, space: Workspace, river: RiverWorkspace, player: int) -> None:
    """Turn a player's chances into a best response by bucket, given the values of the ends."""
    num_buckets, width = space.own.shape
    none = np.float32(0.0)
    for node in range(nodes.shape[0] - 1, -1, -1):
        if nodes[node, BatchNode.KIND] != NodeKind.DECISION:
            continue
        child, num_actions = nodes[node, BatchNode.FIRST], nodes[node, BatchNode.NUM_ACTIONS]
        is_its = nodes[node, BatchNode.PLAYER] == player
        for bucket in range(num_buckets):
            value, worth = space.values[node, bucket], space.values[child, bucket]
            for lane in range(width):
                value[lane] = worth[lane]
            for action in range(child + 1, child + num_actions):
                worth = space.values[action, bucket]
                for lane in range(width):
                    value[lane] = max(value[lane], worth[lane]) if is_its else value[lane] + worth[lane]
            if not is_its:
                continue
            left = river.rows[3]
            left[:] = np.float32(1.0)
            for action in range(child, child + num_actions):
                worth, chances = space.values[action, bucket], space.chances[action, bucket]
                for lane in range(width):
                    chances[lane] = left[lane] if worth[lane] == value[lane] else none
                    left[lane] -= chances[lane]


@kernel(allocates=False)
def _climb(rnd: Round, space: Workspace, first_row: int, first: int, player: int, weight: float) -> None:
    """Fill in the values of a round's decisions from its ends up, and learn the player's regrets and sums."""
    nodes = rnd.nodes
    num_buckets, width = space.own.shape
    scale = np.float32(weight)
    for node in range(nodes.shape[0] - 1, -1, -1):
        if nodes[node, BatchNode.KIND] != NodeKind.DECISION:
            continue
        child, num_actions = nodes[node, BatchNode.FIRST], nodes[node, BatchNode.NUM_ACTIONS]
        is_ours = nodes[node, BatchNode.PLAYER] == player
        for bucket in range(num_buckets):
            value = space.values[node, bucket]
            value[:] = np.float32(0.0)
            for action in range(child, child + num_actions):
                worth, chances = space.values[action, bucket], space.chances[action, bucket]
                if is_ours:
                    for lane in range(width):
                        value[lane] += chances[lane] * worth[lane]
                else:
                    for lane in range(width):
                        value[lane] += worth[lane]
            if not is_ours:
                continue
            for action in range(child, child + num_actions):
                worth = space.values[action, bucket]
                regrets = rnd.regrets[action - 1, first_row + bucket, first : first + width]
                for lane in range(width):
                    regrets[lane] += scale * (worth[lane] - value[lane])
            if rnd.sums.shape[1] == 0:
                continue
            own = space.own[bucket]
            for action in range(child, child + num_actions):
                plays = space.plays[action, bucket]
                sums = rnd.sums[action - 1, first_row + bucket, first : first + width]
                for lane in range(width):
                    sums[lane] += scale * (own[lane] * plays[lane])


@kernel(allocates=False)
def _pay_fold(
    ours: Workspace,
    theirs: Workspace,
    hands: BatchHands,
    buckets: Ints,
    met: Ints,
    node: int,
    chips: Floats32,
    sign: float,
) -> None:
    """Add the value of a fold before the river: chips, times the reach of the opponent's possible hands.

    Args:
        ours: the workspace of the side whose values are wanted; `values` and `worth` are added to in place.
        theirs: the workspace of the other side.
        hands: the hands on the board.
        buckets: the buckets of our side in this round, shape (hands,).
        met: the buckets of the other side, shape (hands,).
        node: the fold.
        chips: chips that change hands, shape (lanes,).
        sign: 1 if our side wins them, -1 if it loses them.
    """
    width = ours.own.shape[1]
    by_card = ours.totals[node]
    by_card[:] = np.float32(0.0)
    everyone = by_card[LIVE_CARDS]
    factor = np.float32(sign)
    for hand in range(LIVE_HANDS):
        first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
        reach, seen = theirs.reach[hand], theirs.seen[node, met[hand]]
        for lane in range(width):
            x = reach[lane] * seen[lane]
            first[lane] += x
            second[lane] += x
            everyone[lane] += x
    for hand in range(LIVE_HANDS):
        first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
        reach, seen = theirs.reach[hand], theirs.seen[node, met[hand]]
        plays, value = ours.plays[node, buckets[hand]], ours.values[node, buckets[hand]]
        worth, paid = ours.worth[hand], ours.totals[0, 0]  # the first node is no end
        for lane in range(width):
            x = everyone[lane] - first[lane] - second[lane] + reach[lane] * seen[lane]
            paid[lane] = factor * chips[lane] * x
        for lane in range(width):
            value[lane] += paid[lane]
        for lane in range(width):
            worth[lane] += plays[lane] * paid[lane]
