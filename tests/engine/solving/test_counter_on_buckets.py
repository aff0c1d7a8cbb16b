"""Counter-strategies by sampling: as the exact ones of a small game, and of what was seen in hold'em."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, Random
from clients.core.arena import Arena
from engine.poker.rules import CALL, HandState
from engine.poker.rules.betting import parse_betting
from engine.solving.game_tree import GameTree
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.holdem.deal_solver import CounterSolver, Watched, strategy_by_betting, won_of
from engine.solving.responses import data_biased, evaluate, full_response, restricted_nash
from engine.solving.strategies import uniform_policy
from engine.support.arrays import Floats
from tests.engine.solving.test_deal_solver import LEDUC, Ranks, leduc_deals, on_tree
from tests.engine.solving.test_holdem import ONE_RAISE

TREE = GameTree(LEDUC)
MODEL = BucketedStrategy.of(
    LEDUC, Ranks(), np.ones(holdem_betting(LEDUC, Ranks.num_buckets, (0.5, math.inf)).num_slots),
    (0.5, math.inf),
)  # fmt: skip
"""Anything, all alike."""
UNIFORM = uniform_policy(TREE)


def answered(part: float, trust: Floats | None = None) -> Floats:
    solver = CounterSolver(MODEL, part=part, trust=trust, seed=1, draw=leduc_deals)
    solver.run(300)
    return on_tree(solver.average().policy, MODEL.betting, TREE)


def test_the_best_response_wins_what_the_exact_one_wins() -> None:
    exact = evaluate(TREE, full_response(TREE, UNIFORM), UNIFORM)

    assert evaluate(TREE, answered(1.0), UNIFORM).exploitation == pytest.approx(exact.exploitation, abs=0.02)


def test_restricted_nash_responses_trade_as_the_exact_one_does() -> None:
    policies = restricted_nash(TREE, UNIFORM, 0.75, 300), answered(0.75)
    exact, found = (evaluate(TREE, policy, UNIFORM) for policy in policies)

    worths = [0.75 * each.exploitation - 0.25 * each.exploitability for each in (exact, found)]
    assert worths[0] - 0.02 < worths[1] <= worths[0] + 1e-4


@pytest.mark.slow
def test_a_data_biased_response_lies_between_an_equilibrium_and_the_best_one() -> None:
    trust = np.full(MODEL.policy.size, 0.5)
    exact, found = (
        evaluate(TREE, policy, UNIFORM)
        for policy in (
            data_biased(TREE, UNIFORM, np.full(TREE.num_information_sets, 0.5), 500),
            answered(0.0, trust),
        )
    )

    assert found.exploitation == pytest.approx(exact.exploitation, abs=0.05)
    assert found.exploitability == pytest.approx(exact.exploitability, abs=0.1)


def test_a_player_who_was_seen_to_call_is_modelled_as_a_caller() -> None:
    abstraction = Percentiles(2)
    watched = Watched(holdem_betting(ONE_RAISE, abstraction.num_buckets), abstraction)

    def played(state: HandState, chips: tuple[float, ...]) -> None:
        watched.add(state, state.hand_number % 2)

    Arena(ONE_RAISE, [AlwaysCall(), Random(0, 0.5, 0.5)], 3).play(20, on_hand=played)

    model = watched.model()
    calls = strategy_by_betting(
        model.betting, abstraction, lambda _: {CALL: 1.0}, lambda text: parse_betting(ONE_RAISE, text)
    )
    assert np.array_equal(model.policy, calls.policy)
    assert watched.counts.sum() > 60
    trust = watched.trust(0.5)
    assert trust.max() == pytest.approx(0.5 * min(1, watched.counts.max() / 10))
    assert trust.min() == 0
    found = won_of(calls, calls, 2, np.random.default_rng(1))
    assert abs(found.mean) <= 4 * found.se  # among its like
