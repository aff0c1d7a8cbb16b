"""A portfolio: several strategies, of which the one that would have won most gets most of the say.

What a strategy would have won is estimated from every hand, whichever of them played it: what was won, times
how likely the strategy's own actions were over how likely ours were.  That is right on average, since cards
and opponents do not depend on which strategy is asked.  From the estimates weights follow as in Hedge, with a
rate that falls with how much they scatter, and every strategy keeps a little of the say.

Source: N. Bard, M. Johanson, N. Burch, M. Bowling, *Online Implicit Agent Modelling* (2013); M. Bowling, M.
Johanson, N. Burch, D. Szafron, *Strategy Evaluation in Extensive Games with Importance Sampling* (2008).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.equilibrium.game_tree import GameTree
from engine.equilibrium.mixtures.mixing import sequences
from engine.rules import Action, HandView

__all__ = ["Portfolio"]

Floats = NDArray[np.float64]

_SHARED: Final = 0.05
"""The part of the say that all have alike: no estimate is divided by less than it leaves."""


class Portfolio:
    """Strategies of a small game and how much say each has; one for each player who uses it.

    Args:
        tree: of the game.
        policies: two or more, each for all positions.
    """

    def __init__(self, tree: GameTree, policies: Sequence[Floats]) -> None:
        self.tree = tree
        self.policies = tuple(policies)
        self._reach = np.array([sequences(tree, policy) for policy in policies])
        self._sums = np.zeros(len(policies))
        self._scatter = 0.0
        self.hands = 0
        """Hands that were learnt from."""

    @property
    def weights(self) -> Floats:
        """How much say each strategy has: chances, shape (policies,)."""
        number = len(self.policies)
        rate = math.sqrt(math.log(number) / self._scatter) if self._scatter > 0 else 0.0
        said = np.exp(rate * (self._sums - self._sums.max()))
        shares: Floats = (1 - _SHARED) * said / said.sum() + _SHARED / number
        return shares

    @property
    def estimates(self) -> Floats:
        """What each strategy would have won, chips a hand; 0 before the first."""
        means: Floats = self._sums / max(1, self.hands)
        return means

    def chances(self, view: HandView) -> dict[Action, float]:
        """What the player to act does: as somebody who drew one of the strategies before the hand.

        Raises:
            ValueError: it is not this player's turn, or not this game.
        """
        found = self.tree.information_set(view)
        through = self.weights @ self._reach[:, found.slots]
        total = float(through.sum())
        if total <= 0:  # none of them comes here: we have been played for
            through = np.mean([policy[found.slots] for policy in self.policies], axis=0)
            total = float(through.sum())
        return dict(zip(found.node.actions, (through / total).tolist(), strict=True))

    def ratios(self, view: HandView) -> Floats:
        """How likely each strategy's own actions in a hand were over how likely ours were, shape (policies,).

        Args:
            view: of a finished hand, as the player saw it who used this.
        """
        for before, position, action in view.betting.steps_back():
            if position == view.position:
                board = view.board[: before.num_board_cards]
                then = HandView(before, position, view.hand_number, view.hole_cards, board)
                found = self.tree.information_set(then)
                number = found.node.actions.index(action)
                reach = self._reach[:, found.slots][:, number]
                ours = float(self.weights @ reach)
                if ours <= 0:
                    return np.zeros(len(self.policies))
                ratios: Floats = reach / ours
                return ratios
        return np.ones(len(self.policies))

    def learn(self, view: HandView, won: float) -> None:
        """Take in a finished hand.

        Args:
            view: as the player saw it who used this.
            won: chips.
        """
        shares = self.weights
        estimates = won * self.ratios(view)
        self._scatter += float(shares @ estimates**2)
        self._sums += estimates
        self.hands += 1
