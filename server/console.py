"""Where a match reports to."""

from __future__ import annotations

import time
from typing import Protocol


class Console(Protocol):
    """What a match says to the outside: the dealer's stdout and stderr, or files in the match folder."""

    def out(self, text: str) -> None:
        """For programs: the score."""

    def err(self, text: str) -> None:
        """For people: header, trace, warnings and errors.  Undecodable bytes of clients are surrogates."""

    def hand_finished(self, hand_number: int) -> None:
        """A hand is over."""


class SilentConsole:
    """Nobody listens."""

    def out(self, text: str) -> None:
        """Drop it."""

    def err(self, text: str) -> None:
        """Drop it."""

    def hand_finished(self, hand_number: int) -> None:
        """Drop it."""


def now_us() -> int:
    """The wall clock, in microseconds since 1970: for stamps, never for measuring."""
    return time.time_ns() // 1000
