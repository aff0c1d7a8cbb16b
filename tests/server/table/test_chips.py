"""Whole chips and the rake: nothing is made, nothing lost, nobody is out by more than a chip."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.poker.rules import GameDefinition, HandState, Rake, load_game
from server.table.rules.chips import settle, whole_chips
from tests.support.hands.strategies import choices, games, play


def test_odd_chips_go_to_the_left_of_the_button_first() -> None:
    third = 1 / 3

    assert whole_chips((-1.0, third, third, third)) == (-1, 1, 0, 0)
    assert whole_chips((2.5, -5.0, 2.5)) == (3, -5, 2)
    assert whole_chips((-7.0, 7.0)) == (-7, 7)


def test_chips_that_nobody_has_won_go_to_the_winner() -> None:
    assert whole_chips((-30.0, 20.0, -4.0)) == (-30, 34, -4)


@given(games(), st.integers(0, 2**32 - 1), choices)
@settings(max_examples=30)
def test_any_hand_is_settled_within_a_chip(game: GameDefinition, seed: int, made: list[int]) -> None:
    *_, final = play(game, seed, made)
    exact = final.chips_won()

    whole = whole_chips(exact)

    assert sum(whole) == 0
    if abs(sum(exact)) < 1e-6:
        assert all(abs(each - chips) < 1 for each, chips in zip(whole, exact, strict=True))


@given(games(), st.integers(0, 2**32 - 1), choices, st.floats(0, 0.2), st.integers(0, 50))
@settings(max_examples=30)
def test_the_rake_is_a_share_of_the_pot_and_only_winners_pay_it(
    game: GameDefinition, seed: int, made: list[int], share: float, most: int
) -> None:
    *_, final = play(game, seed, made)

    settled = settle(final, Rake(100 * share, most or math.inf))

    assert all(0 <= taken <= max(0, won) for won, taken in zip(settled.chips, settled.rake, strict=True))
    assert sum(settled.rake) <= Fraction(share) * final.betting.pot + 1
    assert most == 0 or sum(settled.rake) <= most
    if not final.betting.num_board_cards:
        assert sum(settled.rake) == 0


@pytest.mark.parametrize(("share", "most", "expected"), [(0.05, 0, 4), (0.05, 3, 3), (0.0, 3, 0)])
def test_what_nobody_called_is_not_raked(share: float, most: int, expected: int) -> None:
    game = attrs.evolve(load_game("nolimit-2p-100bb"))
    state: HandState = _after(game, "cr40c/cr150f")

    assert sum(settle(state, Rake(100 * share, most or math.inf)).rake) == expected  # of 80


def _after(game: GameDefinition, betting: str) -> HandState:
    from engine.poker.rules import CardDealer, parse_betting

    return HandState(parse_betting(game, betting), 0, CardDealer(game, 1).deal())
