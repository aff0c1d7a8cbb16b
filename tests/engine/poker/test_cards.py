"""Cards as integers and as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.cards import (
    CARD_TEXTS,
    RANKS,
    SUITS,
    InvalidCardError,
    format_cards,
    make_card,
    parse_card,
    parse_cards,
    rank_of,
    suit_of,
)
from tests.support.asserting import refuses


def test_cards_run_from_the_deuce_of_clubs_to_the_ace_of_spades() -> None:
    assert CARD_TEXTS[:5] == ("2c", "2d", "2h", "2s", "3c")
    assert CARD_TEXTS[-1] == "As"
    assert len(set(CARD_TEXTS)) == 52


@pytest.mark.parametrize("card", range(52))
def test_card_is_rank_and_suit_is_text(card: int) -> None:
    assert make_card(rank_of(card), suit_of(card)) == card
    assert parse_card(CARD_TEXTS[card]) == card
    assert CARD_TEXTS[card] == RANKS[rank_of(card)] + SUITS[suit_of(card)]


@given(st.lists(st.integers(0, 51), max_size=10))
def test_lists_of_cards_survive_a_round_trip(cards: list[int]) -> None:
    assert parse_cards(format_cards(cards)) == tuple(cards)


@pytest.mark.parametrize("text", ["", "A", "as", "AS", "1s", "10s", "Ax", "sA", " As", "As "])
def test_what_is_not_exactly_a_card_is_refused(text: str) -> None:
    refuses(InvalidCardError, "is not a card", parse_card, text)


@pytest.mark.parametrize("text", ["AsK", "As Kd", "AsKx"])
def test_what_is_not_a_list_of_cards_is_refused(text: str) -> None:
    refuses(InvalidCardError, "is not a", parse_cards, text)


@given(st.text(max_size=12))
def test_any_text_is_cards_or_refused(text: str) -> None:
    try:
        cards = parse_cards(text)
    except InvalidCardError:
        return
    assert format_cards(cards) == text
