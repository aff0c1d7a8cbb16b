"""Hand potential against the paper's tables and the plain loops of Fig. 3.4."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hands.equity import all_hand_equities
from engine.hands.hand_potential import all_hand_potentials, hand_potential, potentials_of_transitions
from engine.hands.hand_strength import effective_hand_strength_npot, hand_strength
from engine.poker.cards import parse_cards
from engine.poker.combos import combo_cards, combo_index
from tests.engine.hands.test_hand_strength import random_weights
from tests.oracles.hand_potential import transitions

FLOPS = ["2c7dJh", "8h6c4h", "2h5hTh", "Ts2hTh", "8c8d8h"]
TURNS = ["2c7dJhQs", "2h5hJcTc", "2h5hThKs", "2h5hThKh", "9c9dTcTd", "AcAdAhAs", "2h2sThJh"]


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
    assert river.transitions.tolist() == [
        [89836, 4449, 12635],
        [3240, 5625, 45],
        [590955, 3010, 360395],
    ]
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


@pytest.mark.parametrize(("board", "which"), [(board, which) for board in FLOPS for which in range(2)])
def test_two_cards_ahead_are_the_plain_loop(board: str, which: int) -> None:
    cards = parse_cards(board)
    weights = random_weights(which) if which else None

    hole = some_hands(cards, 3)[1 + 2 * which]

    found = hand_potential(hole, cards, weights).transitions
    assert found == pytest.approx(transitions(hole, cards, 2, weights), rel=1e-11, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_two_cards_ahead_are_the_plain_loop_on_random_flops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    board = tuple(rng.permutation(52)[:3].tolist())
    if seed % 2:
        board = tuple((4 * rng.permutation(13)[:3] + 2).tolist())

    for hole in some_hands(board, seed):
        for weights in (None, random_weights(seed)):
            found = hand_potential(hole, board, weights).transitions
            assert found == pytest.approx(transitions(hole, board, 2, weights), rel=1e-11, abs=1e-9)


@pytest.mark.parametrize(("board", "look_ahead"), [("8h6c4h", 1), ("2h5hTh", 2), ("2h5hThKs", 1)])
def test_all_hands_at_once_are_each_hand_by_itself(board: str, look_ahead: int) -> None:
    cards = parse_cards(board)
    weights = random_weights(4)

    tables = all_hand_potentials(cards, weights, look_ahead)

    for combo in range(0, 1326, 13):
        hole = combo_cards(combo)
        if set(hole) & set(cards):
            assert np.isnan(tables[combo]).all()
        else:
            assert (tables[combo] == hand_potential(hole, cards, weights, look_ahead).transitions).all()


def test_all_potentials_come_from_all_tables() -> None:
    hole, board = parse_cards("7h9h"), parse_cards("8h6c4h")

    positive, negative = potentials_of_transitions(all_hand_potentials(board, look_ahead=1))

    assert positive.shape == negative.shape == (1326,)
    assert round(float(positive[combo_index(*hole)]), 4) == 0.4062
    assert np.isnan(positive[combo_index(*board[:2])])


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


def test_the_example_hand_has_an_equity_of_6453() -> None:
    hole, board = parse_cards("7h9h"), parse_cards("8h6c4h")
    potential = hand_potential(hole, board)

    effective = effective_hand_strength_npot(
        hand_strength(hole, board).value, potential.positive, potential.negative
    )

    assert round(effective, 4) == 0.6453


def test_a_hand_that_is_never_behind_has_nothing_to_gain() -> None:
    potential = hand_potential(parse_cards("AhKh"), parse_cards("QhJhTh"))

    assert (potential.positive, potential.negative) == (0.0, 0.0)
    assert potential.hand_strength == 1.0


def test_strength_is_in_the_table_too() -> None:
    hole, board = parse_cards("AdQc"), parse_cards("Jh4c3h")

    assert hand_potential(hole, board).hand_strength == pytest.approx(
        hand_strength(hole, board).value, rel=1e-12
    )


@pytest.mark.parametrize(
    ("board", "look_ahead", "message"),
    [
        ([2, 3, 4, 5, 6], None, "expected 3 or 4 cards, got 5"),
        ([], None, "expected 3 or 4 cards, got 0"),
        ([2, 3, 4, 5], 2, "expected 1 on a board of 4 cards, got 2"),
        ([2, 3, 4], 3, "expected 1 or 2 on a board of 3 cards, got 3"),
        ([2, 3, 4], 0, "expected 1 or 2 on a board of 3 cards, got 0"),
    ],
)
def test_nonsense_is_refused(board: list[int], look_ahead: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hand_potential([0, 1], board, look_ahead=look_ahead)
    with pytest.raises(ValueError, match="some weight"):
        hand_potential([0, 1], [2, 3, 4], np.zeros(1326))
