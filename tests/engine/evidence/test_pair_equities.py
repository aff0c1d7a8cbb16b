"""Two known hands before the flop, against plain dealing and the counts of the literature."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from engine.evidence import pair_equities as module
from engine.evidence.pair_equities import PAIR_POINTS, pair_equities, pair_points
from engine.hands.equity import hand_equity, preflop_equities
from engine.poker.cards import parse_cards
from engine.poker.combos import (
    COMBO_HIGH,
    COMBO_LOW,
    NUM_COMBOS,
    STARTING_HAND_OF_COMBO,
    combo_index,
    suit_renamings,
)

HIGH, LOW = COMBO_HIGH.astype(np.int64), COMBO_LOW.astype(np.int64)
CARDS = np.left_shift(1, HIGH) | np.left_shift(1, LOW)


def disjoint_pairs() -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], ...]:
    first, second = np.nonzero((CARDS[:, None] & CARDS) == 0)
    return first, second


def test_two_hands_share_every_pot() -> None:
    """For every pair in both orders: found by two different renamings of suits, from different rows."""
    first, second = disjoint_pairs()

    assert len(first) == 1326 * 1225
    pair_points()  # all of them are computed
    shares = pair_equities(first, second) + pair_equities(second, first)
    assert np.abs(shares - 1.0).max() < 1e-15


def test_a_pair_has_the_equity_of_all_its_boards() -> None:
    draw = random.Random(4)
    pairs = [draw.sample(range(52), 4) for _ in range(6)]
    pairs.append(list(parse_cards("2c7d2d7c")))  # nothing but ties and flushes
    first = np.array([combo_index(a, b) for a, b, _, _ in pairs])
    second = np.array([combo_index(c, d) for _, _, c, d in pairs])
    pair_points()

    found = pair_equities(first, second)

    for (a, b, c, d), equity in zip(pairs, found.tolist(), strict=True):
        assert equity == pytest.approx(hand_equity([(a, b), (c, d)])[0].value, abs=1e-15)


def test_the_mean_over_suits_is_the_matrix_of_starting_hands() -> None:
    first, second = disjoint_pairs()
    pair_points()
    cells = STARTING_HAND_OF_COMBO[first].astype(np.int64) * 169 + STARTING_HAND_OF_COMBO[second]

    mean = np.bincount(cells, pair_equities(first, second)) / np.bincount(cells)

    assert np.abs(mean.reshape(169, 169) - preflop_equities()).max() < 1e-14


def test_the_number_of_kinds_of_pairs_is_the_known_one() -> None:
    """47,008 up to suits and to which of the two comes first."""
    first, second = disjoint_pairs()
    kinds = first * NUM_COMBOS + second
    for renamed in suit_renamings():
        np.minimum(kinds, renamed[first] * NUM_COMBOS + renamed[second], out=kinds)
        np.minimum(kinds, renamed[second] * NUM_COMBOS + renamed[first], out=kinds)

    assert len(np.unique(kinds)) == 47008


def test_few_pairs_are_dealt_out_and_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    first = np.array([combo_index(*parse_cards(hand)) for hand in ("AsKs", "7d2c", "AsKs")])
    second = np.array([combo_index(*parse_cards(hand)) for hand in ("QhQd", "7c2d", "QcQd")])
    pair_points()
    expected = pair_equities(first, second)
    monkeypatch.setattr(module, "_kept_points", lambda: None)
    monkeypatch.setattr(module, "pair_points", lambda: pytest.fail("all pairs are computed for three"))

    assert pair_equities(first, second) == pytest.approx(expected, abs=1e-15)


def test_pairs_are_computed_once_and_then_read_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = pair_points()
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", str(tmp_path))
    computing = [points]
    monkeypatch.setattr(module, "_compute_points", computing.pop)

    for _ in range(2):
        module._memory.clear()
        assert (pair_points() == points).all()

    assert not computing


@pytest.mark.slow
def test_all_pairs_are_computed_as_they_are_kept() -> None:
    assert (module._compute_points() == pair_points()).all()


def test_points_are_those_of_all_boards() -> None:
    assert PAIR_POINTS == 2 * 1_712_304
    assert pair_points().shape == (169, NUM_COMBOS)
