"""Server-sent events: a response that continues as long as something happens and somebody listens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)
_ALIVE_S: Final = 15.0
# Between signs of life in a stream in which nothing happens.
_AGAIN_MS: Final = 2000
# After which a browser asks again when a stream has ended.


class EventStream:
    """A response made of messages.

    Args:
        messages: each in JSON; the stream ends with them.
    """

    def __init__(self, messages: trio.MemoryReceiveChannel[str]) -> None:
        self._messages = messages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them until they end, or the browser has gone."""
        with self._messages:
            await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_await_end, receive, nursery.cancel_scope)
                text: str | None = f"retry: {_AGAIN_MS}"
                while text is not None:
                    await _write(send, f"{text}\n\n")
                    text = await self._next()
                await _write(send, "", is_last=True)
                nursery.cancel_scope.cancel()

    async def _next(self) -> str | None:
        """The next message, or a sign of life; None at the end."""
        with trio.move_on_after(_ALIVE_S):
            try:
                return f"data: {await self._messages.receive()}"
            except trio.EndOfChannel:
                return None
        return ": alive"


async def _await_end(receive: Receive, listening: trio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listening.cancel()


async def _write(send: Send, text: str, *, is_last: bool = False) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": not is_last})
