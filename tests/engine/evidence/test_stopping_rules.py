"""Rules for ending a match, simulated: what verdicts promise is kept, and what others promise is not."""

from __future__ import annotations

import math

import attrs
import numpy as np
import pytest

from engine.evidence.confidence_sequence import AverageSequence
from tests.oracles.stopping_rules import RARE, SHAPES, Shape, averages, pluribus, simulate

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


@pytest.mark.parametrize("learns", [False, True])
@pytest.mark.parametrize("shape", [*SHAPES, RARE], ids=names)
def test_few_verdicts_on_learners_are_ever_false(shape: Shape, learns: bool) -> None:
    course = averages(shape, 200, 1200, seed=1, learns=learns)

    assert course.false <= at_most(0.05, 200)


def test_the_simulated_rule_for_learners_is_the_one_that_judges() -> None:
    """Until its first verdict, payoff by payoff, the same."""
    better = SHAPES[1].moved(5.0)
    won = better.draw(np.random.default_rng(4), 400 * 5).reshape(400, 5)
    deals = iter(won)
    shape = attrs.evolve(better, draw=lambda generator, matches: next(deals))
    found = averages(shape, 5, 400, seed=0, learns=False).decided_after

    for payoffs, after in zip(won.T, found, strict=True):
        sequence = AverageSequence(-100, 100)
        sequence.add_all(payoffs[: int(after) - 1])
        assert sequence.interval.low <= 0 <= sequence.interval.high
        sequence.add(payoffs[int(after) - 1])
        assert sequence.interval.low > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("learns", [False, True])
@pytest.mark.parametrize("shape", [*SHAPES, RARE], ids=names)
def test_of_1000_matches_of_learners_at_most_a_twentieth_is_judged_falsely(
    shape: Shape, learns: bool
) -> None:
    assert averages(shape, 1000, 10_000, seed=3, learns=learns).false <= 0.05


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
