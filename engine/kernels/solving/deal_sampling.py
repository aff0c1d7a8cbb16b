"""External sampling on buckets: a player tries all of its actions; the other's actions are drawn.

A deal is reduced to what strategies know of it: the bucket of each player in each round, and who wins the
showdown.  So the cost of a deal is the nodes visited, however many hands and boards there are, and the
betting may have any shape.

Source: Lanctot and others, *Monte Carlo Sampling for Regret Minimization in Extensive Games* (2009).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from engine.kernels._jit import kernel
from engine.kernels.splitmix import random_number
from engine.support.arrays import Bools, Floats, Ints, Words


class Column(IntEnum):
    """Columns of `Betting.nodes`; the children of a node have greater numbers and are adjacent."""

    KIND = 0
    """The position to act, or `FOLD` or `SHOWDOWN` where the hand is over."""
    FIRST = 1
    """The first child."""
    NUM_ACTIONS = 2
    FIRST_SLOT = 3
    """The first slot of a decision.  Slots are ordered by bucket, then by action."""
    ROUND = 4
    """The betting round."""


FOLD: int = 2
SHOWDOWN: int = 3
"""Kinds of nodes at which the hand is over; 0 and 1 are positions to act."""


class Betting(NamedTuple):
    """The betting tree of a game."""

    nodes: Ints
    """Shape (nodes, len(Column))."""
    chips: Floats
    """Chips that position 0 wins at a fold, or that the winner wins at a showdown; shape (nodes,)."""


class SampledDeals(NamedTuple):
    """Deals as strategies on buckets know them."""

    buckets: Ints
    """The bucket of each player in each round, shape (deals, 2, rounds)."""
    winners: Floats
    """The winner of the showdown: 1 for position 0, -1 for position 1, 0 for a tie; shape (deals,)."""


class DealBound(NamedTuple):
    """The strategy of one player, the *bound* one; that of the other is the result."""

    player: int
    """The position of the bound player; -1 for nobody."""
    part: float
    """The part of all hands in which it plays `model` throughout (restricted Nash response)."""
    trust: Floats
    """The part of its actions that are the model's, by slot (data-biased response)."""
    model: Floats
    """The model's chances, by slot."""


class DealVisits(NamedTuple):
    """Scratch arrays for a traversal: a list of the nodes it visits."""

    nodes: Ints
    """The number of each node visited, shape (nodes,)."""
    firsts: Ints
    """The place in this list of the first child of each node, shape (nodes,)."""
    meant: Floats
    """The other player's chance to play there without trembles, divided by that with them; shape (nodes,)."""
    worth: Floats
    """The value of each node to the player, shape (nodes,)."""
    chances: Floats
    """The chances of the actions at each node, shape (nodes, most actions)."""
    tried: Bools
    """Whether all actions are tried at each node, shape (nodes,)."""


@kernel(allocates=False)
def learn_from_deals(
    betting: Betting,
    deals: SampledDeals,
    learnt: tuple[Floats, Floats],
    visits: DealVisits,
    random: Words,
    weights: tuple[float, float],
    bound: DealBound,
) -> None:
    """Learn from some deals; in each of them, each player in turn tries all of its actions.

    Args:
        betting: the betting tree of the game.
        deals: the deals, which are learnt from one after the other.
        learnt: regrets and summed strategies by slot, changed in place.
        visits: overwritten.
        random: the state of a SplitMix64 generator, shape (1,), advanced in place.
        weights: the weight of a deal; and the part of the other player's actions that are trembles, any legal
            action being equally likely.
        bound: what is prescribed to a player.
    """
    for deal in range(deals.winners.shape[0]):
        for player in range(2):
            _traverse(betting, deals, (deal, player), learnt, visits, random, weights, bound)


