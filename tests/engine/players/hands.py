"""Hands for tests of models: random ones, and those of known players."""

from __future__ import annotations

import random

from engine.poker.rules import CALL, FOLD, CardDealer, HandState, initial_hand, load_game


def random_hand(game_name: str, seed: int) -> list[HandState]:
    """All states of a hand whose players act at random, the deal first."""
    game = load_game(game_name)
    rng = random.Random(seed)
    state = initial_hand(game, 0, CardDealer(game, seed).deal())
    states = [state]
    while not state.is_finished:
        legal = state.legal_actions()
        drawn = rng.random()
        if drawn < 0.25 and legal.can_fold:
            action = FOLD
        elif drawn > 0.6:
            action = legal.raising_to(None if rng.random() < 0.7 else legal.max_raise_to)
        else:
            action = CALL
        state = state.apply(action)
        states.append(state)
    return states
