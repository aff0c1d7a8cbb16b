"""The betting tree of trials: its nodes, and the ranges of all players in each.

All that follows from the betting alone is worked out once for a betting sequence and kept in a *tree* whose
nodes are made as trials come to them: who is to act, the thresholds, how the ranges of all players lie, how
often the player acts in which way on average.  Nothing in a node depends on cards that are dealt in a trial:
the triple of a player depends on a node, his two cards and the board that is out.

**Ranges.**  In a node each player's range is a distribution over `NUM_STRATA` classes of hand strength
(``strata``); before the flop, of the share of starting hands that are worth less.  It begins with the
player's weight table and moves with each of his actions as a weight table does (Fig. 3.5), class by class; a
new board card moves it by how strengths move on average.

What a node's actor does is worked out by ``trial_triples``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.opponents.triples import (
    LEAST_CHANCE,
    NUM_PARAMETERS,
)
from engine.kernels.rules.betting import (
    CALL,
    FOLD,
    MAX_PLAYERS,
    NODE_SIZE,
    General,
    Node,
    Rule,
    apply_action,
    legal_raise,
    pot_of,
)
from engine.kernels.trials.players import (
    NUM_SIZES,
    Players,
)
from engine.kernels.trials.strata import NUM_STRATA, Averages

# Columns of a node beyond the betting's.
ENTERED: Final = NODE_SIZE
"""Bit p: position p has called or raised in this round."""
LOW: Final = NODE_SIZE + 1
"""Least total of a raise; 0 where none is legal."""
HIGH: Final = NODE_SIZE + 2
READY: Final = NODE_SIZE + 3
"""1 once the triples have been worked out."""
PREFLOP_TABLE: Final = NODE_SIZE + 4
"""Before the flop: which of the tables of starting hands ranks the actor's hand."""
OPPONENT: Final = NODE_SIZE + 5
"""Before the flop, heads-up: the position of the other player; else -1."""
SEVERAL: Final = NODE_SIZE + 6
"""Opponents in the hand."""
CHILDREN: Final = NODE_SIZE + 7
"""The nodes after a fold, a call and a raise of each size; 0 where there is none yet."""
SPENT: Final = CHILDREN + 2 + NUM_SIZES
LAST_ACTION: Final = SPENT + MAX_PLAYERS
"""What each position did last in the hand: 0 nothing, 1 called, 2 raised."""
RANGES: Final = LAST_ACTION + MAX_PLAYERS
"""By position: the row of `Tree.ranges` in which his range stands."""
NODE_INTEGERS: Final = RANGES + MAX_PLAYERS

# Numbers of a node.
THRESHOLDS: Final = 0
"""First, so that a node's numbers are what `parameters_of` takes."""
STRENGTH: Final = NUM_PARAMETERS
"""At the edges of the strata: the chance to be ahead of all opponents."""
MEAN: Final = STRENGTH + NUM_STRATA + 1
"""What the actor does on average over his range."""
FREQUENCY: Final = MEAN + 3
"""How often the model says that the actor folds, calls and raises."""
SHARE: Final = FREQUENCY + 3
"""How far the implied thresholds decide, instead of the formula."""
NOISE: Final = SHARE + 1
CALL_AT: Final = NOISE + 1
RAISE_AT: Final = CALL_AT + 1
PROTECT: Final = RAISE_AT + 1
TRIPLES: Final = PROTECT + 1
"""Of each stratum: first the chances to call, then those to raise."""
NODE_NUMBERS: Final = TRIPLES + 2 * NUM_STRATA

PASSING_NODES: Final = 4
"""Nodes at the end of the tree that are made anew each time: for when it is full."""
PASSING_RANGES: Final = PASSING_NODES * MAX_PLAYERS
"""Likewise; each passing node has its own, by position."""

COMMITTED: Final = 0.5
"""A raise of more than this part of the stack is made all in."""


class Tree(NamedTuple):
    """The betting tree as far as trials have come."""

    integers: NDArray[np.int64]
    """Shape (capacity, NODE_INTEGERS)."""
    numbers: NDArray[np.float64]
    """Shape (capacity, NODE_NUMBERS)."""
    ranges: NDArray[np.float64]
    """Of a player: the part of his range below each edge.  Nodes between which a range does not change share
    it.  Shape (more, NUM_STRATA + 1)."""
    used: NDArray[np.int64]
    """Shape (3,): nodes made; ranges made; passing nodes made."""
    scratch: NDArray[np.float64]
    """Shape (6, NUM_STRATA + 1)."""


@kernel(allocates=False)
def _finish_node(rules: NDArray[np.int64], integers: NDArray[np.int64]) -> None:
    """What follows at once from the betting."""
    integers[READY] = 0
    integers[LOW] = 0
    integers[HIGH] = 0
    for child in range(2 + NUM_SIZES):
        integers[CHILDREN + child] = 0
    if integers[Node.TO_ACT] >= 0:
        low, high = legal_raise(rules, integers[SPENT : SPENT + MAX_PLAYERS], integers[:NODE_SIZE])
        integers[LOW] = low
        integers[HIGH] = high


