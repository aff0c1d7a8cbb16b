"""The bot at its end of a connection, however it is run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import attrs
import trio

from engine.poker.rules import GameDefinition


class NotStarted(Exception):
    """The bot did not come; the message is one line that says why."""

    def __init__(self, why: str, returncode: int | None = None) -> None:
        super().__init__(why)
        self.returncode = returncode
        """How its process ended, if it did."""


@attrs.frozen
class End:
    """How a bot's process ended by itself."""

    returncode: int
    words: str
    """``ended with exit status 1: ValueError: ...``"""


class Client(ABC):
    """A bot that has connected."""

    stream: trio.abc.HalfCloseableStream
    """To and from it."""

    def delay_acknowledgement(self) -> None:  # noqa: B027 - only sockets have them
        """Let the system acknowledge received data as late as it may."""

    def acknowledge(self) -> None:  # noqa: B027
        """Acknowledge received data at once."""

    @abstractmethod
    async def ended(self, within_s: float) -> End | None:
        """How it ended; None if it has not within some seconds."""

    def memory_bytes(self) -> int | None:
        """The most memory that it has used so far; None if unknown."""
        return None


@attrs.frozen
class Order:
    """A request to launch a bot."""

    game: GameDefinition
    game_text: str
    """As users name it, or the path of its file."""
    seed: int
    """The bot's own."""
    start_s: float
    """Within which it must connect, in seconds."""
    label: str
    """What it is launched for, as part of a file name."""


Launch = Callable[[Order], AbstractAsyncContextManager[Client]]
"""Starts the bot anew, lets it connect, and ends it afterwards.  Raises `NotStarted`."""
