"""Hand ranks against another program's, a plain oracle, and the counts of all hands."""

import functools
from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from engine.hands import hand_rank as hr
from engine.hands.hand_odds import all_final_boards
from engine.hands.hand_rank import (
    DEAD_COMBO,
    NUM_HAND_RANKS,
    HandCategory,
    board_ranks,
    hand_category,
    hand_rank,
    hand_ranks,
)
from engine.kernels.hands.preflop import canonical_boards
from engine.kernels.poker.tables import ranking_table
from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, combo_cards
from engine.support.arrays import Bytes, Ints
from tests.oracles.hand_rank import hand_value
from tests.support.asserting import refuses
from tests.support.cases import cases

# Best category first, as the tables in books have it.
SEVEN_CARD_COUNTS = [41584, 224848, 3473184, 4047644, 6180020, 6461620, 31433400, 58627800, 23294460]
FIVE_CARD_COUNTS = [40, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540]


def random_hands(seed: int, number: int, size: int) -> Bytes:
    rng = np.random.default_rng(seed)
    deck = np.tile(np.arange(52, dtype=np.uint8), (number, 1))
    return np.ascontiguousarray(rng.permuted(deck, axis=1)[:, :size])


def hands_by_category(counts: Ints) -> list[int]:
    categories = [hand_category(rank) for rank in range(NUM_HAND_RANKS)]
    return [int(count) for count in np.bincount(categories, weights=counts)[::-1]]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_100000_random_hands_rank_as_phevaluator_ranks_them(size: int) -> None:
    hands = random_hands(size, 100_000, size)

    ranks = hand_ranks(hands)

    # phevaluator counts from 1, the best, to 7462.
    assert ranks.tolist() == [7462 - evaluate_cards(*hand) for hand in hands.tolist()]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_are_ordered_as_the_best_of_all_fives_orders_them(size: int) -> None:
    hands = random_hands(size, 1500, size).tolist()

    ranked = sorted((hand_rank(hand), hand_value(hand)) for hand in hands)

    for (rank, value), (next_rank, next_value) in pairwise(ranked):
        assert (rank < next_rank) == (value < next_value)
        assert (rank == next_rank) == (value == next_value)


@given(st.lists(st.integers(0, 51), min_size=5, max_size=7, unique=True))
def test_scalar_unchecked_and_batch_forms_agree(cards: list[int]) -> None:
    by_size: dict[int, Callable[..., int]] = {
        5: hr.rank_five_cards,
        6: hr.rank_six_cards,
        7: hr.rank_seven_cards,
    }
    unchecked = by_size[len(cards)]

    assert hand_rank(cards) == unchecked(*cards) == hand_ranks(np.array([cards], np.uint8))[0]
    assert hand_category(hand_rank(cards)) == hand_value(cards)[0]


@given(st.lists(st.integers(0, 51), min_size=7, max_size=7, unique=True))
def test_seven_cards_are_worth_their_best_six_and_those_their_best_five(cards: list[int]) -> None:
    assert hand_rank(cards) == max(hand_rank(six) for six in combinations(cards, 6))
    assert hand_rank(cards) == max(hand_rank(five) for five in combinations(cards, 5))


def test_all_five_card_hands_fill_the_7462_classes() -> None:
    counts = np.bincount(hand_ranks(all_final_boards(())))

    assert (counts > 0).all()
    assert hands_by_category(counts) == FIVE_CARD_COUNTS


@functools.cache
def seven_card_counts() -> Ints:
    """The number of seven-card hands of each rank: two hole cards with one board for all that are like it."""
    boards, sizes = canonical_boards()
    counts = np.zeros(DEAD_COMBO + 1)
    for block in np.array_split(np.arange(len(boards)), 100):
        ranks = np.array([board_ranks(board) for board in boards[block].tolist()])
        counts += np.bincount(
            ranks.ravel(), weights=np.repeat(sizes[block], NUM_COMBOS), minlength=DEAD_COMBO + 1
        )
    # Of each hand any two cards may be the hole cards.
    found, rest = np.divmod(counts[:NUM_HAND_RANKS].astype(np.int64), 21)
    assert not rest.any()
    return found


def test_all_seven_card_hands_are_counted_as_the_books_have_them() -> None:
    counts = seven_card_counts()

    assert counts.sum() == 133_784_560
    assert np.count_nonzero(counts) == 4824
    assert hands_by_category(counts) == SEVEN_CARD_COUNTS


