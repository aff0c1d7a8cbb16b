"""Weight tables: what is known has no weight, nothing empties them, and the 13 x 13 view."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.players.weight_table import LEAST_CHANCE, WeightTable, format_grid
from engine.poker.combos import NUM_COMBOS, combo_index, combos_without, parse_starting_hand
from tests.engine.players.hands import cards

known_cards = st.lists(st.integers(0, 51), max_size=7, unique=True)


def random_triples(rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    triples = rng.dirichlet((0.3, 0.3, 0.3), NUM_COMBOS)
    return np.where(triples < 0.2, 0.0, triples)


@settings(max_examples=30)
@given(known_cards, st.integers(0, 2**32), st.lists(st.integers(0, 2), max_size=8), st.floats(0, 1))
def test_weights_are_never_negative_never_all_zero_and_never_on_a_known_card(
    known: list[int], seed: int, actions: list[int], noise: float
) -> None:
    rng = np.random.default_rng(seed)
    table = WeightTable.uniform(known[:3])

    for action in actions:
        table = table.reweighted(random_triples(rng), action, noise)
    table = table.without(known)

    assert (table.weights >= 0).all()
    assert table.weights.max() == 1
    assert not table.weights[~combos_without(known)].any()
    assert table.weights[combos_without(known)].all()


def test_an_action_multiplies_each_weight_by_its_chance() -> None:
    """Fig. 3.5; the paper's 72 at .01 and AK at .40 after a call."""
    triples = np.tile([1.0, 0.0, 0.0], (NUM_COMBOS, 1))
    seven_deuce, ace_king = combo_index(*cards("7d2c")), combo_index(*cards("AhKs"))
    triples[seven_deuce] = (0.99, 0.01, 0)
    triples[ace_king] = (0, 0.4, 0.6)

    once = WeightTable.uniform().reweighted(triples, 1)
    twice = once.reweighted(triples, 1)

    assert once.weights[seven_deuce] / once.weights[ace_king] == pytest.approx(0.01 / 0.40)
    assert twice.weights[seven_deuce] / twice.weights[ace_king] == pytest.approx((0.01 / 0.40) ** 2)


def test_an_action_that_no_hand_explains_leaves_the_table_as_it_is() -> None:
    before = WeightTable(np.random.default_rng(1).random(NUM_COMBOS))

    after = before.reweighted(np.tile([0.0, 0.0, 1.0], (NUM_COMBOS, 1)), 0)

    assert after.weights == pytest.approx(before.weights)
    assert LEAST_CHANCE > 0


def test_noise_1_makes_an_action_tell_nothing() -> None:
    rng = np.random.default_rng(2)
    before = WeightTable(rng.random(NUM_COMBOS))

    assert before.reweighted(random_triples(rng), 2, 1.0).weights == pytest.approx(before.weights)


def test_a_cell_shows_the_greatest_weight_of_its_combos() -> None:
    weights = np.zeros(NUM_COMBOS)
    weights[combo_index(*cards("AsKs"))], weights[combo_index(*cards("AhKh"))] = 1, 0.5

    grid = WeightTable(weights).grid()

    assert grid[parse_starting_hand("AKs")] == 1
    assert grid[parse_starting_hand("AKo")] == 0


def test_the_grid_as_text_has_aces_first_and_suited_hands_upper_right() -> None:
    weights = np.zeros(NUM_COMBOS)
    weights[combo_index(*cards("AsKs"))] = 1

    lines = format_grid(WeightTable(weights).grid()).splitlines()

    assert lines[0].split() == list("AKQJT98765432")
    assert lines[1].startswith("A     ██")
    assert "█" not in "".join(lines[2:])


@pytest.mark.parametrize(
    "weights", [np.zeros(NUM_COMBOS), np.full(NUM_COMBOS, -1.0), np.full(NUM_COMBOS, np.nan), np.ones(7)]
)
def test_what_is_no_table_is_refused(weights: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    with pytest.raises(ValueError, match="weights"):
        WeightTable(weights)
