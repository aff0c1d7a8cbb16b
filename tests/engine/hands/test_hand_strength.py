"""Hand strength against the paper's examples and the plain loops of Fig. 3.3."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.hands.hand_strength import (
    HandStrength,
    effective_hand_strength,
    effective_hand_strength_npot,
    field_array,
    field_hand_strength,
    hand_strength,
    multi_player_hand_strength,
)
from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, combos_without
from tests.oracles.hand_potential import joint_strength, strength

# A rainbow, a two-suited, a monotone, a paired and a trips flop; turns and rivers with up to five of a suit.
BOARDS = [
    "2c7dJh", "8h6c4h", "2h5hTh", "Ts2hTh", "8c8d8h",
    "2h5hThKs", "2h5hThKh", "9c9dTcTd", "AcAdAhAs",
    "2c7dJhQs3c", "2h5hThKs3c", "2h5hThKhQs", "2h5hThKhQh", "KcKdKh2s2c", "ThJhQhKhAh",
]  # fmt: skip


def random_weights(seed: int) -> NDArray[np.float64]:
    """Weights with many zeros, as weight tables have."""
    rng = np.random.default_rng(seed)
    return rng.random(NUM_COMBOS) * (rng.random(NUM_COMBOS) < 0.7)


@pytest.mark.parametrize(
    ("hole", "board", "counts", "value"),
    [
        ("AdQc", "Jh4c3h", (628, 9, 444), 0.585),
        # The paper truncates .9458 to 0.945.
        ("KcKs", "8h6c4h", (1022, 1, 58), 0.946),
        ("7h9h", "8h6c4h", (108, 9, 964), 0.104),
    ],
)
def test_the_papers_examples_come_out(
    hole: str, board: str, counts: tuple[int, int, int], value: float
) -> None:
    found = hand_strength(parse_cards(hole), parse_cards(board))

    assert found == counts
    assert round(found.value, 3) == value


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_are_those_of_the_plain_loop(board: str, weighted: bool) -> None:
    cards = parse_cards(board)
    rng = np.random.default_rng(5)
    live = [card for card in range(52) if card not in cards]
    suited = [card for card in live if card & 3 == 2]
    holes = [rng.permutation(live)[:2].tolist() for _ in range(3)] + [suited[:2], suited[-2:]]
    weights = random_weights(1) if weighted else None

    for hole in holes:
        assert hand_strength(hole, cards, weights) == pytest.approx(strength(hole, cards, weights), rel=1e-12)


def test_a_constant_factor_in_the_weights_changes_nothing() -> None:
    hole, board = parse_cards("AdQc"), parse_cards("Jh4c3h")
    weights = random_weights(2)

    assert hand_strength(hole, board, weights * 7).value == pytest.approx(
        hand_strength(hole, board, weights).value, rel=1e-12
    )


def test_weights_of_hands_that_nobody_can_hold_do_not_count() -> None:
    hole, board = parse_cards("AdQc"), parse_cards("Jh4c3h")
    weights = random_weights(3)
    alive = combos_without(hole + board)

    assert hand_strength(hole, board, weights) == hand_strength(hole, board, np.where(alive, weights, 0))


def test_several_opponents_are_the_product_over_their_tables() -> None:
    hole, board = parse_cards("AdQc"), parse_cards("Jh4c3h")
    tables = np.array([random_weights(4), random_weights(5), np.ones(NUM_COMBOS)])

    expected = np.prod([hand_strength(hole, board, table).value for table in tables])

    assert multi_player_hand_strength(hole, board, tables) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("num_opponents", [2, 3])
def test_the_product_is_within_three_percent_of_the_joint_value(num_opponents: int) -> None:
    """ "The error from Equation 3.3 was small (less than 3%)": 3.3.5."""
    rng = np.random.default_rng(17)
    for _ in range(40):
        cards = rng.permutation(52)[:5].tolist()
        hole, board = cards[:2], cards[2:]

        joint = joint_strength(hole, board, num_opponents, rng, deals=40_000)

        product = multi_player_hand_strength(hole, board, np.ones((num_opponents, NUM_COMBOS)))
        # Sampling adds up to .0025 (one standard error), four of which are allowed beside the claim.
        assert abs(product - joint) < 0.03 + 0.01


def test_a_field_of_equal_tables_is_that_table_to_the_power_of_the_opponents() -> None:
    hole, board = parse_cards("AdQc"), parse_cards("Jh4c3h")
    table = random_weights(6)
    tables = np.array([table, 3 * table, 0.5 * table])

    for how in ("mean", "maximum"):
        field = field_array(tables, how)
        assert field_hand_strength(hole, board, field, 3) == pytest.approx(
            multi_player_hand_strength(hole, board, tables), rel=1e-9
        )


def test_one_opponent_with_aces_is_a_quarter_of_the_mean_and_all_of_the_maximum() -> None:
    """The paper's example in 3.3.5: aces weigh .25 in the mean of four opponents, mediocre hands .75."""
    aces, mediocre = 1325, 100
    tables = np.zeros((4, NUM_COMBOS))
    tables[0, aces] = 5.0
    tables[1:, mediocre] = 0.2

    assert field_array(tables, "mean")[[aces, mediocre]] == pytest.approx([0.25, 0.75])
    assert field_array(tables, "maximum")[[aces, mediocre]] == pytest.approx([1, 1])


