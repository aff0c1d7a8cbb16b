"""The weight tables of everybody in a hand, from public information alone.

A reader follows a hand action by action.  For each it asks the model of the player who acted what he would
have done with every combo, and re-weights his table by what he did (Fig. 3.5).  There is a table for each
position, our own included: it is what the others, if they read like us, think of us.  The table of a player
who folded includes his fold and stays.

Nobody's hole cards enter.  To take our own cards into account, use `WeightTable.without`; the strength of
our hand against a table leaves them out by itself.

Everything follows from the state of the hand, so that a reader can begin in its middle and knows the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.combos import NUM_COMBOS
from engine.kernels import opponents as kernels
from engine.opponents.action_context import situation_of
from engine.opponents.board_values import BoardValues, board_values
from engine.opponents.formula import HandValues, postflop_values, preflop_values, protection
from engine.opponents.model import Decision, OpponentModel
from engine.opponents.probability_triple import ACTION_INDEX
from engine.opponents.weight_table import LEAST_CHANCE, WeightTable
from engine.rules.betting import BettingState

__all__ = ["TableReader"]

Floats = NDArray[np.float64]


class TableReader:
    """Follows one hand.

    Args:
        models: of the players, by position.
        noise: the noise factor of the re-weighting, 0 to 1.
    """

    def __init__(self, models: Sequence[OpponentModel], noise: float = 0.0) -> None:
        if not 0 <= noise <= 1:
            raise ValueError(f"a noise factor lies between 0 and 1, got {noise}")
        self._models = tuple(models)
        self._noise = noise
        self._begin()

    def _begin(self) -> None:
        self._node: BettingState | None = None
        self._board: tuple[int, ...] = ()
        self._values: BoardValues | None = None
        self._weights: dict[int, Floats] = {p: np.ones(NUM_COMBOS) for p in range(len(self._models))}
        self._strengths: dict[int, Floats] = {}
        self.decisions: list[tuple[Decision, int]] = []

    decisions: list[tuple[Decision, int]]
    """What has been decided so far: who saw what, and the action, 0 fold, 1 call, 2 raise."""

    def follow(self, betting: BettingState, board: Sequence[int]) -> None:
        """Read all actions up to a state; begin anew if it does not continue what was read.

        Args:
            betting: the state.
            board: its board cards.

        Raises:
            ValueError: fewer board cards than the state has, or of another hand than before.
        """
        cards = tuple(board)[: betting.num_board_cards]
        if len(cards) < betting.num_board_cards:
            raise ValueError(f"expected {betting.num_board_cards} board cards, got {len(cards)}")
        path: list[BettingState] = []
        node = betting
        while node is not self._node and node.parent is not None:
            path.append(node)
            node = node.parent
        if node is not self._node or cards[: len(self._board)] != self._board:
            self._begin()
            path = []
            node = betting
            while node.parent is not None:
                path.append(node)
                node = node.parent
            self._node = node
        for node in reversed(path):
            self._read(node)
            self._node = node
            self._deal(cards[: node.num_board_cards])

    def decision(self, betting: BettingState) -> Decision:
        """What the player to act in the state read last decides on.

        Raises:
            ValueError: another state, or nobody is to act.
        """
        if betting is not self._node:
            raise ValueError("follow the hand to this state first")
        situation = situation_of(betting)
        return Decision(situation, self._hand_values(betting), self._weights[situation.position])

    def weights(self, position: int) -> Floats:
        """The weights of a position, shape (1326,); do not change them."""
        return self._weights[position]

    def table(self, position: int) -> WeightTable:
        """The table of a position, as everybody sees it."""
        return WeightTable(self._weights[position])

    def _read(self, node: BettingState) -> None:
        """One action: the last of `node`, made in its parent."""
        parent = node.parent
        assert parent is not None
        assert node.last_action is not None
        situation = situation_of(parent)
        position = situation.position
        decision = Decision(situation, self._hand_values(parent), self._weights[position])
        action = ACTION_INDEX[node.last_action.kind]
        triples = self._models[position].triples(decision)
        weights = decision.weights.copy()
        kernels.reweight(weights, triples, action, self._noise, LEAST_CHANCE)
        self._weights[position] = weights
        self._strengths.pop(position, None)
        self.decisions.append((decision, action))

    def _deal(self, board: tuple[int, ...]) -> None:
        if board == self._board:
            return
        self._board = board
        self._values = board_values(board)
        self._strengths.clear()
        free = self._values.free
        for position, weights in self._weights.items():
            left = weights * free
            self._weights[position] = left if left.any() else free.copy()

    def _hand_values(self, node: BettingState) -> HandValues:
        situation = situation_of(node)
        traits = {p: self._models[p].traits for p in situation.opponents}
        if self._values is None:
            return preflop_values(
                situation, self._weights, [model.traits.looseness for model in self._models]
            )
        strengths = self._strengths
        for position in situation.opponents:
            if position not in strengths:
                strengths[position] = self._values.strengths(self._weights[position])
        return postflop_values(situation, self._values, strengths, protection(situation, traits))
