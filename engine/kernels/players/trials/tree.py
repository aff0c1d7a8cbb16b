"""The betting tree of trials: its nodes, and the ranges of all players at each.

Whatever follows from the betting alone is computed once for a betting sequence and kept in a *tree*: who is
to act, the thresholds, the ranges of all players, and how often the player to act takes each action on
average.  Nodes are made when a trial first comes to them.  Nothing in a node depends on the cards dealt in a
trial: a player's triple is a function of the node, the player's two cards and the board so far.

**Ranges.**  At a node each player's range is a distribution over `NUM_STRATA` strata of hand strength
(``strata``); before the flop, strength is the share of starting hands that are worth less.  A range begins
with the player's weight table.  It moves with each action of the player as a weight table does (Fig. 3.5),
stratum by stratum; a new board card moves it as strengths move on average.

``nodes`` computes what the player to act does.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from engine.kernels._jit import integer, kernel
from engine.kernels.players.player import Spare
from engine.kernels.players.records import Push, Thresholds
from engine.kernels.players.reweighting import likelihood
from engine.kernels.players.trials.players import Players
from engine.kernels.players.trials.strata import NUM_STRATA, Averages
from engine.kernels.poker.betting import (
    CALL,
    FOLD,
    MAX_PLAYERS,
    NODE_SIZE,
    General,
    Node,
    Rule,
    apply_action,
    legal_raise,
    pot_after_call,
)
from engine.poker.records import NUM_SIZES, LastAction, RaiseSize
from engine.poker.rules.action import COMMITTED
from engine.support.arrays import Floats, Ints


class Child(IntEnum):
    """Places among a node's children."""

    FOLD = 0
    CALL = 1
    RAISE = 2
    """The raise of the first size; the others follow."""


NUM_CHILDREN: Final = Child.RAISE + NUM_SIZES
"""The most children of a node."""


class TreeNode(IntEnum):
    """Integers of a node after those of its betting (`Node`)."""

    ENTERED = NODE_SIZE
    """Bit p: position p has called or raised in this round."""
    LOW = NODE_SIZE + 1
    """The smallest total of a raise; 0 if none is legal."""
    HIGH = NODE_SIZE + 2
    """The greatest total of a raise."""
    READY = NODE_SIZE + 3
    """1 once the triples have been computed."""
    PREFLOP_TABLE = NODE_SIZE + 4
    """Before the flop, the `table_index` of the ranking of the actor's starting hand."""
    OPPONENT = NODE_SIZE + 5
    """Before the flop, the position of the only opponent left; -1 if there are several."""
    NUM_OPPONENTS = NODE_SIZE + 6
    """The number of opponents still in the hand."""
    CHILDREN = NODE_SIZE + 7
    """The first of the nodes after a fold, a call and a raise of each size; 0 for those not made yet."""
    SPENT = CHILDREN + NUM_CHILDREN
    """The first of the chips spent in the hand, by position."""
    LAST_ACTION = SPENT + MAX_PLAYERS
    """The first of the last actions in the hand, by position: a `LastAction` each."""
    RANGES = LAST_ACTION + MAX_PLAYERS
    """The first of the rows of `Tree.ranges` that hold the ranges, by position."""


NODE_INTEGERS: Final = TreeNode.RANGES + MAX_PLAYERS
"""The number of integers of a node."""


class NodeNumber(IntEnum):
    """Floating-point numbers of a node."""

    THRESHOLDS = 0
    """First of fourteen: the fields of `Thresholds`, in their order."""
    CAN_FOLD = 12
    CAN_RAISE = 13
    """With the one before, the last two of them."""
    PUSH = 14
    """First of eleven: the fields of `Push`."""
    BLUFFS = 25
    """The chance that the weakest hands bluff."""
    PROTECTION = 26
    """After the flop, by how much a bet protects."""
    KIND = 27
    """The actor's `Kind`."""
    CALL_PRICE = 28
    """The call, as a part of the pot after it."""
    MEAN = 29
    """First of three: the actor's mean triple over its range."""
    STRENGTH = MEAN + 3
    """First of NUM_STRATA + 1: the chance to be ahead of all opponents, at the edges of the strata.
    Before the flop, in our own nodes of limit games, the mean of the ranges of several opponents."""
    CALLS = STRENGTH + NUM_STRATA + 1
    """First of NUM_STRATA: the chance of each stratum to call."""
    RAISES = CALLS + NUM_STRATA
    """First of NUM_STRATA: the chance of each stratum to raise."""
    CONTINUES = RAISES + NUM_STRATA
    """First of NUM_SIZES, in our own nodes of no-limit games against one opponent: the chance that he goes on
    against a raise of a size; -1 for sizes that are not made there."""
    WORSE_THAT_FOLD = CONTINUES + NUM_SIZES
    """There, how far his folds are of hands that are beaten anyhow."""
    FOLDS = WORSE_THAT_FOLD + 1
    """First of six: the curve of a modelled actor's folds, the fields of `Line`."""
    LIFTS = FOLDS + 6
    """First of six: that of its raises."""


