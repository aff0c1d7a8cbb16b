"""How states are sent to the bot: TCP carries bytes, and a line may come in any number of pieces."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

import trio

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


class Sender:
    """Writes lines to a stream, one way or another.

    Args:
        stream: to the bot.
        within_s: how long the bot may leave things unread.
    """

    def __init__(self, stream: trio.abc.SendStream, within_s: float) -> None:
        self._stream = stream
        self._within_s = within_s
        self._unsent = b""
        self.delivery = Delivery.PLAIN

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
