"""Rules for ending a match, simulated: what verdicts promise is kept, and what others promise is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.oracles.stopping_rules import SHAPES, Shape, pluribus, simulate

DECEIVER = SHAPES[3]


def names(shape: Shape) -> str:
    return shape.name


def at_most(share: float, of: int) -> float:
    """What a share may come to by chance: three standard errors more."""
    return share + 3 * math.sqrt(share * (1 - share) / of)


@pytest.mark.parametrize("shape", SHAPES, ids=names)
def test_few_verdicts_are_ever_false(shape: Shape) -> None:
    """Each of 200 matches is looked at after each of 1200 deals."""
    courses = simulate(shape, 200, 1200, seed=1)

    assert courses["betting"].false <= at_most(0.05, 200)
    assert courses["peeking"].false > 0.25


def test_a_verdict_comes_where_there_is_something_to_say() -> None:
    edge = 0.2 * SHAPES[0].sd
    courses = simulate(SHAPES[0].moved(edge), 100, 1000, seed=2)

    betting, peeking = courses["betting"], courses["peeking"]
    assert np.isfinite(betting.decided_after).mean() > 0.95
    # A test whose length is known beforehand needs (1.96 / .2)² = 96 deals for even odds of a verdict.
    assert 96 < np.median(betting.decided_after) < 6 * 96
    assert np.median(peeking.decided_after) < np.median(betting.decided_after)
    assert betting.half_width < 2


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "shape", [*SHAPES, pluribus()], ids=lambda shape: shape.name if shape else "Pluribus"
)
def test_of_2000_matches_at_most_a_twentieth_is_judged_falsely(shape: Shape | None) -> None:
    if shape is None:
        pytest.skip("the hands of Pluribus are not here")

    courses = simulate(shape, 2000, 10_000, seed=3)

    assert courses["betting"].false <= 0.05
    assert 0.93 <= 1 - courses["fixed"].missed_at_end <= 0.97
    assert courses["peeking"].false > 0.3
    assert courses["Pocock"].false < (0.6 if shape is DECEIVER else 0.07)
    if shape is DECEIVER:  # what looked as if it were settled, and the reason for betting
        assert courses["Pocock"].false > 0.3
        assert courses["asymptotic"].false > 0.3
