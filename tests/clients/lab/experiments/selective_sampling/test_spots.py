"""Measured decisions, against exact values and where the answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from clients.lab.experiments.selective_sampling.spots import (
    MeasuredSpot,
    dealt_run,
    ladder,
    measure,
    possible_moves,
)
from engine.players.models.generic import GenericModel
from engine.players.trials.trials import Spot, Trials
from engine.poker.combos import NUM_COMBOS
from engine.poker.rules import FOLD, ActionKind
from tests.engine.players.trials.spots import exact_values, make_spot, random_spot


def any_cards_alike(spot: Spot) -> Spot:
    """The same decision when nothing is known of anybody's cards."""
    models = [GenericModel(), GenericModel()]
    return make_spot(spot.betting, spot.board, spot.own_cards, models, [np.ones(NUM_COMBOS)] * 2)


def test_the_ladder_ends_at_a_tenth_of_the_reference() -> None:
    assert ladder(100_000) == (100, 200, 500, 2_000, 10_000)
    assert ladder(5_000) == (100, 200, 500)
    assert ladder(100) == (100,)


def test_moves_go_from_the_least_to_the_most_aggressive() -> None:
    for seed in range(20):
        spot = random_spot("limit-3p", seed, 2)
        kinds = [move.kind for move in possible_moves(spot)]

        assert kinds == sorted(kinds, key=[ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE].index)
        assert (ActionKind.FOLD in kinds) == spot.betting.legal_actions().can_fold
        assert (ActionKind.RAISE in kinds) == spot.betting.legal_actions().can_raise


def test_uniform_trials_weighted_by_likelihood_have_the_exact_value_too() -> None:
    scores = []
    for seed in range(12):
        spot = random_spot("limit-2p", seed, 3, combos=300)
        moves = possible_moves(spot)
        values, weights = dealt_run(spot, moves, 3, 8_000, uniform=True)
        share = weights / weights.sum()
        counted = [index for index, move in enumerate(moves) if move != FOLD]
        exact = exact_values(spot, [moves[index] for index in counted])
        means = values[counted] @ share
        errors = np.sqrt(((values[counted] - means[:, None]) ** 2) @ share**2)
        scores += [float(score) for score in (means - exact)[errors > 0] / errors[errors > 0]]

    assert len(scores) > 15
    assert max(map(abs, scores)) < 4.5
    assert 0.4 < float(np.mean(np.square(scores))) < 2.0


def test_where_nothing_is_known_all_ways_of_dealing_are_the_same() -> None:
    spot = any_cards_alike(random_spot("limit-2p", 4, 2))

    found = measure(spot, 1, 20_000, 500)

    assert found.effective_trials == pytest.approx(1.0)
    assert found.weighted == found.uniform
    for trials in ladder(20_000):
        one, other = found.deviations[trials].difference, found.uniform[trials].difference
        assert one < 6 * other
        assert other < 6 * one


def measured(count: int) -> list[MeasuredSpot]:
    return [measure(random_spot("limit-2p", seed, 1 + seed % 3), seed, 20_000, 500) for seed in range(count)]


def test_more_trials_come_closer_as_the_square_root_and_criteria_are_ordered() -> None:
    spots = measured(24)

    error = {n: float(np.mean([spot.deviations[n].difference for spot in spots])) for n in (100, 500, 2000)}
    assert error[100] / error[500] == pytest.approx(5**0.5, rel=0.35)
    assert error[500] > error[2000]
    biased = float(np.mean([spot.uniform[2000].difference for spot in spots]))
    assert biased > 2 * error[2000]
    for spot in spots:
        deviation, error_sum, paired, never = (
            spot.stops[name] for name in ("deviation", "error", "paired", "never")
        )
        assert deviation.obvious <= error_sum.obvious <= paired.obvious
        assert never.trials >= deviation.trials >= error_sum.trials >= paired.trials
        assert (never.obvious, never.trials) == (0, 500)
        assert all(each.regret >= 0 for each in spot.deviations.values())
        assert all((each.regret > 0) <= (each.changed > 0) for each in spot.deviations.values())


def test_the_same_seed_measures_the_same() -> None:
    spot = random_spot("limit-3p", 9, 1)

    first, second, other = (measure(spot, seed, 2_000, 200) for seed in (5, 5, 6))

    assert first == second
    assert first != other


def test_a_run_is_cut_from_trials_as_they_are() -> None:
    spot = random_spot("limit-2p", 2, 2)
    moves = possible_moves(spot)

    values, weights = dealt_run(spot, moves, 8, 300)

    trials = Trials(spot, 8)
    deals = trials.sample(300)
    expected = [np.zeros(300) if move == FOLD else trials.value(deals, move) for move in moves]
    assert values.tolist() == np.array(expected).tolist()
    assert weights.min() > 0
