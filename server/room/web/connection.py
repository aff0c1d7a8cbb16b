"""What a client may send on a connection: HTTP/1.1, and WebSocket frames without compression.

Only requests of agents have bodies.

hypercorn speaks HTTP/2 unasked, inflates what it then finds too large, keeps the rest of a message that is
too large, and answers pings as fast as they come.  So its classes for a connection are narrowed here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Final

import h11
import trio
from hypercorn.events import Closed, RawData
from hypercorn.protocol.events import Request, StreamClosed
from hypercorn.protocol.h11 import STREAM_ID, H11Protocol, H11WSConnection
from hypercorn.protocol.ws_stream import WSStream
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from wsproto.events import CloseConnection, Message, Ping
from wsproto.frame_protocol import CloseReason

from protocol.agents.answers import MOST_BYTES
from server.room.web.guard import BURST_S
from server.support.addresses import whose
from server.support.allowance import Allowance, Allowances

_CHUNK: Final = 8 * 1024
# Bytes read at a time, of which a client may keep us busy until others have their turn.
BODIES: Final = (b"/api/v1/", b"/mcp")
"""The paths of a room whose requests may have bodies."""
_CLIENTS: Final = 10
# An address may send frames as fast as so many clients.


class FrameLimits(WorkerContext):
    """What all connections share.

    Args:
        per_second: frames that are read of one client.
        bodies: how paths begin whose requests may have bodies.
    """

    def __init__(self, per_second: float, bodies: tuple[bytes, ...] = BODIES) -> None:
        super().__init__(None)
        self.bodies: Final = bodies
        self.per_second: Final = per_second
        self.of_address: Final = Allowances(_CLIENTS * per_second, _CLIENTS * per_second * BURST_S)


class BrowserConnection(TCPServer):
    """A browser's connection."""

    async def _read_data(self) -> None:
        """Hand on what comes, in small pieces, until either side closes."""
        whole = self.protocol
        whole.protocol = _Http(
            whole.app, whole.config, whole.context, whole.task_group, whole.state, whole.ssl, whole.client,
            whole.server, whole.send,
        )  # fmt: skip
        with contextlib.suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            while data := await self.stream.receive_some(_CHUNK):
                await whole.handle(RawData(bytes(data)))
        await whole.handle(Closed())


class _Http(H11Protocol):
    """HTTP/1.1, of which a request is its head alone, except for agents."""

    async def _check_protocol(self, event: h11.Request) -> None:
        """Do nothing: no other protocol is spoken here."""

    async def _create_stream(self, request: h11.Request) -> None:
        headers = [(name, text) for name, text in request.headers if name != b"sec-websocket-extensions"]
        named = dict(headers)
        assert isinstance(self.context, FrameLimits)  # ours
        takes = request.target.startswith(self.context.bodies)
        if _has_body(named) and not (takes and _may_have_body(request, named)):
            is_misplaced = not takes and request.method not in (b"GET", b"HEAD")
            await self._send_error_response(405 if is_misplaced else 413)
            await self.send(Closed())
        elif named.get(b"upgrade", b"").lower() == b"websocket" and request.method == b"GET":
            self.stream = _Talk(
                self.app, self.config, self.context, self.task_group, self.ssl, self.client, self.server,
                self.stream_send, STREAM_ID,
            )  # fmt: skip
            self.connection = H11WSConnection(self.connection)  # type: ignore[arg-type]
            version, target = request.http_version.decode(), request.target
            await self.stream.handle(
                Request(STREAM_ID, headers, version, "GET", target, state=self.connection_state)
            )
        else:
            await super()._create_stream(request)


def _has_body(headers: Mapping[bytes, bytes]) -> bool:
    return b"transfer-encoding" in headers or bool(headers.get(b"content-length", b"").strip(b"0"))


def _may_have_body(request: h11.Request, headers: Mapping[bytes, bytes]) -> bool:
    """Whether the body of a request is of a length that it says and we take."""
    length = headers.get(b"content-length", b"")
    return (
        request.method not in (b"GET", b"HEAD")
        and b"transfer-encoding" not in headers
        and len(length) < 9
        and length.isdigit()
        and int(length) <= MOST_BYTES
    )


class _Talk(WSStream):
    """A WebSocket whose frames are read at a bounded rate; one that is too large is the last."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        limits = self.context
        assert isinstance(limits, FrameLimits)  # ours
        address = whose(self.client[0]) if self.client else ""
        own = Allowance(limits.per_second, limits.per_second * BURST_S)
        self._allowances = (own, limits.of_address.of(address))

    async def _handle_events(self) -> None:
        for event in self.connection.events():
            for allowance in self._allowances:
                await allowance.wait()
            if isinstance(event, Ping):
                await self._send_wsproto_event(event.response())
            elif isinstance(event, Message):
                if self.buffer.length + len(event.data) > self.buffer.max_length:
                    await self._end(CloseConnection(code=CloseReason.MESSAGE_TOO_BIG))
                    return
                self.buffer.extend(event)
                if event.message_finished:
                    await self.app_put(self.buffer.to_message())  # type: ignore[misc]  # it has begun
                    self.buffer.clear()
            elif isinstance(event, CloseConnection):
                await self._end(event.response())
                return

    async def _end(self, goodbye: CloseConnection) -> None:
        await self._send_wsproto_event(goodbye)
        await self.send(StreamClosed(stream_id=self.stream_id))
