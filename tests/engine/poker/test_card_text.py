"""Cards in the spellings that people use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.cards import InvalidCardError, format_cards, parse_cards, parse_written_cards
from tests.support.asserting import refuses


@pytest.mark.parametrize(
    "text",
    ["7h9hTd", "7H 9h td", "7h9h10d", "7♥9♥T♦", "7♥️ 9♡ 10♦", "[7h, 9h, 10D]", "7h-9h-Td", " 7h\t9h|10d "],
)
def test_common_spellings_name_the_same_cards(text: str) -> None:
    assert parse_written_cards(text) == parse_cards("7h9hTd")


@given(st.lists(st.integers(0, 51), unique=True))
def test_the_wire_s_own_spelling_is_one_of_them(cards: list[int]) -> None:
    assert parse_written_cards(format_cards(cards)) == tuple(cards)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7h7h", "twice"),
        ("7h 7♥", "7h is there twice"),
        ("1h", "'1' is not a rank"),
        ("7x", "'x' follows"),
        ("7", "nothing follows"),
        ("h7", "'h' is not a rank"),
        ("poker", "'p' is not a rank"),
        ("11h", "not a rank"),
    ],
)
def test_what_is_not_a_card_is_named(text: str, message: str) -> None:
    refuses(InvalidCardError, message, parse_written_cards, text)