NODE_NUMBERS: Final = NodeNumber.LIFTS + 6
"""The number of floating-point numbers of a node."""


class Used(IntEnum):
    """Entries of `Tree.used`."""

    NODES = 0
    """The number of nodes made, without passing ones."""
    RANGES = 1
    """The number of ranges made, without those of passing nodes."""
    PASSING = 2
    """The number of passing nodes made."""


NUM_USED: Final = len(Used)


class Scratch(IntEnum):
    """Rows of `Tree.scratch`."""

    WEIGHTS = 0
    VALUES = 1
    CHANCES = 2
    DRAWS = 3
    VALUE_VARIANCES = 4
    """By how much the values of the hands of a stratum differ."""
    CHANCE_VARIANCES = 5
    """By how much their chances differ."""
    SHARES = 6
    """The share of all hands that the hands of a stratum beat."""
    SHARE_VARIANCES = 7
    SPARE = 8
    """The first of three spare rows."""


NUM_SCRATCH: Final = Scratch.SPARE + 3

PASSING_NODES: Final = 4
"""Nodes at the end of the arrays that are reused again and again once the tree is full."""
PASSING_RANGES: Final = PASSING_NODES * MAX_PLAYERS
"""The ranges of the passing nodes: each has its own, by position."""


class Tree(NamedTuple):
    """The betting tree, as far as trials have come."""

    integers: Ints
    """Shape (capacity, NODE_INTEGERS)."""
    numbers: Floats
    """Shape (capacity, NODE_NUMBERS)."""
    ranges: Floats
    """The part of a player's range below each edge of the strata, shape (rows, NUM_STRATA + 1).

    Nodes between which a range does not change share its row.
    """
    used: Ints
    """How much of the arrays is in use, shape (NUM_USED,)."""
    scratch: Floats
    """Shape (NUM_SCRATCH, NUM_STRATA + 1)."""
    features: Floats
    """Scratch: the features of a situation and the mean hand, shape (2, NUM_PHI)."""
    spare: Spare
    """Scratch of the player model."""


@kernel(allocates=False)
def _finish_node(rules: Ints, integers: Ints) -> None:
    """Fill in what follows directly from the betting."""
    integers[TreeNode.READY] = 0
    integers[TreeNode.LOW] = 0
    integers[TreeNode.HIGH] = 0
    for child in range(NUM_CHILDREN):
        integers[TreeNode.CHILDREN + child] = 0
    if integers[Node.TO_ACT] >= 0:
        low, high = legal_raise(
            rules, integers[TreeNode.SPENT : TreeNode.SPENT + MAX_PLAYERS], integers[:NODE_SIZE]
        )
        integers[TreeNode.LOW] = low
        integers[TreeNode.HIGH] = high


@kernel(allocates=False, inlined=True)
def thresholds_in(numbers: Floats) -> Thresholds:
    """The thresholds in a node's numbers."""
    at = numbers[NodeNumber.THRESHOLDS :]
    return Thresholds(
        at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8], at[9], at[10], at[11], at[12], at[13]
    )


@kernel(allocates=False, inlined=True)
def keep(record: tuple[float, ...], row: Floats) -> None:
    """Write the fields of a record, in their order, to the beginning of a row."""
    for field in range(len(record)):
        row[field] = record[field]


@kernel(allocates=False, inlined=True)
def push_in(numbers: Floats) -> Push:
    """The `Push`, what a raise and a call bring, in a node's numbers."""
    at = numbers[NodeNumber.PUSH :]
    return Push(at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8], at[9], at[10])


@kernel(allocates=False)
def raise_total(rules: Ints, integers: Ints, size: int) -> int:
    """The total of a raise of a given `RaiseSize` by the position to act; only if a raise is legal."""
    low, high = integer(integers[TreeNode.LOW]), integer(integers[TreeNode.HIGH])
    if rules[Rule.GENERAL, General.IS_LIMIT] or size == RaiseSize.SMALLEST:
        return low
    if size == RaiseSize.ALL_IN:
        return high
    position = integers[Node.TO_ACT]
    pot = pot_after_call(rules, integers[TreeNode.SPENT : TreeNode.SPENT + MAX_PLAYERS], integers)
    stack, spent = rules[Rule.STACK, position], integers[TreeNode.SPENT + position]
    share = 0.5 if size == RaiseSize.HALF_POT else (1.0 if size == RaiseSize.POT else 2.0)
    total = integer(integers[Node.MAX_SPENT] + share * pot + 0.5)
    if total - spent > COMMITTED * (stack - spent):
        return high
    return min(max(total, low), high)