@kernel(allocates=False)
def _traverse(
    betting: Betting,
    deals: SampledDeals,
    turn: tuple[int, int],
    learnt: tuple[Floats, Floats],
    visits: DealVisits,
    random: Words,
    weights: tuple[float, float],
    bound: DealBound,
) -> None:
    """One player's turn in a deal: list the nodes visited, parents first; then learn, children first."""
    deal, player = turn
    tree, chips = betting.nodes, betting.chips
    buckets, winner = deals.buckets[deal], deals.winners[deal]
    regrets, sums = learnt
    weight, trembles = weights
    nodes, worth, chances = visits.nodes, visits.worth, visits.chances
    sign = 1.0 if player == 0 else -1.0
    nodes[0] = 0
    visits.meant[0] = 1.0
    # A player bound in a hand learns nothing from it either.
    no_say = bound.player == 1 - player and random_number(random) < bound.part
    count = 1
    visit = 0
    while visit < count:
        node = nodes[visit]
        kind, meant = tree[node, Column.KIND], visits.meant[visit]
        visits.firsts[visit] = count
        if kind >= FOLD:
            worth[visit] = sign * chips[node] * (winner if kind == SHOWDOWN else 1.0)
            visit += 1
            continue
        first, num_actions = tree[node, Column.FIRST], tree[node, Column.NUM_ACTIONS]
        slot = tree[node, Column.FIRST_SLOT] + buckets[kind, tree[node, Column.ROUND]] * num_actions
        is_bound = kind == bound.player and (
            no_say or (bound.trust[slot] > 0.0 and random_number(random) < bound.trust[slot])
        )
        total = 0.0
        for action in range(num_actions):
            chance = bound.model[slot + action] if is_bound else max(regrets[slot + action], 0.0)
            chances[visit, action] = chance
            total += chance
        for action in range(num_actions):
            chances[visit, action] = chances[visit, action] / total if total > 0.0 else 1.0 / num_actions
        visits.tried[visit] = kind == player and not is_bound
        if visits.tried[visit]:
            for action in range(num_actions):
                nodes[count] = first + action
                visits.meant[count] = meant
                count += 1
        else:
            part = 0.0 if is_bound else trembles
            tremble = part / num_actions
            drawn = random_number(random)
            action, chance = 0, (1.0 - part) * chances[visit, 0] + tremble
            while action < num_actions - 1 and drawn >= chance:
                drawn -= chance
                action += 1
                chance = (1.0 - part) * chances[visit, action] + tremble
            for each in range(num_actions):
                sums[slot + each] += weight * meant * chances[visit, each]
            nodes[count] = first + action
            visits.meant[count] = meant * chances[visit, action] / chance
            count += 1
        visit += 1

    for visit in range(count - 1, -1, -1):
        node, first = nodes[visit], visits.firsts[visit]
        kind = tree[node, Column.KIND]
        if kind >= FOLD:
            continue
        if not visits.tried[visit]:
            worth[visit] = worth[first]
            continue
        num_actions = tree[node, Column.NUM_ACTIONS]
        slot = tree[node, Column.FIRST_SLOT] + buckets[kind, tree[node, Column.ROUND]] * num_actions
        value = 0.0
        for action in range(num_actions):
            value += chances[visit, action] * worth[first + action]
        worth[visit] = value
        for action in range(num_actions):
            regrets[slot + action] += weight * (worth[first + action] - value)


@kernel(allocates=False)
def play_deals(betting: Betting, deals: SampledDeals, first: Floats, second: Floats, random: Words) -> float:
    """The chips that position 0 wins in all over some deals, if both players draw their actions.

    Args:
        betting: the betting tree of the game.
        deals: the deals, which are played one after the other.
        first: the policy of position 0, by slot.
        second: the policy of position 1, by slot.
        random: the state of a SplitMix64 generator, shape (1,), advanced in place.
    """
    tree, won = betting.nodes, 0.0
    for deal in range(deals.winners.shape[0]):
        node = 0
        while tree[node, Column.KIND] < FOLD:
            player, num_actions = tree[node, Column.KIND], tree[node, Column.NUM_ACTIONS]
            bucket = deals.buckets[deal, player, tree[node, Column.ROUND]]
            slot = tree[node, Column.FIRST_SLOT] + bucket * num_actions
            drawn, action = random_number(random), 0
            while action < num_actions - 1:
                chance = first[slot + action] if player == 0 else second[slot + action]
                if drawn < chance:
                    break
                drawn -= chance
                action += 1
            node = tree[node, Column.FIRST] + action
        won += betting.chips[node] * (deals.winners[deal] if tree[node, Column.KIND] == SHOWDOWN else 1.0)
    return won