def test_sampled_seven_card_hands_fall_into_the_categories_at_the_known_rates() -> None:
    hands = random_hands(11, 400_000, 7)

    found = np.bincount([hand_category(rank) for rank in hand_ranks(hands).tolist()], minlength=9)[::-1]

    expected = np.array(SEVEN_CARD_COUNTS) / 133_784_560 * len(hands)
    assert (np.abs(found - expected) < 5 * np.sqrt(expected) + 1).all()


@pytest.mark.slow
def test_all_seven_card_hands_one_by_one_are_counted_as_together() -> None:
    """Here every hand is an array of seven cards."""
    counts = np.zeros(NUM_HAND_RANKS, np.int64)
    fives = np.array(list(combinations(range(52), 5)), np.uint8)
    for first, second in combinations(range(52), 2):
        # In lexicographic order those of higher cards come last.
        rest = fives[np.searchsorted(fives[:, 0], second + 1) :]
        hands = np.empty((len(rest), 7), np.uint8)
        hands[:, 0], hands[:, 1], hands[:, 2:] = first, second, rest
        counts += np.bincount(hand_ranks(hands), minlength=NUM_HAND_RANKS)

    assert (counts == seven_card_counts()).all()


@pytest.mark.parametrize("board", cases(__file__, "every combo on a board ranks as its hand"))
def test_every_combo_on_a_board_ranks_as_its_hand(board: str) -> None:
    cards = parse_cards(board)

    ranks = board_ranks(cards).tolist()

    for combo in range(NUM_COMBOS):
        hole = combo_cards(combo)
        expected = DEAD_COMBO if set(hole) & set(cards) else hand_rank(hole + cards)
        assert ranks[combo] == expected


@given(st.lists(st.integers(0, 51), min_size=5, max_size=7, unique=True))
def test_any_combo_on_any_board_ranks_as_its_hand(cards: list[int]) -> None:
    hole, board = cards[:2], cards[2:]
    high, low = max(hole), min(hole)

    assert board_ranks(board)[high * (high - 1) // 2 + low] == hand_rank(cards)


def test_the_best_and_the_worst_hand_have_the_first_and_the_last_rank() -> None:
    assert hand_rank(parse_cards("7c5d4h3s2c")) == 0
    assert hand_rank(parse_cards("TsJsQsKsAs")) == 7461
    assert hand_category(7461) is HandCategory.STRAIGHT_FLUSH


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([0, 1, 2, 3], "expected 5, 6 or 7 cards, got 4"),
        (range(8), "expected 5, 6 or 7 cards, got 8"),
        ([0, 1, 2, 3, 52], "expected cards of 0..51, got 52"),
        ([0, 1, 2, 3, -1], "expected cards of 0..51, got -1"),
        ([0, 1, 2, 3, 3], "expected different cards, got 2c2d2h2s2s"),
    ],
)
def test_nonsense_is_refused_with_what_was_expected_and_what_came(cards: list[int], message: str) -> None:
    refuses(ValueError, message, hand_rank, cards)


def test_batches_of_another_shape_type_or_range_are_refused() -> None:
    refuses(ValueError, "expected shape", hand_ranks, np.zeros((3, 4), np.uint8))
    refuses(ValueError, "uint8", hand_ranks, np.zeros((3, 7), np.int64))
    refuses(ValueError, r"0\.\.51, got 60", hand_ranks, np.full((3, 7), 60, np.uint8))
    for column, wrong in enumerate((52, 53, 63, 64, 127, 128, 255)):
        hands = np.array([[0, 4, 8, 12, 16, 20, 24]] * 3, np.uint8)  # flushes, or nearly
        hands[2, column] = wrong
        refuses(ValueError, f"got {wrong}$", hand_ranks, hands)
    assert hand_ranks(np.zeros((0, 7), np.uint8)).shape == (0,)


@pytest.mark.parametrize("size", [0, 1, 2, 6])
def test_boards_of_another_size_are_refused(size: int) -> None:
    refuses(ValueError, f"expected 3, 4 or 5 cards, got {size}", board_ranks, range(size))


def test_the_tables_are_small() -> None:
    assert ranking_table().nbytes < 300_000
