"""Local best response: the best action against what an opponent may hold, if nobody bets after it.

The opponent's hands are weighted by the chances with which it would have done what it has done.  An action is
worth what it wins if both check from then on; a bet also wins the pot from the hands that fold to it.  The
heuristic may be wrong without harm: what is *played* by it is a strategy, and what that wins is a lower bound
on what the best one would.

Source: V. Lisý and M. Bowling, *Equilibrium Approximation Quality of Current No-Limit Poker Bots* (2017),
algorithm 1.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.combos import COMBO_CARDS
from engine.rules import GameDefinition

__all__ = ["Against", "OpponentRange", "bet_value", "call_value", "hands_of"]

Floats = NDArray[np.float64]
Against = Callable[[tuple[int, ...], NDArray[np.int64], tuple[int, ...]], Floats]
"""Takes our hole cards, the opponent's of shape (hands, cards), the board; returns shape (hands,)."""


def call_value(pot: float, to_call: float, share: float) -> float:
    """What a call wins, or a check, if nobody bets any more.

    Args:
        pot: all chips that are in.
        to_call: chips.
        share: of the pot at the showdown, against all the opponent may hold.
    """
    return share * pot - (1 - share) * to_call


def bet_value(pot: float, to_call: float, bet: float, folds: float, share: float) -> float:
    """What a bet or raise wins if nobody bets after it.

    Args:
        pot: all chips that are in.
        to_call: chips.
        bet: chips beyond the call.
        folds: the chance that the opponent folds to it.
        share: of the pot at the showdown, against the hands that do not fold.
    """
    return folds * pot + (1 - folds) * (share * (pot + bet) - (1 - share) * (to_call + bet))


@functools.lru_cache(maxsize=8)
def hands_of(game: GameDefinition) -> NDArray[np.int64]:
    """All hole cards of a game, shape (hands, cards); in hold'em those of ``engine.combos``, in its order."""
    if game.is_holdem:
        return COMBO_CARDS
    hands = np.array(list(itertools.combinations(sorted(game.deck), game.num_hole_cards)), np.int64)
    hands.flags.writeable = False
    return hands


class OpponentRange:
    """What an opponent may hold.

    Args:
        game: for two players.
        own_cards: which it cannot hold.
        against: our shares of the pot, if nobody bets any more, against each of some hands on a board.
    """

    def __init__(self, game: GameDefinition, own_cards: tuple[int, ...], against: Against) -> None:
        self._game = game
        self._against = against
        self._own = own_cards
        self._board: tuple[int, ...] = ()
        self.hands = hands_of(game)
        self.weights: Floats = self._live().astype(np.float64)
        """By hand, those of `hands_of`."""
        self._shares: Floats | None = None

    def deal(self, board: tuple[int, ...]) -> None:
        """These cards are on the board."""
        if board != self._board:
            self._board = board
            self._shares = None
            self.weights = self._known(self.weights * self._live())

    def act(self, chances: Floats) -> None:
        """The opponent has done what it does with these chances, by hand.

        Where it has done what it never does, anything may be again.
        """
        self.weights = self._known(self.weights * chances)

    def share(self, weights: Floats) -> float:
        """Our share of the pot at the showdown if nobody bets any more.

        Args:
            weights: of the opponent's hands, some positive.
        """
        if self._game.is_holdem and self._board:
            from engine.evaluation.equity import equity_against

            return equity_against(self._own, self._board, weights)
        if self._shares is None:
            live = self._live()
            self._shares = np.zeros(len(live))
            self._shares[live] = self._against(self._own, self.hands[live], self._board)
        return float(weights @ self._shares) / float(weights.sum())

    def _live(self) -> NDArray[np.bool_]:
        dead = np.zeros(52, np.bool_)
        dead[list(self._own + self._board)] = True
        return np.logical_not(np.asarray(dead[self.hands].any(axis=1)))

    def _known(self, weights: Floats) -> Floats:
        greatest = float(weights.max())
        return weights / greatest if greatest > 0 else self._live().astype(np.float64)
