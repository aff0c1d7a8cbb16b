"""The two-player preflop roll-out game: solved exactly, and how near to it iterated roll-outs come."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.hands.equity import preflop_equities_against_random
from engine.hands.preflop.game import (
    Fork,
    Matchups,
    PreflopGame,
    Showdown,
    call_or_fold_game,
    differences,
    exact_matchups,
    exploitability,
    game_value,
    iterated_strategy,
    limit_game,
    sampled_matchups,
    solve,
)
from engine.poker.combos import parse_starting_hand
from tests.support.asserting import refuses


@pytest.fixture(scope="module")
def matchups() -> Matchups:
    return exact_matchups()


def test_matchups_are_a_distribution_and_a_zero_sum(matchups: Matchups) -> None:
    assert matchups.met.sum() == pytest.approx(1)
    assert matchups.balance.sum() == pytest.approx(0, abs=1e-12)
    assert matchups.met == pytest.approx(matchups.met.T)


def test_sampled_matchups_approach_the_exact_ones(matchups: Matchups) -> None:
    sampled = sampled_matchups(500_000, np.random.default_rng(1))
    shares = (sampled.balance.sum(axis=1) / sampled.met.sum(axis=1) + 1) / 2

    assert sampled.met.sum() == pytest.approx(1)
    assert np.abs(shares - preflop_equities_against_random()).max() < 0.05


def test_the_limit_tree_is_that_of_limit_hold_em() -> None:
    histories = [node.history for node in limit_game().decisions()]

    assert sorted(histories) == sorted(["", "c", "r", "cr", "rr", "crr", "rrr", "crrr"])
    by_history = {node.history: node for node in limit_game().decisions()}
    assert by_history["c"].actions == ("call", "raise")
    assert by_history["rrr"].actions == ("fold", "call")
    assert [by_history[history].position for history in ("", "c", "cr", "rr")] == [0, 1, 0, 0]
    assert by_history["crrr"].children[1] == Showdown(4.0)


def test_the_small_blind_s_first_fold_costs_half_a_bet() -> None:
    fold = np.zeros((3, 169))
    fold[0] = 1
    game = limit_game()
    strategy = {
        node.history: np.full((len(node.actions), 169), 1 / len(node.actions)) for node in game.decisions()
    }
    strategy[""] = fold

    assert game_value(game, strategy, exact_matchups()) == pytest.approx(-0.5)


def test_a_game_of_one_decision_is_solved_by_comparing_two_numbers(matchups: Matchups) -> None:
    # The big blind has called blindly: the small blind plays exactly the hands that earn more than folding.
    only = Fork("", 0, ("fold", "call"), (call_or_fold_game().root.children[0], Showdown(2.0)))
    strategy = solve(PreflopGame("one decision", only), matchups, max_exploitability=1e-9)

    worth_it = 2 * (2 * preflop_equities_against_random() - 1) > -0.5
    assert (strategy[""][1] > 0.5).tolist() == worth_it.tolist()


def test_call_or_fold_is_solved_and_iterated_roll_outs_are_near_optimal_in_it(matchups: Matchups) -> None:
    game = call_or_fold_game()
    optimal = solve(game, matchups)
    iterated = iterated_strategy(game, np.random.default_rng(1))
    different = differences(game, iterated, optimal, matchups)

    assert exploitability(game, optimal, matchups) <= 0.01
    assert exploitability(game, iterated, matchups) < 1.0
    assert len(different) <= 10
    assert all(difference.cost < 100 for difference in different)
    assert 1000 * game_value(game, optimal, matchups) == pytest.approx(9.5, abs=0.1)


def test_the_limit_game_is_solved_and_iterated_roll_outs_are_less_near_in_it(matchups: Matchups) -> None:
    game = limit_game()
    optimal = solve(game, matchups, max_exploitability=0.1)
    generations = iterated_strategy(game, np.random.default_rng(1))
    cumulative = iterated_strategy(game, np.random.default_rng(1), cumulative=True)
    different = differences(game, cumulative, optimal, matchups)

    assert exploitability(game, optimal, matchups) <= 0.1
    assert optimal[""][0, parse_starting_hand("72o")] > 0.99
    assert optimal[""][2, parse_starting_hand("AA")] + optimal[""][1, parse_starting_hand("AA")] > 0.999
    assert exploitability(game, generations, matchups) < 200
    assert exploitability(game, cumulative, matchups) < 60
    assert different
    assert [difference.cost for difference in different] == sorted([d.cost for d in different], reverse=True)


def test_no_single_change_of_action_beats_the_solution(matchups: Matchups) -> None:
    game = call_or_fold_game()
    optimal = solve(game, matchups)
    value = game_value(game, optimal, matchups)

    for hand, action in itertools.product((0, 40, 85, 168), (0, 1)):
        changed = {history: chances.copy() for history, chances in optimal.items()}
        changed[""][:, hand] = 0
        changed[""][action, hand] = 1
        assert game_value(game, changed, matchups) <= value + 2e-5


def test_impossible_games_are_refused(matchups: Matchups) -> None:
    refuses(ValueError, "bets", limit_game, 0)
    refuses(ValueError, "stake", call_or_fold_game, 0.5)
    refuses(ValueError, "trials", sampled_matchups, 0, np.random.default_rng(1))
    with pytest.raises(RuntimeError, match="not within"):
        solve(limit_game(), matchups, max_exploitability=1e-9, max_iterations=50)
