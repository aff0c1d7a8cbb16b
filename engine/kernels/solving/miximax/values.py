"""What actions are worth: expectimax over a betting tree, for all buckets of our hand at once.

A tree's nodes stand in the order of a walk that goes down first, so that every child comes after its parent:
one pass from the last node to the first needs no recursion.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.solving.miximax.strength import BUCKETS
from engine.support.arrays import Floats, Ints


class MiximaxKind(IntEnum):
    """The kinds of nodes."""

    DECISION = 0
    FOLD = 1
    SHOWDOWN = 2


class MiximaxTree(NamedTuple):
    """A betting tree; arrays by node unless it says otherwise."""

    kinds: Ints
    players: Ints
    """Who is to act; who has folded."""
    rounds: Ints
    children: Ints
    """After a fold, a call and each raise; -1 for what is not allowed.  Shape (nodes, actions)."""
    amounts: Floats
    """At the end of a hand: what the winner gets of the loser, in small bets; in no-limit games in big
    blinds."""
    ends: Ints
    """The first node that is not below this one."""
    contexts: Ints
    """Rows of what has been counted, the finest first: of actions at decisions, at showdowns of what position
    0 shows.  Shape (nodes, levels)."""
    contexts_of_other: Ints
    """At showdowns: of what position 1 shows."""


class Moves(NamedTuple):
    """The actions that lead to the nodes of a no-limit tree."""

    parents: Ints
    pots: Floats
    """By how many pots the action raises, infinity being all in; 0 for a call, -1 for a fold."""
    committed: float
    """A raise of more than this part of the chips left is all in."""


class Counted(NamedTuple):
    """An opponent's observed actions by context, and those of others before."""

    actions: Floats
    """How often each action was taken, shape (contexts, actions)."""
    shown: Floats
    """Percentiles at showdowns by bucket, shape (contexts, BUCKETS)."""


class Opponent(NamedTuple):
    """An opponent's expected actions."""

    actions: Floats
    """Chances of actions, shape (nodes, actions)."""
    hands: Floats
    """What it shows at showdowns, shape (nodes, BUCKETS)."""


class Weights(NamedTuple):
    """How many observations what is expected counts as, by level; the finest first."""

    actions: Floats
    shown: Floats


@kernel()
def fill_expected_actions(
    tree: MiximaxTree, counted: Counted, weights: Weights, first: int, end: int, prior: Floats,
    expected: Floats
) -> None:  # fmt: skip
    """How the player to act at nodes from `first` to before `end` is expected to act.

    prior, expected: shape (nodes, actions); the second is filled in place, and may be the first.
    """
    levels, actions = tree.contexts.shape[1], tree.children.shape[1]
    for node in range(first, end):
        if tree.kinds[node] != MiximaxKind.DECISION:
            continue
        chances = expected[node]
        for action in range(actions):
            chances[action] = prior[node, action]
        for level in range(levels - 1, -1, -1):
            row = counted.actions[tree.contexts[node, level]]
            seen = 0.0
            for action in range(actions):
                if tree.children[node, action] >= 0:
                    seen += row[action]
            if seen == 0.0:
                continue
            weight = weights.actions[level]
            for action in range(actions):
                if tree.children[node, action] >= 0:
                    chances[action] = (row[action] + weight * chances[action]) / (seen + weight)


@kernel()
def fill_expected_hands(
    tree: MiximaxTree, counted: Counted, weights: Weights, player: int, first: int, end: int,
    prior: Floats, expected: Floats
) -> None:  # fmt: skip
    """What a player is expected to show at the showdowns from `first` to before `end`.

    prior, expected: shape (nodes, BUCKETS); the second is filled in place, and may be the first.
    """
    contexts = tree.contexts if player == 0 else tree.contexts_of_other
    levels = contexts.shape[1]
    for node in range(first, end):
        if tree.kinds[node] != MiximaxKind.SHOWDOWN:
            continue
        chances = expected[node]
        for bucket in range(BUCKETS):
            chances[bucket] = prior[node, bucket]
        for level in range(levels - 1, -1, -1):
            row = counted.shown[contexts[node, level]]
            seen = row.sum()
            if seen == 0.0:
                continue
            weight = weights.shown[level]
            for bucket in range(BUCKETS):
                chances[bucket] = (row[bucket] + weight * chances[bucket]) / (seen + weight)


