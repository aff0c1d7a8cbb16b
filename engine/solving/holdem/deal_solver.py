"""Solving heads-up hold'em on buckets by external sampling: no-limit games, and counter-strategies.

The betting trees of no-limit rounds differ in shape, so `engine.solving.holdem.board_solver` cannot solve
them.  An iteration is a board of five cards with `DEALS` deals of hole cards on it; in each deal, each player
in turn tries all of their own actions.  Regrets and strategies of iteration t count t times (linear CFR).

Counter-strategies are those of small games (`engine.solving.responses`).  In a restricted Nash response the
opponent plays the model in a part of all hands, and in the others whatever hurts most.  In a data-biased
response it plays the model in a part of its actions, by information set.  A best response on the buckets is a
restricted Nash response with part 1.

Source: as for `engine.kernels.solving.deal_sampling`; Brown and Sandholm, *Solving Imperfect-Information
Games via Discounted Regret Minimization* (2019), for the weights; for counter-strategies as for
`engine.solving.responses`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.deal_sampling import (
    FOLD,
    SHOWDOWN,
    Betting,
    Column,
    DealBound,
    DealVisits,
    SampledDeals,
    learn_from_deals,
    play_deals,
)
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import COMBO_CARDS, combo_index
from engine.poker.rules import CALL, Action, BettingState, GameDefinition, HandState
from engine.solving.betting_tree import DECISION, FOLDED
from engine.solving.holdem.abstraction import Abstraction, by_strength
from engine.solving.holdem.betting import HoldemBetting, Menus, holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.support.arrays import Floats
from engine.support.files.archive import check_state

DEALS: Final = 100
"""Deals on each board; classing all hands on a board takes as long as learning from some hundred deals."""
_MEASURED: Final = 200
"""Deals on each board when winnings are measured."""
_BOARD_SIZES: Final = (0, 3, 4, 5)

Draw = Callable[[np.random.Generator], SampledDeals]
"""Draws the deals of an iteration."""


class DealSolver:
    """A solver of heads-up hold'em on buckets.

    Args:
        game: the game.
        abstraction: the buckets of the strategy.
        menus: the raises of a no-limit game.
        seed: the seed of cards and actions.
        trembles: the part of the opponent's actions that tremble, 0 to 1: any legal action, equally likely.
        draw: draws the deals of an iteration, for games that are not hold'em.
        bound: what is prescribed to one of the players; the average of the other is then the result.

    Raises:
        ValueError: the game is another one, or the menus do not fit it.
        TooLarge: with so many chips and sizes there are too many decisions.
    """

    def __init__(
        self,
        game: GameDefinition,
        abstraction: Abstraction,
        menus: Menus = (),
        *,
        seed: int = 0,
        trembles: float = 0.0,
        draw: Draw | None = None,
        bound: DealBound | None = None,
    ) -> None:
        self.game = game
        self.abstraction = abstraction
        self.betting = holdem_betting(game, abstraction.num_buckets, menus)
        self.iterations = 0
        """The number of iterations so far, each on one board."""
        self._draw: Draw = self._drawn_on_a_board if draw is None else draw
        self._seed, self._trembles = seed, trembles
        self._tree = betting_arrays(self.betting)
        self._regrets, self._sums = np.zeros(self.betting.num_slots), np.zeros(self.betting.num_slots)
        self._random = np.array([seed & 2**64 - 1], np.uint64)
        size, width = len(self._tree.nodes), int(self._tree.nodes[:, Column.NUM_ACTIONS].max())
        self._visits = DealVisits(
            np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size), np.zeros(size),
            np.zeros((size, width)), np.zeros(size, np.bool_),
        )  # fmt: skip
        nothing = np.zeros(self.betting.num_slots)
        self._bound = DealBound(-1, 0.0, nothing, nothing) if bound is None else bound

    def run(self, iterations: int) -> None:
        """Run some more iterations."""
        for number in range(self.iterations, self.iterations + iterations):
            deals = self._draw(np.random.default_rng((self._seed, number)))
            learn_from_deals(
                self._tree, deals, (self._regrets, self._sums), self._visits, self._random,
                (float(number + 1), self._trembles), self._bound,
            )  # fmt: skip
            self.iterations += 1

    def _drawn_on_a_board(self, generator: np.random.Generator) -> SampledDeals:
        """Deals of hold'em on a random board."""
        board = tuple(int(card) for card in generator.permutation(NUM_CARDS)[:5])
        return deals_on(board, self.abstraction, DEALS, generator)

    def average(self) -> BucketedStrategy:
        """The average strategy so far."""
        return BucketedStrategy.of(self.game, self.abstraction, self._sums, self.betting.menus)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to continue exactly from here, as arrays by name."""
        return {
            "regrets": self._regrets.copy(),
            "sums": self._sums.copy(),
            "random": self._random.copy(),
            "iterations": np.array(self.iterations),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from the `state` of a solver of the same game, abstraction, sizes and seed.

        Raises:
            ValueError: it is not such a state.
        """
        check_state(state, self.state())
        self._regrets[:], self._sums[:], self._random[:] = state["regrets"], state["sums"], state["random"]
        self.iterations = int(state["iterations"])


