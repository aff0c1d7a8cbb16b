"""Seats of agents that speak JSON: each is an ordinary client of the room's door, at the other end of a pair.

So the door, the ledger, the limits by address and the clock see what they always see, and no second way into
a table exists.
"""

from __future__ import annotations

import math
import secrets
import socket
import traceback
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import trio

from protocol.agents.desk import RoomDesk
from protocol.agents.turns import SeatError
from server.room.door import Door
from server.room.tables.place import Visitor
from server.support.allowance import Allowance
from server.support.console import Console
from server.support.seat_tokens import same_token
from server.support.talk import Talk

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_KEEP_S: Final = 120.0
# For an agent to ask for something; it has gone if it does not.
_TOLD_S: Final = 60.0
# For which a closed seat is remembered.
_USELESS: Final = 20.0
# Requests a second that lead to nothing, of one seat.
MCP_PATH: Final = "/mcp"


class Bridge(RoomDesk):
    """An agent's seat, or the way to one.

    Args:
        stream: our end of the pair.
        name: of the player; None for a guest.
        token: of that name.
    """

    def __init__(self, stream: trio.SocketStream, name: str | None, token: str | None) -> None:
        super().__init__(Talk(stream), trio.Event, trio.current_time, name=name, token=token)
        self.stream: Final = stream
        self.id: Final = secrets.token_hex(8)
        self.key: Final = secrets.token_hex(20)
        self.useless: Final = Allowance(_USELESS, _USELESS)
        """Requests that lead to nothing."""
        self.waiting = 0
        """Requests that are waiting."""
        self.has_left = False
        """Nobody will ask for it any more."""
        self.patience: Final = trio.CancelScope(deadline=trio.current_time() + _KEEP_S)
        """Ends a seat for which nobody asks any more."""

    def is_heard_of(self) -> None:
        """Somebody has asked for something."""
        self.patience.deadline = math.inf if self.waiting else trio.current_time() + _KEEP_S


class Bridges:
    """The seats of a room's agents.

    Args:
        door: of the room.
        nursery: in which they live.
        console: for the operator.
    """

    def __init__(self, door: Door, nursery: trio.Nursery, console: Console) -> None:
        self._door, self._nursery, self._console = door, nursery, console
        self._by_id: dict[str, Bridge] = {}

    def open(self, address: str, name: str | None = None, token: str | None = None) -> Bridge:
        """Come to the door.

        Args:
            address: the agent's.
            name: of the player; None for a guest.
            token: of that name.
        """
        bridge = Bridge(come_in(self._nursery, self._door, address), name, token)
        self._by_id[bridge.id] = bridge
        self._nursery.start_soon(self._keep, bridge)
        return bridge

    async def _keep(self, bridge: Bridge) -> None:
        """Keep a seat until the room or the agent has had enough of it."""
        try:
            with bridge.patience:
                await bridge.run()
        except Exception as error:  # a fault of ours ends this seat alone
            self._console.err("".join(traceback.format_exception(error)))
        finally:
            await trio.aclose_forcefully(bridge.stream)
            if bridge.has_left:
                del self._by_id[bridge.id]
        if not bridge.has_left:
            await trio.sleep(_TOLD_S)  # whoever asks is told that it has closed
            del self._by_id[bridge.id]

    def find(self, number: str, key: str) -> Bridge:
        """The seat of an id.

        Raises:
            SeatError: there is none, or this is not its key.
        """
        bridge = self._by_id.get(number)
        if bridge is None:
            raise SeatError("no_seat", "There is no such seat (any more).")
        if not same_token(key.encode(), bridge.key.encode()):
            raise SeatError("unauthorized", "Authorization: Bearer KEY is missing or wrong.")
        return bridge

    def close(self, bridge: Bridge) -> None:
        """Give a seat up, as somebody who goes away."""
        bridge.has_left = True
        bridge.stream.socket.close()
        bridge.book.leave("closed")


def come_in(
    nursery: trio.Nursery, door: Door, address: str, *meet: Callable[[Visitor], object]
) -> trio.SocketStream:
    """Come to the door; returns the visitor's end of the connection.

    A visit ends at the table, perhaps with the end of a hand: the door alone ends it.
    """
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)

    async def visit() -> None:
        with trio.CancelScope(shield=True):
            await door.welcome(theirs, address, *meet)

    nursery.start_soon(visit)
    return trio.SocketStream(trio.socket.from_stdlib_socket(ours))


def bearer(header: str) -> str:
    """The word of an ``Authorization`` header; empty without one, or with several."""
    kind, *words = header.split() or [""]
    return words[0] if kind.lower() == "bearer" and len(words) == 1 else ""


def player_of(header: str) -> tuple[str, str]:
    """The name and the token of a player in an ``Authorization`` header.

    Raises:
        SeatError: there are none.
    """
    name, dot, token = bearer(header).rpartition(".")
    if not (dot and name and token):
        raise SeatError("unauthorized", "expected Authorization: Bearer NAME.TOKEN")
    return name, token


class McpDoor:
    """MCP over HTTP at ``/mcp``: the tools of `protocol.agents.tools` for players with a token.

    A player is who their bearer says they are, at every call.  The library is imported at the first request.

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
        header = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        return scope.get("path") == MCP_PATH and _digest(header) in self._by_bearer

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

    async def _desk(self, ctx: Any) -> Bridge:
        """The seat of whoever asks.

        Raises:
            SeatError: they do not say who they are, or ask too often.
        """
        header = ctx.request.headers.get("authorization", "")
        name, token = player_of(header)
        known = _digest(header)
        bridge, before = self._by_bearer.get(known, (None, 0))
        if bridge is None or bridge.has_left:
            seats = self._by_bearer.items()
            self._by_bearer = {each: seat for each, seat in seats if seat[0].book.status != "closed"}
            address = ctx.request.client.host if ctx.request.client else ""
            bridge, before = self._bridges.open(address, name, token), 0
        answered = bridge.book.accepted
        self._by_bearer[known] = bridge, answered
        if answered == before and not bridge.useless.take():
            raise SeatError("too_many", "Too many requests that lead to nothing.")
        bridge.is_heard_of()
        if bridge.book.status == "closed":  # they are told once; then they may come again
            del self._by_bearer[known]
        return bridge


def _digest(header: str) -> str:
    return sha256(header.encode("utf-8", "replace")).hexdigest()
