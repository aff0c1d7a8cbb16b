"""Rates and intervals, against the standard library's statistics and published constants."""

from __future__ import annotations

import json
import math
import random
import statistics
from array import array

import attrs
import pytest
from hypothesis import given, strategies as st

from engine.poker.rules import load_game
from engine.support.intervals import half_width
from server.league.report.words import _failed
from server.records.results import Pass, player_results
from server.support.errors import Failure, FailureKind
from server.table.config import TimeLimits
from server.table.outcome import Durations, MatchOutcome, SeatOutcome
from server.table.seat import Seat, SeatClock
from tests.support.tables import always, match_config, play_match


def outcome(*chips: list[float], failures: dict[int, Failure] | None = None) -> MatchOutcome:
    failures = failures or {}
    seats = tuple(SeatOutcome(f"p{k}", [failures[k]] if k in failures else []) for k in range(len(chips)))
    return MatchOutcome(
        hands=len(chips[0]), chips_by_seat=tuple(map(math.fsum, chips)),
        squares_by_seat=tuple(math.fsum(won * won for won in each) for each in chips), seats=seats,
        seconds=1.0, hand_chips_by_seat=tuple(array("d", each) for each in chips),
    )  # fmt: skip


def test_rates_are_in_big_blinds_and_small_bets_of_the_game() -> None:
    game = load_game("limit-2p")  # big blind 10, small bet 10
    played = outcome([10.0, 20.0, -5.0, -5.0], [-10.0, -20.0, 5.0, 5.0])
    results = player_results([Pass(played, (0, 1))], "ab", game)

    assert [result.mbb_per_hand for result in results] == [500.0, -500.0]
    assert [result.sb_per_hand for result in results] == [0.5, -0.5]
    row = results[0].as_json(game)
    assert row["ci95"] == pytest.approx(1.959964 * statistics.stdev([10, 20, -5, -5]) / 2 * 100, rel=1e-6)
    assert "failure" not in row


chips_of_hands = st.lists(st.integers(-20_000, 20_000) | st.floats(-20_000, 20_000), min_size=2, max_size=200)


@given(chips_of_hands)
def test_a_plain_match_needs_no_more_than_sums(chips: list[float]) -> None:
    """The interval from sums is the one from all hands, to far more digits than are printed."""
    played = outcome(chips, [-won for won in chips])
    (result, _) = player_results([Pass(played, (0, 1))], "ab", load_game("limit-2p"))

    half = half_width(chips)
    assert half is not None
    assert result.ci95 == result.plain_ci95 == pytest.approx(half * 100, rel=1e-7, abs=0.01)


async def test_a_plain_match_keeps_nothing_of_each_hand() -> None:
    table, _ = await play_match(match_config("leduc", 50), [always(load_game("leduc"), "c")] * 2)
    kept, _ = await play_match(
        match_config("leduc", 50, keeps_hands=True), [always(load_game("leduc"), "c")] * 2
    )

    plain, paired = await table.outcome(), await kept.outcome()

    assert plain.hand_chips_by_seat == ()
    assert [len(hands) for hands in paired.hand_chips_by_seat] == [50, 50]
    assert plain.chips_by_seat == paired.chips_by_seat == tuple(map(sum, paired.hand_chips_by_seat))
    assert plain.squares_by_seat == tuple(
        sum(won * won for won in hands) for hands in paired.hand_chips_by_seat
    )


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
    one, other = played.seats
    played = attrs.evolve(played, seats=(one.crashed("was killed by SIGKILL"), other))
    results = player_results([Pass(played, (0, 1))], "ab", game)

    crash = Failure(FailureKind.CRASHED, "was killed by SIGKILL", 3)
    assert [each.failure for each in results] == [crash, lost]

    # Each sitting has processes of its own: what it has called a failure stays so in the next one.
    for first, second, both in (
        (played.seats[0], None, [crash, lost]),
        (other, "was killed by SIGKILL", [lost, crash]),
    ):
        seat = Seat(0, "a", SeatClock(TimeLimits(), 1), None)
        seat.take_over(SeatOutcome.from_json("a", json.loads(json.dumps(first.as_json()))))
        seat.has_failed(lost)
        now = seat.outcome()
        assert (now if second is None else now.crashed(second, earlier=1)).failures == both


def test_a_tournament_s_table_has_each_failure_by_its_own_word() -> None:
    row = {"name": "a", "hands_not_played": 3}
    kinds = ("stalled", "crashed", "stalled", "nonsense")
    failures = [{"player": name, "failure": kind} for name, kind in zip("aaab", kinds, strict=True)]
    words = "crashed in 1 match, stalled in 2 matches, the house played for it in 3 hands"
    assert _failed(row, failures) == words
    assert not _failed({"name": "c"}, failures)


def test_a_client_that_comes_and_goes_for_ever_is_counted_and_does_not_fill_the_memory() -> None:
    seat = Seat(0, "leaver", SeatClock(TimeLimits(), 1), None)
    for hand_number in range(2500):
        seat.has_failed(Failure(FailureKind.DISCONNECTED, "left", hand_number))
    played = attrs.evolve(outcome([1.0], [-1.0]), seats=(seat.outcome(), SeatOutcome("stayer")))
    game = load_game("limit-2p")

    first, second = player_results([Pass(played, (0, 1))], ["leaver", "stayer"], game)

    assert (len(first.failures), first.as_json(game)["failures"]) == (1000, 2500)
    assert first.as_json(game)["failure_hand"] == 0
    assert second.num_failures == 0


durations = st.lists(st.floats(0, 1e6) | st.floats(-7, 6).map(lambda power: 10**power), max_size=300)


@given(durations)
def test_decision_times_are_order_statistics_to_one_per_cent(seconds: list[float]) -> None:
    times = Durations(seconds).in_short()

    if not seconds:
        assert times is None
        return
    assert times is not None
    assert times["max"] == max(seconds)
    ordered = sorted(seconds)
    for share, found in ((0.5, times["median"]), (0.99, times["p99"])):
        right = ordered[math.ceil(share * len(ordered)) - 1]
        assert found == pytest.approx(right, rel=0.01, abs=1e-7)
    assert times["median"] <= times["p99"] <= times["max"]


@given(durations, durations)
def test_durations_of_several_passes_add_up(first: list[float], second: list[float]) -> None:
    apart, together = Durations(first) + Durations(second), Durations(first + second)

    assert len(apart) == len(together) == len(first) + len(second)
    assert apart.in_short() == together.in_short()


def test_a_million_durations_take_no_more_memory_than_a_few() -> None:
    generator = random.Random(1)
    counted = Durations(generator.lognormvariate(-8, 3) for _ in range(200_000))

    assert len(counted) == 200_000
    assert len(counted._buckets) < 1500


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
