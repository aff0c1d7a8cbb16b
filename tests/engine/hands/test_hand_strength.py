"""Ranks against another program and all counts; strength and potential as the paper's examples and loops."""

import functools
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from phevaluator import evaluate_cards

from engine.hands import hand_rank as hr
from engine.hands.equity import all_hand_equities
from engine.hands.hand_odds import all_final_boards
from engine.hands.hand_rank import (
    DEAD_COMBO,
    NUM_HAND_RANKS,
    board_ranks,
    hand_category,
    hand_rank,
    hand_ranks,
)
from engine.hands.hand_strength import (
    HandStrength,
    effective_hand_strength,
    effective_hand_strength_npot,
    field_array,
    field_hand_strength,
    hand_potential,
    hand_strength,
    multi_player_hand_strength,
)
from engine.kernels.hands.preflop import canonical_boards
from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, combo_cards, combo_index
from engine.support.arrays import Bytes, Floats, Ints
from tests.oracles.hand_rank import hand_value, joint_strength, strength, transitions
from tests.support.asserting import refuses
from tests.support.cases import cases

# --- hand rank ----------------------------------------------------------------------------------------------

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


@given(st.lists(st.integers(0, 51), min_size=5, max_size=7, unique=True))
def test_scalar_unchecked_and_batch_forms_agree(cards: list[int]) -> None:
    by_size: dict[int, Callable[..., int]] = {
        5: hr.rank_five_cards, 6: hr.rank_six_cards, 7: hr.rank_seven_cards,
    }  # fmt: skip
    unchecked = by_size[len(cards)]

    assert hand_rank(cards) == unchecked(*cards) == hand_ranks(np.array([cards], np.uint8))[0]
    assert hand_category(hand_rank(cards)) == hand_value(cards)[0]


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


@pytest.mark.slow
def test_all_seven_card_hands_are_counted_as_the_books_have_them() -> None:
    counts = seven_card_counts()

    assert counts.sum() == 133_784_560
    assert np.count_nonzero(counts) == 4824
    assert hands_by_category(counts) == SEVEN_CARD_COUNTS


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


# --- hand strength ------------------------------------------------------------------------------------------

# A rainbow, a two-suited, a monotone, a paired and a trips flop; turns and rivers with up to five of a suit.
BOARDS = [
    "2c7dJh", "8h6c4h", "2h5hTh", "Ts2hTh", "8c8d8h",
    "2h5hThKs", "2h5hThKh", "9c9dTcTd", "AcAdAhAs",
    "2c7dJhQs3c", "2h5hThKs3c", "2h5hThKhQs", "2h5hThKhQh", "KcKdKh2s2c", "ThJhQhKhAh",
]  # fmt: skip

FLOPS = ["2c7dJh", "8h6c4h", "2h5hTh", "Ts2hTh", "8c8d8h"]
TURNS = ["2c7dJhQs", "2h5hJcTc", "2h5hThKs", "2h5hThKh", "9c9dTcTd", "AcAdAhAs", "2h2sThJh"]


def random_weights(seed: int) -> Floats:
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
def test_the_papers_examples_come_out(hole: str, board: str, counts: tuple[int, ...], value: float) -> None:
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


def test_effective_hand_strength_is_that_of_the_equations() -> None:
    assert effective_hand_strength(0.6, 0.25) == pytest.approx(0.6 + 0.4 * 0.25)
    assert effective_hand_strength_npot(0.6, 0.25, 0.1) == pytest.approx(0.6 * 0.9 + 0.4 * 0.25)
    assert HandStrength(1, 2, 1).value == 0.5


@pytest.mark.parametrize(("hole", "board", "message"), cases(__file__, "nonsense is refused"))
def test_nonsense_is_refused(hole: list[int], board: list[int], message: str) -> None:
    refuses(ValueError, message, hand_strength, hole, board)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(1325), r"expected shape \(1326,\), got \(1325,\)"),
        (np.full(1326, -1.0), "got -1.0 at combo 0"), (np.full(1326, np.nan), "got nan at combo 0"),
        (np.full(1326, np.inf), "got inf at combo 0"), (np.zeros(1326), "expected some weight"),
    ],
)  # fmt: skip
def test_wrong_weights_are_refused(weights: Floats, message: str) -> None:
    refuses(ValueError, message, hand_strength, [0, 1], [2, 3, 4], weights)


