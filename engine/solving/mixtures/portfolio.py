"""A portfolio: several strategies, of which the one that would have won most gets most of the weight.

What a strategy would have won is estimated from every hand, whichever of them played it: what was won, times
the chance of the strategy's own actions divided by the chance of ours.  This is unbiased, since cards and
opponents do not depend on which strategy is asked.  The weights follow from the estimates as in Hedge, with a
rate that falls as the estimates scatter more, and every strategy keeps a little weight.

Source: N. Bard, M. Johanson, N. Burch, M. Bowling, *Online Implicit Agent Modelling* (2013); M. Bowling, M.
Johanson, N. Burch, D. Szafron, *Strategy Evaluation in Extensive Games with Importance Sampling* (2008).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.hands.hand_rank import board_ranks, hand_rank
from engine.poker.combos import NUM_COMBOS, combo_cards, combos_without
from engine.poker.rules import Action, BettingState, HandView
from engine.poker.rules.showdown import chips_won
from engine.solving.game_tree import GameTree
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.mixtures.mixing import sequences

__all__ = ["HoldemPortfolio", "Portfolio", "SmallPortfolio"]

Floats = NDArray[np.float64]

_SHARED: Final = 0.05
"""The part of the weight that all strategies share equally; it bounds the divisor of every estimate."""


class Portfolio(ABC):
    """Strategies with weights that are learnt from hands; each player that uses one has its own.

    Args:
        number: the number of strategies, two or more.
    """

    def __init__(self, number: int) -> None:
        self._sums = np.zeros(number)
        self._scatter = 0.0
        self.hands = 0
        """The number of hands learnt from."""

    @property
    def weights(self) -> Floats:
        """The chance with which each strategy is drawn before a hand, shape (strategies,)."""
        number = len(self._sums)
        rate = math.sqrt(math.log(number) / self._scatter) if self._scatter > 0 else 0.0
        said = np.exp(rate * (self._sums - self._sums.max()))
        shares: Floats = (1 - _SHARED) * said / said.sum() + _SHARED / number
        return shares

    @property
    def estimates(self) -> Floats:
        """Estimated chips per hand of each strategy, shape (strategies,); 0 before the first hand."""
        means: Floats = self._sums / max(1, self.hands)
        return means

    @abstractmethod
    def chances(self, view: HandView) -> dict[Action, float]:
        """The chance of each action, as if one of the strategies had been drawn before the hand.

        Raises:
            ValueError: it is not this player's turn, or not this game.
        """

    @abstractmethod
    def would_have_won(self, view: HandView) -> Floats:
        """An unbiased estimate of the chips each strategy would have won in a hand, shape (strategies,).

        Args:
            view: the finished hand, as seen by the player who uses the portfolio.
        """

    def learn(self, view: HandView) -> None:
        """Learn from a finished hand.

        Args:
            view: the finished hand, as seen by the player who uses the portfolio.
        """
        shares = self.weights
        estimates = self.would_have_won(view)
        self._scatter += float(shares @ estimates**2)
        self._sums += estimates
        self.hands += 1


class SmallPortfolio(Portfolio):
    """A portfolio for a small game.

    Args:
        tree: the game.
        policies: two or more policies, each for all positions.
    """

    def __init__(self, tree: GameTree, policies: Sequence[Floats]) -> None:
        super().__init__(len(policies))
        self.tree = tree
        self.policies = tuple(policies)
        self._reach = np.array([sequences(tree, policy) for policy in policies])

    def chances(self, view: HandView) -> dict[Action, float]:
        """The chance of each action; see `Portfolio.chances`."""
        found = self.tree.information_set(view)
        through = self.weights @ self._reach[:, found.slots]
        total = float(through.sum())
        if total <= 0:  # no strategy plays to here: somebody else has acted in our place
            through = np.mean([policy[found.slots] for policy in self.policies], axis=0)
            total = float(through.sum())
        return dict(zip(found.node.actions, (through / total).tolist(), strict=True))

    def would_have_won(self, view: HandView) -> Floats:
        """The chips won, times the ratio of each strategy's chances to ours."""
        won = view.chips_won()[view.position]
        for before, position, action in view.betting.steps_back():
            if position == view.position:
                found = self.tree.information_set(_then(view, before))
                number = found.node.actions.index(action)
                reach = self._reach[:, found.slots][:, number]
                ours = float(self.weights @ reach)
                if ours <= 0:
                    return np.zeros(len(self.policies))
                estimates: Floats = won * reach / ours
                return estimates
        return np.full(len(self.policies), won)