def deals_on(
    board: tuple[int, ...], abstraction: Abstraction, number: int, generator: np.random.Generator
) -> SampledDeals:
    """Uniformly drawn deals of hole cards to both players on a full board.

    Args:
        board: five cards.
        abstraction: the buckets by which the deals are described.
        number: the number of deals.
        generator: the source of random numbers.
    """
    held_in_order, ends = by_strength(board)
    places = np.zeros((0, 2), np.int64)
    while len(places) < number:  # a twelfth of the pairs share a card
        drawn = generator.integers(0, len(held_in_order), (number + number // 4, 2))
        cards = COMBO_CARDS[held_in_order[drawn]]
        met = (cards[:, 0, :, None] == cards[:, 1, None, :]).any(axis=(1, 2))
        places = np.concatenate([places, drawn[~met]])
    places = places[:number]
    strengths = np.searchsorted(ends, places, side="right")
    held = held_in_order[places]
    buckets = np.stack([abstraction.buckets(board[:size])[held] for size in _BOARD_SIZES], axis=2)
    return SampledDeals(
        np.ascontiguousarray(buckets), np.sign(strengths[:, 0] - strengths[:, 1]).astype(np.float64)
    )


def betting_arrays(betting: HoldemBetting) -> Betting:
    """The betting of a game as `learn_from_deals` walks it."""
    tree = betting.tree
    order = np.argsort(tree.depths, kind="stable")  # children become neighbours
    places = np.argsort(order)
    rows = np.zeros((len(tree), len(Column)), np.int64)
    rows[:, Column.KIND] = np.where(
        tree.kinds == DECISION, tree.players, np.where(tree.kinds == FOLDED, FOLD, SHOWDOWN)
    )
    rows[:, Column.FIRST] = np.roll(places, -1)  # the first child is the next node of the tree
    rows[:, Column.NUM_ACTIONS] = [len(actions) for actions in tree.actions]
    rows[:, Column.FIRST_SLOT], rows[:, Column.ROUND] = betting.firsts[:-1, 0], tree.rounds
    rows[tree.kinds != DECISION, Column.FIRST :] = 0
    sign = np.where((tree.kinds == FOLDED) & (tree.players == 0), -1.0, 1.0)
    chips = np.where(tree.kinds == DECISION, 0.0, sign * tree.spent.min(axis=1))
    return Betting(rows[order], chips[order])


class CounterSolver:
    """A solver of counter-strategies to a model, one for each seat.

    Args:
        model: the model of the opponent; the counter-strategies use its buckets.
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
        trust: Floats | None = None,
        seed: int = 0,
        draw: Draw | None = None,
    ) -> None:
        if not 0 <= part <= 1:
            raise ValueError(f"expected a part from 0 to 1, got {part}")
        self._model = model
        trusted = np.zeros(model.policy.size) if trust is None else np.ascontiguousarray(trust, np.float64)
        self._solvers = [
            DealSolver(
                model.game, model.abstraction, model.betting.menus, seed=2 * seed + seat, draw=draw,
                bound=DealBound(1 - seat, part, trusted, np.ascontiguousarray(model.policy)),
            )
            for seat in (0, 1)
        ]  # fmt: skip

    def run(self, iterations: int) -> None:
        """Run some more iterations in each seat."""
        for solver in self._solvers:
            solver.run(iterations)

    def average(self) -> BucketedStrategy:
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
    """A strategy's winnings from another, in chips per hand, the mean over both seats."""

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
        deals = deals_on(board, strategy.abstraction, _MEASURED, generator)
        won = play_deals(tree, deals, strategy.policy, opponent.policy, random)
        won -= play_deals(tree, deals, opponent.policy, strategy.policy, random)
        found[number] = won / (2 * _MEASURED)
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
        for decision, rows in self._betting.by_decision(weights):
            rows[rows.sum(axis=1) == 0, decision.actions.index(CALL)] = 1.0
        return BucketedStrategy.of(self._betting.game, self._abstraction, weights, self._betting.menus)

    def trust(self, most: float, enough: float = 10.0) -> Floats:
        """Confidence in the model, by slot: ``most * min(1, n / enough)`` after n actions were seen there."""
        trust = self.counts.copy()
        for _, rows in self._betting.by_decision(trust):
            rows[:] = most * np.minimum(1.0, rows.sum(axis=1, keepdims=True) / enough)
        return trust


def strategy_by_betting(
    betting: HoldemBetting,
    abstraction: Abstraction,
    chances: Callable[[BettingState], Mapping[Action, float]],
) -> BucketedStrategy:
    """The strategy of a player whose actions depend on the betting alone.

    Args:
        betting: the betting of the game.
        abstraction: the buckets of the resulting strategy.
        chances: the chance of each action after a betting.
    """
    weights = np.zeros(betting.num_slots)
    for each in betting.tree.bettings:
        if each.is_finished:
            continue
        decision, said = betting.decision(each), chances(each)
        betting.rows(decision, weights)[:] = [said.get(action, 0.0) for action in decision.actions]
    return BucketedStrategy.of(betting.game, abstraction, weights, betting.menus)
