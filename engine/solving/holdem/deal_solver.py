"""Solving heads-up hold'em on buckets by external sampling, for no-limit games.

The betting trees of no-limit rounds differ in shape, so `engine.solving.holdem.board_solver` cannot solve
them.  An iteration is a board of five cards with `DEALS` deals of hole cards on it; in each deal, each player
in turn tries all of their own actions.  Regrets and strategies of iteration t count t times (linear CFR).

Source: as for `engine.kernels.solving.deal_sampling`; Brown and Sandholm, *Solving Imperfect-Information
Games via Discounted Regret Minimization* (2019), for the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.deal_sampling import (
    FOLD,
    SHOWDOWN,
    Betting,
    Bound,
    Column,
    Deals,
    Visits,
    learn_from_deals,
)
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import COMBO_CARDS
from engine.poker.rules import GameDefinition, initial_betting
from engine.solving.holdem.abstraction import Abstraction, by_strength
from engine.solving.holdem.betting import Decision, HoldemBetting, holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.saved_states import check_state

__all__ = ["DEALS", "DealSolver", "betting_arrays", "deals_on"]

DEALS: Final = 100
"""Deals on each board; classing all hands on a board takes as long as learning from some hundred deals."""
_BOARD_SIZES: Final = (0, 3, 4, 5)

Draw = Callable[[np.random.Generator], Deals]
"""Draws the deals of an iteration."""


class DealSolver:
    """A solver of heads-up hold'em on buckets.

    Args:
        game: the game.
        abstraction: the buckets of the strategy.
        sizes: the raises of a no-limit game, as parts of the pot.
        seed: the seed of cards and actions.
        slips: the part of the opponent's actions that are slips, 0 to 1: any legal action, equally likely.
        draw: draws the deals of an iteration, for games that are not hold'em.
        bound: what is prescribed to one of the players; the average of the other is then the result.

    Raises:
        ValueError: the game is another one, or the sizes do not fit it.
        TooLarge: with so many chips and sizes there are too many decisions.
    """

    def __init__(
        self,
        game: GameDefinition,
        abstraction: Abstraction,
        sizes: tuple[float, ...] = (),
        *,
        seed: int = 0,
        slips: float = 0.0,
        draw: Draw | None = None,
        bound: Bound | None = None,
    ) -> None:
        self.game = game
        self.abstraction = abstraction
        self.betting = holdem_betting(game, abstraction.num_buckets, sizes)
        self.iterations = 0
        """The number of iterations so far, each on one board."""
        self._draw: Draw = self._drawn_on_a_board if draw is None else draw
        self._seed, self._slips = seed, slips
        self._tree = betting_arrays(self.betting)
        self._regrets, self._sums = np.zeros(self.betting.num_slots), np.zeros(self.betting.num_slots)
        self._random = np.array([seed & 2**64 - 1], np.uint64)
        size, width = len(self._tree.nodes), int(self._tree.nodes[:, Column.NUM_ACTIONS].max())
        self._visits = Visits(
            np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size), np.zeros(size),
            np.zeros((size, width)), np.zeros(size, np.bool_),
        )  # fmt: skip
        nothing = np.zeros(self.betting.num_slots)
        self._bound = Bound(-1, 0.0, nothing, nothing) if bound is None else bound

    @property
    def num_information_sets(self) -> int:
        """The number of information sets of both players, on buckets."""
        return self.betting.num_information_sets

    def run(self, iterations: int) -> None:
        """Run some more iterations."""
        for number in range(self.iterations, self.iterations + iterations):
            deals = self._draw(np.random.default_rng((self._seed, number)))
            learn_from_deals(
                self._tree, deals, (self._regrets, self._sums), self._visits, self._random,
                (float(number + 1), self._slips), self._bound,
            )  # fmt: skip
            self.iterations += 1

    def _drawn_on_a_board(self, generator: np.random.Generator) -> Deals:
        """Deals of hold'em on a random board."""
        board = tuple(int(card) for card in generator.permutation(NUM_CARDS)[:5])
        return deals_on(board, self.abstraction, DEALS, generator)

    def average(self) -> BucketedStrategy:
        """The average strategy so far."""
        return BucketedStrategy.of(self.game, self.abstraction, self._sums, self.betting.sizes)

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
) -> Deals:
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
    return Deals(np.ascontiguousarray(buckets), np.sign(strengths[:, 0] - strengths[:, 1]).astype(np.float64))


def betting_arrays(betting: HoldemBetting) -> Betting:
    """The betting of a game as `learn_from_deals` walks it."""
    states = [initial_betting(betting.game)]
    rows: list[list[int]] = []
    chips: list[float] = []
    for state in states:  # the list grows during the loop
        row = [0] * len(Column)
        chips.append(0.0)
        if state.position_to_act is None:
            row[Column.KIND] = SHOWDOWN if state.is_showdown else FOLD
            chips[-1] = float(min(state.spent)) * (-1 if state.folded[0] else 1)
        else:
            decision: Decision = betting.decision(state)
            row[Column.KIND], row[Column.FIRST] = decision.position, len(states)
            row[Column.NUM_ACTIONS], row[Column.FIRST_SLOT] = len(decision.actions), decision.first_slot
            row[Column.ROUND] = decision.betting_round
            states.extend(state.apply(action) for action in decision.actions)
        rows.append(row)
    return Betting(np.array(rows, np.int64), np.array(chips))
