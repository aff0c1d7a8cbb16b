"""Raises that an abstraction does not have: what they stand for, and what is played then."""

from __future__ import annotations

import math

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.poker.rules import CALL, FOLD, BettingState, initial_betting, load_game, raise_to
from engine.poker.rules.betting import parse_betting
from engine.solving.holdem.betting import (
    USUAL_SIZES,
    HoldemBetting,
    Translator,
    holdem_betting,
    pseudo_harmonic,
)
from engine.solving.walk import TooLarge
from tests.support.asserting import refuses

GAME = load_game("nolimit-2p-100bb")
SIZES = st.floats(0.01, 50)


@pytest.fixture(scope="module")
def betting() -> HoldemBetting:
    """Without the half pot: few enough to be made in no time."""
    return holdem_betting(GAME, (1, 1, 1, 1), (1.0, math.inf))


# --- the mapping, by what Ganzfried and Sandholm (2013) prove of it ----------------------------------------


@settings(max_examples=40)
@given(SIZES, SIZES, st.floats(0, 1), st.floats(0, 1))
def test_the_mapping_has_the_properties_that_were_published(
    one: float, other: float, first: float, second: float
) -> None:
    smaller, larger = sorted((one, other))
    if larger - smaller < 1e-3:
        return
    low, high = (smaller + part * (larger - smaller) for part in sorted((first, second)))

    assert pseudo_harmonic(smaller, larger, smaller) == pytest.approx(1)
    assert pseudo_harmonic(smaller, larger, larger) == pytest.approx(0)
    assert -1e-9 <= pseudo_harmonic(smaller, larger, high) <= pseudo_harmonic(smaller, larger, low) + 1e-9
    median = (smaller + larger + 2 * smaller * larger) / (smaller + larger + 2)
    assert pseudo_harmonic(smaller, larger, median) == pytest.approx(0.5)


def test_a_third_of_the_pot_is_half_way_from_nothing_to_a_pot() -> None:
    assert pseudo_harmonic(0, 1, 1 / 3) == pytest.approx(1 / 2)  # their section on bets against checks


# --- bettings ----------------------------------------------------------------------------------------------


def at(text: str) -> BettingState:
    return parse_betting(GAME, text)


def places(betting: HoldemBetting, text: str) -> dict[str, float]:
    names = {id(decision): name for name, decision in betting.decisions.items()}
    found = Translator(betting).decisions(at(text))
    return {names[id(decision)]: weight for decision, weight in found}


@pytest.mark.parametrize("text", ["", "c", "r6", "r6r18c/", "r200", "cc/r6c/cr18", "r6c/r18c/r54"])
def test_a_betting_of_the_abstraction_stands_for_itself(text: str, betting: HoldemBetting) -> None:
    assert places(betting, text) == {text: pytest.approx(1)}


def test_a_raise_between_two_stands_for_both(betting: HoldemBetting) -> None:
    """Raising to 12 out of a pot of 4 is a raise by 5/2 pots; one to 6 is by one, all in by 198/4."""
    small = (49.5 - 2.5) * 2 / (48.5 * 3.5)

    assert places(betting, "r12") == {"r6": pytest.approx(small), "r200": pytest.approx(1 - small)}
    assert places(betting, "r5") == {"r6": pytest.approx(1)}  # less than the smallest
    assert places(betting, "r12c/") == {"r6c/": pytest.approx(1)}  # all in, there would be nothing to decide
    assert places(betting, "r12c/cr36") == {"r6c/cr18": pytest.approx(1)}  # by one pot of the chips there are


def test_after_a_raise_taken_for_all_in_there_are_no_decisions(betting: HoldemBetting) -> None:
    assert places(betting, "r200") == {"r200": pytest.approx(1)}
    assert Translator(holdem_betting(GAME, (1, 1, 1, 1), (math.inf,))).decisions(at("r6c/")) == []


def test_actions_are_sized_by_the_chips_there_are(betting: HoldemBetting) -> None:
    decision = betting.decisions["r6c/c"]

    assert [str(action) for action in decision.actions] == ["c", "r18", "r200"]
    assert [str(action) for action in decision.actions_at(at("r12c/c"))] == ["c", "r36", "r200"]
    assert decision.actions_at(at("r200"))[0] == CALL


def test_the_number_of_bettings_is_the_counted_one() -> None:
    game = attrs.evolve(GAME, stacks=(20, 20))
    small = HoldemBetting(game, (1, 1, 1, 1), USUAL_SIZES)
    every = {0: 0, 1: 0, 2: 0, 3: 0}
    for decision in small.decisions.values():
        every[decision.betting_round] += 1
    assert every == counted(initial_betting(game))


def counted(state: BettingState) -> dict[int, int]:
    """Decisions by round, written down once more: raises beyond half of what is left are all in."""
    every = {0: 0, 1: 0, 2: 0, 3: 0}
    if state.position_to_act is None:
        return every
    every[state.betting_round] += 1
    legal, spent = state.legal_actions(), state.spent[state.position_to_act]
    actions = {CALL, FOLD} if legal.can_fold else {CALL}
    if legal.min_raise_to is not None:
        for part in (0.5, 1.0, 100.0):
            total = max(max(state.spent) + part * 2 * max(state.spent), legal.min_raise_to)
            actions.add(raise_to(20 if total - spent > (20 - spent) / 2 else round(total)))
    for action in actions:
        for number, more in counted(state.apply(action)).items():
            every[number] += more
    return every


def test_other_games_and_sizes_are_refused(betting: HoldemBetting, monkeypatch: pytest.MonkeyPatch) -> None:
    refuses(ValueError, "expected sizes of raises above 0", HoldemBetting, GAME, (1, 1, 1, 1))
    refuses(ValueError, "in no-limit games only", HoldemBetting, load_game("limit-2p"), (1, 1, 1, 1), (1.0,))
    with pytest.raises(ValueError, match="expected limit hold'em for two, or no-limit"):
        HoldemBetting(load_game("nolimit-3p"), (1, 1, 1, 1), (1.0,))
    monkeypatch.setattr("engine.solving.holdem.betting.MOST_DECISIONS", 600)
    with pytest.raises(TooLarge, match="with raises of 2 sizes there are more than 600 places to act"):
        HoldemBetting(GAME, (1, 1, 1, 1), (1.0, math.inf))
    refuses(ValueError, "nobody is to act in this game", Translator(betting).decisions, at("r200c///"))
