"""Expectimax by the rules, in plain Python, and what tests of miximax try it on."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.poker.rules import Action, BettingState, HandView
from engine.solving.miximax.habits import Expectations, Habits, shipped_changes
from engine.solving.miximax.strength import BUCKETS, own_changes
from engine.solving.miximax.trees import ContextTree
from engine.support.arrays import Floats
from tests.support.asserting import known

BOARD: Final = (0, 17, 34, 51, 8)
CARDS: Final = (1, 2)


def view(betting: BettingState) -> HandView:
    """What the player to act sees, with `CARDS` and `BOARD`."""
    us = known(betting.position_to_act)
    return HandView(betting, us, 0, (CARDS, ()) if us == 0 else ((), CARDS), BOARD[: betting.num_board_cards])


def random_habits(tree: ContextTree, seed: int) -> Habits:
    """Habits whose counts are drawn at random."""
    rng = np.random.default_rng(seed)
    habits = Habits(tree)
    habits.counted.actions[:] = rng.integers(0, 30, habits.counted.actions.shape)
    habits.counted.shown[:] = rng.integers(0, 9, habits.counted.shown.shape)
    return habits


def held_to(hands: Floats, most: float) -> Floats:
    """The same times a factor, nothing above `most`, the sum 1: the factor by bisection."""
    low, high = 1.0, 1e12
    for _ in range(200):
        factor = (low * high) ** 0.5
        low, high = (factor, high) if np.minimum(factor * hands, most).sum() < 1 else (low, factor)
    return np.minimum(high * hands, most)


def _towards(prior: Floats, rows: Floats, weights: Floats) -> Floats:
    """What rows of counts say, the finest first, each drawn towards the coarser."""
    for row, weight in zip(rows[::-1], weights[::-1], strict=True):
        if row.sum() > 0:
            prior = (row + weight * prior) / (row.sum() + weight)
    return prior


class Expectimax:
    """Expectimax by the rules: states are applied one by one, chips are those that the rules say were spent.

    Of the tree it takes which node stands for a state, since habits are counted there, and which of the
    sizes there are.
    """

    def __init__(self, tree: ContextTree, habits: Habits, state: HandView, seed: int) -> None:
        self.tree, self.habits, self.us = tree, habits, state.position
        self.changes, self.percentiles = own_changes(shipped_changes(), state.own_cards, state.board, seed)
        self.expected = Expectations(tree)

    def values(self, betting: BettingState) -> dict[Action, float]:
        """What each action is worth to the player to act."""
        return {
            action: float(self.after(betting, action)[0])
            for action in self.tree.actions_at(betting)
            if action is not None
        }

    def after(self, betting: BettingState, action: Action) -> Floats:
        """By bucket of the round in which the action is taken."""
        child = betting.apply(action)
        worth = self.value(child)
        for betting_round in range(child.betting_round - 1, betting.betting_round - 1, -1):
            worth = self.changes[betting_round] @ worth
        return worth

    def value(self, betting: BettingState) -> Floats:
        """By bucket of the betting's round."""
        player = betting.position_to_act
        if player is None and not betting.is_showdown:
            loser = betting.folded.index(True)
            lost = betting.spent[loser] / self.tree.unit
            return np.full(BUCKETS, -lost if loser == self.us else lost)
        node = self.tree.node(betting)
        if player is None:
            hands = self.hands(node)
            won = np.zeros(BUCKETS)
            for bucket, percentile in enumerate(self.percentiles):
                place = int(percentile * BUCKETS)
                win = sum(hands[:place]) + (percentile * BUCKETS - place) * hands[min(place, BUCKETS - 1)]
                won[bucket] = min(betting.spent) / self.tree.unit * (2 * win - 1)
            return won
        children = {
            column: self.after(betting, action)
            for column, action in enumerate(self.tree.actions_at(betting))
            if action is not None
        }
        if player == self.us:
            best: Floats = np.max(list(children.values()), axis=0)
            return best
        chances = self.chances(node)
        expected: Floats = np.sum([chances[column] * worth for column, worth in children.items()], axis=0)
        return expected

    def chances(self, node: int) -> Floats:
        """How likely the opponent takes each action."""
        arrays, counted = self.tree.arrays, self.habits.counted.actions
        rows = counted[arrays.contexts[node]] * (arrays.children[node] >= 0)
        return _towards(self.expected.actions[node], rows, self.habits.weights.actions)

    def hands(self, node: int) -> Floats:
        """How likely the opponent shows a hand of each bucket, as far as it can hold them."""
        arrays, counted = self.tree.arrays, self.habits.counted.shown
        rows = counted[(arrays.contexts if self.us == 1 else arrays.contexts_of_other)[node]]
        wanted = _towards(self.expected.hands[1 - self.us][node], rows, self.habits.weights.shown)
        return held_to(wanted, 1 / BUCKETS / self.reach(node))

    def reach(self, end: int) -> float:
        """How likely the opponent's own actions are to lead there."""
        arrays, product, node = self.tree.arrays, 1.0, 0
        while node != end:
            (action,) = [
                a for a, c in enumerate(arrays.children[node]) if c >= 0 and c <= end < arrays.ends[c]
            ]
            if arrays.players[node] != self.us:
                product *= self.chances(node)[action]
            node = arrays.children[node][action]
        return product
