"""A strategy of heads-up limit hold'em on buckets of hands, asked with a hand."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.combos import NUM_COMBOS, combo_index
from engine.equilibrium.holdem.abstraction import NO_BUCKET, Abstraction
from engine.equilibrium.holdem.betting import HoldemBetting, holdem_betting
from engine.records import ProbabilityTriple
from engine.rules import Action, ActionKind, BettingState, GameDefinition, HandView

__all__ = ["BucketedStrategy"]

_COLUMN = {ActionKind.FOLD: 0, ActionKind.CALL: 1, ActionKind.RAISE: 2}


@attrs.frozen(eq=False)
class BucketedStrategy:
    """What both players do, by bucket."""

    betting: HoldemBetting
    abstraction: Abstraction
    policy: NDArray[np.float64]
    """Chances by slot; those of a bucket at a decision add up to one."""

    @property
    def game(self) -> GameDefinition:
        """What it plays."""
        return self.betting.game

    @classmethod
    def of(
        cls, game: GameDefinition, abstraction: Abstraction, weights: NDArray[np.float64]
    ) -> BucketedStrategy:
        """The strategy of weights by slot, such as sums of strategies; every action alike where none weighs.

        Raises:
            ValueError: another game, or not as many weights as there are slots.
        """
        betting = holdem_betting(game, abstraction.num_buckets)
        if weights.shape != (betting.num_slots,):
            raise ValueError(f"expected {betting.num_slots} chances, got an array of shape {weights.shape}")
        policy = np.empty(betting.num_slots)
        for decision in betting.decisions.values():
            actions = len(decision.actions)
            end = decision.first_slot + betting.num_buckets[decision.betting_round] * actions
            found = weights[decision.first_slot : end].reshape(-1, actions)
            total = found.sum(axis=1, keepdims=True)
            chances = np.full(found.shape, 1.0 / actions)
            np.divide(found, total, out=chances, where=total > 0)
            policy[decision.first_slot : end] = chances.ravel()
        return cls(betting, abstraction, policy)

    def chances(self, view: HandView) -> dict[Action, float]:
        """How likely each legal action is.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        decision = self.betting.decision(view.betting)
        bucket = self.abstraction.bucket(combo_index(*view.own_cards), view.board)
        return dict(zip(decision.actions, map(float, self.policy[decision.slots(bucket)]), strict=True))

    def triple(self, view: HandView) -> ProbabilityTriple:
        """How likely a fold, a call and a raise are.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        triple = [0.0, 0.0, 0.0]
        for action, chance in self.chances(view).items():
            triple[_COLUMN[action.kind]] = chance
        return ProbabilityTriple(*triple)

    def triples(self, betting: BettingState, board: Sequence[int]) -> NDArray[np.float64]:
        """The triples of all combos the player to act may hold, shape (1326, 3).

        A call for combos that share a card with the board.
        """
        actions, chances = self.chances_of_all(betting, board)
        triples = np.zeros((NUM_COMBOS, 3))
        for action, column in zip(actions, chances.T, strict=True):
            triples[:, _COLUMN[action.kind]] += column
        triples[np.isnan(chances[:, 0])] = (0.0, 1.0, 0.0)
        return triples

    def chances_of_all(
        self, betting: BettingState, board: Sequence[int]
    ) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
        """The legal actions, and how likely each is with each combo, shape (1326, actions).

        nan for combos that share a card with the board.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        decision = self.betting.decision(betting)
        buckets = self.abstraction.buckets(board)
        number = len(decision.actions)
        slots = decision.first_slot + np.maximum(buckets, 0)[:, None] * number + np.arange(number)
        chances = self.policy[slots]
        chances[buckets == NO_BUCKET] = np.nan
        return decision.actions, chances
