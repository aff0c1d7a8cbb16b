"""Hands in words."""

import pytest

from engine.poker.cards import parse_cards
from engine.poker.rules.hand_words import name_hand


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("KhKdTsTcQh2d3c", "two pair, kings and tens, queen kicker"),
        ("7c5d4h3s2c", "high card, seven, five, four, three and deuce"),
        ("6c6dAhJs9c2d3h", "pair of sixes, ace, jack and nine kickers"),
        ("2c2d2hAsKc", "three of a kind, deuces, ace and king kickers"),
        ("Ac2d3h4s5c5dAh", "straight, five high"),
        ("Ac9c7c4c2cAdAh", "flush, ace, nine, seven, four and deuce"),
        ("AcAdAh6s6cKdKh", "full house, aces over kings"),
        ("9c9d9h9sAcAdAh", "four of a kind, nines, ace kicker"),
        ("9h8h7h6h5hAhKd", "straight flush, nine high"),
        ("TsJsQsKsAs9s8s", "royal flush"),
    ],
)
def test_hands_are_described_in_words(cards: str, words: str) -> None:
    assert name_hand(parse_cards(cards), kickers=True) == words


def test_kickers_are_named_on_demand() -> None:
    assert name_hand(parse_cards("KsTdKhTc2s3d5c")) == "two pair, kings and tens"


def test_small_hands_have_names_too() -> None:
    assert [name_hand(parse_cards(text)) for text in ("Kd", "KdKh", "KdQh", "6s6h6d")] == [
        "high card, king", "pair of kings", "high card, king and queen", "three of a kind, sixes",
    ]  # fmt: skip
