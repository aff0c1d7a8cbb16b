"""Trials: hands played to the end by players who act at random, each by what that player can see.

Trials with different cards walk the same betting tree (``tree``).  A player's triple follows from the node,
the player's two cards and the board so far (``nodes``).

**Random numbers.**  The k-th action of a player in a betting round is drawn with the same random number in
every branch of a trial.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.players.hand_features import (
    fill_class_counts,
    quick_potential,
    share_of_class,
    usual_negative_potential,
)
from engine.kernels.players.trials.nodes import preflop_triple, prepare_node, triple_in_node, value_in_node
from engine.kernels.players.trials.players import Kind, Players
from engine.kernels.players.trials.sizes import best_size
from engine.kernels.players.trials.strata import Averages
from engine.kernels.players.trials.tree import (
    PASSING_NODES,
    Child,
    NodeNumber,
    Tree,
    TreeNode,
    make_child,
    raise_total,
)
from engine.kernels.players.triples import triple_at
from engine.kernels.poker.betting import CALL, FOLD, MAX_PLAYERS, General, Node, Rule, settle
from engine.kernels.poker.cards import combo_of, count_bits
from engine.kernels.poker.ranking import board_key, class_on_board
from engine.kernels.splitmix import GOLDEN, mixed, unit
from engine.poker.records import RaiseSize
from engine.support.arrays import Bytes, Floats, Ints, Ints32, Words, Words16


class Feature(IntEnum):
    """The features of a hand on a board."""

    SQUARED_STRENGTH = 0
    """The square of the share of hands it beats."""
    POSITIVE = 1
    """The positive potential for one card."""
    NEGATIVE = 2
    """The negative potential for one card."""


NUM_FEATURES: Final = len(Feature)


class Step(IntEnum):
    """Entries of a decision in a trace."""

    POSITION = 0
    """The position that decided; -1 after the last decision."""
    ACTION = 1
    """`FOLD`, `CALL` or the total raised to."""
    FOLD = 2
    """The chance of a fold, by the player's triple."""
    CALL = 3
    """The chance of a call."""
    RAISE = 4
    """The chance of a raise."""


STEP_SIZE: Final = len(Step)


class Deals(NamedTuple):
    """Trials that have been dealt, and what has been computed about them."""

    holes: Bytes
    """The hole cards by position, shape (n, 10, 2)."""
    boards: Bytes
    """The boards, shape (n, 5)."""
    seeds: Words
    """The seeds of the actions, shape (n,)."""
    features: Floats
    """The `Feature`s of each player's hand on flop, turn and river; shape (n, 3, 10, NUM_FEATURES)."""
    known: Ints
    """Bit p: the features of position p in a round have been computed; shape (n, 3)."""
    ranks: Ints
    """Ranks at showdown, -1 if not computed yet; shape (n, 10)."""


class Scratch(IntEnum):
    """Rows of the scratch of `play_trials`, by position."""

    ACTED = 0
    """The number of actions in this betting round."""
    REMAINING = 1
    """Scratch of `settle`."""
    RANKS = 2
    """The rank at showdown."""


NUM_SCRATCH: Final = len(Scratch)


class Cards(NamedTuple):
    """Tables about cards, and results about boards that are kept."""

    table: Words16
    """``ranking_table()``."""
    completing: Ints
    """``straight_completions()``."""
    starting_hands: Ints
    """The starting hand of each two cards, shape (52, 52)."""
    known_round: int
    """The betting round whose board is known, 0 for none."""
    known_positive: Floats
    """The positive potential of combos on the known board.

    Shape (10, 1326), by position, or (1, 1326) for all positions; (1, 1) if no board is known.
    """
    known_negative: Floats
    """The negative potential of combos on the known board, in the same shape."""
    classes: Ints32
    """The classes of `fill_class_counts`, a row for each of 56 boards; shape (56, MAX_GROUPS).

    The boards are the known one with each of 52 next cards, the known one itself, and the flop, turn and
    river that were looked at last.
    """
    counts: Ints32
    """The counts of `fill_class_counts`, in the same shape."""
    found: Words
    """What each row was computed for: 1, or the seed of a trial in the last three rows; 0 for none; (56,)."""


class Setting(NamedTuple):
    """The setting that all trials of a spot share."""

    tree: Tree
    players: Players
    averages: Averages
    cards: Cards
    rules: Ints
    """The game, as ``engine.kernels.poker.betting`` takes it."""


