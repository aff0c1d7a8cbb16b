"""A seat in the browser: what its script says goes to the room's door unchanged, byte by byte.

So the door treats it like any client, limits by address included, and it sees what any client sees; each line
that comes back is passed on together with its meaning (`server.room.web.lines`).
"""

from __future__ import annotations

import contextlib
import json
import socket
from typing import TYPE_CHECKING, Final

import trio

from server.room.door import Door
from server.room.web.lines import DoorReader

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

LONGEST: Final = 8192
"""The longest message from a browser, in bytes."""
_CHUNK: Final = 32 * 1024


async def seat(websocket: WebSocket, door: Door) -> None:
    """Bring a browser to the door; returns when either has gone."""
    await websocket.accept()
    address = websocket.client.host if websocket.client else ""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(ours))
    async with trio.open_nursery() as nursery:
        # A visit ends at the table, perhaps with the end of a hand: the door alone ends it.
        nursery.start_soon(_visit, door, theirs, address)
        try:
            async with trio.open_nursery() as talking:
                talking.start_soon(_tell, stream, websocket, talking.cancel_scope)
                await _listen(websocket, stream)
                talking.cancel_scope.cancel()
        finally:
            await trio.aclose_forcefully(stream)


async def _visit(door: Door, sock: socket.socket, address: str) -> None:
    with trio.CancelScope(shield=True):
        await door.welcome(sock, address)


async def _listen(websocket: WebSocket, stream: trio.SocketStream) -> None:
    """Pass on what the browser says, until it has gone or the door has cut it off."""
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while True:
            text = (await websocket.receive()).get("text")
            if text is None:
                return  # it has gone, or speaks bytes
            await stream.send_all(text.encode("utf-8", "replace"))


async def _tell(stream: trio.SocketStream, websocket: WebSocket, talking: trio.CancelScope) -> None:
    """Pass on what the door says, until it has no more to say."""
    from starlette.websockets import WebSocketDisconnect

    reader = DoorReader()
    try:
        while data := await stream.receive_some(_CHUNK):
            for message in reader.feed(bytes(data)):
                await websocket.send_text(json.dumps(message))
        await websocket.close()
    except (WebSocketDisconnect, trio.BrokenResourceError, trio.ClosedResourceError, OSError):
        pass  # the browser has gone
    talking.cancel()
