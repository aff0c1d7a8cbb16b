"""A strategy of heads-up hold'em on buckets of hands, asked with a hand."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.combos import NUM_COMBOS, combo_index
from engine.equilibrium.holdem.abstraction import NO_BUCKET, Abstraction
from engine.equilibrium.holdem.betting import HoldemBetting, holdem_betting
from engine.equilibrium.holdem.translation import Translator
from engine.records import ProbabilityTriple
from engine.rules import CALL, Action, ActionKind, BettingState, GameDefinition, HandView

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
        cls,
        game: GameDefinition,
        abstraction: Abstraction,
        weights: NDArray[np.float64],
        sizes: tuple[float, ...] = (),
    ) -> BucketedStrategy:
        """The strategy of weights by slot, such as sums of strategies; every action alike where none weighs.

        Args:
            game: what it plays.
            abstraction: which hands it takes for the same.
            weights: by slot.
            sizes: of the raises it knows, in no-limit games.

        Raises:
            ValueError: another game, or not as many weights as there are slots.
            TooLarge: with so many chips and sizes.
        """
        betting = holdem_betting(game, abstraction.num_buckets, sizes)
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
        """How likely each action is; where it knows no raise of the size that was made, by `Translator`.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        decisions = self._translator.decisions(view.betting)
        bucket = self.abstraction.bucket(combo_index(*view.own_cards), view.board)
        found: dict[Action, float] = {}
        for decision, weight in decisions:
            chances = self.policy[decision.slots(bucket)].tolist()
            for action, chance in zip(decision.actions_at(view.betting), chances, strict=True):
                found[action] = found.get(action, 0.0) + weight * chance
        return found or {CALL: 1.0}

    def triple(self, view: HandView) -> ProbabilityTriple:
        """How likely a fold, a call and a raise are.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        triple = [0.0, 0.0, 0.0]
        for action, chance in self.chances(view).items():
            triple[_COLUMN[action.kind]] += chance
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
        """The actions there may be, and how likely each is with each combo, shape (1326, actions).

        nan for combos that share a card with the board.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        buckets = self.abstraction.buckets(board)
        dead, known = buckets == NO_BUCKET, np.maximum(buckets, 0)
        found: dict[Action, NDArray[np.float64]] = {}
        for decision, weight in self._translator.decisions(betting):
            number = len(decision.actions)
            slots = decision.first_slot + known * number
            for place, action in enumerate(decision.actions_at(betting)):
                chances = weight * self.policy[slots + place]
                found[action] = found[action] + chances if action in found else chances
        order = sorted(found, key=lambda action: (_COLUMN[action.kind], action.raise_to or 0)) or [CALL]
        every = np.stack([found.get(action, np.ones(NUM_COMBOS)) for action in order], axis=1)
        every[dead] = np.nan
        return tuple(order), every

    def size_chances(self, betting: BettingState, board: Sequence[int], total: int) -> NDArray[np.float64]:
        """How likely a raise, where there is one, is to be one to a total, by combo; 0 where there is none.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        actions, chances = self.chances_of_all(betting, board)
        are_raises = np.array([action.kind is ActionKind.RAISE for action in actions])
        is_it = np.array([action.raise_to == total for action in actions]) & are_raises
        raised = chances[:, are_raises].sum(axis=1)
        found: NDArray[np.float64] = np.divide(
            chances[:, is_it].sum(axis=1), raised, out=np.zeros(NUM_COMBOS), where=raised > 0
        )
        return found

    @functools.cached_property
    def _translator(self) -> Translator:
        return Translator(self.betting)