_KNOWN_BOARD: Final = 52
"""The row of `Cards.classes` for the known board."""
_PASSING_BOARDS: Final = 53
"""The first of the rows for the flop, turn and river looked at last."""
NUM_BOARDS: Final = 56
"""The number of rows."""


@kernel(allocates=False)
def _fill_features(
    cards: Cards, deals: Deals, trial: int, betting_round: int, num_players: int, folded: int
) -> None:
    """Fill in the features of the players' hands on the board of a betting round, 1 to 3.

    folded: positions to leave out, as bits.
    """
    board = deals.boards[trial]
    size = betting_round + 2
    known = cards.known_round
    # The known board and those with one card more occur again and again; others only once or twice.
    row = _PASSING_BOARDS + betting_round - 1
    found = deals.seeds[trial]
    if known > 0 and betting_round - known <= 1:
        row = _KNOWN_BOARD if betting_round == known else integer(board[size - 1])
        found = np.uint64(1)
    classes, counts = cards.classes[row], cards.counts[row]
    if cards.found[row] != found:
        fill_class_counts(cards.table, board, size, classes, counts)
        cards.found[row] = found
    wanted = ((1 << num_players) - 1) & ~folded & ~integer(deals.known[trial, betting_round - 1])
    key = board_key(board, size)
    for position in range(num_players):
        if wanted >> position & 1 == 0:
            continue
        a, b = integer(deals.holes[trial, position, 0]), integer(deals.holes[trial, position, 1])
        rank = class_on_board(cards.table, key, board, size, a, b)
        strength = share_of_class(classes, counts, size, rank)
        features = deals.features[trial, betting_round - 1, position]
        features[Feature.SQUARED_STRENGTH] = strength * strength
        if betting_round == 3:
            features[Feature.POSITIVE] = 0.0
            features[Feature.NEGATIVE] = 0.0
            deals.ranks[trial, position] = rank
        elif known == betting_round:
            combo = combo_of(a, b)
            row = position if cards.known_positive.shape[0] > 1 else 0
            features[Feature.POSITIVE] = cards.known_positive[row, combo]
            features[Feature.NEGATIVE] = cards.known_negative[row, combo]
        else:
            features[Feature.POSITIVE] = quick_potential(cards.completing, board, size, a, b, strength)
            features[Feature.NEGATIVE] = usual_negative_potential(size, strength)
    deals.known[trial, betting_round - 1] |= wanted


@kernel(allocates=False)
def _size_of_raise(setting: Setting, deals: Deals, trial: int, node: int, drawn: float) -> int:
    """The `RaiseSize` of a raise in a no-limit game.

    Ours against a single opponent is the one that is worth most with the hand (`best_size`); others are drawn
    as often as the player has made them.

    drawn: a random number, 0 to 1.
    """
    tree, players = setting.tree, setting.players
    integers, numbers = tree.integers[node], tree.numbers[node]
    position, betting_round = integer(integers[Node.TO_ACT]), integer(integers[Node.ROUND])
    if players.kinds[position] == Kind.OURS and integers[TreeNode.NUM_OPPONENTS] == 1:
        chance = 0.0
        if betting_round > 0:
            features = deals.features[trial, betting_round - 1, position]
            _, chance = value_in_node(
                numbers, betting_round, 1, features[Feature.SQUARED_STRENGTH], features[Feature.POSITIVE],
                features[Feature.NEGATIVE],
            )  # fmt: skip
        return best_size(setting.rules, tree, node, chance)
    sizes = players.sizes[position, min(betting_round, 1)]
    size = integer(RaiseSize.SMALLEST)
    while size < RaiseSize.ALL_IN and drawn >= sizes[size]:
        size += 1
    return size