def test_wrong_fields_are_refused() -> None:
    refuses(ValueError, "'mean' or 'maximum'", field_array, np.ones((2, 1326)), "median")
    refuses(ValueError, "weight table 1: expected some weight", field_array, [np.ones(1326), np.zeros(1326)])
    with pytest.raises(ValueError, match=r"shape \(num_opponents, 1326\)"):
        multi_player_hand_strength([0, 1], [2, 3, 4], np.ones(1326))
    refuses(ValueError, "expected 1 or more, got 0", field_hand_strength, [0, 1], [2, 3, 4], None, 0)


def some_hands(board: tuple[int, ...], seed: int) -> list[list[int]]:
    """Random hands, and ones with two, one and no heart."""
    rng = np.random.default_rng(seed)
    live = rng.permutation([card for card in range(52) if card not in board]).tolist()
    hearts = [card for card in live if card & 3 == 2]
    others = [card for card in live if card & 3 != 2]
    return [live[:2], hearts[:2], sorted(hearts)[-2:], [hearts[0], others[0]], others[:2]]


def test_table_3_2_comes_out_in_every_cell() -> None:
    hole, board = parse_cards("7h9h"), parse_cards("8h6c4h")

    turn = hand_potential(hole, board, look_ahead=1)
    river = hand_potential(hole, board, look_ahead=2)

    assert turn.transitions.tolist() == [[4380, 0, 480], [81, 324, 0], [17663, 0, 25717]]
    assert river.transitions.tolist() == [[89836, 4449, 12635], [3240, 5625, 45], [590955, 3010, 360395]]
    assert round(turn.positive, 4) == 0.4062
    assert round(river.positive, 4) == 0.6196
    assert round(turn.negative, 4) == 0.0948
    assert round(river.negative, 4) == 0.1336


def test_the_two_card_table_of_papps_thesis_comes_out() -> None:
    """It prints the 91,981."""
    potential = hand_potential(parse_cards("AdQc"), parse_cards("3h4cJh"))

    assert potential.transitions.tolist() == [[449005, 3211, 169504], [0, 8370, 540], [91981, 1036, 346543]]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("board", FLOPS + TURNS)
def test_one_card_ahead_is_the_plain_loop(board: str, weighted: bool) -> None:
    cards = parse_cards(board)
    weights = random_weights(1) if weighted else None

    for hole in some_hands(cards, 2):
        found = hand_potential(hole, cards, weights, look_ahead=1).transitions
        assert found == pytest.approx(transitions(hole, cards, 1, weights), rel=1e-11, abs=1e-9)


@pytest.mark.parametrize(("board", "which"), [(board, k % 2) for k, board in enumerate(FLOPS)])
def test_two_cards_ahead_are_the_plain_loop(board: str, which: int) -> None:
    cards = parse_cards(board)
    weights = random_weights(which) if which else None

    hole = some_hands(cards, 3)[1 + 2 * which]

    found = hand_potential(hole, cards, weights).transitions
    assert found == pytest.approx(transitions(hole, cards, 2, weights), rel=1e-11, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 51), min_size=5, max_size=5, unique=True), st.integers(0, 3))
def test_strength_and_two_card_potentials_make_the_equity_at_showdown(cards: list[int], seed: int) -> None:
    """Eq. 3.5 is an identity when the look-ahead reaches the river; the equity comes from the range trick."""
    hole, board = cards[:2], cards[2:]
    weights = random_weights(seed) if seed else None
    potential = hand_potential(hole, board, weights)

    effective = effective_hand_strength_npot(
        hand_strength(hole, board, weights).value, potential.positive, potential.negative
    )

    assert effective == pytest.approx(potential.final_strength, rel=1e-12)
    assert effective == pytest.approx(all_hand_equities(board, weights)[combo_index(*hole)], rel=1e-10)


def test_a_hand_that_is_never_behind_has_nothing_to_gain() -> None:
    potential = hand_potential(parse_cards("AhKh"), parse_cards("QhJhTh"))

    assert (potential.positive, potential.negative) == (0.0, 0.0)
    assert potential.hand_strength == 1.0


def test_strength_is_in_the_table_too() -> None:
    hole, board = parse_cards("AdQc"), parse_cards("Jh4c3h")

    assert hand_potential(hole, board).hand_strength == pytest.approx(
        hand_strength(hole, board).value, rel=1e-12
    )


@pytest.mark.parametrize(("board", "look_ahead", "message"), cases(__file__, "potentials of nonsense are"))
def test_potentials_of_nonsense_are_refused(board: list[int], look_ahead: int | None, message: str) -> None:
    refuses(ValueError, message, hand_potential, [0, 1], board, look_ahead=look_ahead)
    refuses(ValueError, "some weight", hand_potential, [0, 1], [2, 3, 4], np.zeros(1326))
