"""Counter-strategies for heads-up hold'em on buckets: answers to a model of the opponent.

They are those of small games (`engine.solving.responses`), computed by external sampling.  In a
restricted Nash response the opponent plays the model in a part of all hands, and in the others whatever hurts
most.  In a data-biased response it plays the model in a part of its actions, by information set.  A best
response on the buckets is a restricted Nash response with part 1.

Source: Johanson, Zinkevich, Bowling, *Computing Robust Counter-Strategies* (2007); Johanson, Bowling, *Data
Biased Robust Counter Strategies* (2009).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.deal_sampling import Bound, play_deals
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, Action, BettingState, HandState
from engine.solving.holdem.abstraction import Abstraction
from engine.solving.holdem.betting import HoldemBetting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.holdem.deal_solver import DealSolver, Draw, betting_arrays, deals_on

__all__ = ["CounterSolver", "Watched", "Won", "strategy_by_betting", "won_of"]

_DEALS: Final = 200
"""Deals on each board when winnings are measured."""


class CounterSolver:
    """A solver of counter-strategies to a model, one for each seat.

    Args:
        model: the model of the opponent; the answers use its buckets.
        part: the part of all hands in which the opponent plays the model throughout: 0 for an equilibrium,
            1 for the best response.
        trust: the part of the opponent's actions that are the model's, by slot; None for none.
        seed: the seed of cards and actions.
        draw: draws deals, as in `DealSolver`.

    Raises:
        ValueError: the part is outside 0 to 1.
    """

    def __init__(
        self,
        model: BucketedStrategy,
        *,
        part: float = 0.0,
        trust: NDArray[np.float64] | None = None,
        seed: int = 0,
        draw: Draw | None = None,
    ) -> None:
        if not 0 <= part <= 1:
            raise ValueError(f"expected a part from 0 to 1, got {part}")
        self._model = model
        trusted = np.zeros(model.policy.size) if trust is None else np.ascontiguousarray(trust, np.float64)
        self._solvers = [
            DealSolver(
                model.game, model.abstraction, model.betting.sizes, seed=2 * seed + seat, draw=draw,
                bound=Bound(1 - seat, part, trusted, np.ascontiguousarray(model.policy)),
            )
            for seat in (0, 1)
        ]  # fmt: skip

    def run(self, iterations: int) -> None:
        """Run some more iterations in each seat."""
        for solver in self._solvers:
            solver.run(iterations)

    def answer(self) -> BucketedStrategy:
        """The average strategies so far, each in its own seat."""
        first, second = (solver.average() for solver in self._solvers)
        policy = second.policy.copy()
        betting = self._model.betting
        for decision in betting.decisions.values():
            if decision.position == 0:
                betting.rows(decision, policy)[:] = betting.rows(decision, first.policy)
        return BucketedStrategy(betting, self._model.abstraction, policy)


@attrs.frozen
class Won:
    """What a strategy wins from another, in chips per hand, the mean over both seats."""

    mean: float
    se: float
    """The standard error of `mean`, from the spread between boards."""


def won_of(
    strategy: BucketedStrategy, opponent: BucketedStrategy, boards: int, generator: np.random.Generator
) -> Won:
    """What a strategy wins from another: boards and actions are drawn, and deals are played in both seats.

    Args:
        strategy: the strategy whose winnings are measured.
        opponent: the other strategy, on the same buckets and betting.
        boards: the number of boards, two or more, each with 200 deals.
        generator: draws boards, deals and actions.
    """
    tree = betting_arrays(strategy.betting)
    random = generator.integers(0, 2**64, 1, np.uint64)
    found = np.empty(boards)
    for number in range(boards):
        board = tuple(int(card) for card in generator.permutation(NUM_CARDS)[:5])
        deals = deals_on(board, strategy.abstraction, _DEALS, generator)
        won = play_deals(tree, deals, strategy.policy, opponent.policy, random)
        won -= play_deals(tree, deals, opponent.policy, strategy.policy, random)
        found[number] = won / (2 * _DEALS)
    return Won(float(found.mean()), float(found.std(ddof=1)) / math.sqrt(boards))


class Watched:
    """Counts of what a player was seen to do, by bucket, where all cards are known after the hand.

    Args:
        betting: the betting of the game.
        abstraction: the buckets.
    """

    def __init__(self, betting: HoldemBetting, abstraction: Abstraction) -> None:
        self._betting, self._abstraction = betting, abstraction
        self.counts = np.zeros(betting.num_slots)
        """The number of times each action was seen, by slot."""

    def add(self, hand: HandState, position: int) -> None:
        """Count what the player in a position did in a hand of a limit game."""
        combo = combo_index(*hand.deal.hole_cards[position])
        for before, actor, action in hand.betting.steps():
            if actor == position:
                decision = self._betting.decision(before)
                bucket = self._abstraction.bucket(combo, hand.board[: before.num_board_cards])
                self.counts[decision.slots(bucket)][decision.actions.index(action)] += 1

    def model(self) -> BucketedStrategy:
        """The frequentist model: observed frequencies, and calling where nothing was seen."""
        weights = self.counts.copy()
        for decision in self._betting.decisions.values():
            rows = self._betting.rows(decision, weights)
            rows[rows.sum(axis=1) == 0, decision.actions.index(CALL)] = 1.0
        return BucketedStrategy.of(self._betting.game, self._abstraction, weights, self._betting.sizes)

    def trust(self, most: float, enough: float = 10.0) -> NDArray[np.float64]:
        """Confidence in the model, by slot: ``most * min(1, n / enough)`` after n actions were seen there."""
        trust = self.counts.copy()
        for decision in self._betting.decisions.values():
            rows = self._betting.rows(decision, trust)
            rows[:] = most * np.minimum(1.0, rows.sum(axis=1, keepdims=True) / enough)
        return trust


def strategy_by_betting(
    betting: HoldemBetting,
    abstraction: Abstraction,
    chances: Callable[[BettingState], Mapping[Action, float]],
    bettings: Callable[[str], BettingState],
) -> BucketedStrategy:
    """The strategy of a player whose actions depend on the betting alone.

    Args:
        betting: the betting of the game.
        abstraction: the buckets of the resulting strategy.
        chances: the chance of each action after a betting.
        bettings: makes a betting from its text.
    """
    weights = np.zeros(betting.num_slots)
    for text, decision in betting.decisions.items():
        said = chances(bettings(text))
        betting.rows(decision, weights)[:] = [said.get(action, 0.0) for action in decision.actions]
    return BucketedStrategy.of(betting.game, abstraction, weights, betting.sizes)
