"""Ranges as people write them, and what they win of each other."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from engine.hands.equity import range_equities
from engine.poker.cards import parse_cards
from engine.poker.combos import combo_cards
from engine.poker.ranges import parse_range
from engine.poker.rules import hand_rank
from tests.support.cases import cases


@pytest.mark.parametrize(
    ("text", "combos"),
    [
        ("AhKd", 1), ("AA", 6), ("AKs", 4), ("AKo", 12), ("AK", 16), ("aks", 4), ("JJ+", 24), ("22-66", 30),
        ("66-22", 30), ("ATs+", 16), ("KT+", 48), ("A2s-A5s", 16), ("random", 1326), ("JJ+, AKs AKo", 40),
        ("10h9h", 1), ("AK,AhKh", 16), ("22-66:0", None),
    ],
)  # fmt: skip
def test_a_range_has_as_many_hands_as_people_count(text: str, combos: int | None) -> None:
    if combos is None:
        with pytest.raises(ValueError, match="no hand has any weight"):
            parse_range(text)
        return
    weights = parse_range(text)

    assert (weights.sum(), weights.max()) == (combos, 1.0)


def test_weights_are_of_the_part_that_names_them_last() -> None:
    assert parse_range("JJ+:0.5, AA").sum() == 0.5 * 18 + 6
    assert parse_range("AA, JJ+:0.5").sum() == 0.5 * 24


@pytest.mark.parametrize(("text", "why"), cases(__file__, "what is no range"))
def test_what_is_no_range_is_refused_in_one_line_that_names_it(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)) as refused:
        parse_range(text)
    assert "\n" not in str(refused.value)


def test_aces_against_kings_are_the_known_odds() -> None:
    """81.946 % for aces over all suits, as every table has it."""
    aces, kings = range_equities([parse_range("AA"), parse_range("KK")])

    assert aces.value == pytest.approx(0.81946, abs=5e-6)
    assert aces.value + kings.value == pytest.approx(1)
    assert aces.standard_error == 0


def by_hand(ranges: list[str], board: str, dead: str) -> np.ndarray:
    """Shares by dealing every hand and every card to come."""
    out, gone = parse_cards(board), parse_cards(dead)
    tables = [parse_range(text) for text in ranges]
    shares, total = np.zeros(len(ranges)), 0.0
    for combos in itertools.product(*[np.flatnonzero(table).tolist() for table in tables]):
        held = [card for combo in combos for card in combo_cards(combo)]
        used = {*held, *out, *gone}
        if len(used) < len(held) + len(out) + len(gone):
            continue
        weight = float(np.prod([table[combo] for table, combo in zip(tables, combos, strict=True)]))
        for more in itertools.combinations(set(range(52)) - used, 5 - len(out)):
            ranks = np.array([hand_rank((*combo_cards(combo), *out, *more)) for combo in combos])
            best = ranks == ranks.max()
            shares += weight * best / best.sum()
            total += weight
    return shares / total


@pytest.mark.parametrize("dead", ["", "AcKc", "AcKc7s"])
def test_equities_on_the_turn_are_those_of_dealing_every_card(dead: str) -> None:
    ranges = ["AhKd,AQs", "QQ+:0.5,22", "T9s"]
    exact = range_equities(
        [parse_range(text) for text in ranges], parse_cards("2c7d9hTc"), dead=parse_cards(dead)
    )

    assert [each.value for each in exact] == pytest.approx(by_hand(ranges, "2c7d9hTc", dead))
    assert all(each.standard_error == 0 for each in exact)


def test_sampled_equities_miss_the_exact_ones_by_their_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    ranges = [parse_range("AK"), parse_range("JJ-QQ")]
    dead = parse_cards("2c2d")
    exact = range_equities(ranges, parse_cards("3c7d9h"), dead=dead)
    monkeypatch.setattr("engine.hands.equity.MAX_EXACT_SHOWDOWNS", 0)

    sampled = range_equities(
        ranges, parse_cards("3c7d9h"), dead=dead, trials=200_000, rng=np.random.default_rng(1)
    )

    for one, other in zip(exact, sampled, strict=True):
        assert 0 < other.standard_error < 0.002
        assert abs(one.value - other.value) < 4 * other.standard_error