class HoldemPortfolio(Portfolio):
    """A portfolio for heads-up hold'em on buckets.

    Opponents do not depend on our hole cards either.  So each hand stands for all hands that differ from it
    only in our hole cards, weighted by the chance that we would have played that far with them: one hand
    tells as much as hundreds (Bowling and others 2008, 4.2).  Where the opponent's cards were not shown, the
    hand ended by a fold and was worth the same with all our cards; but then some of our cards were a little
    less likely than is assumed here.

    Args:
        strategies: two or more strategies of the same game.
    """

    def __init__(self, strategies: Sequence[BucketedStrategy]) -> None:
        super().__init__(len(strategies))
        self.strategies = tuple(strategies)

    def chances(self, view: HandView) -> dict[Action, float]:
        """The chance of each action; see `Portfolio.chances`."""
        reach = self.weights
        for before, position, action in view.betting.steps():
            if position == view.position:
                then = _then(view, before)
                reach = reach * [each.chances(then).get(action, 0.0) for each in self.strategies]
        if reach.sum() <= 0:  # no strategy plays to here: somebody else has acted in our place
            reach = np.ones(len(self.strategies))
        found: dict[Action, float] = {}
        for strategy, weight in zip(self.strategies, (reach / reach.sum()).tolist(), strict=True):
            for action, chance in strategy.chances(view).items():
                found[action] = found.get(action, 0.0) + weight * chance
        return found

    def would_have_won(self, view: HandView) -> Floats:
        """The estimate over all of our possible hole cards; see `Portfolio.would_have_won`."""
        reach = np.ones((len(self.strategies), NUM_COMBOS))
        for before, position, action in view.betting.steps():
            if position == view.position:
                board = view.board[: before.num_board_cards]
                for row, strategy in zip(reach, self.strategies, strict=True):
                    actions, chances = strategy.chances_of_all(before, board)
                    row *= chances[:, actions.index(action)] if action in actions else 0.0
        won = _won_with_each(view)
        can_be = ~np.isnan(won)
        ours = float(self.weights @ reach[:, can_be].sum(axis=1))
        if ours <= 0:
            return np.zeros(len(self.strategies))
        estimates: Floats = reach[:, can_be] @ won[can_be] / ours
        return estimates


def _then(view: HandView, before: BettingState) -> HandView:
    """The player's view before one of the actions of a hand."""
    board = view.board[: before.num_board_cards]
    return HandView(before, view.position, view.hand_number, view.hole_cards, board)


def _won_with_each(view: HandView) -> Floats:
    """The chips we would have won in a finished hand with each combo, shape (1326,); nan where impossible."""
    other = view.hole_cards[1 - view.position]
    possible = combos_without((*view.board, *other))
    won = np.full(NUM_COMBOS, np.nan)
    if not view.betting.is_showdown:
        won[possible] = view.chips_won()[view.position]
        return won
    sides = np.sign(board_ranks(view.board).astype(np.int64) - hand_rank((*other, *view.board)))
    for side in (-1, 0, 1):
        alike = possible & (sides == side)
        if alike.any():
            cards = list(view.hole_cards)
            cards[view.position] = combo_cards(int(np.argmax(alike)))
            won[alike] = chips_won(view.betting, tuple(cards), view.board)[view.position]
    return won
