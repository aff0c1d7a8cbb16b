"""Rates and intervals, against the standard library's statistics and published constants."""

from __future__ import annotations

import math
import random
import statistics
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import load_game
from server.errors import Failure, FailureKind
from server.report.results import DecisionTimes, Pass, percentile, player_results
from server.table.outcome import MatchOutcome, SeatOutcome


def outcome(*chips: list[float], failures: dict[int, Failure] | None = None) -> MatchOutcome:
    failures = failures or {}
    seats = tuple(SeatOutcome(f"p{k}", [failures[k]] if k in failures else []) for k in range(len(chips)))
    return MatchOutcome(
        hands=len(chips[0]),
        chips_by_seat=tuple(map(math.fsum, chips)),
        hand_chips_by_seat=tuple(array("d", each) for each in chips),
        seats=seats,
        seconds=1.0,
    )


def test_rates_are_in_big_blinds_and_small_bets_of_the_game() -> None:
    game = load_game("limit-2p")  # big blind 10, small bet 10
    played = outcome([10.0, 20.0, -5.0, -5.0], [-10.0, -20.0, 5.0, 5.0])
    results = player_results([Pass(played, (0, 1))], "ab", game)

    assert [result.mbb_per_hand for result in results] == [500.0, -500.0]
    assert [result.sb_per_hand for result in results] == [0.5, -0.5]
    row = results[0].as_json(game)
    assert row["ci95"] == pytest.approx(1.959964 * statistics.stdev([10, 20, -5, -5]) / 2 * 100, rel=1e-6)
    assert "failure" not in row


def test_no_limit_games_have_no_small_bet() -> None:
    game = load_game("nolimit-2p")

    (result, _) = player_results([Pass(outcome([100.0], [-100.0]), (0, 1))], "ab", game)
    assert "sb_per_hand" not in result.as_json(game)


def test_a_match_without_a_hand_has_no_rates() -> None:
    result = player_results([Pass(outcome([], []), (0, 1))], "ab", load_game("limit-2p"))[0]

    assert (result.chips, result.mbb_per_hand, result.ci95, result.sb_per_hand) == (0.0, None, None, None)


def test_a_connection_lost_by_a_process_that_died_is_a_crash() -> None:
    lost = Failure(FailureKind.DISCONNECTED, "closed its connection when it was to act", 3)
    game = load_game("limit-2p")
    played = outcome([0.0], [0.0], failures={0: lost, 1: lost})
    results = player_results([Pass(played, (0, 1), {0: "was killed by SIGKILL"})], "ab", game)

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


def test_a_duplicate_match_takes_its_interval_from_the_deals() -> None:
    """Luck that changes sides with the seats leaves nothing: a player against itself wins exactly zero."""
    game = load_game("limit-2p")
    luck = [30.0, -120.0, 10.0, 45.0]
    first = Pass(outcome(luck, [-chips for chips in luck]), (0, 1))
    second = Pass(outcome(luck, [-chips for chips in luck]), (1, 0))

    for result in player_results([first, second], "ab", game):
        assert (result.chips, result.mbb_per_hand, result.ci95) == (0.0, 0.0, 0.0)
        assert result.plain_ci95 is not None
        assert result.plain_ci95 > 0


def test_duplicate_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """400 simulated matches of a player that is better by 5 chips a hand."""
    game = load_game("limit-2p")
    generator = random.Random(1)
    covered = 0
    matches, deals = 400, 60
    for _ in range(matches):
        luck = [generator.gauss(0, 100) for _ in range(deals)]
        passes = []
        for seating, sign in (((0, 1), 1.0), ((1, 0), -1.0)):
            won = [5 + sign * card + generator.gauss(0, 30) for card in luck]
            chips = {seating.index(0): won, seating.index(1): [-chips for chips in won]}
            passes.append(Pass(outcome(chips[0], chips[1]), seating))
        result = player_results(passes, "ab", game)[0]
        assert result.mbb_per_hand is not None
        assert result.ci95 is not None
        covered += abs(result.mbb_per_hand - 500) <= result.ci95

    assert 0.93 <= covered / matches <= 0.97
