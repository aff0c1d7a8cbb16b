"""Combos and starting hands as indices."""

from __future__ import annotations

from engine.poker.cards import parse_cards
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
