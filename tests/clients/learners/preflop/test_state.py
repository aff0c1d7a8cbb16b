"""The state: each of its variables (Poker Learner 4.2.1.4)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.learners.preflop.state import (
    ACTIONS,
    HAND_GROUP,
    POSITIONS,
    StateVariables,
    button_positions,
    last_caller_or_raiser,
    split_key,
    state_key,
)
from engine.poker.combos import starting_hand
from engine.poker.rules import load_game, parse_betting


@given(st.integers(0, 168), st.integers(0, 2), st.integers(0, 500), st.integers(0, 2))
def test_a_key_has_all_variables_in_it(group: int, position: int, last_player: int, last_action: int) -> None:
    key = state_key(group, position, last_player, last_action)

    assert split_key(key) == StateVariables(group, position, last_player, last_action)


def test_hands_of_the_same_ranks_are_one_group_but_for_suited_ones() -> None:
    for card, other in itertools.permutations(range(52), 2):
        assert HAND_GROUP[52 * card + other] == starting_hand(card, other)
    assert len(set(HAND_GROUP)) == 169


@pytest.mark.parametrize(
    ("game", "positions"),
    [
        ("limit-2p", "el"),
        ("nolimit-2p", "el"),
        ("nolimit-3p", "eml"),
        ("nolimit-6p", "eemmll"),
        ("limit-10p", "eeemmmmlll"),
    ],
)
def test_the_button_is_late_and_who_acts_first_after_the_flop_is_early(game: str, positions: str) -> None:
    found = button_positions(load_game(game))

    assert "".join(POSITIONS[index][0] for index in found) == positions


@pytest.mark.parametrize(
    ("game", "betting", "position", "action"),
    [
        ("nolimit-2p", "", 0, "blind"),  # the big blind is in position 0 heads-up
        ("nolimit-2p", "c", 1, "call"),
        ("nolimit-2p", "r300", 1, "raise"),
        ("nolimit-2p", "cr300", 0, "raise"),
        ("nolimit-6p", "", 1, "blind"),
        ("nolimit-6p", "ff", 1, "blind"),
        ("nolimit-6p", "cff", 2, "call"),
        ("nolimit-6p", "r300c", 3, "call"),
        ("nolimit-6p", "r300cff", 3, "call"),
        ("nolimit-6p", "r300r900f", 3, "raise"),
        ("nolimit-6p", "r300ffffr900", 1, "raise"),
        ("nolimit-6p", "r20000c", 3, "raise"),  # all in is a raise, also where none is allowed any more
        ("nolimit-6p", "r19900c", 3, "call"),
        ("limit-3p", "rc", 0, "call"),
    ],
)
def test_the_last_player_is_who_last_called_or_raised(
    game: str, betting: str, position: int, action: str
) -> None:
    state = parse_betting(load_game(game), betting)

    found, index = last_caller_or_raiser(state)

    assert (found, ACTIONS[index]) == (position, action)
