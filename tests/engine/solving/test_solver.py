"""Solvers, counter-strategies and mixtures against exact values, OpenSpiel and linear programs."""

import numpy as np
import pytest
import scipy

from engine.poker.rules import GameDefinition, load_game
from engine.solving.game_tree import GameTree, game_tree
from engine.solving.mixtures import mixed, range_of_skill, sequences, solve_matrix_game
from engine.solving.responses import (
    confidence,
    counts_of_hands,
    data_biased,
    evaluate,
    frequentist_model,
    full_response,
    probe_policy,
    restricted_nash,
    won_of,
)
from engine.solving.solver import ALGORITHMS, Algorithm, Solver
from engine.solving.strategies import Strategy, exploitability, policy_with, uniform_policy, values
from engine.support.arrays import Floats
from tests.engine.solving.games import KUHN, KUHN_3P, LEDUC, SHORT_STACKS
from tests.support.asserting import refuses

# --- solver -------------------------------------------------------------------------------------------------

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
    refuses(ValueError, "expected one of cfr", Solver, game_tree(KUHN), "pcs")


def test_another_seed_draws_otherwise() -> None:
    assert not np.array_equal(solved(LEDUC, "mcfr", 100, 1).policy, solved(LEDUC, "mcfr", 100, 2).policy)


# --- responses ----------------------------------------------------------------------------------------------

# Opponents by the weights of fold, call and raise; a tiny one stands for a call where nothing else is legal.
UNIFORM = (1.0, 1.0, 1.0)
CALLS = (0.0, 1.0, 0.0)
RAISES = (0.0, 1e-300, 1.0)
HALF = (0.0, 1.0, 1.0)

FAST_CURVE = [
    (KUHN, UNIFORM, 0.25, 277.8, 27.8), (KUHN, UNIFORM, 0.5, 361.1, 83.3),
    (KUHN, UNIFORM, 0.75, 430.6, 222.2), (KUHN, UNIFORM, 0.95, 458.3, 333.3),
    (KUHN, RAISES, 0.5, 333.3, 111.1), (LEDUC, HALF, 0.9, 2150.0, 950.0),
    *(pytest.param(LEDUC, weights, 0.75, *found, marks=pytest.mark.slow)
      for weights, found in ((CALLS, (1466.7, 328.5)), (RAISES, (2345.1, 405.5)))),
]  # fmt: skip

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


@pytest.mark.slow
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


# --- range of skill -----------------------------------------------------------------------------------------

KUHN_TREE = game_tree(load_game("kuhn-2p"))
LEDUC_TREE = game_tree(load_game("leduc"))


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (7, 4), (20, 30)])
def test_matrix_games_are_solved_as_by_a_linear_program(shape: tuple[int, int]) -> None:
    payoffs = np.random.default_rng(sum(shape)).normal(size=shape)

    game = solve_matrix_game(payoffs)

    rows, _ = shape
    found = scipy.optimize.linprog(
        c=[0.0] * rows + [-1.0],
        A_ub=np.hstack([-payoffs.T, np.ones((shape[1], 1))]),
        b_ub=np.zeros(shape[1]),
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    assert game.value == pytest.approx(-found.fun, abs=1e-9)
    assert (game.rows @ payoffs).min() == pytest.approx(game.value, abs=1e-9)
    assert (payoffs @ game.columns).max() == pytest.approx(game.value, abs=1e-9)
    assert game.rows.sum() == pytest.approx(1)
    assert game.columns.sum() == pytest.approx(1)


def test_a_mixture_wins_what_its_parts_win_on_average() -> None:
    """A mixture of whole strategies, as one that draws at every action."""
    parts = [policy_with(LEDUC_TREE, weights) for weights in ((0, 1, 0), (0, 0, 1), (1, 2, 3))]
    weights = [0.5, 0.2, 0.3]
    opponent = uniform_policy(LEDUC_TREE)

    mixture = mixed(LEDUC_TREE, parts, weights)

    expected = sum(w * won_of(LEDUC_TREE, part, opponent) for w, part in zip(weights, parts, strict=True))
    assert won_of(LEDUC_TREE, mixture, opponent) == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(
        sequences(LEDUC_TREE, mixture),
        sum(w * sequences(LEDUC_TREE, part) for w, part in zip(weights, parts, strict=True)),
        atol=1e-12,
    )


@pytest.mark.parametrize("epsilon", [0.3, 0.1, 0.02])
def test_each_strategy_beats_all_before_it(epsilon: float) -> None:
    members = [uniform_policy(KUHN_TREE)]
    steps = list(range_of_skill(KUHN_TREE, epsilon))
    for step in steps[:-1]:
        won = [won_of(KUHN_TREE, step.policy, member) for member in members]
        assert min(won) == pytest.approx(step.gain, abs=1e-6)
        assert step.gain >= epsilon
        members.append(step.policy)

    assert steps[-1].gain < epsilon
    # Nobody wins more than the last gain of the mixture of the list.
    assert exploitability(KUHN_TREE, steps[-1].mixture).mean == pytest.approx(steps[-1].gain, abs=1e-6)


def test_gains_fall_and_the_first_is_a_best_response() -> None:
    """The first step is the best response to uniform play: 2.373611 antes in Leduc (published)."""
    gains = [step.gain for step in range_of_skill(LEDUC_TREE, 1.5)]

    assert gains[0] == pytest.approx(2.373611, abs=1e-6)
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] < 1.5 <= gains[-2]


def test_senseless_arguments_are_refused() -> None:
    refuses(ValueError, "above 0", next, range_of_skill(KUHN_TREE, 0.0))
    with pytest.raises(ValueError, match="is for two players, the game has 3"):
        next(range_of_skill(game_tree(load_game("kuhn-3p")), 0.1))
