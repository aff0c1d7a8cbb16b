"""What is asked of a strategy: the chances of folding, calling and raising with all hands it tells apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.combos import NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.equilibrium.holdem.bucketed import BucketedStrategy
from engine.rules import ActionKind, BettingState

__all__ = ["AskedPlayer", "BucketedPlayer", "Player"]

Classes = NDArray[np.int64]
"""The class of each combo, shape (1326,); of combos that share a card with the board any."""
Chances = NDArray[np.float32]
"""Of folding, calling and raising, shape (bettings, 3, classes)."""

Ask = Callable[[BettingState, tuple[int, ...]], ArrayLike]
"""What the player to act does on a board: triples of 1, 169 or 1326 hands, as agents say them."""

_COLUMN = {ActionKind.FOLD: 0, ActionKind.CALL: 1, ActionKind.RAISE: 2}


class Player(Protocol):
    """A strategy of both seats; it must not care which suit is which."""

    @property
    def is_fixed(self) -> bool:
        """Whether chances follow from the betting alone; the board then only says who is in which class."""

    def classes(self, board: tuple[int, ...]) -> Classes:
        """The classes of a strategy that is fixed."""

    def chances(
        self, bettings: Sequence[BettingState | None], board: tuple[int, ...]
    ) -> tuple[Classes, Chances]:
        """What it does after each of some bettings of a round; zeros for None."""


class BucketedPlayer:
    """A strategy on buckets."""

    is_fixed = True

    def __init__(self, strategy: BucketedStrategy) -> None:
        self._strategy = strategy

    def classes(self, board: tuple[int, ...]) -> Classes:
        """Its buckets."""
        return np.maximum(self._strategy.abstraction.buckets(board), 0)

    def chances(
        self, bettings: Sequence[BettingState | None], board: tuple[int, ...]
    ) -> tuple[Classes, Chances]:
        """By bucket."""
        betting = self._strategy.betting
        rounds = {each.betting_round for each in bettings if each is not None}
        buckets = max((betting.num_buckets[number] for number in rounds), default=1)
        chances = np.zeros((len(bettings), 3, buckets), np.float32)
        for number, asked in enumerate(bettings):
            if asked is None:
                continue
            decision = betting.decision(asked)
            width = len(decision.actions)
            slots = self._strategy.policy[decision.first_slot : decision.first_slot + width * buckets]
            columns = [_COLUMN[action.kind] for action in decision.actions]
            chances[number, columns] = slots.reshape(buckets, width).T
        return self.classes(board), chances


class AskedPlayer:
    """Somebody who is asked about every betting on every board.

    Args:
        ask: for triples.
        is_fixed: whether the betting alone decides, so that all hands on all boards are of one class.
    """

    def __init__(self, ask: Ask, *, is_fixed: bool = False) -> None:
        self._ask = ask
        self._is_fixed = is_fixed

    @property
    def is_fixed(self) -> bool:
        """Whether the betting alone decides."""
        return self._is_fixed

    def classes(self, board: tuple[int, ...]) -> Classes:
        """Every combo by itself, or all in one class."""
        return np.zeros(NUM_COMBOS, np.int64) if self._is_fixed else np.arange(NUM_COMBOS)

    def chances(
        self, bettings: Sequence[BettingState | None], board: tuple[int, ...]
    ) -> tuple[Classes, Chances]:
        """By combo; in one class where it does the same with all.

        Raises:
            ValueError: it says no chances of 1, 169 or 1326 hands, or gives weight to nothing that is legal.
        """
        said = [
            None if betting is None else _legal(betting, self._ask(betting, board)) for betting in bettings
        ]
        is_same = all(rows is None or len(rows) == 1 for rows in said)
        if self._is_fixed and not is_same:
            raise ValueError("expected the same chances with all hands, as the betting alone decides")
        classes = np.zeros(NUM_COMBOS, np.int64) if is_same else self.classes(board)
        chances = np.zeros((len(bettings), 3, 1 if is_same else NUM_COMBOS), np.float32)
        for number, rows in enumerate(said):
            if rows is not None:
                by_class = rows[STARTING_HAND_OF_COMBO] if len(rows) == NUM_STARTING_HANDS else rows
                chances[number] = by_class.T
        return classes, chances


def _legal(betting: BettingState, triples: ArrayLike) -> NDArray[np.float64]:
    """Triples that give weight to legal actions alone: what cannot be done is a call."""
    rows = np.array(triples, np.float64)
    if rows.ndim != 2 or rows.shape[1] != 3 or len(rows) not in (1, NUM_STARTING_HANDS, NUM_COMBOS):
        raise ValueError(f"expected triples of 1, 169 or 1326 hands, got an array of shape {rows.shape}")
    if not (np.isfinite(rows).all() and (rows >= 0).all()):
        raise ValueError(f"after {betting.text!r}: expected chances of 0 or more")
    legal = betting.legal_actions()
    for column, is_legal in ((0, legal.can_fold), (2, legal.can_raise)):
        if not is_legal:
            rows[:, 1] += rows[:, column]
            rows[:, column] = 0.0
    total = rows.sum(axis=1)
    rows[total == 0] = (0.0, 1.0, 0.0)  # hands that share a card with the board
    normalised: NDArray[np.float64] = rows / rows.sum(axis=1, keepdims=True)
    return normalised
