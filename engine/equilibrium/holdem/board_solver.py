"""Solving heads-up limit hold'em on buckets: boards drawn one after the other, all hands on each at once.

An iteration draws four boards.  For each player in turn, what the four teach is found against the same
strategy, on as many threads as there are, and added in their order: so the result depends on the seed alone.
Regrets and strategies of iteration t count t times (linear CFR).
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.combos import COMBO_CARDS, NUM_COMBOS
from engine.equilibrium.holdem.betting import holdem_betting
from engine.equilibrium.holdem.bucketed import BucketedStrategy
from engine.equilibrium.holdem.buckets import Percentiles
from engine.kernels.cards.tables import ranking_table
from engine.kernels.equilibrium.boards import MOST_ACTIONS, Hands, Room, walk
from engine.kernels.evaluation.combo_strength import order_combos
from engine.rules import GameDefinition

__all__ = ["BOARDS", "BoardSolver", "hands_on"]

BOARDS: Final = 4
"""Boards of an iteration."""


class BoardSolver:
    """Heads-up limit hold'em that is being solved.

    Args:
        game: what is played.
        buckets: in each round after the first.
        seed: for the boards.
        jobs: threads, 1 to `BOARDS`; the result does not depend on it.

    Raises:
        ValueError: another game, or too many buckets.
    """

    def __init__(self, game: GameDefinition, buckets: int, *, seed: int = 0, jobs: int = 1) -> None:
        self.game = game
        self.abstraction = Percentiles(buckets)
        self.betting = holdem_betting(game, self.abstraction.num_buckets)
        self.iterations = 0
        """Iterations so far, of `BOARDS` boards each."""
        slots = self.betting.num_slots
        self._seed = seed
        self._jobs = min(jobs, BOARDS)
        self._regrets, self._sums = np.zeros(slots), np.zeros(slots)
        self._taught = [(np.zeros(slots), np.zeros(slots)) for _ in range(BOARDS)]
        self._rooms = [_room(self.betting.depths, max(self.betting.num_buckets)) for _ in range(BOARDS)]

    @property
    def num_information_sets(self) -> int:
        """Of both players, by bucket."""
        return self.betting.num_information_sets

    def run(self, iterations: int) -> None:
        """Go on for some iterations."""
        with ThreadPoolExecutor(self._jobs) as pool:
            for _ in range(iterations):
                first = self.iterations * BOARDS
                hands = list(pool.map(self._hands, range(first, first + BOARDS)))
                weight = float(self.iterations + 1)
                for player in (0, 1):
                    list(pool.map(self._teach, hands, self._rooms, self._taught, [player] * BOARDS))
                    for gains, sums in self._taught:
                        self._regrets += weight * gains
                        self._sums += weight * sums
                self.iterations += 1

    def average(self) -> BucketedStrategy:
        """The average strategy so far."""
        return BucketedStrategy.of(self.game, self.abstraction.number, self._sums)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to go on exactly here, as arrays by name."""
        return {
            "regrets": self._regrets.copy(),
            "sums": self._sums.copy(),
            "iterations": np.array(self.iterations),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a `state` of a solver of the same game, buckets and seed.

        Raises:
            ValueError: it is none.
        """
        own = self.state()
        for name, array in own.items():
            found = state.get(name)
            if found is None or found.shape != array.shape or found.dtype.kind != array.dtype.kind:
                raise ValueError(f"expected {name!r}, an array of shape {array.shape} of numbers")
            if not np.all(np.isfinite(found)):
                raise ValueError(f"expected finite numbers in {name!r}")
        self._regrets[:], self._sums[:] = state["regrets"], state["sums"]
        self.iterations = int(state["iterations"])

    def _hands(self, number: int) -> Hands:
        generator = np.random.default_rng((self._seed, number))
        board = tuple(int(card) for card in generator.permutation(52)[:5])
        return hands_on(board, self.abstraction)

    def _teach(
        self, hands: Hands, room: Room, taught: tuple[NDArray[np.float64], NDArray[np.float64]], player: int
    ) -> None:
        gains, sums = taught
        gains[:] = 0.0
        sums[:] = 0.0
        walk(self.betting.steps, hands, self._regrets, player, room, gains, sums)


def hands_on(board: tuple[int, ...], abstraction: Percentiles) -> Hands:
    """The live hands on a full board, in ascending order of strength, with their buckets in each round."""
    order, ends = np.empty(NUM_COMBOS, np.int64), np.empty(NUM_COMBOS, np.int64)
    live, groups = order_combos(ranking_table(), np.array(board, np.uint8), order, ends)
    held = order[:live]
    return Hands(
        np.ascontiguousarray(COMBO_CARDS[held, 0]),
        np.ascontiguousarray(COMBO_CARDS[held, 1]),
        ends[:groups].copy(),
        np.ascontiguousarray([abstraction.buckets(board[:size])[held] for size in (0, 3, 4, 5)]),
    )


def _room(depths: int, buckets: int) -> Room:
    hands = 1081
    return Room(
        np.zeros((depths, hands)), np.zeros((depths, hands)), np.zeros((depths, hands)),
        np.zeros((depths, MOST_ACTIONS, hands)), np.zeros((depths, MOST_ACTIONS, hands)),
        np.zeros((buckets, MOST_ACTIONS)), np.zeros(52),
    )  # fmt: skip
