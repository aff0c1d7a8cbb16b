"""The sizes of our own raises in trials of no-limit games, against a single opponent.

They are those that are worth most with the hand, as at the table (``clients.bots.formula.bet_size``).
"""

from __future__ import annotations

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.players.raises import continue_chance, worse_that_fold, worth_of_raise
from engine.kernels.players.trials.players import Kind, Players
from engine.kernels.players.trials.strata import Averages
from engine.kernels.players.trials.tree import NodeNumber, Tree, TreeNode, push_in, raise_total
from engine.kernels.players.trials.values import asked_fold
from engine.kernels.poker.betting import MAX_PLAYERS, Node, pot_of
from engine.kernels.poker.cards import lowest_bit
from engine.poker.records import NUM_SIZES, PublicSituation, RaiseSize
from engine.support.arrays import Ints


@kernel(allocates=False)
def prepare_sizes(
    tree: Tree, players: Players, averages: Averages, rules: Ints, node: int, situation: PublicSituation
) -> None:
    """Fill in how often the only opponent left goes on against each size of raise that we make there.

    Before the flop we make one size, since little is known there about folds to others; the greatest wait for
    the river, when it is known what a hand is worth.
    """
    integers, numbers = tree.integers[node], tree.numbers[node]
    for size in range(NUM_SIZES):
        numbers[NodeNumber.CONTINUES + size] = -1.0
    other = lowest_bit(situation.opponents)
    numbers[NodeNumber.WORSE_THAT_FOLD] = worse_that_fold(situation, other, players.traits)
    least, most = integer(RaiseSize.HALF_POT), integer(RaiseSize.POT)
    if situation.betting_round == 0:
        least = integer(RaiseSize.POT)
    elif situation.betting_round == 3:
        most = integer(RaiseSize.ALL_IN)
    for size in range(least, most + 1):
        bet = float(raise_total(rules, integers, size) - integers[Node.MAX_SPENT])
        continues = continue_chance(situation, other, players.traits)
        if players.kinds[other] == Kind.MODELLED:
            continues = 1.0 - asked_fold(tree, players, averages, node, situation, other, bet)[0]
        numbers[NodeNumber.CONTINUES + size] = continues


@kernel(allocates=False)
def best_size(rules: Ints, tree: Tree, node: int, chance: float) -> int:
    """The `RaiseSize` that is worth most with a hand, at one of our nodes against a single opponent.

    Those that are compared are in ``NodeNumber.CONTINUES``, as they are by the formula bot at the table.

    chance: of the hand at the showdown.
    """
    integers, numbers = tree.integers[node], tree.numbers[node]
    spent_by_position = integers[TreeNode.SPENT : TreeNode.SPENT + MAX_PLAYERS]
    pot, spent = float(pot_of(rules, spent_by_position)), float(spent_by_position[integers[Node.TO_ACT]])
    most, push = float(integers[Node.MAX_SPENT]), push_in(numbers)
    best, size_of_best = -np.inf, integer(RaiseSize.POT)
    for size in range(NUM_SIZES):
        continues = numbers[NodeNumber.CONTINUES + size]
        if continues < 0.0:
            continue
        stakes = pot, spent, most, float(raise_total(rules, integers, size))
        worse = numbers[NodeNumber.WORSE_THAT_FOLD]
        worth = worth_of_raise(chance, continues, worse, stakes, push.waiting, push.patience)
        if worth > best:
            best, size_of_best = worth, size
    return size_of_best
