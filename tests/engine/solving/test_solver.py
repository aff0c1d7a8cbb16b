"""Solvers against exact values, OpenSpiel's learning curves and Kuhn's own equilibria."""

from __future__ import annotations

import numpy as np
import pytest

from engine.poker.rules import GameDefinition
from engine.solving.game_tree import GameTree, game_tree
from engine.solving.solver import ALGORITHMS, Algorithm, Solver
from engine.solving.strategies import Strategy, exploitability, values
from tests.engine.solving.games import KUHN, KUHN_3P, LEDUC, SHORT_STACKS

KUHN_VALUE = -1 / 18
LEDUC_VALUE = -0.085606424078


def solved(game: GameDefinition, algorithm: Algorithm, iterations: int, seed: int = 0) -> Strategy:
    solver = Solver(game_tree(game), algorithm, seed=seed)
    solver.run(iterations)
    return solver.average()


def milli_antes(game: GameDefinition, algorithm: Algorithm, iterations: int) -> float:
    strategy = solved(game, algorithm, iterations)
    return 1000 * exploitability(strategy.tree, strategy.policy).mean


@pytest.mark.parametrize(
    ("game", "algorithm", "curve"),
    [
        (KUHN, "cfr", {10: 68.70, 100: 8.226, 1000: 0.938, 10_000: 0.113}),
        (KUHN, "cfr+", {10: 32.69, 100: 1.194, 1000: 0.0874, 10_000: 0.0096}),
        (KUHN, "dcfr", {10: 22.78, 100: 1.666, 1000: 0.147}),
        (KUHN, "lcfr", {10: 21.25, 100: 1.089, 1000: 0.0935}),
        (LEDUC, "cfr", {10: 888.6, 100: 95.72, 1000: 11.82}),
        (LEDUC, "cfr+", {10: 610.4, 100: 13.416, 1000: 0.2572}),
        (LEDUC, "dcfr", {10: 778.8, 50: 22.92, 100: 7.753}),
        (LEDUC, "lcfr", {10: 721.1, 50: 69.00, 100: 34.49}),
    ],
)
def test_learning_curves_are_openspiels(
    game: GameDefinition, algorithm: Algorithm, curve: dict[int, float]
) -> None:
    """Players take turns in the same order there, so every iteration is the same, not only the limit.

    In Leduc the last bit of a sum, whose order is not the same, makes itself felt after a hundred iterations.
    """
    for iterations, expected in curve.items():
        last_digit = 0.51 * 10 ** -len(f"{expected}".partition(".")[2])
        rounding = 0.03 * expected if game is LEDUC and iterations >= 100 else 0.0
        found = milli_antes(game, algorithm, iterations)
        assert found == pytest.approx(expected, abs=max(last_digit, rounding))


@pytest.mark.parametrize(
    ("algorithm", "curve"),
    [
        ("cfr", {10: 312.5, 100: 37.02, 1000: 3.92, 10_000: 0.361}),
        ("cfr+", {10: 149.3, 100: 2.955, 1000: 0.032}),
    ],
)
def test_three_players_learn_as_openspiels_do(algorithm: Algorithm, curve: dict[int, float]) -> None:
    for iterations, expected in curve.items():
        strategy = solved(KUHN_3P, algorithm, iterations)
        digits = len(f"{expected}".partition(".")[2])
        found = 1000 * exploitability(strategy.tree, strategy.policy).nash_conv
        assert found == pytest.approx(expected, abs=0.51 * 10**-digits)


def test_kuhn_has_the_value_of_its_equilibria() -> None:
    strategy = solved(KUHN, "cfr+", 100_000)

    assert values(strategy.tree, strategy.policy)[0] == pytest.approx(KUHN_VALUE, abs=1e-9)


