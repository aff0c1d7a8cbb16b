"""A stream that ends quietly: what is sent to somebody who has gone is lost, and what they say has ended."""

from __future__ import annotations

import contextlib

import trio

_CHUNK = 32 * 1024


class Talk:
    """Bytes both ways (`protocol.agents.desk.Stream`).

    Args:
        stream: the connection, which the caller closes.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream

    async def send_all(self, data: bytes) -> None:
        """Send bytes."""
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._stream.send_all(data)

    async def receive_some(self) -> bytes:
        """Receive bytes; none at the end."""
        try:
            return bytes(await self._stream.receive_some(_CHUNK))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return b""
