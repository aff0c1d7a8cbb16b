"""Agents at the room: JSON over HTTP with long polls, and over WebSocket (`protocol.agents.openapi`)."""

import contextlib
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import trio
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Scope
from starlette.websockets import WebSocket, WebSocketDisconnect

from protocol.agents.answers import MOST_BYTES, BadFormat, parse_json
from protocol.agents.observation import closed
from protocol.agents.openapi import ADDRESSES, ROOT, openapi
from protocol.agents.tools import CHIPS, MOST_WAIT_S, TOOLS, WORD, call, checked
from protocol.agents.turns import SeatError
from server.room.web.audience import until_gone
from server.room.web.bridge import Bridge, Bridges, bearer, player_of
from server.support.talk import beside

_FIRST_S: Final = 10.0
# For a WebSocket's first message.
_SIT: Final = closed({"table": WORD}, {"chips": CHIPS, "name": WORD, "token": WORD})
# Of a WebSocket's first message.
_RETRY: Final = ("busy", "too_many")
Handler = Callable[[Request], Awaitable[Response]]


class SeatApi:
    """The addresses of agents.

    Args:
        bridges: their seats.
        rows: the open tables, as the lobby has them.
    """

    def __init__(self, bridges: Bridges, rows: Callable[[], list[dict[str, Any]]]) -> None:
        self._bridges = bridges
        self._rows = rows

    def routes(self) -> list[BaseRoute]:
        """The routes."""
        own: dict[str, Handler] = {"tables": self.tables, "sit": self._sit, "leave": self._leave}
        routes: list[BaseRoute] = [
            Route(path, own.get(tool) or partial(self._asked, tool), methods=[method])
            for tool, (method, path, _, _) in ADDRESSES.items()
        ]
        document = Route(f"{ROOT}/openapi.json", self._document, methods=["GET"])
        return [*routes, document, WebSocketRoute(f"{ROOT}/seat", self._talk)]

    def knows(self, scope: Scope) -> bool:
        """Whether a request comes from a seat that is known, and has limits of its own."""
        path = scope.get("path", "").removeprefix(f"{ROOT}/seats/")
        if scope["type"] != "http" or path == scope["path"]:
            return False
        key = bearer(Headers(scope=scope).get("authorization", ""))
        try:
            self._bridges.find(path.partition("/")[0], key)
        except SeatError:
            return False
        return True

    # --- HTTP ----------------------------------------------------------------------------------------------

    async def tables(self, request: Request) -> Response:
        """All tables."""
        return answer_json(self._rows())

    async def _document(self, request: Request) -> Response:
        return answer_json(openapi())

    async def _sit(self, request: Request) -> Response:
        wanted = checked(await body_of(request), TOOLS["sit"].arguments)
        name, token = None, None
        header = request.headers.get("authorization", "")
        if header:
            name, token = player_of(header)
        bridge = self._bridges.open(request.client.host if request.client else "", name, token)
        try:
            seated = await self._seated(bridge, wanted)
        except BaseException:
            self._bridges.close(bridge)
            raise
        return answer_json({"id": bridge.id, "key": bridge.key, **seated}, 201)

    async def _seated(self, bridge: Bridge, wanted: dict[str, Any]) -> dict[str, Any]:
        """Take a seat.

        Raises:
            SeatError: the room refuses, or there are too many at its door.
        """
        try:
            with trio.fail_after(MOST_WAIT_S):  # a seat is given between hands
                return await call(bridge, "sit", wanted, trio.move_on_after)
        except trio.TooSlowError:
            raise SeatError("busy", "The table has not answered: try again.") from None
        except SeatError as error:
            if error.code != "closed":
                raise
            raise SeatError("busy", "The room has let nobody in: try again later.") from None

    def _bridge(self, request: Request) -> Bridge:
        key = bearer(request.headers.get("authorization", ""))
        bridge = self._bridges.find(request.path_params["seat"], key)
        bridge.is_heard_of()
        return bridge

    async def _leave(self, request: Request) -> Response:
        await call(self._bridge(request), "leave", {}, trio.move_on_after)
        return Response(status_code=204)

    async def _asked(self, tool: str, request: Request) -> Response:
        """Do what a seat asks for by a tool of `protocol.agents.tools`."""
        bridge = self._bridge(request)
        given, wait = await body_of(request) if request.method == "POST" else {}, _wait(request)
        if tool == "wait_for_turn":
            given["max_seconds"] = wait or 0
        elif tool == "act" and wait is not None:
            given["wait"] = wait > 0
        bridge.waiting += 1
        bridge.is_heard_of()
        try:
            found: dict[str, Any] = {"status": "waiting"}
            async with beside(until_gone, request.receive):  # then nobody waits for it
                found = await call(bridge, tool, given, trio.move_on_after)
            fault = None
        except SeatError as error:
            fault = error
        finally:
            bridge.waiting -= 1
            bridge.is_heard_of()
        is_idle = tool == "wait_for_turn" and found["status"] != "your_turn"
        if (fault is not None or "again" in found or is_idle) and not bridge.useless.take():
            raise SeatError("too_many", "Too many requests that lead to nothing.")
        if fault is None and found.get("status") == "closed":
            fault = SeatError("closed", "The table has closed.")
        if fault is not None:
            raise fault
        return answer_json(found, ADDRESSES[tool][2])

    # --- WebSocket -----------------------------------------------------------------------------------------

    async def _talk(self, websocket: WebSocket) -> None:
        """A seat as a conversation: turns from the room, acts to it."""
        await websocket.accept()
        with trio.move_on_after(_FIRST_S):
            given = await _message(websocket)
        bridge = None
        try:
            if not isinstance(given, dict) or list(given) != ["sit"]:
                raise SeatError(
                    "format", 'expected {"sit": {"table": ..., "chips": ..., "name": ..., "token": ...}}'
                )
            wanted = checked(given["sit"], _SIT)
            who = {name: wanted.pop(name, None) for name in ("name", "token")}
            bridge = self._bridges.open(websocket.client.host if websocket.client else "", **who)
            await _send(websocket, {"kind": "seated", **await self._seated(bridge, wanted)})
        except SeatError as error:
            await _send(websocket, {"kind": "refused", **error.as_json()})
            await websocket.close()
            if bridge is not None:
                self._bridges.close(bridge)
            return
        bridge.waiting += 1
        bridge.is_heard_of()
        try:
            async with beside(_tell, websocket, bridge):
                await _listen(websocket, bridge)
        finally:
            self._bridges.close(bridge)