@kernel(allocates=False)
def raise_total(rules: NDArray[np.int64], integers: NDArray[np.int64], size: int) -> int:
    """The total of a raise of a size by the position to act; only where a raise is legal."""
    low, high = integer(integers[LOW]), integer(integers[HIGH])
    if rules[Rule.GENERAL, General.IS_LIMIT] or size == 0:
        return low
    if size == NUM_SIZES - 1:
        return high
    position = integers[Node.TO_ACT]
    pot = pot_of(rules, integers[SPENT : SPENT + MAX_PLAYERS])
    stack, spent = rules[Rule.STACK, position], integers[SPENT + position]
    pot += min(stack, integers[Node.MAX_SPENT]) - spent
    share = 0.5 if size == 1 else (1.0 if size == 2 else 2.0)
    total = integer(integers[Node.MAX_SPENT] + share * pot + 0.5)
    if total - spent > COMMITTED * (stack - spent):
        return high
    return min(max(total, low), high)


@kernel(allocates=False, inlined=True)
def _reweight(weights: NDArray[np.float64], chances: NDArray[np.float64], noise: float) -> None:
    """The weights of strata by the chances of the action seen, in place: as a weight table's (Fig. 3.5)."""
    for stratum in range(NUM_STRATA):
        chance = chances[stratum] * (1.0 - noise) + noise / 3.0
        weights[stratum] *= max(chance, LEAST_CHANCE)


@kernel(allocates=False, inlined=True)
def _move(weights: NDArray[np.float64], step: NDArray[np.float64], moved: NDArray[np.float64]) -> None:
    """What the weights of strata become with the next card; `moved` is filled in place.

    step: from each stratum to each, of `Averages`.
    """
    for later in range(NUM_STRATA):
        moved[later] = 0.0
    for stratum in range(NUM_STRATA):
        for later in range(NUM_STRATA):
            moved[later] += weights[stratum] * step[stratum, later]


@kernel(allocates=False)
def make_child(
    tree: Tree, players: Players, averages: Averages, rules: NDArray[np.int64], node: int, action: int
) -> int:
    """The node after an action, `FOLD`, `CALL` or the total raised to, of the position to act in a node.

    If the tree is full, the new node is a passing one, good until four more have been made.
    """
    nodes = tree.integers.shape[0] - PASSING_NODES
    ranges = tree.ranges.shape[0] - PASSING_RANGES
    is_passing = tree.used[0] >= nodes or tree.used[1] > ranges - MAX_PLAYERS
    if not is_passing:
        child = integer(tree.used[0])
        tree.used[0] += 1
    else:
        child = nodes + integer(tree.used[2]) % PASSING_NODES
        tree.used[2] += 1
    old, new = tree.integers[node], tree.integers[child]
    for column in range(NODE_SIZE):
        new[column] = old[column]
    for column in range(SPENT, NODE_INTEGERS):
        new[column] = old[column]
    position = integer(old[Node.TO_ACT])
    entered = integer(old[ENTERED])
    kind = 0
    if action == CALL:
        kind = 1
    elif action != FOLD:
        kind = 2
    if kind:
        entered |= 1 << position
        new[LAST_ACTION + position] = kind
    apply_action(rules, new[SPENT : SPENT + MAX_PLAYERS], new[:NODE_SIZE], action)
    is_new_round = new[Node.ROUND] != old[Node.ROUND]
    new[ENTERED] = 0 if is_new_round else entered
    _finish_node(rules, new)

    if new[Node.TO_ACT] < 0:
        return child

    # The ranges: the actor's by what he did, everybody's by the card that comes.
    own = ranges + (child - nodes) * MAX_PLAYERS
    has_acted = kind > 0 and old[READY] > 0
    noise = players.reweighting_noise[0]
    for other in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        row = integer(old[RANGES + other])
        moves = is_new_round or (has_acted and other == position)
        if new[Node.FOLDED] >> other & 1 or not (moves or (is_passing and row >= ranges)):
            continue
        if is_passing:
            target = own + other
        else:
            target = integer(tree.used[1])
            tree.used[1] += 1
        new[RANGES + other] = target
        below, after = tree.ranges[row], tree.ranges[target]
        if not moves:
            for edge in range(NUM_STRATA + 1):
                after[edge] = below[edge]
            continue
        weights = tree.scratch[0]
        for stratum in range(NUM_STRATA):
            weights[stratum] = below[stratum + 1] - below[stratum]
        if has_acted and other == position:
            start = TRIPLES + (kind - 1) * NUM_STRATA
            _reweight(weights, tree.numbers[node, start : start + NUM_STRATA], noise)
        if is_new_round:
            step = averages.to_flop if new[Node.ROUND] == 1 else averages.to_next[new[Node.ROUND] - 2]
            _move(weights, step, tree.scratch[1])
            weights = tree.scratch[1]
        total = 0.0
        after[0] = 0.0
        for stratum in range(NUM_STRATA):
            total += weights[stratum]
            after[stratum + 1] = total
        scale = 1.0 / total
        for stratum in range(NUM_STRATA):
            after[stratum + 1] *= scale
    return child
