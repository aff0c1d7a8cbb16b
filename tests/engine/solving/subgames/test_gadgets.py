"""Gadgets in games small enough to be solved exactly: the coin toss, and hold'em with one card."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.solving.subgames.gadgets import Resolve
from engine.support.arrays import Floats
from tests.oracles.one_card import Gadget, Game, Start, solved_again

_PLUS = (1.0, 1.0, 1.0, 0.0)
_COIN = np.array([[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0]])
"""What the player who sees the coin wins: heads, tails; the other says heads, tails, or forfeits."""
_BEST = np.array([0.0, 0.5])
"""What heads and tails win by playing on against the blueprint: heads 1/2, tails 1/4, forfeit 1/4."""


class Believed:
    """Unsafe: the opponent's range is taken for granted."""

    def __init__(self, weights: Floats) -> None:
        self._weights = weights

    def reach(self) -> Floats:
        return self._weights

    def learn(self, values: Floats, factors: object) -> None:
        """Nothing."""


def guesses(gadget: Gadget, iterations: int = 4_000) -> Floats:
    """The average of the one who guesses, by CFR+."""
    regrets, average = np.zeros(3), np.zeros(3)
    for t in range(1, iterations + 1):
        chances = regrets / regrets.sum() if regrets.sum() > 0 else np.full(3, 1 / 3)
        average += t * chances
        gadget.learn(_COIN @ chances, _PLUS)
        worth = -gadget.reach() @ _COIN
        regrets = np.maximum(regrets + worth - chances @ worth, 0)
    found: Floats = average / average.sum()
    return found


def loss(says: Floats, sells: tuple[float, float]) -> float:
    """What the one who sees the coin wins in the mean: the better of selling and playing."""
    return float(np.maximum(_COIN @ says, sells).mean())


def test_the_coin_toss_is_solved_as_its_gadgets_say() -> None:
    unsafe = guesses(Believed(np.array([1.0, 0.0])))
    resolved = guesses(Resolve(_BEST))

    assert loss(unsafe, (0.5, -0.5)) == pytest.approx(0.75, abs=1e-3)
    assert 0.5 - 1e-3 <= resolved[0] <= 0.75 + 1e-3
    assert resolved[2] < 1e-3


def test_mixed_is_between_belief_and_doubt() -> None:
    weights = np.array([0.3, 0.9])
    doubt, belief, half = (Resolve(_BEST, mixed, weights, is_scaled=True) for mixed in (0.0, 1.0, 0.5))
    for gadget in (doubt, belief, half):
        gadget.learn(np.array([1.0, 0.0]), _PLUS)  # heads gains by entering, tails does not

    assert doubt.reach() == pytest.approx([1.2, 0.0])
    assert belief.reach() == pytest.approx(weights)
    assert half.reach() == pytest.approx([0.75, 0.45])


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_one_card_holdem_has_its_value_and_gadgets_keep_their_order() -> None:
    """The three rows of the specification's table; unsafe solving of the first loses more than it had.

    The abstract games have several equilibria, and what `Resolve` then loses depends on which one was found:
    with (13, 2), the trunk's 474 are 454 if the other player learns first, and 473 if both learn at once;
    `Resolve` loses 365, 336 and 360 then.  So for it the table's three digits cannot be had; where
    alternatives are estimates or mixed they nearly can.
    """
    exact = Game()
    equilibrium = exact.solve(2000)
    assert exact.worth(0, equilibrium) == pytest.approx(-0.1120, abs=1e-4)
    assert exact.exploitability(equilibrium) == pytest.approx(0.22, abs=0.01)

    methods: dict[str, Callable[[Start], Gadget]] = {
        "unsafe": lambda start: Believed(start.weights),
        "resolve": lambda start: Resolve(start.best),
        "estimates": lambda start: Resolve(start.expected),
        "mixed": lambda start: Resolve(start.best, 0.5, start.weights),
        "mixed estimates": lambda start: Resolve(start.expected, 0.5, start.weights),
    }
    errors = 0.006, 0.02, 0.06, 0.006, 0.006, 0.007
    for buckets, expected in (
        ((13, 2), (473.6, 502.0, 347.0, 200.2, 238.3, 178.9)),
        ((13, 4), (250.5, 127.0, 183.9, 76.1, 78.7, 64.3)),
        ((6, 3), (337.4, 168.1, 238.3, 164.9, 155.6, 150.9)),
    ):
        game = Game(*buckets)
        trunk = game.solve(2000)
        found = [solved_again(game, trunk, make, 2000) for make in methods.values()]
        for number, wanted, error in zip([game.exploitability(trunk), *found], expected, errors, strict=True):
            assert number == pytest.approx(wanted, rel=error)
        by_name = dict(zip(methods, found, strict=True))
        order = ["resolve", "estimates", "mixed estimates"]
        assert [by_name[name] for name in order] == sorted((by_name[name] for name in order), reverse=True)
