"""The hand loop asks, is answered, and returns the end."""

from __future__ import annotations

import random

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.rules import (
    CALL,
    FOLD,
    CardDealer,
    GameDefinition,
    IllegalActionError,
    load_game,
    play_hand,
)
from tests.support.hands.strategies import choices, choose, games, play, random_hand


@given(games(), st.integers(0, 2**32 - 1), choices)
def test_the_loop_asks_at_every_decision_and_returns_the_end(
    game: GameDefinition, seed: int, made: list[int]
) -> None:
    expected = play(game, seed, made, hand_number=3)
    hand = play_hand(game, 3, CardDealer(game, seed).deal())

    seen = []
    try:
        state = next(hand)
        for choice in [*made, *[0] * 1000]:
            seen.append(state)
            state = hand.send(choose(choice, state.legal_actions()))
    except StopIteration as stop:
        seen.append(stop.value)

    assert seen == expected


def test_a_hand_in_which_nobody_can_act_asks_nobody() -> None:
    game = attrs.evolve(load_game("nolimit-2p"), stacks=(100, 50))

    with pytest.raises(StopIteration) as stop:
        next(play_hand(game, 0, CardDealer(game, 0).deal()))

    assert stop.value.value.is_finished


def test_an_illegal_action_is_refused() -> None:
    game = load_game("leduc")
    hand = play_hand(game, 0, CardDealer(game, 0).deal())
    next(hand)

    with pytest.raises(IllegalActionError):
        hand.send(FOLD)
    with pytest.raises(StopIteration):
        hand.send(CALL)


def test_the_same_seeds_play_the_same_hands() -> None:
    game = load_game("nolimit-6p")

    def match() -> list[tuple[float, ...]]:
        dealer, rng = CardDealer(game, 5), random.Random(5)
        return [random_hand(game, number, dealer, rng).chips_won() for number in range(20)]

    assert match() == match()
