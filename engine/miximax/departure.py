"""Whether an opponent departs from an equilibrium, in a way that its habits tell.

Two explanations of an opponent compete: that it plays the equilibrium, and that it goes on as its habits say.
Each says beforehand how likely every action is, and every hand that is shown; the logarithm of the quotient,
old observations fading, is the *evidence* of a departure.  Against somebody who plays well the habits never
foretell as much as the equilibrium does, since they know neither the board nor the hands that are bet with.
Somebody who plays badly is found out after some dozens of hands; how to answer takes some hundreds to know,
where the habits are not the simplest.  The evidence measures both, as it is what the habits know besides.

The equilibrium knows what everybody sees: it follows the opponent's possible hands through the betting.

Source: Bayes factors, in the sequential form of Dawid, *Present Position and Potential Developments: The
Prequential Approach* (1984).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.combos import NUM_COMBOS, combo_index, combos_without
from engine.kernels.miximax.strength import BUCKETS
from engine.miximax.betting_tree import ACTIONS
from engine.miximax.habits import Habits, InvalidHabits
from engine.miximax.values import Miximax
from engine.opponents.board_values import board_values
from engine.rules import Action, BettingState

__all__ = ["Departure", "FollowedStrategy"]

Floats = NDArray[np.float64]

_SLIPS: Final = 0.02
"""The part of its actions in which a player of the equilibrium is taken to do anything."""
_SHOWN_SLIPS: Final = 0.05
_LEAST: Final = 1e-3
"""Least chance that habits are held to."""
_FADES: Final = 0.9999
"""What an observation counts after the next."""
_DOUBT: Final = 1000.0
"""Evidence from which on it is better to answer the habits than to play the strategy.

That somebody departs is certain with ten units; what they do, and how to answer it, with many hundreds.
Chosen by matches against `simple`, where answers win less than the strategy does until then.
"""
_SCALE: Final = 150.0


class FollowedStrategy(Protocol):
    """A strategy that says what it does with all hands."""

    def chances_of_all(
        self, betting: BettingState, board: Sequence[int]
    ) -> tuple[tuple[Action, ...], Floats]:
        """The legal actions, and the chance of each with each combo, shape (1326, actions); nan for combos
        that share a card with the board.
        """


class Departure:
    """The evidence that one opponent departs from a strategy.

    Args:
        strategy: an equilibrium, or near one.
    """

    def __init__(self, strategy: FollowedStrategy) -> None:
        self._strategy = strategy
        self.evidence = 0.0
        """A logarithm of chances: above 0, habits foretell better."""

    @property
    def trust(self) -> float:
        """How far habits are to be answered, 0 to 1."""
        return 1.0 / (1.0 + math.exp(min(max((_DOUBT - self.evidence) / _SCALE, -700.0), 700.0)))

    def observe(
        self,
        habits: Habits,
        search: Miximax,
        betting: BettingState,
        position: int,
        cards: tuple[Sequence[int], Sequence[int]],
        board: Sequence[int],
    ) -> None:
        """A hand is over, which the habits do not know yet.

        Args:
            habits: of the opponent.
            search: with the same tree.
            betting: all of it.
            position: the opponent's.
            cards: ours, and the opponent's where a showdown has shown them.
            board: what lies at the end.
        """
        ours, theirs = cards
        weights = combos_without(ours).astype(np.float64)
        for before, actor, action in betting.steps():
            if actor != position:
                continue
            actions, chances = self._strategy.chances_of_all(before, board[: before.num_board_cards])
            if len(actions) == 1:
                continue
            dead = np.isnan(chances[:, 0])
            weights[dead] = 0.0
            kinds = [each.kind for each in actions]
            with_it = np.where(dead, 0.0, chances[:, kinds.index(action.kind)])
            with_it = (1.0 - _SLIPS) * with_it + _SLIPS / len(actions)
            expected = search.expected_action(habits, habits.tree.node(before))
            number = [each.kind for each in ACTIONS].index(action.kind)
            self._weigh(float(expected[number]), float(weights @ with_it / weights.sum()))
            weights *= with_it
        if betting.is_showdown and len(theirs) == 2:
            buckets = np.minimum(board_values(tuple(board)).strengths(_ALL) * BUCKETS, BUCKETS - 1)
            buckets = buckets.astype(np.int64)
            weights[~combos_without(board)] = 0.0
            bucket = buckets[combo_index(*theirs)]
            usual = float(weights[buckets == bucket].sum() / weights.sum())
            usual = (1.0 - _SHOWN_SLIPS) * usual + _SHOWN_SLIPS / BUCKETS
            shown = search.expected_hands(habits, habits.tree.node(betting), position)
            self._weigh(float(shown[bucket]), usual)

    # --- files ---------------------------------------------------------------------------------------------

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """For a file, beside the habits."""
        return {"departure": np.array(self.evidence)}

    def remember(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take the evidence of a file; one that has habits alone is trusted, a hand of them as one unit.

        Raises:
            InvalidHabits: there is something else, or no habits.
        """
        evidence = arrays.get("departure", arrays.get("hands"))
        if evidence is None or evidence.shape != () or evidence.dtype.kind not in "iuf":
            raise InvalidHabits("departure is no number")
        self.evidence = float(evidence.item())
        if not math.isfinite(self.evidence):
            raise InvalidHabits("departure is no number")

    def _weigh(self, by_habits: float, by_strategy: float) -> None:
        self.evidence *= _FADES
        self.evidence += math.log(max(by_habits, _LEAST) / by_strategy)


_ALL: Final = np.ones(NUM_COMBOS)
