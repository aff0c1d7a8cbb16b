"""Triples: the paper's numbers, sampling, mixing."""

from __future__ import annotations

import collections
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.players.probability_triple import (
    ProbabilityTriple,
    checked,
    legal_triple,
    mix,
    sample,
    with_noise,
)

chances = st.floats(0, 1)
triples = st.tuples(chances, chances, chances).filter(lambda t: sum(t) > 0.1)


def normalised(numbers: tuple[float, float, float]) -> ProbabilityTriple:
    return ProbabilityTriple(*(number / sum(numbers) for number in numbers))


def test_the_noise_of_the_papers_example() -> None:
    """Poki 3.3.3: {0, .2, .8} at 0.5 becomes roughly {.167, .267, .567}."""
    assert with_noise((0, 0.2, 0.8), 0.5) == pytest.approx((0.167, 0.267, 0.567), abs=0.0005)


@given(triples)
def test_noise_0_leaves_and_noise_1_flattens(numbers: tuple[float, float, float]) -> None:
    triple = normalised(numbers)

    assert with_noise(triple, 0) == pytest.approx(triple)
    assert with_noise(triple, 1) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


@given(triples, chances)
def test_noise_keeps_a_triple_a_triple(numbers: tuple[float, float, float], noise: float) -> None:
    assert sum(checked(with_noise(normalised(numbers), noise))) == pytest.approx(1)


def test_mixing_is_by_weight() -> None:
    assert mix([(1, 0, 0), (0, 0, 1)], [1, 3]) == pytest.approx((0.25, 0, 0.75))


def test_what_is_not_allowed_becomes_a_call() -> None:
    assert legal_triple((0.2, 0.3, 0.5), can_fold=False, can_raise=True) == pytest.approx((0, 0.5, 0.5))
    assert legal_triple((0.2, 0.3, 0.5), can_fold=True, can_raise=False) == pytest.approx((0.2, 0.8, 0))


def test_samples_come_as_often_as_they_should_and_the_same_for_the_same_generator() -> None:
    triple = (0.2, 0.3, 0.5)

    drawn = [sample(triple, random.Random(seed)) for seed in range(5000)]

    assert drawn == [sample(triple, random.Random(seed)) for seed in range(5000)]
    counts = collections.Counter(drawn)
    for kind, chance in zip("fcr", triple, strict=True):
        assert counts[kind] / 5000 == pytest.approx(chance, abs=0.03)  # type: ignore[index]


@pytest.mark.parametrize("wrong", [(0.5, 0.5), (0.5, 0.6, -0.1), (0.3, 0.3, 0.3), (float("nan"), 0, 1)])
def test_what_is_no_triple_is_refused(wrong: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="chances"):
        checked(wrong)


def test_a_noise_outside_0_to_1_is_refused() -> None:
    with pytest.raises(ValueError, match="noise factor"):
        with_noise((0, 0, 1), 1.5)
