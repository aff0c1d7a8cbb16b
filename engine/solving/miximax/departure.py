"""Whether an opponent departs from an equilibrium, in a way that is foretold: by its habits, or by a model.

Two explanations of an opponent compete: that it plays the equilibrium, and that it goes on as its habits say.
Each says beforehand how likely every action is, and every hand that is shown.  The logarithm of the quotient,
old observations fading, is the *evidence* of a departure; the logarithm of one over what the habits said is
the *surprise* that they leave.  Against somebody who plays well the habits never foretell as much as the
equilibrium does, since they know neither the board nor the hands that are bet with.  A model of a player is
weighed in the same way, but for the hands that are shown (`Departure.follow`).

Somebody who plays otherwise is found out after some dozens of hands.  To answer that pays where the habits
foretell most of it: they must explain a third of what the equilibrium leaves open, so that the evidence is
half of the surprise.  Otherwise what they do not know costs more than what they know wins, until they have
been counted for some hundreds of hands.

The equilibrium knows what everybody sees: it follows the opponent's possible hands through the betting.

Source: Bayes factors, in the sequential form of Dawid, *Present Position and Potential Developments: The
Prequential Approach* (1984).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.miximax.strength import BUCKETS
from engine.kernels.solving.miximax.values import MiximaxKind
from engine.players.board_values import board_values
from engine.poker.combos import NUM_COMBOS, combo_index, combos_without
from engine.poker.rules import Action, BettingState
from engine.solving.holdem.bucketed import Chances
from engine.solving.miximax.habits import Habits, InvalidHabits
from engine.solving.miximax.values import Miximax
from engine.support.arrays import Floats

_TREMBLES: Final = 0.02
"""The part of its actions in which a player of the equilibrium is taken to do anything."""
_SHOWN_TREMBLES: Final = 0.05
_LEAST: Final = 1e-3
"""Least chance that what is foretold is held to."""
_FADES: Final = 0.9999
"""What an observation counts after the next."""
_PART_OF_SURPRISE: Final = 0.5
"""By which the evidence must be greater, for habits to explain a third of what the strategy leaves open."""
_DOUBT: Final = 30.0
"""Evidence beyond that from which on habits are rather trusted than not."""
_SCALE: Final = 5.0
_MUCH: Final = 400.0
"""Evidence that is enough, whatever the surprise: after some hundreds of hands."""
_SCALE_OF_MUCH: Final = 60.0


Foretold = tuple[float, Sequence[bool]] | None
"""How likely an action was, and which of the legal ones count as the same; None: leave it out."""
Foretell = Callable[[BettingState, Action, Sequence[Action]], Foretold]
"""Says that of an action in a state, of all legal ones."""


class FollowedStrategy(Protocol):
    """A strategy that says what it does with all hands."""

    def chances_of_all(self, betting: BettingState, board: Sequence[int]) -> Chances:
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
        self.surprise = 0.0
        """A logarithm of chances: 0, habits foretell everything."""

    @property
    def trust(self) -> float:
        """How far habits are to be answered, 0 to 1."""
        plain = (self.evidence - _PART_OF_SURPRISE * self.surprise - _DOUBT) / _SCALE
        known = (self.evidence - _MUCH) / _SCALE_OF_MUCH
        return 1.0 / (1.0 + math.exp(min(max(-max(plain, known), -700.0), 700.0)))

    def follow(
        self, foretell: Foretell, betting: BettingState, who: int, ours: Sequence[int], board: Sequence[int]
    ) -> Floats:
        """Weigh what an opponent did in a hand that is over.

        Args:
            foretell: does not know this hand yet.
            betting: all of it.
            who: the opponent's position.
            ours: our cards.
            board: what lies at the end.

        Returns:
            How likely the equilibrium is to come here with each combo, not normed, shape (1326,).
        """
        weights = combos_without(ours).astype(np.float64)
        for before, actor, action in betting.steps():
            if actor != who:
                continue
            actions, chances = self._strategy.chances_of_all(before, board[: before.num_board_cards])
            foretold = foretell(before, action, actions) if len(actions) > 1 else None
            if foretold is None:
                continue
            chance, same = foretold
            dead = np.isnan(chances[:, 0])
            weights[dead] = 0.0
            with_it = np.where(dead, 0.0, chances[:, same].sum(axis=1))
            with_it = (1.0 - _TREMBLES) * with_it + _TREMBLES / len(actions)
            self._weigh(chance, float(weights @ with_it / weights.sum()))
            weights *= with_it
        return weights

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

        def told(before: BettingState, action: Action, actions: Sequence[Action]) -> Foretold:
            node = habits.tree.node(before)
            if habits.tree.arrays.kinds[node] != MiximaxKind.DECISION:
                return None
            column = habits.tree.column(before, action)
            same = [habits.tree.column(before, each) == column for each in actions]
            return float(search.expected_action(habits, node)[column]), same

        weights = self.follow(told, betting, position, ours, board)
        if betting.is_showdown and len(theirs) == 2:
            buckets = np.minimum(board_values(tuple(board)).strengths(_ALL) * BUCKETS, BUCKETS - 1)
            buckets = buckets.astype(np.int64)
            weights[~combos_without(board)] = 0.0
            bucket = buckets[combo_index(*theirs)]
            usual = float(weights[buckets == bucket].sum() / weights.sum())
            usual = (1.0 - _SHOWN_TREMBLES) * usual + _SHOWN_TREMBLES / BUCKETS
            shown = search.expected_hands(habits, habits.tree.node(betting), position)
            self._weigh(float(shown[bucket]), usual)

    # --- files ---------------------------------------------------------------------------------------------

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """The arrays for a file, beside the habits."""
        return {"departure": np.array([self.evidence, self.surprise])}

    def remember(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take what a file says; one that has habits alone is trusted, a hand of them as a unit of evidence.

        Raises:
            InvalidHabits: there is something else, or no habits.
        """
        known = arrays.get("departure")
        if known is None and "hands" in arrays:
            known = np.array([float(arrays["hands"]), 0.0])
        if known is None or known.shape != (2,) or known.dtype.kind != "f" or not np.isfinite(known).all():
            raise InvalidHabits("departure: expected two numbers")
        self.evidence, self.surprise = map(float, known)

    def _weigh(self, foretold: float, by_strategy: float) -> None:
        chance = max(foretold, _LEAST)
        self.evidence = _FADES * self.evidence + math.log(chance / by_strategy)
        self.surprise = _FADES * self.surprise - math.log(chance)


_ALL: Final = np.ones(NUM_COMBOS)
