"""Luck taken out in every corner: game × stacks × duplicate × luck, by matches of bots that play alike."""

from __future__ import annotations

import functools
import itertools

import attrs
import numpy as np
import pytest

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.evidence.confidence_sequence import payoff_bounds
from engine.evidence.estimates import Evidence
from engine.poker.rules import GameDefinition, HandState, load_game
from tests.support.asserting import known
from tests.support.hands.evidence import Row, evidence_of

GAMES = {"kuhn-2p": (0,), "leduc": (0,), "limit-2p": (0,), "limit-3p": (0,)} | dict.fromkeys(
    ("nolimit-2p-100bb", "nolimit-3p"), (5, 20, 100, 200)
)
"""By game, the stacks in big blinds; 0 where the game has none."""
CORNERS = [
    (name, stack, duplicate)
    for (name, stacks), duplicate in itertools.product(GAMES.items(), (False, True))
    for stack in stacks
]


def with_stacks(name: str, stack: int) -> GameDefinition:
    game = load_game(name)
    return attrs.evolve(game, stacks=(stack * game.big_blind,) * game.num_players) if stack else game


@functools.cache
def played(name: str, stack: int, duplicate: bool, bots: tuple[str, ...], deals: int) -> Evidence:
    game = with_stacks(name, stack)
    n = game.num_players
    rows: list[Row] = []
    for shift in range(n if duplicate else 1):
        order = [bots[(seat - shift) % n] for seat in range(n)]

        def add(end: HandState, chips: tuple[float, ...], shift: int = shift) -> None:
            seats = [(position + end.hand_number) % n for position in range(n)]
            rows.append((end, chips, [(seat - shift) % n for seat in seats], end.hand_number))

        Arena(game, [make_bot(bot) for bot in order], 4).play(deals, on_hand=add)
    return evidence_of(rows, passes=n if duplicate else 1)


def factor(evidence: Evidence, estimator: str) -> float:
    """How many times fewer hands an estimator needs."""
    found = evidence.estimates()
    plain, other = (
        sum(known(known(each).ci95) ** 2 for each in found[name]) for name in ("chips", estimator)
    )
    return plain / other


@pytest.mark.parametrize(("name", "stack", "duplicate"), CORNERS)
@pytest.mark.parametrize("luck", ["all_in", "equity"])
def test_no_more_is_taken_out_than_a_hand_can_pay(name: str, stack: int, duplicate: bool, luck: str) -> None:
    game = with_stacks(name, stack)
    bots = ("simple" if game.is_holdem else "always-call", "random", "always-call")[: game.num_players]
    evidence = played(name, stack, duplicate, bots, 300)
    low, high = known(payoff_bounds(game)).of_a_player()

    settled, values = known(evidence.values("all_in")), known(evidence.values(luck))

    assert np.abs(values - settled).max() <= max(-low, high) * (1 + 1e-9)
    assert low - 1e-6 <= settled.min() <= settled.max() <= high + 1e-6
    assert np.abs(values.sum(axis=1) - settled.sum(axis=1)).max() < 1e-6
    if luck == "equity":
        assert factor(evidence, luck) > 0.999  # in Kuhn's game the passes cancel all that the cards do


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stack", "bots", "least"),
    [
        (200, ("formula", "simple"), 1.5),
        (200, ("formula", "formula:model=none"), 1.4),
        (100, ("formula", "simple"), 1.7),
        (50, ("formula", "simple"), 2.1),
        (20, ("formula", "simple"), 2.6),
    ],
)
def test_duplicate_no_limit_matches_are_worth_more(stack: int, bots: tuple[str, ...], least: float) -> None:
    assert factor(played("nolimit-2p-100bb", stack, True, bots, 2500), "equity") > least
