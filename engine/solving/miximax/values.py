"""What our actions are worth against an opponent whose habits are known: expectimax over the betting tree.

At the opponent's nodes an action has the chance of the habits, whatever the opponent holds; at showdowns the
opponent holds what the habits say is shown there.  That is consistent, since what is shown after a betting is
what is held by those who bet so.  No hand is expected more often than Bayes' rule allows: an opponent who is
sure to bet so may hold anything, whatever has been shown.  At our own nodes later in the hand we do what is
worth most by then.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.kernels.solving.miximax import values as kernels
from engine.kernels.solving.miximax.strength import BUCKETS
from engine.kernels.solving.miximax.values import MiximaxKind, MiximaxTree, Opponent
from engine.poker.rules import Action, HandView
from engine.solving.miximax.habits import Habits
from engine.solving.miximax.strength import Changes, own_changes
from engine.solving.miximax.trees import ContextTree
from engine.support.arrays import Floats


class Miximax:
    """Values of actions against one opponent; made once a match, since it keeps arrays to work in.

    Args:
        tree: of the game.
        changes: how hands change from round to round.
    """

    def __init__(self, tree: ContextTree, changes: Changes) -> None:
        self.tree = tree
        self._changes = changes
        nodes = len(self.tree)
        self._actions = np.empty((nodes, tree.num_actions))
        self._hands = np.empty((nodes, BUCKETS))
        self._reaches = np.empty(nodes)
        self._values = np.empty((nodes, BUCKETS))
        self._priced = np.empty((nodes, 3))

    def values(self, habits: Habits, view: HandView, seed: int) -> Mapping[Action, float]:
        """What each action is worth, in small bets won or lost in the whole hand; no-limit: in big blinds.

        Args:
            habits: of the opponent.
            view: a state in which we are to act.
            seed: of boards to come that are drawn.

        Raises:
            ValueError: it is another game's, or not our turn.
        """
        root = self.tree.node(view.betting)
        if not view.is_our_turn:
            raise ValueError(f"after {view.betting.text!r} it is not our turn")
        arrays, us = self.tree.priced(root, view.betting, self._priced), view.position
        end = int(arrays.ends[root])
        kernels.fill_expected_actions(
            arrays, habits.counted, habits.weights, root, end, habits.expectations.actions, self._actions
        )
        self._fill_hands(arrays, habits, root, 1 - us)
        changes, percentiles = own_changes(self._changes, view.own_cards, view.board, seed)
        result = np.empty(self.tree.num_actions)
        if arrays.kinds[root] == MiximaxKind.DECISION:
            opponent = Opponent(self._actions, self._hands)
            kernels.expectimax(arrays, root, us, opponent, changes, percentiles, self._values, result)
        else:
            result[:] = self._called(self._hands[root], view, changes, percentiles)
        actions = self.tree.actions_at(view.betting)
        return {
            action: float(value) for action, value in zip(actions, result, strict=True) if action is not None
        }

    def _called(self, hands: Floats, view: HandView, changes: Floats, percentiles: Floats) -> Floats:
        """The worth of a fold and a call where the tree has no more betting, shape (actions,)."""
        chances, won = np.zeros(BUCKETS), np.empty(BUCKETS)
        chances[0] = 1.0
        for betting_round in range(view.betting_round, 3):
            chances = chances @ changes[betting_round]
        betting = view.betting
        kernels.showdown(hands, percentiles, BUCKETS, betting.max_spent / self.tree.unit, won)
        result = np.full(self.tree.num_actions, np.nan)
        result[:2] = -betting.spent[view.position] / self.tree.unit, chances @ won
        return result

    def expected_action(self, habits: Habits, node: int) -> Floats:
        """The chances of what the player to act at a node does, shape (actions,)."""
        kernels.fill_expected_actions(
            self.tree.arrays, habits.counted, habits.weights, node, node + 1, habits.expectations.actions,
            self._actions,
        )  # fmt: skip
        return self._actions[node].copy()

    def expected_hands(self, habits: Habits, node: int, position: int) -> Floats:
        """The chances of the buckets that a player shows at a showdown, shape (BUCKETS,)."""
        self._fill_hands(self.tree.arrays, habits, node, position)
        return self._hands[node].copy()

    def _fill_hands(self, arrays: MiximaxTree, habits: Habits, root: int, position: int) -> None:
        """A player's expected showdown hands from a root down, where its actions are known."""
        counted, weights, end = habits.counted, habits.weights, int(arrays.ends[root])
        kernels.fill_expected_hands(
            arrays, counted, weights, position, root, end, habits.expectations.hands[position], self._hands
        )
        kernels.fill_reaches(
            arrays, counted, weights, position, root, habits.expectations.actions, self._actions,
            self._reaches,
        )  # fmt: skip
        kernels.hold_to_reaches(arrays, root, end, self._reaches, self._hands)
