"""Mixtures and the range of skill, against linear programs, definitions and exact best responses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from engine.poker.rules import load_game
from engine.solving.game_tree import game_tree
from engine.solving.mixtures import mixed, range_of_skill, sequences, solve_matrix_game, won_of
from engine.solving.strategies import exploitability, policy_with, uniform_policy
from tests.support.asserting import refuses

KUHN = game_tree(load_game("kuhn-2p"))
LEDUC = game_tree(load_game("leduc"))


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (7, 4), (20, 30)])
def test_matrix_games_are_solved_as_by_a_linear_program(shape: tuple[int, int]) -> None:
    payoffs = np.random.default_rng(sum(shape)).normal(size=shape)

    game = solve_matrix_game(payoffs)

    rows, _ = shape
    found = linprog(
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
    parts = [policy_with(LEDUC, weights) for weights in ((0, 1, 0), (0, 0, 1), (1, 2, 3))]
    weights = [0.5, 0.2, 0.3]
    opponent = uniform_policy(LEDUC)

    mixture = mixed(LEDUC, parts, weights)

    expected = sum(w * won_of(LEDUC, part, opponent) for w, part in zip(weights, parts, strict=True))
    assert won_of(LEDUC, mixture, opponent) == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(
        sequences(LEDUC, mixture),
        sum(w * sequences(LEDUC, part) for w, part in zip(weights, parts, strict=True)),
        atol=1e-12,
    )


@pytest.mark.parametrize("epsilon", [0.3, 0.1, 0.02])
def test_each_strategy_beats_all_before_it(epsilon: float) -> None:
    members = [uniform_policy(KUHN)]
    steps = list(range_of_skill(KUHN, epsilon))
    for step in steps[:-1]:
        won = [won_of(KUHN, step.policy, member) for member in members]
        assert min(won) == pytest.approx(step.gain, abs=1e-6)
        assert step.gain >= epsilon
        members.append(step.policy)

    assert steps[-1].gain < epsilon
    # Nobody wins more than the last gain of the mixture of the list.
    assert exploitability(KUHN, steps[-1].mixture).mean == pytest.approx(steps[-1].gain, abs=1e-6)


def test_gains_fall_and_the_first_is_a_best_response() -> None:
    """The first step is the best response to uniform play: 2.373611 antes in Leduc (published)."""
    gains = [step.gain for step in range_of_skill(LEDUC, 1.5)]

    assert gains[0] == pytest.approx(2.373611, abs=1e-6)
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] < 1.5 <= gains[-2]


def test_senseless_arguments_are_refused() -> None:
    refuses(ValueError, "above 0", next, range_of_skill(KUHN, 0.0))
    with pytest.raises(ValueError, match="is for two players, the game has 3"):
        next(range_of_skill(game_tree(load_game("kuhn-3p")), 0.1))