# Long, because passing these arrays to another kernel at every decision would cost more than the decision.
@kernel(allocates=False)
def play_trials(
    setting: Setting, deals: Deals, start: int, script: Ints, trace: Floats, chips: Floats, scratch: Ints
) -> None:
    """Play all trials from a node to the end of the hand.

    start: the number of the node.
    script: the first actions, which are taken whatever the triples say, shape (k,); all others are drawn.
    trace: the first m decisions of each trial, shape (n, m, STEP_SIZE), or (0, 0, STEP_SIZE) for none; filled
    in place.
    chips: the chips won by each position in the whole hand, shape (n, 10), filled in place.
    scratch: shape (NUM_SCRATCH, MAX_PLAYERS).
    """
    tree, players, averages, cards, rules = setting
    integers, numbers = tree.integers, tree.numbers
    last_kept = integers.shape[0] - PASSING_NODES
    is_limit = rules[Rule.GENERAL, General.IS_LIMIT] != 0
    num_players = integer(rules[Rule.GENERAL, General.NUM_PLAYERS])
    acted, remaining, ranks = scratch[Scratch.ACTED], scratch[Scratch.REMAINING], scratch[Scratch.RANKS]
    for trial in range(deals.boards.shape[0]):
        node = start
        current = -1
        steps = 0
        seed = deals.seeds[trial]
        while integers[node, Node.TO_ACT] >= 0:
            betting_round = integer(integers[node, Node.ROUND])
            if betting_round != current:
                current = betting_round
                for position in range(MAX_PLAYERS):
                    acted[position] = 0
            position = integer(integers[node, Node.TO_ACT])
            if not integers[node, TreeNode.READY]:
                prepare_node(tree, players, averages, rules, node)
            kind = integer(numbers[node, NodeNumber.KIND])
            if kind == Kind.RANDOM or kind == Kind.FIXED:
                triple = triple_at(numbers[node, NodeNumber.MEAN :])
            elif betting_round == 0:
                hand = integer(
                    cards.starting_hands[deals.holes[trial, position, 0], deals.holes[trial, position, 1]]
                )
                table = integers[node, TreeNode.PREFLOP_TABLE]
                triple = preflop_triple(
                    tree, node, averages.preflop_values[table, hand], averages.preflop_equities[hand]
                )
            else:
                if deals.known[trial, betting_round - 1] >> position & 1 == 0:
                    _fill_features(
                        cards, deals, trial, betting_round, num_players, integer(integers[node, Node.FOLDED])
                    )
                features = deals.features[trial, betting_round - 1, position]
                value, chance = value_in_node(
                    numbers[node], betting_round, integer(integers[node, TreeNode.NUM_OPPONENTS]),
                    features[Feature.SQUARED_STRENGTH], features[Feature.POSITIVE],
                    features[Feature.NEGATIVE],
                )  # fmt: skip
                share = np.sqrt(features[Feature.SQUARED_STRENGTH])
                triple = triple_in_node(numbers[node], share, value, chance, features[Feature.POSITIVE])

            child_at = integer(Child.CALL)
            action = CALL
            if steps < script.shape[0]:
                action = integer(script[steps])
                child_at = Child.FOLD if action == FOLD else (Child.CALL if action == CALL else -1)
            else:
                word = mixed(seed + GOLDEN * np.uint64(1 + (position * 4 + current) * 64 + acted[position]))
                drawn = unit(word)
                if drawn < triple.fold:
                    child_at = Child.FOLD
                    action = FOLD
                elif drawn >= 1.0 - triple.raise_ and integers[node, TreeNode.LOW] > 0:
                    size = integer(RaiseSize.SMALLEST)
                    if not is_limit:
                        size = _size_of_raise(setting, deals, trial, node, unit(mixed(word)))
                    child_at = Child.RAISE + size
                    action = raise_total(rules, integers[node], size)
            acted[position] += 1
            if steps < trace.shape[1]:
                step = trace[trial, steps]
                step[Step.POSITION] = position
                step[Step.ACTION] = action
                step[Step.FOLD] = triple.fold
                step[Step.CALL] = triple.call
                step[Step.RAISE] = triple.raise_
            steps += 1
            child = integer(integers[node, TreeNode.CHILDREN + child_at]) if child_at >= 0 else 0
            if child == 0:
                child = make_child(tree, players, averages, rules, node, action)
                if child < last_kept and child_at >= 0:
                    integers[node, TreeNode.CHILDREN + child_at] = child
            node = child
        if steps < trace.shape[1]:
            trace[trial, steps, Step.POSITION] = -1.0

        folded = integer(integers[node, Node.FOLDED])
        if count_bits(folded) < num_players - 1:
            for position in range(num_players):
                if folded >> position & 1 == 0:
                    rank = integer(deals.ranks[trial, position])
                    if rank < 0:
                        board = deals.boards[trial]
                        rank = class_on_board(
                            cards.table, board_key(board, 5), board, 5,
                            integer(deals.holes[trial, position, 0]),
                            integer(deals.holes[trial, position, 1]),
                        )  # fmt: skip
                        deals.ranks[trial, position] = rank
                    ranks[position] = rank
        spent = integers[node, TreeNode.SPENT : TreeNode.SPENT + MAX_PLAYERS]
        settle(rules, spent, folded, ranks, remaining, chips[trial])