@kernel()
def fill_reaches(
    tree: MiximaxTree, counted: Counted, weights: Weights, player: int, root: int, prior: Floats,
    expected: Floats, reaches: Floats
) -> None:  # fmt: skip
    """How likely a player's own actions are to lead to the nodes from a root down.

    Args:
        tree: of the game.
        counted: what the player has been seen to do.
        weights: by level.
        player: a position.
        root: a node.
        prior: shape (nodes, actions).
        expected: shape (nodes, actions); known below the root, filled in place at the nodes that lead to it.
        reaches: shape (nodes,), filled in place from the root down: products of the player's chances.
    """
    reach = 1.0
    node = 0
    while node != root:
        action = 0
        while tree.children[node, action] < 0 or tree.ends[tree.children[node, action]] <= root:
            action += 1
        if tree.players[node] == player:
            fill_expected_actions(tree, counted, weights, node, node + 1, prior, expected)
            reach *= expected[node, action]
        node = tree.children[node, action]
    reaches[root] = reach
    for node in range(root, tree.ends[root]):
        if tree.kinds[node] != MiximaxKind.DECISION:
            continue
        for action in range(tree.children.shape[1]):
            child = tree.children[node, action]
            if child >= 0:
                chance = expected[node, action] if tree.players[node] == player else 1.0
                reaches[child] = reaches[node] * chance


@kernel()
def hold_to_reaches(tree: MiximaxTree, first: int, end: int, reaches: Floats, hands: Floats) -> None:
    """Take from hands what cannot be held as often: nobody comes to a showdown with a hand they do not get.

    By Bayes' rule a hand is held after some actions at most as often as it is dealt, divided by how likely
    these actions are: a player who does the same with all hands shows all hands alike.

    Args:
        tree: of the game.
        first: the first node.
        end: the node after the last.
        reaches: of the player's own actions, shape (nodes,).
        hands: what the player is expected to show, shape (nodes, BUCKETS); changed in place.
    """
    for node in range(first, end):
        if tree.kinds[node] != MiximaxKind.SHOWDOWN or reaches[node] * BUCKETS <= 1.0:
            continue
        most = 1.0 / (BUCKETS * reaches[node])
        chances = hands[node]
        # What is too much somewhere goes to the rest, in proportion; that may be too much there in turn.
        for _ in range(BUCKETS):
            full, rest = 0, 0.0
            for bucket in range(BUCKETS):
                if chances[bucket] >= most:
                    chances[bucket] = most
                    full += 1
                else:
                    rest += chances[bucket]
            left = 1.0 - full * most
            if full == BUCKETS or left <= rest:
                break
            for bucket in range(BUCKETS):
                if chances[bucket] < most:
                    chances[bucket] = chances[bucket] * left / rest if rest > 0.0 else left / (BUCKETS - full)


@kernel()
def showdown(chances: Floats, percentiles: Floats, lanes: int, amount: float,
              values: Floats) -> None:  # fmt: skip
    """What a showdown is worth to hands of some percentiles against an opponent's by bucket.

    chances, percentiles, values: shape (BUCKETS,); the first `lanes` of the last are filled in place.
    """
    below = np.empty(BUCKETS + 1, np.float64)
    below[0] = 0.0
    for bucket in range(BUCKETS):
        below[bucket + 1] = below[bucket] + chances[bucket]
    for lane in range(lanes):
        place = percentiles[lane] * BUCKETS
        bucket = min(BUCKETS - 1, int(place))
        win = below[bucket] + (place - bucket) * chances[bucket]
        values[lane] = amount * (2.0 * win - 1.0)


@kernel()
def _after_cards(
    values: Floats, round_of_values: int, round_before: int, lanes: Ints,
    changes: Floats, result: Floats, scratch: Floats
) -> None:  # fmt: skip
    """Values by bucket of one betting round as values by bucket of one before."""
    for lane in range(lanes[round_of_values]):
        result[lane] = values[lane]
    for betting_round in range(round_of_values - 1, round_before - 1, -1):
        for lane in range(lanes[betting_round]):
            total = 0.0
            for bucket in range(lanes[betting_round + 1]):
                total += changes[betting_round, lane, bucket] * result[bucket]
            scratch[lane] = total
        for lane in range(lanes[betting_round]):
            result[lane] = scratch[lane]


