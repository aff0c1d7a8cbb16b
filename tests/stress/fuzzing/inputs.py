"""What real inputs look like, and what a target is.

A target takes a generator, makes one input, shows it to the reader, and checks what comes out.  The errors
that are documented are those of its row; any other is a finding.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Final

import attrs

from engine.poker.rules import format_game, load_game, packaged_games
from tests.support.hands.golden_files import GOLDEN, GoldenLog, golden_log
from tests.support.tables import conversations

LOGS: Final = (
    "random.holdem.limit.2p.reverse_blinds.0",
    "random.holdem.nolimit.3p.0",
    "random.leduc.0",
    "random.kuhn.limit.3p.0",
    "random.holdem.limit.3p.0",
)
HANDS: Final = 30
"""Of each golden log."""


@attrs.frozen
class Target:
    """One reader of what comes from outside."""

    name: str
    run: Callable[[random.Random], object]
    documented: tuple[type[BaseException], ...]
    share: float
    """Of all inputs."""
    is_for_people: bool = True
    """Its errors are lines that people see."""


@functools.cache
def log_of(name: str) -> GoldenLog:
    return golden_log(name)


def any_log(rng: random.Random) -> GoldenLog:
    return log_of(rng.choice(LOGS))


@functools.cache
def said_and_told(name: str) -> tuple[list[str], list[str]]:
    """Lines that clients and the dealer say in the match of a log."""
    log = log_of(name)
    said, told = conversations(log.game, log.records[:HANDS])
    return lines(b"".join(said)), lines(b"".join(map(bytes, told)))


def lines(data: bytes) -> list[str]:
    return data.decode("ascii").splitlines()


@functools.cache
def games() -> tuple[str, ...]:
    texts = [format_game(load_game(name)) for name in packaged_games()]
    return (*texts, *[path.read_text("utf-8", "surrogateescape") for path in sorted(GOLDEN.glob("*.game"))])


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape" if "\udcff" in text else "replace")