@given(st.lists(st.integers(0, 51), min_size=5, max_size=7, unique=True))
def test_all_hands_of_the_opponent_are_counted_once(cards: list[int]) -> None:
    counts = hand_strength(cards[:2], cards[2:])
    left = 52 - len(cards)

    assert sum(counts) == left * (left - 1) / 2


def test_effective_hand_strength_is_that_of_the_equations() -> None:
    assert effective_hand_strength(0.6, 0.25) == pytest.approx(0.6 + 0.4 * 0.25)
    assert effective_hand_strength_npot(0.6, 0.25, 0.1) == pytest.approx(0.6 * 0.9 + 0.4 * 0.25)
    assert HandStrength(1, 2, 1).value == 0.5


@pytest.mark.parametrize(
    ("hole", "board", "message"),
    [
        ([0], [1, 2, 3], "expected 2 cards, got 1"),
        ([0, 1], [2, 3], "expected 3, 4 or 5 cards, got 2"),
        ([0, 1], [], "expected 3, 4 or 5 cards, got 0"),
        ([0, 1], [2, 3, 1], "different cards"),
        ([0, 52], [2, 3, 1], r"0\.\.51, got 52"),
        ([0, 1], [2, 3, -1], r"0\.\.51, got -1"),
    ],
)
def test_nonsense_is_refused(hole: list[int], board: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hand_strength(hole, board)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(1325), r"expected shape \(1326,\), got \(1325,\)"),
        (np.full(1326, -1.0), "got -1.0 at combo 0"),
        (np.full(1326, np.nan), "got nan at combo 0"),
        (np.full(1326, np.inf), "got inf at combo 0"),
        (np.zeros(1326), "expected some weight"),
    ],
)
def test_wrong_weights_are_refused(weights: NDArray[np.float64], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hand_strength([0, 1], [2, 3, 4], weights)


def test_wrong_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="'mean' or 'maximum'"):
        field_array(np.ones((2, 1326)), "median")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="weight table 1: expected some weight"):
        field_array([np.ones(1326), np.zeros(1326)])
    with pytest.raises(ValueError, match=r"shape \(num_opponents, 1326\)"):
        multi_player_hand_strength([0, 1], [2, 3, 4], np.ones(1326))
    with pytest.raises(ValueError, match="expected 1 or more, got 0"):
        field_hand_strength([0, 1], [2, 3, 4], None, 0)
