"""Coefficients: found by least squares, on earlier deals only."""

from __future__ import annotations

import numpy as np
import pytest

from engine.evidence.control_variates import FIRST_BLOCK, Observations, blocks, corrected, fit

RNG = np.random.default_rng(5)


def observations(deals: int, players: int = 2) -> Observations:
    rows = deals * players
    changes = RNG.normal(size=(rows, 3))
    payoffs = 0.3 + changes @ [2.0, 0.0, -1.0] + RNG.normal(size=rows)
    return Observations(
        payoffs, changes, np.repeat(np.arange(deals), players), np.tile(np.arange(players), deals)
    )


def test_blocks_double_and_cover_every_deal() -> None:
    assert [(block.start, block.stop) for block in blocks(300)] == [
        (0, 64),
        (64, 128),
        (128, 256),
        (256, 300),
    ]
    assert blocks(0) == []
    assert blocks(1) == [slice(0, 1)]


def test_coefficients_are_those_of_least_squares() -> None:
    seen = observations(20_000)

    found = fit(seen.payoffs, seen.changes, seen.players, np.zeros(3))

    centred = seen.changes - np.stack([seen.changes[seen.players == p].mean(0) for p in (0, 1)])[seen.players]
    expected = np.linalg.lstsq(centred, seen.payoffs, rcond=None)[0]
    assert found == pytest.approx(expected, abs=0.01)
    assert found == pytest.approx([2.0, 0.0, -1.0], abs=0.05)


def test_a_term_that_never_occurred_keeps_its_coefficient() -> None:
    seen = observations(500)
    seen.changes[:, 1] = 0.0

    assert fit(seen.payoffs, seen.changes, seen.players, np.array([1.0, 7.0, 1.0]))[1] == 7.0


def test_few_deals_move_the_coefficients_a_little() -> None:
    seen = observations(4)
    prior = np.array([2.0, 0.0, -1.0])

    few = fit(seen.payoffs, seen.changes, seen.players, prior)

    assert np.abs(few - prior).max() < 0.5


@pytest.mark.parametrize("changed", [FIRST_BLOCK, 130, 299])
def test_nothing_that_comes_later_changes_what_a_deal_is_worth(changed: int) -> None:
    """Neither its own payoff, but by itself, nor any after it, enters its coefficients."""
    seen = observations(300)
    prior = np.ones(3)
    before = corrected(seen, prior)
    later = seen.deals >= changed
    own = seen.deals == changed
    seen.payoffs[later] += 100.0 * RNG.normal(size=later.sum())
    seen.changes[seen.deals > changed] *= 3.0

    after = corrected(seen, prior)

    assert (after[~later] == before[~later]).all()
    block = next(block for block in blocks(300) if block.start <= changed < block.stop)
    if changed == block.start:
        earlier = seen.deals < changed
        coefficients = fit(seen.payoffs[earlier], seen.changes[earlier], seen.players[earlier], prior)
        assert after[own] == pytest.approx(seen.payoffs[own] - seen.changes[own] @ coefficients)


def test_passes_of_a_deal_count_as_one() -> None:
    """What two passes of a deal cancel between them gets no coefficient."""
    deals = 4000
    luck = RNG.normal(size=deals)
    payoffs = np.concatenate([5 * luck, -5 * luck]) + RNG.normal(size=2 * deals)
    changes = np.concatenate([luck, -luck])[:, None]
    numbers = np.tile(np.arange(deals), 2)
    seen = Observations(payoffs, changes, numbers, np.zeros(2 * deals, np.int64))

    paired = corrected(seen, np.zeros(1))

    assert np.allclose(np.bincount(numbers, paired), np.bincount(numbers, payoffs))


def test_what_cancels_in_a_deal_but_for_rounding_gets_no_coefficient() -> None:
    """Else the coefficient of what is left, 1e-17, is anything, and applies to each hand as a whole."""
    deals = 300
    rng = np.random.default_rng(5)
    changes = np.stack([rng.normal(size=2 * deals), np.zeros(2 * deals)], axis=-1)
    cancelled = rng.normal(size=deals)
    changes[0::2, 1] = cancelled
    changes[1::2, 1] = -(cancelled + 0.1 - 0.1)  # not quite what it was
    payoffs = changes[:, 0] + 0.1 * rng.normal(size=2 * deals)
    numbers, players = np.repeat(np.arange(deals), 2), np.zeros(2 * deals, np.int64)
    assert (changes[0::2, 1] + changes[1::2, 1]).any()

    found = corrected(Observations(payoffs, changes, numbers, players), np.array([1.0, 0.0]))

    without = corrected(Observations(payoffs, changes[:, :1], numbers, players), np.array([1.0]))
    assert found == pytest.approx(without, abs=1e-9)


def test_a_term_that_few_deals_tell_of_keeps_near_its_coefficient_fixed_beforehand() -> None:
    """Of 64 deals one has nearly all of Σx²: what happened in it is chance, and says nothing about others."""
    changes = np.full((FIRST_BLOCK, 1), 0.01)
    changes[::2] *= -1
    many = fit(3.0 * changes[:, 0], changes, np.zeros(FIRST_BLOCK, np.int64), np.ones(1))
    changes[7] = 10.0
    few = fit(3.0 * changes[:, 0], changes, np.zeros(FIRST_BLOCK, np.int64), np.ones(1))

    assert many == pytest.approx([1 + 2 * FIRST_BLOCK / (FIRST_BLOCK + 16)])
    assert few == pytest.approx([1 + 2 / 17], rel=0.02)
