"""MCP over HTTP at the room: ``/mcp``, the tools of `protocol.agents.tools` for players with a token.

A player is who their bearer says they are, at every call; their seat is a `Bridge`, as that of every agent.
The library is imported at the first request.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import trio

from protocol.agents.turns import SeatError
from server.room.web.bridge import Bridge, Bridges

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from protocol.agents.tools import Desk

PATH: Final = "/mcp"


class McpDoor:
    """The application at ``/mcp``.

    Args:
        bridges: the seats.
        nursery: in which it serves.
    """

    def __init__(self, bridges: Bridges, nursery: trio.Nursery) -> None:
        self._bridges, self._nursery = bridges, nursery
        self._by_bearer: dict[str, tuple[Bridge, int]] = {}  # with the answers before the last call
        self._app: ASGIApp | None = None
        self._opening = trio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        async with self._opening:
            if self._app is None:
                self._app = await self._nursery.start(self._serve)
        await self._app(scope, receive, send)

    def knows(self, scope: Scope) -> bool:
        """Whether a request comes from a player who has a seat here, and so has limits of its own."""
        bearer = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        return scope.get("path") == PATH and _digest(bearer) in self._by_bearer

    async def _serve(self, *, task_status: trio.TaskStatus[ASGIApp]) -> None:
        from server.support import mcp_server

        server = mcp_server.server_of(self._desk, in_room=True)
        # Host and origin are the guard's business, which knows the room's names.
        app = server.streamable_http_app(
            json_response=True, stateless_http=True, max_request_body_size=mcp_server.MOST_BODY, host=""
        )
        async with server.session_manager.run():
            task_status.started(app)
            await trio.sleep_forever()

    async def _desk(self, ctx: Any) -> Desk:
        """The seat of whoever asks.

        Raises:
            SeatError: they do not say who they are, or ask too often.
        """
        header = ctx.request.headers.get("authorization", "")
        kind, _, said = header.partition(" ")
        name, dot, token = said.strip().rpartition(".")
        if kind.lower() != "bearer" or not (dot and name and token):
            raise SeatError("unauthorized", "expected Authorization: Bearer NAME.TOKEN")
        known = _digest(header)
        bridge, before = self._by_bearer.get(known, (None, 0))
        if bridge is None or bridge.has_left:
            seats = self._by_bearer.items()
            self._by_bearer = {each: seat for each, seat in seats if seat[0].book.status != "closed"}
            address = ctx.request.client.host if ctx.request.client else ""
            bridge, before = self._bridges.open(address, name, token), 0
        answered = bridge.book.counts["accepted"]
        self._by_bearer[known] = bridge, answered
        if answered == before and not bridge.useless.take():
            raise SeatError("too_many", "Too many requests that lead to nothing.")
        bridge.is_heard_of()
        if bridge.book.status == "closed":  # they are told once; then they may come again
            del self._by_bearer[known]
        return bridge


def _digest(bearer: str) -> str:
    return sha256(bearer.encode("utf-8", "replace")).hexdigest()
