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

from engine.intervals import FIRST_LOOK, LookSchedule, critical_value, half_width


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50))
def test_the_interval_is_1_96_standard_errors(values: list[float]) -> None:
    expected = 1.959963984540054 * statistics.stdev(values) / math.sqrt(len(values))

    assert half_width(values) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_there_is_no_interval_below_two_samples() -> None:
    assert half_width([]) is None
    assert half_width([3.0]) is None


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
