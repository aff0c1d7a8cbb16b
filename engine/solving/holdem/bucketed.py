"""A strategy of heads-up hold'em on buckets of hands, which says what it does with a hand."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import attrs
import numpy as np

from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, Action, ActionKind, BettingState, GameDefinition, HandView
from engine.solving.holdem.abstraction import NO_BUCKET, Abstraction
from engine.solving.holdem.betting import BettingDecision, HoldemBetting, Menus, Translator, holdem_betting
from engine.support.arrays import Floats, as_chances

Chances = tuple[tuple[Action, ...], Floats]
"""The actions at a betting, and the chance of each with each hand or bucket, shape (hands, actions)."""


@attrs.frozen(eq=False)
class BucketedStrategy:
    """A strategy for both seats, by bucket."""

    betting: HoldemBetting
    abstraction: Abstraction
    _by_slot: Floats
    rows: Callable[[BettingDecision], Floats] = attrs.field()
    """The chances at a decision, shape (buckets, actions): those in `policy`, or puts them there."""

    @rows.default
    def _rows(self) -> Callable[[BettingDecision], Floats]:
        return functools.partial(self.betting.rows, by_slot=self._by_slot)

    @functools.cached_property
    def policy(self) -> Floats:
        """Chances by slot; those of a bucket at a decision add up to 1."""
        for decision in self.betting.decisions.values():
            self.rows(decision)
        return self._by_slot

    @property
    def game(self) -> GameDefinition:
        """The game it plays."""
        return self.betting.game

    @classmethod
    def of(
        cls, game: GameDefinition, abstraction: Abstraction, weights: Floats, menus: Menus = ()
    ) -> BucketedStrategy:
        """The strategy proportional to weights by slot, such as summed strategies.

        Actions are equally likely where none has weight.

        Args:
            game: the game it plays.
            abstraction: its buckets.
            weights: shape (slots,).
            menus: the raises it knows in a no-limit game.

        Raises:
            ValueError: the game is another one, or there are not as many weights as slots.
            TooLarge: with so many chips and sizes there are too many decisions.
        """
        betting = holdem_betting(game, abstraction.num_buckets, menus)
        if weights.shape != (betting.num_slots,):
            raise ValueError(f"expected {betting.num_slots} chances, got an array of shape {weights.shape}")
        policy = np.empty(betting.num_slots)
        for decision in betting.decisions.values():
            betting.rows(decision, policy)[:] = as_chances(betting.rows(decision, weights), axis=1)
        return cls(betting, abstraction, policy)

    def chances(self, view: HandView) -> dict[Action, float]:
        """The chance of each action; bettings with raises that it does not know go through a `Translator`.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        decisions = self._translator.decisions(view.betting)
        bucket = self.abstraction.bucket(combo_index(*view.own_cards), view.board)
        found: dict[Action, float] = {}
        for decision, weight in decisions:
            chances = self.rows(decision)[bucket].tolist()
            for action, chance in zip(decision.actions_at(view.betting), chances, strict=True):
                found[action] = found.get(action, 0.0) + weight * chance
        return found or {CALL: 1.0}

    def triples(self, betting: BettingState, board: Sequence[int]) -> Floats:
        """The triples of all combos that the player to act may hold, shape (1326, 3).

        Combos that share a card with the board call.
        """
        actions, chances = self.chances_of_all(betting, board)
        triples = triples_of(actions, chances)
        triples[np.isnan(chances[:, 0])] = (0.0, 1.0, 0.0)
        return triples

    def chances_of_all(self, betting: BettingState, board: Sequence[int]) -> Chances:
        """The possible actions, and the chance of each with each combo, shape (1326, actions).

        Chances are nan for combos that share a card with the board.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        buckets = self.abstraction.buckets(board)
        actions, chances = self.chances_of_buckets(betting)
        every = chances[np.maximum(buckets, 0)]
        every[buckets == NO_BUCKET] = np.nan
        return actions, every

    def chances_of_buckets(self, betting: BettingState) -> Chances:
        """The possible actions, and the chance of each with each bucket, shape (buckets, actions).

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        found: dict[Action, Floats] = {}
        for decision, weight in self._translator.decisions(betting):
            for action, column in zip(decision.actions_at(betting), self.rows(decision).T, strict=True):
                found[action] = found.get(action, 0.0) + weight * column
        order = sorted(found, key=lambda action: (TRIPLE_INDEX[action.kind], action.raise_to or 0)) or [CALL]
        known = np.ones(self.abstraction.num_buckets[betting.betting_round])
        return tuple(order), np.stack([found.get(action, known) for action in order], axis=1)

    def size_chances(self, betting: BettingState, board: Sequence[int], total: int) -> Floats:
        """The chance that a raise, if one is made, is to `total` chips; shape (1326,), 0 where none is made.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        return sizes_of(*self.chances_of_all(betting, board), total)

    @functools.cached_property
    def _translator(self) -> Translator:
        return Translator(self.betting)


def triples_of(actions: Sequence[Action], chances: Floats) -> Floats:
    """The chances of a fold, a call and a raise, of those of all actions; shape (hands, 3)."""
    found = np.zeros((len(chances), 3))
    for action, column in zip(actions, chances.T, strict=True):
        found[:, TRIPLE_INDEX[action.kind]] += column
    return found


def sizes_of(actions: Sequence[Action], chances: Floats, total: int) -> Floats:
    """The chance that a raise, if one is made, is to `total` chips, by hand; 0 where none is made."""
    are_raises = np.array([action.kind is ActionKind.RAISE for action in actions])
    is_it = np.array([action.raise_to == total for action in actions]) & are_raises
    raised = chances[:, are_raises].sum(axis=1)
    found: Floats = np.zeros(len(chances))
    np.divide(chances[:, is_it].sum(axis=1), raised, out=found, where=raised > 0)
    return found