async def _listen(websocket: WebSocket, bridge: Bridge) -> None:
    """Do what the agent asks for, until it has gone."""
    verbs = {"act": "act", "top_up": "top_up", "leave": "leave"}
    while (given := await _message(websocket)) is not None:
        try:
            if not isinstance(given, dict) or len(given) != 1 or next(iter(given)) not in verbs:
                raise SeatError("format", 'expected {"act": {...}}, {"top_up": {...}} or {"leave": true}')
            name, arguments = next(iter(given.items()))
            found = await call(bridge, name, {} if arguments is True else arguments, trio.move_on_after)
            if name == "act":
                await _send(websocket, {"kind": "receipt", **found})
        except SeatError as error:
            await bridge.useless.wait()
            await _send(websocket, {"kind": "refused", **error.as_json()})


async def _tell(websocket: WebSocket, bridge: Bridge) -> None:
    """Tell the agent about its turns and the ends of hands, until the table has closed."""
    book = bridge.book
    turn, last = "", book.last_hand
    while True:
        changed = book.changed
        if book.last_hand is not last:
            last = book.last_hand
            await _send(websocket, {"kind": "hand_over", **(last or {})})
        seen = book.observation()
        if seen["status"] == "your_turn" and seen["turn"] != turn:
            turn = seen["turn"]
            await _send(websocket, {"kind": "turn", **seen})
        elif seen["status"] in ("closed", "lobby") and changed is book.changed:
            await _send(websocket, {"kind": "closed", "status": seen["status"]})
            return
        if changed is book.changed:
            await changed.wait()


async def _send(websocket: WebSocket, message: dict[str, Any]) -> None:
    """Say something to the agent; if it has gone, `_listen` sees it."""
    gone = (WebSocketDisconnect, trio.BrokenResourceError, trio.ClosedResourceError, OSError, RuntimeError)
    with contextlib.suppress(*gone):
        await websocket.send_text(json.dumps(message))


async def _message(websocket: WebSocket) -> Any:
    """The next message, parsed; None at the end, and for what is no JSON text an empty list."""
    text = (await websocket.receive()).get("text")
    if text is None:
        return None
    try:
        return parse_json(text)
    except BadFormat:
        return []


# --- requests and answers ----------------------------------------------------------------------------------


async def refusal(request: Request, error: Exception) -> Response:
    """A `SeatError` as an answer."""
    assert isinstance(error, SeatError)  # the application asks for no others
    response = answer_json(error.as_json(), error.status)
    if error.code in _RETRY:
        response.headers["retry-after"] = "2"
    return response


def answer_json(value: Any, status: int = 200) -> Response:
    """An answer that nobody keeps."""
    return JSONResponse(value, status, headers={"cache-control": "no-store"})


async def body_of(request: Request, most: int = MOST_BYTES) -> dict[str, Any]:
    """The JSON object of a request; without a body an empty one.

    Raises:
        SeatError: it is none, or too large.
    """
    data = await request.body()
    if not data:
        return {}
    if len(data) > most:
        raise SeatError("too_large", f"expected at most {most} bytes, got {len(data)}")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415)
    try:
        body = parse_json(data)
    except BadFormat as error:
        raise SeatError("format", str(error)) from None
    if not isinstance(body, dict):
        raise SeatError("format", "expected a JSON object")
    return body


def _wait(request: Request) -> int | None:
    """Seconds that a request is willing to wait; None if it does not say."""
    text = request.query_params.get("wait")
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 2 and int(text) <= MOST_WAIT_S):
        raise SeatError("format", f"wait: expected 0 to {MOST_WAIT_S} seconds")
    return int(text)
