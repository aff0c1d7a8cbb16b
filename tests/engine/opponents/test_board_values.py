"""All combos at once against the functions for one, which are held to the papers elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from engine.card_text import parse_written_cards
from engine.combos import combo_cards, combo_index
from engine.evaluation.hand_potential import all_hand_potentials, potentials_of_transitions
from engine.evaluation.hand_strength import UNIFORM_WEIGHTS, hand_strength
from engine.opponents.board_values import board_values


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_written_cards(text))


def test_the_papers_hand_strength() -> None:
    """Poki 3.3.1: AdQc on 3h4cJh is .585."""
    strengths = board_values(cards("3h4cJh")).strengths(UNIFORM_WEIGHTS)

    assert strengths[combo_index(*cards("AdQc"))] == pytest.approx(0.585, abs=0.0005)


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("seed", range(4))
def test_every_combos_strength_is_that_of_the_function_for_one(size: int, seed: int) -> None:
    rng = np.random.default_rng((size, seed))
    board = tuple(int(card) for card in rng.choice(52, size, replace=False))
    weights = rng.random(1326) * (rng.random(1326) < 0.5)

    values = board_values(board)
    strengths = values.strengths(weights)

    for combo in rng.choice(np.flatnonzero(values.free), 60):
        assert strengths[combo] == pytest.approx(
            hand_strength(combo_cards(int(combo)), board, weights).value, abs=1e-9
        )


def test_only_combos_without_a_board_card_are_free() -> None:
    values = board_values(cards("JsTs2c"))

    assert values.free.sum() == 49 * 48 / 2
    assert not values.free[combo_index(*cards("JsAd"))]


@pytest.mark.parametrize("size", [3, 4])
def test_the_effective_hand_strength_is_near_the_exact_one(size: int) -> None:
    """Eq 3.6 with PPot reckoned card by card: .01 off on average, .06 at most."""
    rng = np.random.default_rng(size)
    for _ in range(3):
        board = tuple(int(card) for card in rng.choice(52, size, replace=False))
        values = board_values(board)
        live = values.free > 0
        exact, _ = potentials_of_transitions(all_hand_potentials(board, None, 1)[live])
        strengths = values.strengths(UNIFORM_WEIGHTS)[live]

        difference = (1 - strengths) * (values.positive_potential[live] - exact)

        assert np.abs(difference).max() < 0.06
        assert abs(difference.mean()) < 0.02


def test_the_papers_draw_has_its_potential() -> None:
    """Poki 3.3.2: 7h9h on 8h6c4h has a PPot1 of .406 (Table 3.2)."""
    values = board_values(cards("8h6c4h"))

    assert values.positive_potential[combo_index(*cards("9h7h"))] == pytest.approx(0.406, abs=0.02)


def test_nothing_improves_on_the_river() -> None:
    assert not board_values(cards("8h6c4hJs2d")).positive_potential.any()


def test_a_table_that_leaves_the_opponent_no_hand_gives_one_half() -> None:
    weights = np.zeros(1326)
    weights[combo_index(*cards("AsAh"))] = 1

    strengths = board_values(cards("8h6c4h")).strengths(weights)

    assert strengths[combo_index(*cards("AsKd"))] == 0.5
    assert strengths[combo_index(*cards("KsKd"))] == 0
