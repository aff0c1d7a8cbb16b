"""Conversations: a stream that ends quietly, and what is done beside.

What is sent to somebody who has gone is lost, and what they say has ended.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import trio

_CHUNK = 32 * 1024


@contextlib.asynccontextmanager
async def beside(task: Callable[..., Awaitable[object]], *words: object) -> AsyncIterator[None]:
    """A context in which a task runs; its end cancels the block, and the end of the block the task.

    What the block raises is raised by itself, not in a group, as a nursery has it.
    """
    fault: Exception | None = None

    async def run() -> None:
        await task(*words)
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        try:
            yield
        except Exception as error:
            fault = error
        nursery.cancel_scope.cancel()
    if fault is not None:
        raise fault


class Talk:
    """Bytes both ways (`protocol.agents.desk.Stream`).

    Args:
        stream: the connection, which the caller closes.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream, self._turn = stream, trio.Lock()

    async def send_all(self, data: bytes) -> None:
        """Send bytes after those before them, all of them even if whoever wants it sent is cancelled."""
        gone = contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError)
        with gone, trio.CancelScope(shield=True):
            async with self._turn:
                await self._stream.send_all(data)

    async def receive_some(self) -> bytes:
        """Receive bytes; none at the end."""
        try:
            return bytes(await self._stream.receive_some(_CHUNK))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return b""
