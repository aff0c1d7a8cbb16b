"""Counter-strategies on Leduc and Kuhn against exact curves, computed elsewhere by linear programs."""

from __future__ import annotations

import numpy as np
import pytest

from engine.poker.rules import GameDefinition
from engine.solving.game_tree import GameTree, game_tree
from engine.solving.responses import (
    confidence,
    counts_of_hands,
    data_biased,
    evaluate,
    frequentist_model,
    full_response,
    probe_policy,
    restricted_nash,
)
from engine.solving.solver import Solver
from engine.solving.strategies import exploitability, policy_with, uniform_policy
from engine.support.arrays import Floats
from tests.engine.solving.games import KUHN, KUHN_3P, LEDUC
from tests.support.asserting import refuses

# Opponents by the weights of fold, call and raise; a tiny one stands for a call where nothing else is legal.
UNIFORM = (1.0, 1.0, 1.0)
CALLS = (0.0, 1.0, 0.0)
RAISES = (0.0, 1e-300, 1.0)
HALF = (0.0, 1.0, 1.0)

FAST_CURVE = [
    (KUHN, UNIFORM, 0.25, 277.8, 27.8),
    (KUHN, UNIFORM, 0.5, 361.1, 83.3),
    (KUHN, UNIFORM, 0.75, 430.6, 222.2),
    (KUHN, UNIFORM, 0.95, 458.3, 333.3),
    (KUHN, RAISES, 0.5, 333.3, 111.1),
    (LEDUC, CALLS, 0.75, 1466.7, 328.5),
    (LEDUC, RAISES, 0.75, 2345.1, 405.5),
    (LEDUC, HALF, 0.9, 2150.0, 950.0),
]

CURVE = [
    (UNIFORM, {0.25: (1280.5, 73.7), 0.5: (1844.9, 452.4), 0.75: (2133.4, 945.5), 0.9: (2254.5, 1779.0),
               0.95: (2353.8, 2778.6)}, 4000),
    (CALLS, {0.25: (1258.4, 50.3)}, 20_000),
    (CALLS, {0.5: (1349.9, 114.0), 0.75: (1466.7, 328.5), 0.9: (1466.7, 328.5),
             0.95: (1466.7, 328.5)}, 4000),
    (RAISES, {0.25: (1992.6, 110.5), 0.5: (2288.6, 315.9), 0.75: (2345.1, 405.5), 0.9: (2366.7, 505.1),
              0.95: (2366.7, 505.1)}, 4000),
    (HALF, {0.25: (1649.3, 114.8), 0.5: (1878.3, 238.9), 0.75: (2068.0, 568.7), 0.9: (2150.0, 950.0),
            0.95: (2150.0, 950.0)}, 4000),
]  # fmt: skip
"""Opponents, for each part (exploitation, exploitability) in thousandths of an ante, and iterations."""

TIES = [(RAISES, 0.5), (HALF, 0.5)]
"""Where several responses are equally good, and trade one thousandth won for one given away."""


@pytest.mark.parametrize(("game", "weights", "part", "exploitation", "exploited"), FAST_CURVE)
def test_restricted_nash_responses_trade_winnings_for_safety(
    game: GameDefinition, weights: tuple[float, ...], part: float, exploitation: float, exploited: float
) -> None:
    tree = game_tree(game)
    model = policy_with(tree, weights)

    found = evaluate(tree, restricted_nash(tree, model, part), model)

    assert 1000 * found.exploitation == pytest.approx(exploitation, abs=1)
    assert 1000 * found.exploitability == pytest.approx(exploited, abs=1)


@pytest.mark.slow
@pytest.mark.parametrize(("weights", "curve", "iterations"), CURVE)
def test_restricted_nash_curves_of_leduc(
    weights: tuple[float, ...], curve: dict[float, tuple[float, float]], iterations: int
) -> None:
    tree = game_tree(LEDUC)
    model = policy_with(tree, weights)

    for part, expected in curve.items():
        found = evaluate(tree, restricted_nash(tree, model, part, iterations), model)
        pair = (1000 * found.exploitation, 1000 * found.exploitability)
        assert worth(part, pair) == pytest.approx(worth(part, expected), abs=0.2)
        if (weights, part) not in TIES:
            assert pair == pytest.approx(expected, abs=1)


