"""Implied thresholds: frequencies fix who folds and who raises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.players.hand_values import HandValues
from engine.players.reweighting import implied_thresholds, threshold_triples
from engine.poker.combos import NUM_COMBOS

LINE = np.linspace(0, 1, NUM_COMBOS)
VALUES = HandValues(LINE, LINE, np.zeros(NUM_COMBOS))
ONES = np.ones(NUM_COMBOS)


def test_the_threshold_leaves_the_share_above() -> None:
    call_at, raise_at = implied_thresholds(ONES, VALUES, (0.3, 0.5, 0.2), spread=0.01)

    assert call_at == pytest.approx(0.3, abs=0.01)
    assert raise_at == pytest.approx(0.8, abs=0.01)


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.floats(0, 1), st.floats(0.001, 0.2))
def test_the_threshold_is_the_one_that_halving_finds(seed: int, share: float, spread: float) -> None:
    """Whatever the weights: many are 0, and many values stand together."""
    rng = np.random.default_rng(seed)
    weights = rng.random(NUM_COMBOS) * (rng.random(NUM_COMBOS) < 0.3)
    value = np.round(rng.random(NUM_COMBOS), 1 + seed % 4)

    _, raise_at = implied_thresholds(
        weights, HandValues(value, value, value), (0.0, 1 - share, share), spread
    )

    above = weights @ np.clip((value - raise_at + spread) / (2 * spread), 0, 1)
    assert above / weights.sum() == pytest.approx(share, abs=1e-6) or share == 0


@settings(max_examples=20)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_mean_of_the_triples_is_the_frequencies(first: float, second: float, noise: float) -> None:
    low, high = sorted((first, second))
    frequencies = (low, high - low, 1 - high)

    triples = threshold_triples(ONES, VALUES, frequencies, noise)

    assert triples.sum(axis=1) == pytest.approx(ONES)
    assert triples.mean(axis=0)[0] == pytest.approx(low, abs=0.06)
    assert triples.mean(axis=0)[2] == pytest.approx(1 - high, abs=0.01)


def test_noise_1_leaves_only_the_frequencies() -> None:
    triples = threshold_triples(ONES, VALUES, (0.3, 0.5, 0.2), 1.0)

    assert triples == pytest.approx(np.tile((0.3, 0.5, 0.2), (NUM_COMBOS, 1)))


def test_the_best_hands_raise_and_the_worst_fold() -> None:
    triples = threshold_triples(ONES, VALUES, (0.3, 0.5, 0.2), 0.0)

    assert triples[0] == pytest.approx((1, 0, 0))
    assert triples[-1] == pytest.approx((0, 0, 1))


def test_who_never_folds_calls_with_everything() -> None:
    assert threshold_triples(ONES, VALUES, (0.0, 1.0, 0.0), 0.0)[0] == pytest.approx((0, 1, 0))


@pytest.mark.parametrize("frequencies", [(0.5, 0.5, 0.5), (-0.1, 0.6, 0.5)])
def test_what_are_no_frequencies_is_refused(frequencies: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="chances"):
        implied_thresholds(ONES, VALUES, frequencies)