@kernel()
def expectimax(
    tree: MiximaxTree, root: int, us: int, opponent: Opponent,
    changes: Floats, percentiles: Floats,
    values: Floats, result: Floats
) -> None:  # fmt: skip
    """What each action at a node is worth to us in the whole hand, in the unit of the tree's amounts.

    In the betting round of the root our hand is known, one bucket; in later ones it is a bucket.  The
    opponent acts as expected whatever happens, we take whatever is worth most.

    Args:
        tree: of the game.
        root: where we are to act.
        us: our position.
        opponent: what is expected of it.
        changes: from a betting round's buckets to the next one's, shape (3, BUCKETS, BUCKETS).
        percentiles: of buckets on the river, shape (BUCKETS,).
        values: scratch, shape (nodes, BUCKETS).
        result: shape (actions,), filled in place; nan for what is not allowed.
    """
    lanes = np.full(4, BUCKETS, np.int64)
    lanes[tree.rounds[root]] = 1
    best = np.empty(BUCKETS, np.float64)
    after = np.empty(BUCKETS, np.float64)
    scratch = np.empty(BUCKETS, np.float64)
    result[:] = np.nan
    for node in range(tree.ends[root] - 1, root - 1, -1):
        this_round = tree.rounds[node]
        width = lanes[this_round]
        kind = tree.kinds[node]
        if kind == MiximaxKind.FOLD:
            amount = -tree.amounts[node] if tree.players[node] == us else tree.amounts[node]
            for lane in range(width):
                values[node, lane] = amount
        elif kind == MiximaxKind.SHOWDOWN:
            showdown(opponent.hands[node], percentiles, width, tree.amounts[node], values[node])
        else:
            ours = tree.players[node] == us
            for lane in range(width):
                best[lane] = -np.inf if ours else 0.0
            for action in range(tree.children.shape[1]):
                child = tree.children[node, action]
                if child < 0:
                    continue
                _after_cards(values[child], tree.rounds[child], this_round, lanes, changes, after, scratch)
                if ours:
                    for lane in range(width):
                        best[lane] = max(best[lane], after[lane])
                    if node == root:
                        result[action] = after[0]
                else:
                    chance = opponent.actions[node, action]
                    for lane in range(width):
                        best[lane] += chance * after[lane]
            for lane in range(width):
                values[node, lane] = best[lane]


@kernel()
def price(
    tree: MiximaxTree, moves: Moves, root: int, stacks: Floats, unit: float,
    spent: Floats, amounts: Floats
) -> None:  # fmt: skip
    """What ends of the hand are worth below a node of a no-limit game, by the chips there are in truth.

    Args:
        tree: of the game.
        moves: what leads to its nodes.
        root: a decision.
        stacks: of both, in chips, shape (2,).
        unit: chips that amounts are counted in.
        spent: what both have put in, shape (nodes, 2); given at the root, filled in place below it.
        amounts: shape (nodes,), filled in place.
    """
    for node in range(root, tree.ends[root]):
        if node > root:
            parent = moves.parents[node]
            player = tree.players[parent]
            first, second = spent[parent, 0], spent[parent, 1]
            most = max(first, second)
            stack, own = stacks[player], spent[parent, player]
            pots = moves.pots[node]
            total = own
            if pots == 0.0:
                total = min(most, stack)
            elif pots > 0.0:
                total = min(stack, max(most, most + 2.0 * most * pots))
                if total - own > moves.committed * (stack - own):
                    total = stack
            spent[node, 0], spent[node, 1] = first, second
            spent[node, player] = total
        if tree.kinds[node] == MiximaxKind.FOLD:
            amounts[node] = spent[node, tree.players[node]] / unit
        elif tree.kinds[node] == MiximaxKind.SHOWDOWN:
            amounts[node] = min(spent[node, 0], spent[node, 1]) / unit


@kernel()
def add_log_chances(
    rows: Ints, counted: Floats, prior: Floats,
    seen: Floats, weights: Floats, scores: Floats
) -> None:  # fmt: skip
    """How well each of several weights would have predicted what has now been seen.

    Args:
        rows: of the contexts in `counted`, the finest first, shape (levels,).
        counted: shape (contexts, outcomes).
        prior: what is expected where nothing was counted, shape (outcomes,); 0 for what is not allowed.
        seen: the outcome, parts that add up to 1, shape (outcomes,).
        weights: shape (choices, levels).
        scores: shape (choices,), added to in place: logarithms of chances.
    """
    outcomes = prior.shape[0]
    chances = np.empty(outcomes, np.float64)
    totals = np.empty(rows.shape[0], np.float64)
    for level in range(rows.shape[0]):
        total = 0.0
        for outcome in range(outcomes):
            if prior[outcome] > 0.0:
                total += counted[rows[level], outcome]
        totals[level] = total
    for choice in range(weights.shape[0]):
        for outcome in range(outcomes):
            chances[outcome] = prior[outcome]
        for level in range(rows.shape[0] - 1, -1, -1):
            if totals[level] == 0.0:
                continue
            weight = weights[choice, level]
            for outcome in range(outcomes):
                if prior[outcome] > 0.0:
                    row = counted[rows[level], outcome]
                    chances[outcome] = (row + weight * chances[outcome]) / (totals[level] + weight)
        chance = 0.0
        for outcome in range(outcomes):
            chance += seen[outcome] * chances[outcome]
        scores[choice] += np.log(max(chance, 1e-6))
