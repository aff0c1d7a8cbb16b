"""Shares and potentials at a glance, against those that are enumerated."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.hands.hand_rank import board_ranks, hand_rank
from engine.kernels.players import hand_features as kernels
from engine.kernels.poker.ranking import board_key, class_on_board
from engine.kernels.poker.tables import ranking_table
from engine.players.board_values import board_values
from engine.poker.cards import parse_written_cards
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS


def random_boards(size: int, count: int) -> list[NDArray[np.uint8]]:
    """Any boards, and as many of few suits."""
    rng = np.random.default_rng(size)
    plain = [rng.choice(52, size, replace=False) for _ in range(count)]
    suited = [4 * rng.choice(13, size, replace=False) + rng.choice([1, 1, 1, 2], size) for _ in range(count)]
    return [board.astype(np.uint8) for board in plain + suited]


def shares_on(board: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Of all combos; nan for those that share a card with the board."""
    classes = np.empty(kernels.MAX_GROUPS, np.int32)
    counts = np.empty(kernels.MAX_GROUPS, np.int32)
    size, table = len(board), ranking_table()
    kernels.fill_class_counts(table, board, size, classes, counts)
    key = board_key(board, size)
    shares = np.full(NUM_COMBOS, np.nan)
    for combo, (a, b) in enumerate(COMBO_CARDS.tolist()):
        if a not in board and b not in board:
            rank = class_on_board(table, key, board, size, a, b)
            shares[combo] = kernels.share_of_class(classes, counts, size, rank)
    return shares


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_share_of_a_hand_is_counted_over_all_live_combos(size: int) -> None:
    """Ranked one by one; ties count half."""
    for board in random_boards(size, 4):
        ranks = board_ranks(board.tolist()).astype(np.int64)
        live = ranks[ranks != 0xFFFF]
        expected = [np.mean((live < rank) + 0.5 * (live == rank)) for rank in live]

        assert shares_on(board)[ranks != 0xFFFF] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_a_share_is_the_hand_strength_but_for_hands_with_our_cards(size: int) -> None:
    for board in random_boards(size, 6):
        values = board_values(tuple(board.tolist()))
        strengths = values.strengths(np.ones(NUM_COMBOS))
        live = values.free > 0

        differences = abs(shares_on(board) - strengths)[live]

        assert differences.mean() < 0.02
        assert differences.max() < 0.07


@pytest.mark.parametrize(("size", "bound"), [(3, 0.022), (4, 0.027)])
def test_the_potential_at_a_glance_is_the_enumerated_one_within_some_hundredths(
    size: int, bound: float
) -> None:
    """On boards that the coefficients were not fitted to: mean absolute error and correlation."""
    completing = kernels.straight_completions()
    quick, exact, negative, usual = [], [], [], []
    for board in random_boards(size, 20)[:20]:
        values, shares = board_values(tuple(board.tolist())), shares_on(board)
        for combo in np.flatnonzero(values.free)[:: 7 if size == 3 else 11].tolist():
            a, b = COMBO_CARDS[combo].tolist()
            quick.append(kernels.quick_potential(completing, board, size, a, b, shares[combo]))
            exact.append(values.positive_potential[combo])
            usual.append(kernels.usual_negative_potential(size, shares[combo]))
            negative.append(values.negative_potential[combo])

    assert np.mean(np.abs(np.array(quick) - exact)) < bound
    assert np.corrcoef(quick, exact)[0, 1] > 0.85
    assert np.mean(np.abs(np.array(usual) - negative)) < 0.04


def test_straights_are_completed_by_the_ranks_that_complete_them() -> None:
    """Every mask of at most four ranks against the ranking of hands."""
    completing = kernels.straight_completions()
    for text, ranks in (
        ("5678", "49"),
        ("89JQ", "T"),
        ("2345", "A6"),
        ("A234", "5"),
        ("TJQK", "9A"),
        ("2479", ""),
    ):
        mask = sum(1 << "23456789TJQKA".index(rank) for rank in text)
        assert completing[mask] == sum(1 << "23456789TJQKA".index(rank) for rank in ranks)
        for rank in ranks:
            suits = "cdhsc"
            cards = parse_written_cards("".join(r + s for r, s in zip(text + rank, suits, strict=True)))
            assert hand_rank(cards) > hand_rank(parse_written_cards("AcAdAhKsQc"))  # beats three aces
    assert completing[0b111110] == 0  # there is one already