def worth(part: float, pair: tuple[float, float]) -> float:
    """What a restricted Nash response makes as large as can be."""
    return part * pair[0] - (1 - part) * pair[1]


@pytest.mark.parametrize(
    ("weights", "expected"), [(UNIFORM, 2373.6), (CALLS, 1466.7), (RAISES, 2366.7), (HALF, 2150.0)]
)
def test_the_ends_of_the_curve_are_equilibrium_and_best_response(
    weights: tuple[float, ...], expected: float
) -> None:
    tree = game_tree(LEDUC)
    model = policy_with(tree, weights)

    safe = evaluate(tree, restricted_nash(tree, model, 0.0, 500), model)
    greedy = evaluate(tree, restricted_nash(tree, model, 1.0), model)

    assert safe.exploitability < 2e-3
    assert 1000 * greedy.exploitation == pytest.approx(expected, abs=0.05)
    assert greedy.exploitability > safe.exploitability


def half_good(tree: GameTree) -> Floats:
    """Plays an equilibrium in half of all decisions and anything in the others."""
    solver = Solver(tree)
    solver.run(500)
    return 0.5 * solver.average().policy + 0.5 * uniform_policy(tree)


def test_data_biased_responses_without_data_are_equilibria_and_with_all_data_best_responses() -> None:
    tree = game_tree(LEDUC)
    opponent = half_good(tree)

    blind = data_biased(tree, opponent, np.zeros(tree.num_information_sets), 500)
    certain = evaluate(tree, data_biased(tree, opponent, np.ones(tree.num_information_sets), 500), opponent)

    assert exploitability(tree, blind).mean < 2e-3
    best = evaluate(tree, full_response(tree, opponent), opponent)
    assert certain.exploitation == pytest.approx(best.exploitation, abs=1e-3)
    assert 1000 * best.exploitation == pytest.approx(1408.7, rel=0.01)  # equilibria differ


def test_a_data_biased_response_wins_of_little_data_what_a_frequentist_one_loses() -> None:
    """With 100 hands an FBR gains less than a DBR, and can lose thousands; Johanson and Bowling (2009)."""
    tree = game_tree(LEDUC)
    opponent = half_good(tree)
    counts = counts_of_hands(tree, opponent, probe_policy(tree), 100, np.random.default_rng(1))
    model = frequentist_model(tree, counts)

    frequentist = evaluate(tree, full_response(tree, model), opponent)
    biased = evaluate(tree, data_biased(tree, model, confidence(tree, counts, 0.75), 500), opponent)

    assert frequentist.exploitation < 0.327 < biased.exploitation
    assert frequentist.exploitability > 3
    assert biased.exploitability < 0.3


def test_a_frequentist_response_to_many_hands_is_nearly_the_best() -> None:
    tree = game_tree(LEDUC)
    opponent = half_good(tree)
    counts = counts_of_hands(tree, opponent, probe_policy(tree), 50_000, np.random.default_rng(2))

    found = evaluate(tree, full_response(tree, frequentist_model(tree, counts)), opponent)

    best = evaluate(tree, full_response(tree, opponent), opponent)
    assert found.exploitation >= 0.95 * best.exploitation


def test_hands_are_counted_once_a_decision() -> None:
    """Every hand has one first decision of each player; calls and raises come as often as they are played."""
    tree = game_tree(KUHN)
    counts = counts_of_hands(tree, uniform_policy(tree), probe_policy(tree), 30_000, np.random.default_rng(3))

    firsts = tree.nodes[0].slots(counts)
    assert firsts.sum() == 30_000
    assert firsts == pytest.approx(5000, rel=0.06)


def test_confidence_grows_with_data() -> None:
    tree = game_tree(KUHN)
    counts = np.zeros(tree.num_slots)
    counts[tree.nodes[0].first_slot] = 5  # a call with the first card

    assert confidence(tree, counts, 0.8)[:2] == pytest.approx([0.4, 0.0])
    assert confidence(tree, 10 * counts, 0.8)[0] == pytest.approx(0.8)


def test_counter_strategies_are_for_two_players() -> None:
    tree = game_tree(KUHN_3P)

    refuses(ValueError, "for two players, the game has 3", restricted_nash, tree, uniform_policy(tree), 0.5)
    with pytest.raises(ValueError, match="expected a part from 0 to 1, got 2"):
        restricted_nash(game_tree(KUHN), uniform_policy(game_tree(KUHN)), 2)