@kernel(allocates=False, inlined=True)
def _move(weights: Floats, step: Floats, moved: Floats) -> None:
    """The weights of strata after the next card; `moved`, shape (NUM_STRATA,), is filled in place.

    step: the chances to move from each stratum to each, from `Averages`.
    """
    for later in range(NUM_STRATA):
        moved[later] = 0.0
    for stratum in range(NUM_STRATA):
        for later in range(NUM_STRATA):
            moved[later] += weights[stratum] * step[stratum, later]


@kernel(allocates=False)
def make_child(tree: Tree, players: Players, averages: Averages, rules: Ints, node: int, action: int) -> int:
    """Make the node after an action of the position to act at a node; returns its number.

    If the tree is full, the new node is a passing one, which is valid until four more have been made.

    action: `FOLD`, `CALL` or the total raised to.
    """
    nodes = tree.integers.shape[0] - PASSING_NODES
    ranges = tree.ranges.shape[0] - PASSING_RANGES
    is_passing = tree.used[Used.NODES] >= nodes or tree.used[Used.RANGES] > ranges - MAX_PLAYERS
    if not is_passing:
        child = integer(tree.used[Used.NODES])
        tree.used[Used.NODES] += 1
    else:
        child = nodes + integer(tree.used[Used.PASSING]) % PASSING_NODES
        tree.used[Used.PASSING] += 1
    old, new = tree.integers[node], tree.integers[child]
    for column in range(NODE_SIZE):
        new[column] = old[column]
    for column in range(TreeNode.SPENT, NODE_INTEGERS):
        new[column] = old[column]
    position = integer(old[Node.TO_ACT])
    entered = integer(old[TreeNode.ENTERED])
    if action != FOLD:
        entered |= 1 << position
        new[TreeNode.LAST_ACTION + position] = LastAction.CALLED if action == CALL else LastAction.RAISED
    apply_action(rules, new[TreeNode.SPENT : TreeNode.SPENT + MAX_PLAYERS], new[:NODE_SIZE], action)
    is_new_round = new[Node.ROUND] != old[Node.ROUND]
    new[TreeNode.ENTERED] = 0 if is_new_round else entered
    _finish_node(rules, new)

    if new[Node.TO_ACT] < 0:
        return child

    # The action moves the actor's range; a new board card moves everybody's.
    own = ranges + (child - nodes) * MAX_PLAYERS
    has_acted = action != FOLD and old[TreeNode.READY] > 0
    first = NodeNumber.CALLS if action == CALL else NodeNumber.RAISES
    seen = tree.numbers[node, first : first + NUM_STRATA]
    for other in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        row = integer(old[TreeNode.RANGES + other])
        moves = is_new_round or (has_acted and other == position)
        if new[Node.FOLDED] >> other & 1 or not (moves or (is_passing and row >= ranges)):
            continue
        if is_passing:
            target = own + other
        else:
            target = integer(tree.used[Used.RANGES])
            tree.used[Used.RANGES] += 1
        new[TreeNode.RANGES + other] = target
        below, after = tree.ranges[row], tree.ranges[target]
        if not moves:
            for edge in range(NUM_STRATA + 1):
                after[edge] = below[edge]
            continue
        weights = tree.scratch[Scratch.WEIGHTS]
        for stratum in range(NUM_STRATA):
            weights[stratum] = below[stratum + 1] - below[stratum]
        if has_acted and other == position:
            for stratum in range(NUM_STRATA):
                weights[stratum] *= likelihood(seen[stratum], players.reweighting_noise)
        if is_new_round:
            step = averages.to_flop if new[Node.ROUND] == 1 else averages.to_next[new[Node.ROUND] - 2]
            _move(weights, step, tree.scratch[Scratch.SPARE])
            weights = tree.scratch[Scratch.SPARE]
        total = 0.0
        after[0] = 0.0
        for stratum in range(NUM_STRATA):
            total += weights[stratum]
            after[stratum + 1] = total
        scale = 1.0 / total
        for stratum in range(NUM_STRATA):
            after[stratum + 1] *= scale
    return child
