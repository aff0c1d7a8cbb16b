"""Intervals, and the look schedule of ``match --until``, against published constants and by simulation."""

from __future__ import annotations

import itertools
import math
import statistics
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.intervals import (
    FIRST_LOOK,
    LookSchedule,
    Winnings,
    critical_value,
    estimate,
    estimate_of_few,
    half_width,
    is_settled,
    student_t95,
)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50))
def test_the_interval_is_1_96_standard_errors(values: list[float]) -> None:
    expected = 1.959963984540054 * statistics.stdev(values) / math.sqrt(len(values))

    assert half_width(values) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_there_is_no_interval_below_two_samples() -> None:
    assert half_width([]) is None
    assert half_width([3.0]) is None


def test_an_estimate_is_a_mean_with_its_interval_in_whatever_unit() -> None:
    values = [1.0, 4.0, 2.0, 8.0]

    found = estimate(values).scaled(-10)

    assert found.mean == pytest.approx(-37.5)
    assert found.ci95 == pytest.approx(10 * 1.959964 * statistics.stdev(values) / math.sqrt(4), rel=1e-6)
    assert found.samples == 4
    assert estimate([2.0]).ci95 is None
    assert str(estimate([2.0])) == "+2.000"


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        estimate([])


CHIPS = st.lists(st.integers(-20_000, 20_000), min_size=2, max_size=50)


@given(CHIPS, CHIPS)
def test_winnings_have_the_mean_and_the_interval_of_the_hands_they_come_from(
    before: list[int], after: list[int]
) -> None:
    first, then = (
        Winnings(len(won), sum(won), sum(chips * chips for chips in won)) for won in (before, after)
    )

    rate = (first + then).rate(100)

    expected = estimate([10 * chips for chips in before + after])
    assert rate.samples == expected.samples
    assert rate.mean == pytest.approx(expected.mean)
    # The difference of two sums of squares loses some of their digits.
    assert rate.ci95 == pytest.approx(expected.ci95, abs=1e-2)


def test_a_rate_is_in_milli_big_blinds() -> None:
    won = [3.0, -1.0, 4.0, -2.0]

    rate = Winnings(4, sum(won), sum(chips * chips for chips in won)).rate(2)

    # mean 1, sample variance (4 + 4 + 9 + 9) / 3, in big blinds of 2
    assert rate.mean == 500
    assert rate.ci95 == pytest.approx(1.95996 * (26 / 3 / 4) ** 0.5 * 500, rel=1e-4)


def test_one_hand_has_a_rate_without_an_interval_and_none_has_no_rate() -> None:
    assert (Winnings(1, 3.0, 9.0).rate(2).mean, Winnings(1, 3.0, 9.0).rate(2).ci95) == (1500, None)
    with pytest.raises(ValueError, match="one hand or more"):
        Winnings().rate(2)


@pytest.mark.parametrize(
    ("degrees", "value"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (19, 2.093), (30, 2.042)],
)
def test_students_t_is_that_of_the_tables(degrees: int, value: float) -> None:
    assert student_t95(degrees) == pytest.approx(value, rel=0.0005 if degrees < 3 else 0.01)


def test_the_mean_of_few_has_students_interval() -> None:
    few = estimate_of_few([1.0, 3.0, 5.0])

    assert few.mean == 3
    assert few.ci95 == pytest.approx(4.303 * 2 / 3**0.5, rel=1e-3)
    assert estimate_of_few([2.0]).ci95 is None


POCOCK = {1: 1.960, 2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 10: 2.555}
"""Pocock (1977), Table 1: two-sided 5 %, equally spaced looks."""


@pytest.mark.parametrize(("looks", "expected"), POCOCK.items())
def test_equally_spaced_looks_have_pococks_constants(looks: int, expected: float) -> None:
    assert critical_value([100 * k for k in range(1, looks + 1)]) == pytest.approx(expected, abs=6e-4)


def test_other_schedules_hold_as_often_as_they_say_in_a_simulation() -> None:
    looks = LookSchedule.of(20_000)
    generator = np.random.default_rng(1)
    steps = np.diff([0, *looks.looks])
    sums = np.cumsum(generator.standard_normal((100_000, len(steps))) * np.sqrt(steps), axis=1)
    holds = (np.abs(sums / np.sqrt(looks.looks)) <= looks.critical_value).all(axis=1).mean()

    assert holds == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / 100_000))


@mock.patch("engine.intervals.critical_value", mock.Mock(return_value=2.5))  # a second's work for many looks
@given(st.integers(1, 2**32 - 1))
def test_a_schedule_ascends_to_the_most_deals(deals: int) -> None:
    looks = LookSchedule.of(deals).looks

    assert looks[-1] == deals
    assert list(looks) == sorted(set(looks))
    assert looks[0] == min(deals, FIRST_LOOK)
    assert all(later >= 1.1 * earlier for earlier, later in itertools.pairwise(looks[:-1]))


def test_a_match_without_early_looks_needs_no_correction() -> None:
    assert LookSchedule.of(FIRST_LOOK).critical_value == pytest.approx(1.959964, abs=1e-5)


def test_a_schedule_wants_a_deal() -> None:
    with pytest.raises(ValueError, match="at least one deal, got 0"):
        LookSchedule.of(0)


@pytest.mark.parametrize("skewed", [False, True])
def test_intervals_cover_the_truth_at_whatever_look_a_match_stops(skewed: bool) -> None:
    """Matches that end once the interval is narrow enough; skewed results couple mean and width."""
    generator = np.random.default_rng(2)
    schedule = LookSchedule.of(6_000)
    matches = 1500
    covered = stopped = 0
    for _ in range(matches):
        if skewed:
            chips = generator.exponential(100, 6_000) - 100
        else:
            chips = generator.normal(0, 100, 6_000)
        for look in schedule.looks:
            half = schedule.critical_value * chips[:look].std(ddof=1) / math.sqrt(look)
            if half <= 8.0 or look == schedule.looks[-1]:
                stopped += look < schedule.looks[-1]
                covered += abs(chips[:look].mean()) <= half
                break

    assert stopped > 0.9 * matches
    assert covered / matches >= 0.95


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=60), st.floats(0.1, 200), st.data())
def test_a_match_stops_at_its_first_narrow_look_however_its_results_come_in(
    values: list[float], until: float, data: st.DataObject
) -> None:
    schedule = LookSchedule((5, 9, 20, 60), 2.2)
    narrow = [
        look
        for look in schedule.looks
        if look <= len(values)
        and 2.2 * statistics.stdev(values[:look]) / math.sqrt(look) <= until * (1 + 1e-12)
    ]

    stop, played = None, 0
    while played < len(values) and stop is None:
        before, played = played, data.draw(st.integers(played + 1, len(values)))
        stop = schedule.stops_at(values[:played], until, after=before)

    assert stop == (narrow[0] if narrow else None)


def test_without_a_wish_nothing_is_settled() -> None:
    assert not is_settled([0.0, 0.0], None)
    assert LookSchedule.once(30).stops_at([1.0] * 30, None) is None
    assert LookSchedule.once(30).looks == (30,)
    assert LookSchedule.once(30).critical_value == pytest.approx(1.959964)


def test_an_interval_that_is_not_known_is_not_narrow() -> None:
    assert is_settled([1.0, 2.0], 2.0)
    assert not is_settled([1.0, None], 2.0)
    assert not is_settled([1.0, 2.1], 2.0)