def test_kuhns_equilibrium_is_one_of_the_known_family() -> None:
    """Kuhn (1950): the first player bets the jack with some chance up to a third, and all else follows."""
    table = solved(KUHN, "cfr+", 20_000).table()

    bluff = table[":Qs"]["r"]  # the lowest of three cards
    assert 0 <= bluff <= 1 / 3 + 1e-3
    assert table[":As"]["r"] == pytest.approx(3 * bluff, abs=2e-3)
    assert table[":Ks"]["r"] == pytest.approx(0, abs=1e-3)
    assert table["cr:Ks"]["c"] == pytest.approx(bluff + 1 / 3, abs=2e-3)
    assert table["c:Qs"]["r"] == pytest.approx(1 / 3, abs=1e-3)
    assert table["r:Ks"]["c"] == pytest.approx(1 / 3, abs=1e-3)
    assert min(table["c:As"]["r"], table["r:As"]["c"]) > 0.999


@pytest.mark.parametrize("bluff", [0.0, 0.1, 1 / 3])
def test_kuhns_equilibria_cannot_be_exploited(bluff: float) -> None:
    tree = game_tree(KUHN)
    chances = {
        ":Qs": bluff, ":Ks": 0, ":As": 3 * bluff, "cr:Qs": 0, "cr:Ks": bluff + 1 / 3, "cr:As": 1,
        "c:Qs": 1 / 3, "c:Ks": 0, "c:As": 1, "r:Qs": 0, "r:Ks": 1 / 3, "r:As": 1,
    }  # fmt: skip
    policy = np.zeros(tree.num_slots)
    keys = list(Strategy(tree, policy).table())
    for found, key in zip(tree.information_sets(), keys, strict=True):
        policy[found.slots] = 1 - chances[key], chances[key]  # the last action is the bet, or calls one

    assert exploitability(tree, policy).mean == pytest.approx(0, abs=1e-12)
    assert values(tree, policy)[0] == pytest.approx(KUHN_VALUE, abs=1e-12)


def test_leduc_has_its_value() -> None:
    strategy = solved(LEDUC, "cfr+", 2000)

    found = exploitability(strategy.tree, strategy.policy)
    assert found.mean < 0.26e-3
    assert found.values[0] == pytest.approx(LEDUC_VALUE, abs=1e-4)
    assert -found.responses[1] <= LEDUC_VALUE <= found.responses[0]


def test_the_second_of_three_in_kuhn_gets_what_every_equilibrium_gives() -> None:
    strategy = solved(KUHN_3P, "cfr+", 5000)

    assert values(strategy.tree, strategy.policy)[1] == pytest.approx(-1 / 48, abs=1e-4)


def test_no_limit_with_side_pots_is_solved() -> None:
    strategy = solved(SHORT_STACKS, "dcfr", 300)

    assert exploitability(strategy.tree, strategy.policy).nash_conv < 0.01


def test_sampling_finds_the_equilibrium() -> None:
    for seed in (1, 2):
        strategy = solved(LEDUC, "mcfr", 200_000, seed)
        found = exploitability(strategy.tree, strategy.policy)
        assert found.mean < 0.07
        assert found.values[0] == pytest.approx(LEDUC_VALUE, abs=0.02)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_runs_may_be_split_and_taken_up_elsewhere(algorithm: Algorithm) -> None:
    tree = game_tree(LEDUC)
    unbroken = Solver(tree, algorithm, seed=5)
    unbroken.run(60)
    first = Solver(tree, algorithm, seed=5)
    first.run(7)
    first.run(20)

    second = Solver(GameTree(LEDUC), algorithm, seed=99)
    second.restore(first.state())
    second.run(33)

    for name, expected in unbroken.state().items():
        assert np.array_equal(second.state()[name], expected), name
    assert np.array_equal(second.average().policy, unbroken.average().policy)


def test_a_state_of_another_game_is_refused() -> None:
    solver = Solver(game_tree(KUHN))

    with pytest.raises(ValueError, match=r"expected 'regrets', an array of shape \(24,\)"):
        solver.restore(Solver(game_tree(LEDUC)).state())
    with pytest.raises(ValueError, match="expected finite numbers in 'sums'"):
        solver.restore({**solver.state(), "sums": np.full(24, np.nan)})
    with pytest.raises(ValueError, match="expected one of cfr"):
        Solver(game_tree(KUHN), "pcs")  # type: ignore[arg-type]


def test_another_seed_draws_otherwise() -> None:
    assert not np.array_equal(solved(LEDUC, "mcfr", 100, 1).policy, solved(LEDUC, "mcfr", 100, 2).policy)
