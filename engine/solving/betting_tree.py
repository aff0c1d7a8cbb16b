"""The betting of a game as one tree: every decision and every end, made from the rules and a rule for raises.

Numbers are given in one order, in which a betting comes before all that follows from it, and all that follows
from one action before the next action: fold, call, raises in ascending order.  So the first child of a
decision has the next number, and the others begin where what is below their elder sibling ends.  Solvers,
bounds and the search of miximax take their trees from here, and files count slots in this order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from engine.poker.rules import CALL, FOLD, Action, BettingState, GameDefinition
from engine.solving.walk import Actions, TooLarge, every_action, walk
from engine.support.arrays import Ints

DECISION: Final = 0
FOLDED: Final = 1
SHOWDOWN: Final = 2
"""Kinds of nodes."""


def raise_by(betting: BettingState, size: float) -> Action:
    """The raise by a part of the pot, where infinity is all-in; a call if no raise is legal."""
    if math.isinf(size):
        legal = betting.legal_actions()
        return legal.raising_to(legal.max_raise_to)
    return betting.raise_of_pots(size)


def by_pots(betting: BettingState, sizes: Sequence[float]) -> dict[Action, float]:
    """Fold, call, and the no-limit raises by parts of the pot; each with its part, 0 if it is no raise.

    If several parts lead to the same raise, it has the largest of them.
    """
    legal = betting.legal_actions()
    found = {action: 0.0 for action in (FOLD, CALL) if action in legal}
    if legal.can_raise:
        found |= {raise_by(betting, size): size for size in sorted(sizes)}
    return found


class BettingTree:
    """All bettings of a game; arrays are by node.

    Args:
        game: the game.
        actions: which actions the tree has at a betting, each with the part of the pot that it raises by.
        most_nodes: the most nodes it may have.
        most_decisions: the most of them at which somebody is to act.

    Raises:
        TooLarge: it has more.
    """

    def __init__(
        self,
        game: GameDefinition,
        actions: Actions = every_action,
        *,
        most_nodes: float = math.inf,
        most_decisions: float = math.inf,
    ) -> None:
        self.game = game
        self.bettings: list[BettingState] = []
        self.actions: list[dict[Action, float]] = []
        """The actions at each node, with the part of the pot that each raises by; none at an end."""
        shared: dict[tuple[tuple[Action, float], ...], dict[Action, float]] = {}  # few differ
        parents: list[int] = []
        for parent, betting, found in walk(game, actions):
            most_decisions -= bool(found)
            if len(parents) >= most_nodes or most_decisions < 0:
                raise TooLarge(f"the betting of the game has more than {len(parents)} nodes")
            self.bettings.append(betting)
            self.actions.append(shared.setdefault(tuple(found.items()), found))
            parents.append(parent)
        states = self.bettings
        self.parents = np.array(parents, np.int64)
        """-1 at the start of the hand."""
        self.kinds = np.array(
            [DECISION if found else SHOWDOWN if state.is_showdown else FOLDED
             for state, found in zip(states, self.actions, strict=True)],
            np.int64,
        )  # fmt: skip
        self.players = np.array([_player(state) for state in states], np.int64)
        """The position to act; where the hand ended by a fold, the first that folded; at a showdown 0."""
        self.rounds = np.array([state.betting_round for state in states], np.int64)
        self.spent = np.array([state.spent for state in states], np.int64)
        """Chips that each position has put in, shape (nodes, positions)."""
        self.ends, self.depths = self._ends_and_depths(parents)
        """The first node that is not below each; the number of actions that lead to it."""

    @functools.cached_property
    def numbers(self) -> dict[str, int]:
        """The nodes by the text of their betting."""
        return {betting.text: node for node, betting in enumerate(self.bettings)}

    def __len__(self) -> int:
        return len(self.bettings)

    def node(self, betting: BettingState) -> int:
        """The node of a betting.

        Raises:
            ValueError: the tree does not have it.
        """
        node = self.numbers.get(betting.text)
        if node is None or betting.game != self.game:
            raise ValueError(f"{betting.text!r} is no betting of this game")
        return node

    def children(self, node: int) -> list[int]:
        """The nodes after each action, in the order of `actions`."""
        found, child = [], node + 1
        for _ in self.actions[node]:
            found.append(child)
            child = int(self.ends[child])
        return found

    def round_from(self, starts: Ints) -> Ints:
        """The nodes of a betting round that several nodes begin alike, shape (nodes of a round, starts).

        Each row has the same place in the round after each start; the first has the starts themselves.  Rows
        are in the order of the tree, and end with ends of the hand and with nodes that begin the next round.

        Args:
            starts: nodes that begin the round; -1 where there is none, which all rows repeat.

        Raises:
            ValueError: the same cannot be done after each of them.
        """
        rows: list[Ints] = []

        def add(row: Ints) -> None:
            rows.append(row)
            model = int(row.max())
            if self.kinds[model] != DECISION or self.rounds[model] != self.rounds[first]:
                return
            child = row + 1
            for _ in self.actions[model]:
                child = np.where(row < 0, -1, child)
                add(child)
                child = self.ends[child]

        first = int(starts.max())
        add(starts)
        found = np.array(rows)
        there = found[:, starts >= 0]
        numbers = np.array([len(actions) for actions in self.actions])
        for column in (self.kinds, self.players, self.rounds, numbers):
            if (column[there] != column[there[:, :1]]).any():
                raise ValueError("expected rounds in which the same may be done, whatever went before them")
        return found

    @staticmethod
    def _ends_and_depths(parents: list[int]) -> tuple[Ints, Ints]:
        ends, depths = list(range(1, len(parents) + 1)), [0] * len(parents)
        for node in range(len(parents) - 1, 0, -1):
            ends[parents[node]] = max(ends[parents[node]], ends[node])
        for node, parent in enumerate(parents[1:], 1):
            depths[node] = depths[parent] + 1
        return np.array(ends, np.int64), np.array(depths, np.int64)


def _player(state: BettingState) -> int:
    if state.position_to_act is not None:
        return state.position_to_act
    return 0 if state.is_showdown else state.folded.index(True)
