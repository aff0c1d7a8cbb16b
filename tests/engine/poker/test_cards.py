"""Cards as integers and in the spellings that people use; combos and starting hands as indices."""

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
    parse_written_cards,
    rank_of,
    suit_of,
)
from engine.poker.combos import (
    COMBOS_PER_STARTING_HAND,
    NUM_COMBOS,
    STARTING_HAND_NAMES,
    STARTING_HAND_OF_COMBO,
    combo_cards,
    combo_index,
    combos_without,
    format_combo,
    parse_starting_hand,
    starting_hand,
)
from tests.support.asserting import refuses

# --- cards --------------------------------------------------------------------------------------------------


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


# --- card text ----------------------------------------------------------------------------------------------


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


# --- combos -------------------------------------------------------------------------------------------------


def test_combos_are_numbered_without_gaps_from_2d2c_to_asah() -> None:
    assert [combo_index(*combo_cards(combo)) for combo in range(NUM_COMBOS)] == list(range(NUM_COMBOS))
    assert (format_combo(0), format_combo(1325)) == ("2d2c", "AsAh")
    assert combo_index(3, 40) == combo_index(40, 3)


def test_starting_hands_are_cells_of_the_grid() -> None:
    assert starting_hand(*parse_cards("AsAh")) == 168 == parse_starting_hand("AA")
    assert STARTING_HAND_NAMES[starting_hand(*parse_cards("KsAs"))] == "AKs"
    assert STARTING_HAND_NAMES[starting_hand(*parse_cards("9hTd"))] == "T9o"
    assert len(set(STARTING_HAND_NAMES)) == 169
    assert COMBOS_PER_STARTING_HAND.sum() == NUM_COMBOS == len(STARTING_HAND_OF_COMBO)
    assert sorted(set(COMBOS_PER_STARTING_HAND.tolist())) == [4, 6, 12]


def test_dead_cards_leave_the_other_combos() -> None:
    alive = combos_without(parse_cards("AsKs"))

    assert alive.sum() == 50 * 49 / 2
    assert not alive[combo_index(*parse_cards("AsAh"))]


def test_nonsense_is_refused() -> None:
    for cards in ((3, 3), (-1, 3), (3, 52)):
        refuses(ValueError, "two different cards", combo_index, *cards)
    refuses(ValueError, "got 1326", combo_cards, 1326)
    refuses(ValueError, "got 52", combos_without, [52])
    refuses(ValueError, "not a starting hand", parse_starting_hand, "KAs")
