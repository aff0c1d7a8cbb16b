"""Counter-strategies of heads-up hold'em on buckets: answers to a model of the opponent.

The same as in small games (`engine.equilibrium.responses`), by external sampling: in a restricted Nash
response the opponent plays the model in a part of all hands, and in the others whatever hurts most; in a
data-biased one it plays the model in a part of its actions, by information set.  A best response within the
buckets is a restricted Nash response whose part is 1.

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

from engine.cards import NUM_CARDS
from engine.combos import combo_index
from engine.equilibrium.holdem.abstraction import Abstraction
from engine.equilibrium.holdem.betting import Decision, HoldemBetting
from engine.equilibrium.holdem.bucketed import BucketedStrategy
from engine.equilibrium.holdem.deal_solver import DealSolver, Draw, betting_arrays, deals_on
from engine.kernels.equilibrium.deal_sampling import Bound, play_deals
from engine.rules import CALL, Action, BettingState, HandState

__all__ = ["CounterSolver", "Watched", "Won", "strategy_by_betting", "won_of"]

_DEALS: Final = 200
"""On a board, to measure what is won."""


class CounterSolver:
    """Answers to a model, one for each seat.

    Args:
        model: the opponent; the answers know hands by its buckets.
        part: of all hands, in which the opponent plays the model throughout: 0 for an equilibrium, 1 for the
            best response.
        trust: of its actions, the part that is the model's, by slot; None for none.
        seed: for what is drawn.
        draw: as of `DealSolver`.

    Raises:
        ValueError: a part outside 0 to 1.
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
        """Go on for some boards, in each seat."""
        for solver in self._solvers:
            solver.run(iterations)

    def answer(self) -> BucketedStrategy:
        """What each seat answers on average so far."""
        first, second = (solver.average() for solver in self._solvers)
        policy = second.policy.copy()
        betting = self._model.betting
        for decision in betting.decisions.values():
            if decision.position == 0:
                every = _slots(betting, decision)
                policy[every] = first.policy[every]
        return BucketedStrategy(betting, self._model.abstraction, policy)


@attrs.frozen
class Won:
    """What a strategy wins of another, in chips a hand, the mean of both seats."""

    mean: float
    se: float


def won_of(
    strategy: BucketedStrategy, opponent: BucketedStrategy, boards: int, generator: np.random.Generator
) -> Won:
    """What a strategy wins of another on the same buckets: boards and actions drawn, deals in both seats.

    Args:
        strategy: whose winnings they are.
        opponent: on the same buckets.
        boards: of five cards, with some hundred deals each.
        generator: draws.
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
    """What somebody was seen to do, by bucket, with all cards known afterwards.

    Args:
        betting: what may be done.
        abstraction: which hands are taken for the same.
    """

    def __init__(self, betting: HoldemBetting, abstraction: Abstraction) -> None:
        self._betting, self._abstraction = betting, abstraction
        self.counts = np.zeros(betting.num_slots)
        """By slot."""

    def add(self, hand: HandState, position: int) -> None:
        """Count what a position has done in a hand of a limit game."""
        combo = combo_index(*hand.deal.hole_cards[position])
        for before, actor, action in hand.betting.steps():
            if actor == position:
                decision = self._betting.decision(before)
                bucket = self._abstraction.bucket(combo, hand.board[: before.num_board_cards])
                self.counts[decision.slots(bucket)][decision.actions.index(action)] += 1

    def model(self) -> BucketedStrategy:
        """Frequencies, and calling where nothing was seen."""
        weights = self.counts.copy()
        for decision, rows in self._rows(weights):
            rows[rows.sum(axis=1) == 0, decision.actions.index(CALL)] = 1.0
        return BucketedStrategy.of(self._betting.game, self._abstraction, weights, self._betting.sizes)

    def trust(self, most: float, enough: float = 10.0) -> NDArray[np.float64]:
        """How far each information set is known, ``most * min(1, n / enough)`` after n actions; by slot."""
        trust = self.counts.copy()
        for _, rows in self._rows(trust):
            rows[:] = most * np.minimum(1.0, rows.sum(axis=1, keepdims=True) / enough)
        return trust

    def _rows(self, array: NDArray[np.float64]) -> list[tuple[Decision, NDArray[np.float64]]]:
        """Views on an array by slot: for each decision, shape (buckets, actions)."""
        return [
            (decision, array[_slots(self._betting, decision)].reshape(-1, len(decision.actions)))
            for decision in self._betting.decisions.values()
        ]


def strategy_by_betting(
    betting: HoldemBetting,
    abstraction: Abstraction,
    chances: Callable[[BettingState], Mapping[Action, float]],
    bettings: Callable[[str], BettingState],
) -> BucketedStrategy:
    """The strategy of somebody whose betting alone decides.

    Args:
        betting: what may be done.
        abstraction: which hands are taken for the same.
        chances: what it does after a betting.
        bettings: a betting from its text.
    """
    weights = np.zeros(betting.num_slots)
    for text, decision in betting.decisions.items():
        said = chances(bettings(text))
        rows = weights[_slots(betting, decision)].reshape(-1, len(decision.actions))
        rows[:] = [said.get(action, 0.0) for action in decision.actions]
    return BucketedStrategy.of(betting.game, abstraction, weights, betting.sizes)


def _slots(betting: HoldemBetting, decision: Decision) -> slice:
    """All slots of a decision."""
    size = betting.num_buckets[decision.betting_round] * len(decision.actions)
    return slice(decision.first_slot, decision.first_slot + size)
