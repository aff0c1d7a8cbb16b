"""Solving a small game: counterfactual regret minimisation in its usual forms.

=========  ============================================  ==========================================
algorithm  after iteration t, regrets are multiplied by  weight of t in the average
=========  ============================================  ==========================================
``cfr``    nothing                                       1
``cfr+``   0 where negative                              t
``dcfr``   t^1.5 / (t^1.5 + 1); ½ where negative         t²
``lcfr``   t / (t + 1)                                   t
``mcfr``   nothing; cards and the others' actions drawn  1
=========  ============================================  ==========================================

Within an iteration the players take turns.  The result is the average strategy.  It depends on the number of
iterations and, for ``mcfr``, on the seed, but not on how the iterations are split into runs.

Source: as for ``engine.kernels.solving.regrets``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.regrets import Discount, Regrets, RegretScratch, Visits, minimise, sample
from engine.poker.rules import GameDefinition
from engine.solving.game_tree import GameTree
from engine.solving.strategies import Strategy, normalised, uniform_policy
from engine.support.arrays import Floats
from engine.support.files.archive import check_state

Algorithm = Literal["cfr", "cfr+", "dcfr", "lcfr", "mcfr"]
ALGORITHMS: Final[tuple[Algorithm, ...]] = get_args(Algorithm)

_EXPONENTS: Final[Mapping[Algorithm, tuple[float, float, float]]] = {
    "cfr": (np.inf, np.inf, 0.0),
    "cfr+": (np.inf, -np.inf, 1.0),
    "dcfr": (1.5, 0.0, 2.0),
    "lcfr": (1.0, 1.0, 1.0),
}
"""α for positive regrets, β for negative ones, γ for the average (Brown and Sandholm)."""


class Constraints:
    """Chances that are prescribed to the players, who choose freely only what is left.

    A player plays ``bound + loose * x`` where x is the player's own strategy.

    Args:
        bound: prescribed chances by slot.
        loose: the part left to the player, by slot: 1 less the sum of `bound` over the information set, the
            same for all of its actions.
    """

    def __init__(self, bound: Floats, loose: Floats) -> None:
        self.bound = np.ascontiguousarray(bound, np.float64)
        self.loose = np.ascontiguousarray(loose, np.float64)


class Solver:
    """A solver of a small game.

    Args:
        tree: the game.
        algorithm: one of `ALGORITHMS`.
        seed: the seed of ``mcfr``.
        constraints: chances prescribed to the players; not for ``mcfr``.

    Raises:
        ValueError: there is no such algorithm, or ``mcfr`` is given constraints.
    """

    def __init__(
        self,
        tree: GameTree,
        algorithm: Algorithm = "cfr+",
        *,
        seed: int = 0,
        constraints: Constraints | None = None,
    ) -> None:
        if algorithm not in ALGORITHMS:
            raise ValueError(f"expected one of {', '.join(ALGORITHMS)}, got {algorithm!r}")
        if algorithm == "mcfr" and constraints is not None:
            raise ValueError("constraints are for algorithms that walk the whole tree")
        self.tree = tree
        self.algorithm: Algorithm = algorithm
        self.iterations = 0
        """The number of iterations so far."""
        free = uniform_policy(tree)
        slots = tree.num_slots
        bound, loose = np.zeros(slots), np.ones(slots)
        if constraints is not None:
            bound, loose = constraints.bound, constraints.loose
        self._learnt = Regrets(np.zeros(slots), np.zeros(slots), free, bound + loose * free, bound, loose)
        self._random = np.array([seed & 2**64 - 1], np.uint64)

    @property
    def game(self) -> GameDefinition:
        """The game that is being solved."""
        return self.tree.game

    def run(self, iterations: int) -> None:
        """Run some more iterations."""
        arrays, learnt = self.tree.arrays, self._learnt
        if self.algorithm == "mcfr":
            sample(arrays, learnt.regrets, learnt.sums, self._visits, self._random, iterations)
        else:
            discounts = schedule(self.algorithm, self.iterations + 1, iterations)
            minimise(arrays, learnt, self._scratch, discounts)
        self.iterations += iterations

    @functools.cached_property
    def _scratch(self) -> RegretScratch:
        """Empty arrays for `minimise`."""
        nodes, slots = self.tree.num_nodes, self.tree.num_slots
        return RegretScratch(np.empty(nodes), np.empty(nodes), np.zeros(slots), np.zeros(slots))

    @functools.cached_property
    def _visits(self) -> Visits:
        """Empty arrays for `sample`: on a visit to each block at most, and one more."""
        most_actions = max(len(node.actions) for node in self.tree.nodes)
        size = len(self.tree.nodes) + 1
        return Visits(np.zeros((size, 3), np.int64), np.zeros(size), np.zeros((size, most_actions)))

    def average(self) -> Strategy:
        """The average strategy so far, which is the result; uniform where a player never plays to."""
        return Strategy(self.tree, normalised(self.tree, self._learnt.sums))

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to continue exactly from here, as arrays by name."""
        learnt = self._learnt
        return {
            "regrets": learnt.regrets.copy(),
            "sums": learnt.sums.copy(),
            "free": learnt.free.copy(),
            "random": self._random.copy(),
            "iterations": np.array(self.iterations),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from the `state` of a solver of the same game, algorithm and constraints.

        Raises:
            ValueError: it is not such a state, or is of another game.
        """
        check_state(state, self.state())
        learnt = self._learnt
        learnt.regrets[:], learnt.sums[:], learnt.free[:] = state["regrets"], state["sums"], state["free"]
        learnt.played[:] = learnt.bound + learnt.loose * learnt.free
        self._random[:] = state["random"]
        self.iterations = int(state["iterations"])


def schedule(algorithm: Algorithm, first: int, iterations: int) -> Floats:
    """The discounts and weights of some iterations, shape (iterations, len(Discount)).

    Args:
        algorithm: any but ``mcfr``.
        first: the number of the first iteration, from 1.
        iterations: how many.
    """
    positive, negative, weight = _EXPONENTS[algorithm]
    numbers = np.arange(first, first + iterations, dtype=np.float64)
    rows = np.empty((iterations, len(Discount)))
    rows[:, Discount.POSITIVE] = _discount(numbers, positive)
    rows[:, Discount.NEGATIVE] = _discount(numbers, negative)
    rows[:, Discount.WEIGHT] = numbers**weight
    return rows


def _discount(numbers: Floats, exponent: float) -> Floats:
    """``t^exponent / (t^exponent + 1)``, with its limits for infinite exponents."""
    if np.isinf(exponent):
        return np.full_like(numbers, 1.0 if exponent > 0 else 0.0)
    powers = numbers**exponent
    return powers / (powers + 1.0)
