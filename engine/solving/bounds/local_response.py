"""Local best response: the best action against an opponent's range, if nobody bets after it.

The opponent's hands are weighted by how likely it was to act as it did with each of them.  The value of an
action is what it wins if both players check from then on; a bet also wins the pot from the hands that fold to
it.  The heuristic can be wrong without harm: playing by it is itself a strategy, and what that strategy wins
is a lower bound on what the best one would win.

Source: V. Lisý and M. Bowling, *Equilibrium Approximation Quality of Current No-Limit Poker Bots* (2017),
algorithm 1.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np

from engine.poker.combos import COMBO_CARDS
from engine.poker.rules import GameDefinition
from engine.support.arrays import Bools, Floats, Ints, read_only

Against = Callable[[tuple[int, ...], Ints, tuple[int, ...]], Floats]
"""Our shares of the pot if nobody bets any more.

Takes our hole cards, the opponent's possible hole cards of shape (hands, cards), and the board; returns shape
(hands,).
"""


def call_value(pot: float, to_call: float, share: float) -> float:
    """What a call or a check wins if nobody bets any more, in chips.

    Args:
        pot: all chips put in so far.
        to_call: chips to call.
        share: our share of the pot at showdown, against the opponent's whole range.
    """
    return share * pot - (1 - share) * to_call


def bet_value(pot: float, to_call: float, bet: float, folds: float, share: float) -> float:
    """What a bet or raise wins if nobody bets after it, in chips.

    Args:
        pot: all chips put in so far.
        to_call: chips to call.
        bet: chips beyond the call.
        folds: the chance that the opponent folds.
        share: our share of the pot at showdown, against the hands that do not fold.
    """
    return folds * pot + (1 - folds) * (share * (pot + bet) - (1 - share) * (to_call + bet))


@functools.lru_cache(maxsize=8)
def hands_of(game: GameDefinition) -> Ints:
    """All possible hole cards of a game, shape (hands, cards), int64, read-only.

    In hold'em these are the combos, in the order of ``engine.poker.combos``.
    """
    if game.is_holdem:
        return COMBO_CARDS
    hands = itertools.combinations(sorted(game.deck), game.num_hole_cards)
    return read_only(np.array(list(hands), np.int64))


class OpponentRange:
    """The hands an opponent may hold, with weights.

    Args:
        game: a game for two players.
        own_cards: our hole cards, which the opponent cannot hold.
        against: our share of the pot against each hand; used before the flop and in games that are not
            hold'em.
    """

    def __init__(self, game: GameDefinition, own_cards: tuple[int, ...], against: Against) -> None:
        self._game = game
        self._against = against
        self._own = own_cards
        self._board: tuple[int, ...] = ()
        self.hands = hands_of(game)
        self.weights: Floats = self._live().astype(np.float64)
        """The weight of each hand of `hands_of`, shape (hands,); the greatest is 1."""
        self._shares: Floats | None = None

    def deal(self, board: tuple[int, ...]) -> None:
        """Note the cards on the board, and rule out hands that hold one of them."""
        if board != self._board:
            self._board = board
            self._shares = None
            self.weights = self._known(self.weights * self._live())

    def act(self, chances: Floats) -> None:
        """Multiply the weights by the chances with which each hand takes the action seen; shape (hands,).

        If no hand would have taken it, the range begins anew with all possible hands.
        """
        self.weights = self._known(self.weights * chances)

    def share(self, weights: Floats) -> float:
        """Our share of the pot at showdown if nobody bets any more.

        Args:
            weights: weights of the opponent's hands, shape (hands,), not all 0.
        """
        if self._game.is_holdem and self._board:
            from engine.hands.equity import equity_against

            return equity_against(self._own, self._board, weights)
        if self._shares is None:
            live = self._live()
            self._shares = np.zeros(len(live))
            self._shares[live] = self._against(self._own, self.hands[live], self._board)
        return float(weights @ self._shares) / float(weights.sum())

    def _live(self) -> Bools:
        """Whether each hand shares no card with our hand and the board."""
        dead = np.zeros(52, np.bool_)
        dead[list(self._own + self._board)] = True
        return np.logical_not(np.asarray(dead[self.hands].any(axis=1)))

    def _known(self, weights: Floats) -> Floats:
        """Weights scaled so that the greatest is 1; if all are 0, 1 for every live hand."""
        greatest = float(weights.max())
        return weights / greatest if greatest > 0 else self._live().astype(np.float64)
