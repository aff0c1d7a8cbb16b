"""The bot at its end of a connection: how it is run, how states are sent to it, and how fast it answers.

Nagle's algorithm: if a program writes its answer in two parts, without ``TCP_NODELAY``, its system keeps the
second part until the first has been acknowledged, and acknowledgements are delayed by some 40 ms.  So second
pieces come late if we delay acknowledgements, and at once if we do not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from enum import Enum, auto
from statistics import median_high
from typing import Final

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

    def acknowledge(self, *, at_once: bool) -> None:  # noqa: B027 - only sockets have them
        """Acknowledge received data at once, or let the system do so as late as it may."""

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


_PIECES: Final = 4
_PAUSE_S: Final = 0.005
# Between pieces: long enough that each is read by itself.
_LINE_END_PAUSE_S: Final = 0.01
_HELD_BACK: Final = 7
# Bytes of a message that come with the beginning of the next.
_COMMENT_LINES: Final = b"# a remark of the dealer's, to be skipped\r\n; and another\r\n"


class Delivery(Enum):
    """How states are sent to the bot."""

    PLAIN = auto()
    """One write for each line."""
    PIECES = auto()
    """Lines in pieces that begin and end anywhere."""
    LINE_END = auto()
    """CR in one piece, LF in the next."""
    MERGED = auto()
    """Nothing until the bot is to act, then all at once; ends of hands with the beginnings of others."""
    COMMENTS = auto()
    """With comments before and after each line."""


@attrs.define(eq=False)
class Sender:
    """Writes lines to a stream, one way or another.

    Args:
        stream: to the bot.
        within_s: how long the bot may leave things unread.
    """

    _stream: trio.abc.SendStream
    _within_s: float
    _unsent: bytes = b""
    delivery: Delivery = Delivery.PLAIN

    async def send_line(self, line: bytes, *, waits_for_answer: bool) -> None:
        """Send a line, or keep it for the next `flush` if the delivery says so.

        Raises:
            trio.BrokenResourceError: the bot has left.
            trio.TooSlowError: it does not read.
        """
        if self.delivery is Delivery.COMMENTS:
            line = _COMMENT_LINES + line + _COMMENT_LINES
        self._unsent += line
        if self.delivery is Delivery.PIECES and not waits_for_answer:
            await self._send_pieces(keep=_HELD_BACK)
        elif self.delivery is not Delivery.MERGED or waits_for_answer:
            await self.flush()

    async def flush(self) -> None:
        """Send what was held back; raises as `send_line` does."""
        if self.delivery is Delivery.PIECES:
            await self._send_pieces(keep=0)
        elif self.delivery is Delivery.LINE_END and self._unsent:
            await self._send(self._unsent[:-1])
            await trio.sleep(_LINE_END_PAUSE_S)
            await self._send(self._unsent[-1:])
            await trio.sleep(_LINE_END_PAUSE_S)
        elif self._unsent:
            await self._send(self._unsent)
        self._unsent = b""

    async def _send_pieces(self, keep: int) -> None:
        end = max(len(self._unsent) - keep, 0)
        data, self._unsent = self._unsent[:end], self._unsent[end:]
        step = max(1, -(-len(data) // _PIECES))
        for start in range(0, len(data), step):
            await self._send(data[start : start + step])
            await trio.sleep(_PAUSE_S)

    async def _send(self, data: bytes) -> None:
        with trio.fail_after(self._within_s):
            await self._stream.send_all(data)


_NAGLE_S: Final = 0.025
_MOST_GAPS: Final = 8
_FEWEST_GAPS: Final = 3


@attrs.define(eq=False)
class Pace:
    """How a bot has answered so far, in all conversations."""

    seconds: list[float] = attrs.Factory(list)
    """Seconds for each decision but the first of a conversation."""
    first: list[float] = attrs.Factory(list)
    """Seconds for the first ones."""
    late_gaps: list[float] = attrs.Factory(list)
    """Seconds between the pieces of an answer while acknowledgements were late."""
    prompt_gaps: list[float] = attrs.Factory(list)
    """The same while they came at once."""
    asks_for_game: bool = False
    """It has asked the house what is being played."""
    greets: bool = False
    """It knows our extension of the protocol."""
    echoes_wrongly: bool = False
    """It has answered with another state than it was shown: no time is lost on waiting for a better one."""

    @property
    def wants_late_acknowledgement(self) -> bool:
        """Whether to acknowledge the next answer late: every other one, until enough has been seen."""
        return len(self.late_gaps) < _MOST_GAPS and len(self.late_gaps) <= len(self.prompt_gaps)

    @property
    def waits_for_acknowledgements(self) -> bool:
        """Whether second pieces of its answers come late exactly when acknowledgements do."""
        if min(len(self.late_gaps), len(self.prompt_gaps)) < _FEWEST_GAPS:
            return False
        return median_high(self.late_gaps) >= _NAGLE_S > 2 * median_high(self.prompt_gaps)
