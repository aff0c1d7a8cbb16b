"""The betting confidence sequence against its definition, evaluated over all bets, and by its promise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evidence.confidence_sequence import ConfidenceSequence, Interval, asymptotic_critical_value
from tests.oracles.confidence_sequence import ManySequences, exact_intervals, published_interval
from tests.support.asserting import known, refuses

payoffs = st.lists(
    st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.49, 0.51), min_size=1, max_size=120
)


def intervals_of(values: list[float], alpha: float = 0.05) -> list[Interval]:
    sequence = ConfidenceSequence(0, 1, alpha)
    found = []
    for value in values:
        sequence.add(value)
        interval = sequence.interval
        if interval is None:
            break
        found.append(interval)
    return found


@settings(max_examples=40, deadline=None)
@given(payoffs, st.sampled_from([0.05, 0.01]))
def test_the_ends_are_those_of_all_bets_together_or_just_outside(values: list[float], alpha: float) -> None:
    mine = intervals_of(values, alpha)
    stakes_as_mine = exact_intervals(values[: len(mine)], alpha)

    for interval, (low, high) in zip(mine, stakes_as_mine, strict=True):
        assert interval.low <= low + 1e-9
        assert interval.high >= high - 1e-9
        assert interval.high - interval.low <= (high - low) * 1.06 + 1e-9


@pytest.mark.parametrize("sd", [0.005, 0.05, 0.3])
def test_without_a_history_nearly_nothing_is_lost(sd: float) -> None:
    generator = np.random.default_rng(5)
    values = np.clip(generator.normal(0.55, sd, 400), 0, 1).tolist()

    (*_, mine), (*_, (low, high)) = intervals_of(values), exact_intervals(values)

    assert mine.high - mine.low == pytest.approx(high - low, rel=0.01)


def test_it_is_as_narrow_as_the_published_one() -> None:
    """Which cuts its stakes off at each mean, and is not intersected with earlier ones here."""
    generator = np.random.default_rng(6)
    values = np.clip(generator.normal(0.5, 0.05, 5000), 0, 1)

    (*_, mine) = intervals_of(values.tolist())
    low, high = published_interval(values)

    assert mine.high - mine.low <= (high - low) * 1.01


def test_an_interval_never_grows() -> None:
    generator = np.random.default_rng(7)
    found = intervals_of(generator.beta(0.3, 0.6, 800).tolist())

    for before, after in itertools.pairwise(found):
        assert before.low <= after.low <= after.high <= before.high


@given(st.lists(st.floats(-3, 7), min_size=1, max_size=60), st.floats(0.1, 50), st.floats(-20, 20))
def test_the_unit_of_payoffs_does_not_matter(values: list[float], factor: float, shift: float) -> None:
    plain = ConfidenceSequence(-3, 7)
    moved = ConfidenceSequence(-3 * factor + shift, 7 * factor + shift)
    for value in values:
        plain.add(value)
        moved.add(value * factor + shift)

    before, after = plain.interval, moved.interval
    assert (before is None) == (after is None)
    if before is not None and after is not None:
        assert after.low == pytest.approx(before.low * factor + shift, abs=1e-6 * factor + 1e-9)
        assert after.high == pytest.approx(before.high * factor + shift, abs=1e-6 * factor + 1e-9)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_the_other_players_interval_is_the_mirror_image(values: list[float]) -> None:
    mine, theirs = ConfidenceSequence(-1, 1), ConfidenceSequence(-1, 1)
    for value in values:
        mine.add(value)
        theirs.add(-value)

    if mine.interval is None:
        assert theirs.interval is None
    else:
        mirrored = known(theirs.interval.mirrored() if theirs.interval is not None else None)
        assert (mirrored.low, mirrored.high) == pytest.approx(
            (mine.interval.low, mine.interval.high), abs=1e-9
        )


def test_players_that_change_leave_nothing_in() -> None:
    sequence = ConfidenceSequence(-1, 1)
    for _ in range(300):
        sequence.add(0.5)
    assert sequence.interval is not None
    for _ in range(300):
        sequence.add(-0.5)

    assert sequence.interval is None
    assert sequence.distance is None
    assert sequence.mean == 0
    sequence.add(0.5)
    assert sequence.interval is None
    assert sequence.samples == 601


def test_a_payoff_outside_its_bounds_is_refused_and_one_that_was_rounded_is_not() -> None:
    sequence = ConfidenceSequence(-24, 24)

    sequence.add(24 + 1e-12)
    refuses(ValueError, r"expected a payoff from -24 to 24, got 24\.1", sequence.add, 24.1)
    refuses(ValueError, "got nan", sequence.add, math.nan)

    assert sequence.samples == 1


@pytest.mark.parametrize(("low", "high"), [(1, 0), (-math.inf, 0), (0, math.nan)])
def test_bounds_must_be_finite_and_in_order(low: float, high: float) -> None:
    refuses(ValueError, "finite lower and upper bound", ConfidenceSequence, low, high)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, math.nan])
def test_alpha_is_a_chance(alpha: float) -> None:
    refuses(ValueError, "alpha between 0 and 1", ConfidenceSequence, 0, 1, alpha)


def test_if_nothing_can_be_won_everything_is_known() -> None:
    sequence = ConfidenceSequence(0, 0)

    sequence.add(0)

    assert sequence.interval == Interval(0, 0)
    refuses(ValueError, "got 1", sequence.add, 1)


def test_before_the_first_payoff_only_the_bounds_are_known() -> None:
    sequence = ConfidenceSequence(-240, 240)

    assert sequence.interval == Interval(-240, 240)
    assert sequence.mean is None
    assert sequence.distance is None


def test_many_side_by_side_are_the_same_as_one_by_one() -> None:
    """So that what is simulated with them holds for the one a match has."""
    generator = np.random.default_rng(8)
    values = generator.choice([0.501, 0.25, 1.0], p=[0.9, 0.09, 0.01], size=(700, 4))
    many = ManySequences(4)
    single = [ConfidenceSequence(0, 1) for _ in range(4)]
    for row in values:
        many.add(row)
        for sequence, value in zip(single, row, strict=True):
            sequence.add(float(value))

    for number, sequence in enumerate(single):
        assert sequence.interval is not None
        assert many.low[number] == pytest.approx(sequence.interval.low, rel=1e-9)
        assert many.high[number] == pytest.approx(sequence.interval.high, rel=1e-9)


@pytest.mark.parametrize(("narrowest_at", "samples"), [(1000, 1000), (1000, 5000), (200, 200), (1000, 30)])
def test_the_asymptotic_one_is_that_of_its_formula(narrowest_at: int, samples: int) -> None:
    rho2 = (-2 * math.log(0.05) + math.log(1 - 2 * math.log(0.05))) / narrowest_at
    grown = samples * rho2 + 1
    half = math.sqrt(2 * grown / (samples**2 * rho2) * math.log(math.sqrt(grown) / 0.05))

    assert asymptotic_critical_value(samples, narrowest_at=narrowest_at) == pytest.approx(
        half * math.sqrt(samples)
    )


def test_the_asymptotic_one_is_narrowest_where_it_was_asked_to_be() -> None:
    values = [asymptotic_critical_value(samples) for samples in (100, 300, 1000, 3000, 10_000)]

    assert min(values) == values[2]
    assert 2.5 < values[2] < 3.2
