"""`engine.poker.rules.hand_rank` against a plain oracle, published counts and the usual order of hands."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.cards import parse_cards
from engine.poker.rules import hand_rank, load_game
from engine.poker.rules.hand_rank import SLOTS, HandCategory, hand_category
from tests.oracles.hand_rank import Value, hand_value

FULL_DECK = tuple(range(52))


def deck(suits: int, ranks: int) -> tuple[int, ...]:
    game = load_game("limit-2p")
    return attrs.evolve(game, num_suits=suits, num_ranks=ranks).deck


def category(cards: Sequence[int]) -> HandCategory:
    return hand_category(hand_rank(cards))


def check_order(hands: Iterable[Sequence[int]]) -> None:
    """Same order and same ties as the oracle's; all hands of equally many cards."""
    rank_of_value: dict[Value, int] = {}
    for hand in hands:
        value, rank = hand_value(hand), hand_rank(hand)
        assert rank_of_value.setdefault(value, rank) == rank, hand
        assert hand_category(rank) == value[0], hand
    assert all(low < high for low, high in pairwise(rank_of_value[value] for value in sorted(rank_of_value)))


# --- counts ------------------------------------------------------------------------------------------


def test_counts_of_all_five_card_hands_of_a_piquet_deck() -> None:
    """32 cards from the seven up, by combinatorics: no wheel, since there is no five."""
    counts = Counter(map(category, combinations(deck(4, 8), 5)))

    assert counts == {
        HandCategory.STRAIGHT_FLUSH: 4 * 4,
        HandCategory.FOUR_OF_A_KIND: 8 * 28,
        HandCategory.FULL_HOUSE: 8 * 4 * 7 * 6,
        HandCategory.FLUSH: 4 * (56 - 4),
        HandCategory.STRAIGHT: 4 * (4**5 - 4),
        HandCategory.THREE_OF_A_KIND: 8 * 4 * 21 * 16,
        HandCategory.TWO_PAIR: 28 * 36 * 24,
        HandCategory.PAIR: 8 * 6 * 35 * 64,
        HandCategory.HIGH_CARD: (56 - 4) * (4**5 - 4),
    }


@pytest.mark.slow
def test_counts_of_all_five_card_hands() -> None:
    """The 2,598,960 hands in their published frequencies, and 7462 different values."""
    ranks = Counter(map(hand_rank, combinations(FULL_DECK, 5)))
    counts: Counter[int] = Counter()
    for rank, count in ranks.items():
        counts[hand_category(rank)] += count

    assert len(ranks) == 7462
    assert [counts[k] for k in range(9)] == [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]


def test_counts_of_sampled_seven_card_hands() -> None:
    """Published frequencies of 133,784,560 seven-card hands, within five standard errors of 60,000."""
    published = [23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584]
    rng = random.Random(1)

    counts = Counter(category(rng.sample(FULL_DECK, 7)) for _ in range(60_000))

    for each, frequency in zip(HandCategory, published, strict=True):
        expected = 60_000 * frequency / 133_784_560
        assert abs(counts[each] - expected) < 5 * expected**0.5 + 1


# --- order -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3])
def test_small_hands_are_ordered_as_the_oracle_orders_them(number: int) -> None:
    check_order(combinations(FULL_DECK, number))


@pytest.mark.parametrize(
    ("suits", "ranks", "number"), [(4, 8, 4), (4, 5, 5), (1, 13, 5), (2, 8, 6), (2, 6, 8)]
)
def test_all_hands_of_short_decks_are_ordered_as_the_oracle_orders_them(
    suits: int, ranks: int, number: int
) -> None:
    check_order(combinations(deck(suits, ranks), number))


