"""Every bot that comes with the package does nothing wrong in the games it plays."""

from __future__ import annotations

from typing import Final

import pytest

from clients.core.registry import installed_bots
from clients.lab.testing import check_agent

HOLDEM: Final = ("limit-2p", "limit-3p", "nolimit-2p", "nolimit-3p")
LARGE: Final = ("limit-6p", "limit-10p", "nolimit-6p")
EVERY_TABLE: Final = (*HOLDEM, *LARGE)
SLOW: Final = ("limit-2p", "nolimit-2p", "limit-3p", "limit-6p", "limit-10p", "nolimit-6p")
"""Games that are tried on demand: what could go wrong there goes wrong in the others, as a rule."""
ANY_GAME: Final = (*HOLDEM, "kuhn-2p", "leduc")

BOTS: Final = {
    "adaptive": ("limit-2p", "nolimit-2p"),
    "always-all-in": ANY_GAME,
    "always-call": ANY_GAME,
    "always-fold": ANY_GAME,
    "always-raise": ANY_GAME,
    "equilibrium": ("kuhn-2p", "kuhn-3p", "leduc"),
    "formula": EVERY_TABLE,
    "hand-strength": HOLDEM,
    "heuristic": EVERY_TABLE,
    "hole-cards-learner": HOLDEM,
    "killer": (*HOLDEM, "nolimit-6p"),
    "name-learner": HOLDEM,
    "poker-learner": HOLDEM,
    "portfolio:iterations=5": ("kuhn-2p", "leduc"),
    "random": ANY_GAME,
    "sampling:trials=20": EVERY_TABLE,
    "simple": EVERY_TABLE,
    "street-learner": EVERY_TABLE,
    "winning-hand-learner": HOLDEM,
}
"""With options that make the slow ones quick, and the games to try them in."""

STATELESS: Final = {
    "always-all-in", "always-call", "always-fold", "always-raise", "equilibrium", "hand-strength", "random",
}  # fmt: skip
"""What they do follows from the hand alone; the others learn or read their opponents."""


EXPENSIVE: Final = {("equilibrium", "leduc"), ("portfolio:iterations=5", "leduc"), ("killer", "nolimit-3p")}
"""Tried on demand too."""


def hands(game: str) -> int:
    """In each situation; some seconds for the slowest bots, at large tables, too."""
    return 2 if game in LARGE else 6


@pytest.mark.parametrize(
    ("bot", "game"),
    [
        pytest.param(bot, game, marks=[pytest.mark.slow] if game in SLOW or (bot, game) in EXPENSIVE else [])
        for bot, games in BOTS.items()
        for game in games
    ],
)
def test_a_bot_does_nothing_wrong(bot: str, game: str) -> None:
    report = check_agent(bot, game, hands=hands(game), stateless=bot in STATELESS)

    report.raise_if_wrong()
    assert report.decisions > 50


def test_no_bot_is_left_out() -> None:
    ours = {name for name, entry in installed_bots().items() if entry.module.startswith("clients.")}

    assert {bot.partition(":")[0] for bot in BOTS} == ours
