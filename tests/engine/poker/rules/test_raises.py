"""Sizes of raises in pots, by plain arithmetic, and why there is none."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.rules import (
    CALL,
    LIMIT_RAISE,
    BettingState,
    HandState,
    IllegalActionError,
    load_game,
    parse_betting,
    raise_to,
)
from tests.support.asserting import refuses
from tests.support.hands.golden_files import golden_game
from tests.support.hands.strategies import hands

HEADS_UP = load_game("nolimit-2p")
"""Blinds of 100 and 50, stacks of 20000."""
NO_LIMIT_GAMES = [load_game("nolimit-2p"), load_game("nolimit-6p"), golden_game("lesscall")]

no_limit_hands = st.sampled_from(NO_LIMIT_GAMES).flatmap(lambda game: hands(game=game))
shares = st.integers(0, 64).map(lambda sixteenths: sixteenths / 16)
"""Of the pot; floats that are exact."""


def after_a_call(state: BettingState) -> int:
    """Chips in the middle once the player to act has called."""
    return sum(state.apply(CALL).spent)


# --- in pots -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "share", "total"),
    [
        ("c", 0.5, 200),  # 200 in the middle: 100 + 100
        ("c", 1.0, 300),
        ("", 1.0, 300),  # 150 in the middle, 50 to call: 100 + 200
        ("r300", 0.5, 600),  # 400 in the middle, 200 to call: 300 + 300
        ("r300c/", 0.75, 750),
        ("r300c/r900", 1.0, 2700),  # 1200 in the middle, 600 to call: 900 + 1800
        ("c", 0.25, 200),  # less than is allowed
        ("r300c/r900r3000", 1.0, 9000),
        ("r300c/r900r3001", 1.0, 9003),
        ("r300c/r900r4000", 1.0, 20000),  # 12000, more than half of what is left
        ("r300c/r900r4180", 0.75, 10450),  # 9550, half of the 19100 that are left
        ("r300c/r900r4181", 0.75, 20000),
    ],
)
def test_raise_of_pots_heads_up(text: str, share: float, total: int) -> None:
    state = parse_betting(HEADS_UP, text)

    assert state.raise_of_pots(share) == raise_to(total)


@given(no_limit_hands, shares)
def test_a_raise_of_pots_is_the_nearest_legal_one_or_all_in(states: list[HandState], share: float) -> None:
    for state in [state.betting for state in states[:-1]]:
        assert state.position_to_act is not None
        stack, spent = state.game.stacks[state.position_to_act], state.spent[state.position_to_act]
        legal = state.legal_actions()
        total = state.max_spent + Fraction(share) * after_a_call(state)

        action = state.raise_of_pots(share)

        assert action in legal
        if not legal.can_raise:
            assert action == CALL
        elif 2 * (total - spent) > stack - spent:
            assert action == raise_to(stack)
        else:
            assert action == legal.raising_to(round(total))


@given(hands(), st.floats(0, 100))
def test_in_limit_games_there_is_one_raise_whatever_the_share(states: list[HandState], share: float) -> None:
    for state in [state.betting for state in states[:-1] if state.betting.game.is_limit]:
        expected = LIMIT_RAISE if state.legal_actions().can_raise else CALL

        assert state.raise_of_pots(share) == expected


@given(no_limit_hands, st.floats(0, 100))
def test_a_total_in_pots_and_the_pots_of_a_total_undo_each_other(
    states: list[HandState], share: float
) -> None:
    for state in [state.betting for state in states[:-1]]:
        total = state.total_of_pots(share)

        assert total == pytest.approx(state.max_spent + share * after_a_call(state))
        assert state.pots_of_raise(total) == pytest.approx(share)


@given(no_limit_hands, st.integers(1, 12), st.integers(1, 12))
def test_simple_fractions_of_the_pot_are_exact_when_cut_down_to_chips(
    states: list[HandState], numerator: int, denominator: int
) -> None:
    """Floats lose nothing here, so that ``int`` of two thirds is ``* 2 // 3``."""
    for state in [state.betting for state in states[:-1]]:
        exact = state.max_spent + after_a_call(state) * numerator // denominator

        assert int(state.total_of_pots(numerator / denominator)) == exact


def test_when_the_hand_is_over_nobody_raises() -> None:
    state = parse_betting(HEADS_UP, "f")

    for ask in (state.pot_after_call, lambda: state.raise_of_pots(1.0), lambda: state.pots_of_raise(500)):
        refuses(IllegalActionError, "the hand is over", ask)


# --- none --------------------------------------------------------------------------------------------------


@given(hands())
def test_there_is_a_reason_exactly_where_there_is_no_raise(states: list[HandState]) -> None:
    for state in states[:-1]:
        legal = state.legal_actions()

        assert (legal.why_no_raise == "") == legal.can_raise


def test_no_raise_is_left_under_the_cap() -> None:
    legal = parse_betting(load_game("limit-2p"), "rrr").legal_actions()

    assert legal.why_no_raise == "No more raises are allowed in this betting round."


def test_a_round_can_become_too_long_for_a_raise() -> None:
    state = parse_betting(attrs.evolve(HEADS_UP, stacks=(10**6, 10**6)), "")
    while state.legal_actions().can_raise:
        state = state.apply(state.legal_actions().raising_to())

    assert state.raises_left() > 0
    assert state.legal_actions().why_no_raise == "This betting round has become too long for another raise."


def test_a_call_of_all_chips_leaves_none_to_raise_with() -> None:
    legal = parse_betting(HEADS_UP, "r20000").legal_actions()

    assert legal.why_no_raise == "You have no chips left to raise with."


def test_a_raise_needs_somebody_who_could_call_it() -> None:
    """docs/acpc-dealer.md E11: the caller is all-in for less, the small blind has folded."""
    legal = parse_betting(golden_game("lesscall"), "cf").legal_actions()

    assert legal.why_no_raise == "Nobody is left who could call a raise."