@pytest.mark.parametrize("number", range(4, 11))
def test_sampled_hands_are_ordered_as_the_oracle_orders_them(number: int) -> None:
    rng = random.Random(number)
    wheel_deck = [card for card in FULL_DECK if card < 20 or card >= 48]  # deuces to sixes, and aces
    decks = [FULL_DECK, deck(4, 6), deck(2, 13), wheel_deck, deck(4, 4)]

    check_order(rng.sample(decks[k % len(decks)], number) for k in range(4000 // number))


@given(
    st.lists(st.sampled_from(FULL_DECK), min_size=1, max_size=10, unique=True),
    st.randoms(use_true_random=False),
)
def test_neither_the_order_of_cards_nor_the_names_of_suits_matter(
    cards: list[int], rng: random.Random
) -> None:
    shuffled = rng.sample(cards, len(cards))
    suits = rng.sample(range(4), 4)

    assert hand_rank(shuffled) == hand_rank(cards)
    assert hand_rank([card & ~3 | suits[card & 3] for card in cards]) == hand_rank(cards)


@given(st.lists(st.sampled_from(FULL_DECK), min_size=6, max_size=10, unique=True))
def test_another_card_never_makes_a_hand_worse(cards: list[int]) -> None:
    assert hand_rank(cards) >= hand_rank(cards[:-1])


# The better hand first; ties are in the next table.
BETTER = """
AsKsQsJsTs KsQsJsTs9s
5s4s3s2sAs AsAhAdAcKs
6h5h4h3h2h 5s4s3s2sAs
AsAhAdAc2s KsKhKdKcAs
2s2h2d2c3s AsAhAdKsKh
3s3h3d2s2h 2s2h2dAsAh
2s2h2d4s4h 2s2h2d3s3h
7s5s4s3s2s AsKhQsJsTs
AsKsQsJs9s AsKsQsJs8s
5s4h3d2cAs AsAhAdKsQs
6s5h4d3c2s 5s4h3d2cAs
2s2h2d4s3h AsAhKsKhQs
AsAhAd3s2s KsKhKdAsQs
AsAh3s3hKs AsAh2s2hKs
AsAh3s3hKs AsAh3s3hQs
2s2h4s5s6h AsKhQsJs9s
AsAh5s4s3h AsAh5s4s2h
AsKhQsJs9s AsKhQsJs8s
KsAs AsQh
AsAh KsKh
KsKh AsQh
As Ks
"""


@pytest.mark.parametrize("pair", [line.split() for line in BETTER.split("\n") if line])
def test_better_hand_wins(pair: list[str]) -> None:
    better, worse = map(parse_cards, pair)
    assert hand_rank(better) > hand_rank(worse)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AsKhQdJcTs", "AhKsQhJdTc"),
        ("As9s", "Ah9d"),
        ("2c3dAsKsQsJsTs", "9hThAsKsQsJsTs"),  # both play the board
        ("AsAhKsKhQd2c", "AsAhKsKhQc3d"),  # only five cards count
        ("2s2h3s3h4s4hAd", "2d2c3d3c4s4hAd"),  # the third pair is at most a kicker
    ],
)
def test_equal_hands_tie(one: str, other: str) -> None:
    assert hand_rank(parse_cards(one)) == hand_rank(parse_cards(other))


def test_four_cards_make_neither_a_straight_nor_a_flush() -> None:
    assert category(parse_cards("AsKsQsJs")) == HandCategory.HIGH_CARD
    assert category(parse_cards("5s4s3s2s")) == HandCategory.HIGH_CARD


def test_the_ace_is_low_only_below_the_deuce() -> None:
    assert category(parse_cards("AsKh2d3c4s")) == HandCategory.HIGH_CARD
    assert category(parse_cards("As2h3d4c5s")) == HandCategory.STRAIGHT


def test_two_suits_can_both_be_flushes_and_the_better_counts() -> None:
    cards = parse_cards("AhKhQhJh9h" + "6s5s4s3s2s")

    assert category(cards) == HandCategory.STRAIGHT_FLUSH


def test_leduc_pairs_beat_aces() -> None:
    assert hand_rank(parse_cards("QsQh")) > hand_rank(parse_cards("AsKh")) > hand_rank(parse_cards("AsQh"))


def test_hands_that_share_a_slot_of_the_memory_keep_their_own_values() -> None:
    rng = random.Random(5)
    hands: dict[int, dict[int, tuple[int, ...]]] = {}
    for _ in range(20_000):
        cards = tuple(rng.sample(FULL_DECK, 7))
        counts = sum(1 << 3 * (card // 4) for card in cards)
        hands.setdefault(counts % SLOTS, {})[counts] = cards
    shared = [hand for slot in hands.values() if len(slot) > 1 for hand in slot.values()]

    assert len(shared) > 1000
    check_order(shared * 2)
