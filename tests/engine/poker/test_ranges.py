"""Ranges as people write them, against counts of hands that everybody knows."""

from __future__ import annotations

import re

import numpy as np
import pytest

from engine.poker.cards import parse_written_cards
from engine.poker.combos import NUM_COMBOS, combo_index
from engine.poker.ranges import parse_range


@pytest.mark.parametrize(
    ("text", "combos"),
    [
        ("AA", 6), ("AKs", 4), ("AKo", 12), ("AK", 16), ("KA", 16), ("AhKh", 1),
        ("random", NUM_COMBOS),
        ("QQ+", 18), ("QQ-77", 36), ("77-QQ", 36), ("A8s+", 24), ("QTs+", 8), ("A5s-A2s", 16),
        ("A2s-A5s", 16),
        ("98s-54s", 20), ("22+, A2+, K2+", 78 + 12 * 16 + 11 * 16), ("aks, qq", 10), ("AA AKs\nKK", 16),
        ("66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
         9 * 6 + 24 + 8 + 36 + 16 + 12 + 8 + 4 + 12 + 12 + 8 + 8),
    ],
)  # fmt: skip
def test_a_range_has_as_many_combos_as_everybody_counts(text: str, combos: int) -> None:
    weights = parse_range(text, any_order=True)

    assert weights.shape == (NUM_COMBOS,)
    assert weights.sum() == combos


def test_weights_follow_a_colon_and_the_last_word_holds() -> None:
    weights = parse_range("QQ:0.5, QhQd : 1, JJ, JJ:0.25")

    queens = [combo_index(*parse_written_cards(hand)) for hand in ("QhQd", "QsQc")]
    assert weights[queens].tolist() == [1.0, 0.5]
    assert weights.sum() == pytest.approx(5 * 0.5 + 1 + 6 * 0.25)
    assert np.count_nonzero(weights) == 12


@pytest.mark.parametrize(
    "item", ["AKx", "1Ks", "AKs:2", "AKs:x", "AAs", "A5s-K2s", "AhAh", "QQ+-77", "A5s-A2o", "98s-53s"]
)  # fmt: skip
def test_what_is_no_part_of_a_range_is_named(item: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(item)}: "):
        parse_range(f"QQ, {item}, 22")
