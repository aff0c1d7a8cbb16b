"""Strategies as best responses see them: the chances to fold, call and raise with each class of hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from engine.players.probability_triple import TRIPLE_INDEX, legal_triples
from engine.poker.combos import NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.poker.rules import BettingState
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.support.arrays import Floats, Floats32, Ints

Classes = Ints
"""The class of each combo, shape (1326,); meaningless for combos that share a card with the board."""
Chances = Floats32
"""Chances to fold, call and raise, shape (bettings, 3, classes)."""

Ask = Callable[[BettingState, tuple[int, ...]], ArrayLike]
"""What the player to act does on a board: probability triples of 1, 169 or 1326 hands, shape (hands, 3)."""


class Player(Protocol):
    """A strategy for both seats, the same under any renaming of the suits."""

    @property
    def is_fixed(self) -> bool:
        """Whether chances by class follow from the betting alone; the board only decides the classes."""

    def classes(self, board: tuple[int, ...]) -> Classes:
        """The class of each combo on a board; only for strategies that are fixed."""

    def chances(
        self, bettings: Sequence[BettingState | None], board: tuple[int, ...]
    ) -> tuple[Classes, Chances]:
        """The classes on a board, and the chances after some bettings of one round; zeros for None."""


class BucketedPlayer:
    """A strategy on buckets, whose classes are its buckets."""

    is_fixed = True

    def __init__(self, strategy: BucketedStrategy) -> None:
        self._strategy = strategy

    def classes(self, board: tuple[int, ...]) -> Classes:
        """The bucket of each combo on a board."""
        return np.maximum(self._strategy.abstraction.buckets(board), 0)

    def chances(
        self, bettings: Sequence[BettingState | None], board: tuple[int, ...]
    ) -> tuple[Classes, Chances]:
        """The buckets on a board, and the chances of each after some bettings of one round."""
        betting = self._strategy.betting
        rounds = {each.betting_round for each in bettings if each is not None}
        buckets = max((betting.num_buckets[number] for number in rounds), default=1)
        chances = np.zeros((len(bettings), 3, buckets), np.float32)
        for number, asked in enumerate(bettings):
            if asked is None:
                continue
            decision = betting.decision(asked)
            columns = [TRIPLE_INDEX[action.kind] for action in decision.actions]
            chances[number, columns] = self._strategy.rows(decision).T
        return self.classes(board), chances


class AskedPlayer:
    """A player that is asked about every betting on every board.

    Args:
        ask: returns the player's triples.
        is_fixed: whether the betting alone decides, so that all hands on all boards form one class.
    """

    def __init__(self, ask: Ask, *, is_fixed: bool = False) -> None:
        self._ask = ask
        self.is_fixed = is_fixed

    def classes(self, board: tuple[int, ...]) -> Classes:
        """A class for each combo, or one class for all if the betting alone decides."""
        return np.zeros(NUM_COMBOS, np.int64) if self.is_fixed else np.arange(NUM_COMBOS)

    def chances(
        self, bettings: Sequence[BettingState | None], board: tuple[int, ...]
    ) -> tuple[Classes, Chances]:
        """The classes on a board and their chances; one class if the player does the same with all hands.

        Raises:
            ValueError: the answer is not an array of chances for 1, 169 or 1326 hands, or depends on the hand
                although the betting alone was to decide.
        """
        said = [None if betting is None else self._said(betting, board) for betting in bettings]
        is_same = all(rows is None or len(rows) == 1 for rows in said)
        if self.is_fixed and not is_same:
            raise ValueError("expected the same chances with all hands, as the betting alone decides")
        classes = np.zeros(NUM_COMBOS, np.int64) if is_same else self.classes(board)
        chances = np.zeros((len(bettings), 3, 1 if is_same else NUM_COMBOS), np.float32)
        for number, rows in enumerate(said):
            if rows is not None:
                by_class = rows[STARTING_HAND_OF_COMBO] if len(rows) == NUM_STARTING_HANDS else rows
                chances[number] = by_class.T
        return classes, chances

    def _said(self, betting: BettingState, board: tuple[int, ...]) -> Floats:
        rows = legal_triples(self._ask(betting, board), betting.legal_actions())
        if len(rows) not in (1, NUM_STARTING_HANDS, NUM_COMBOS):
            raise ValueError(f"expected triples of 1, 169 or 1326 hands, got {len(rows)}")
        return rows
