"""Intervals and batches, against the standard library's statistics and published constants."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from engine.support.intervals import (
    Winnings,
    estimate,
    estimate_of_few,
    half_width,
    student_t,
    student_t95,
)
from tests.support.asserting import refuses


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


def test_what_rounds_to_nothing_has_no_minus() -> None:
    assert estimate([-0.001, -0.003]).text(2) == "+0.00 ± 0.00"
    assert estimate([-0.006]).text(2) == "-0.01"


def test_nothing_has_no_mean() -> None:
    refuses(ValueError, "at least one value", estimate, [])


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
    refuses(ValueError, "one hand or more", Winnings().rate, 2)


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


@pytest.mark.parametrize("degrees", [1, 2, 9, 19, 39])
@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.05 / 15, 0.0005])
def test_students_t_holds_for_other_chances(degrees: int, alpha: float) -> None:
    assert student_t(degrees, alpha) == pytest.approx(stats.t.ppf(1 - alpha / 2, degrees), rel=0.01)
