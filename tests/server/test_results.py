"""Rates and intervals, against the standard library's statistics and published constants."""

from __future__ import annotations

import math
import statistics
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import load_game
from server.clock import SeatClock
from server.config import TimeLimits
from server.errors import Failure, FailureKind
from server.match import MatchOutcome
from server.results import DecisionTimes, half_width_95, percentile, player_results
from server.seat import Seat


def outcome(*chips: list[float], failures: dict[int, Failure] | None = None) -> MatchOutcome:
    seats = tuple(Seat(k, f"p{k}", SeatClock(TimeLimits(), 1), None) for k in range(len(chips)))
    for k, failure in (failures or {}).items():
        seats[k].failures.append(failure)
    return MatchOutcome(
        hands=len(chips[0]),
        chips_by_seat=tuple(map(math.fsum, chips)),
        hand_chips_by_seat=tuple(array("d", each) for each in chips),
        seats=seats,
        seconds=1.0,
    )


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50))
def test_the_interval_is_1_96_standard_errors(values: list[float]) -> None:
    expected = 1.959963984540054 * statistics.stdev(values) / math.sqrt(len(values))

    assert half_width_95(values) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_there_is_no_interval_below_two_hands() -> None:
    assert half_width_95([]) is None
    assert half_width_95([3.0]) is None


def test_rates_are_in_big_blinds_and_small_bets_of_the_game() -> None:
    game = load_game("limit-2p")  # big blind 10, small bet 10
    results = player_results(outcome([10.0, 20.0, -5.0, -5.0], [-10.0, -20.0, 5.0, 5.0]), game)

    assert [result.mbb_per_hand for result in results] == [500.0, -500.0]
    assert [result.sb_per_hand for result in results] == [0.5, -0.5]
    row = results[0].as_json(game)
    assert row["ci95"] == pytest.approx(1.959964 * statistics.stdev([10, 20, -5, -5]) / 2 * 100, rel=1e-6)
    assert "failure" not in row


def test_no_limit_games_have_no_small_bet() -> None:
    game = load_game("nolimit-2p")

    assert "sb_per_hand" not in player_results(outcome([100.0], [-100.0]), game)[0].as_json(game)


def test_a_match_without_a_hand_has_no_rates() -> None:
    result = player_results(outcome([], []), load_game("limit-2p"))[0]

    assert (result.chips, result.mbb_per_hand, result.ci95, result.sb_per_hand) == (0.0, None, None, None)


def test_a_connection_lost_by_a_process_that_died_is_a_crash() -> None:
    lost = Failure(FailureKind.DISCONNECTED, "closed its connection when it was to act", 3)
    game = load_game("limit-2p")
    results = player_results(
        outcome([0.0], [0.0], failures={0: lost, 1: lost}), game, {0: "was killed by SIGKILL"}
    )

    assert results[0].failure == Failure(FailureKind.CRASHED, "was killed by SIGKILL", 3)
    assert results[1].failure == lost


@given(st.lists(st.floats(0, 100), min_size=1, max_size=300))
def test_decision_times_are_order_statistics(seconds: list[float]) -> None:
    times = DecisionTimes.of(seconds)

    assert times is not None
    assert times.max == max(seconds)
    assert sum(value <= times.median for value in seconds) >= len(seconds) / 2
    assert sum(value <= times.p99 for value in seconds) >= 0.99 * len(seconds)
    assert times.median in seconds


def test_a_percentile_is_the_smallest_value_that_the_share_does_not_pass() -> None:
    values = [float(k) for k in range(1, 101)]

    assert percentile(values, 0.99) == 99.0
    assert percentile(values, 0.5) == 50.0
    assert percentile([7.0], 0.99) == 7.0
