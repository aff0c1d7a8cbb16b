"""Protects every page: limits by address, the same origin, headers, no traceback."""

from __future__ import annotations

import json
import traceback
from collections import Counter
from typing import TYPE_CHECKING, Final

import trio

from protocol.agents.openapi import ROOT
from protocol.agents.turns import SeatError
from server.room.config import RoomConfig
from server.room.door import has_gone
from server.room.ledger.damage import LedgerError
from server.support.addresses import host_and_port, is_ours, is_same_origin, whose
from server.support.allowance import Allowances
from server.support.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_BODY_S: Final = 10.0
_CODES: Final = {403: "forbidden", 421: "forbidden", 429: "too_many", 503: "busy"}
# What programs are told that speak JSON.
BURST_S: Final = 10.0
"""A page is several requests: an address may make at once as many as are allowed in this time."""
_HEADERS: Final = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


async def _with_body(receive: Receive) -> Receive | None:
    """What gives an application the whole body at once; None if it has not come in time.

    It is read before anything is answered: the web server would not go on with a body that nobody takes.
    """
    body = bytearray()
    with trio.move_on_after(_BODY_S) as waiting:
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body", False):
                break
    if waiting.cancelled_caught:
        return None
    whole = iter([{"type": "http.request", "body": bytes(body), "more_body": False}])

    async def again() -> Message:
        return next(whole, None) or await receive()

    return again


class Guard:
    """An application protected by the limits.

    Args:
        app: the pages.
        config: of the room, whose limits for an address apply here, too.
        console: for the operator.
    """

    def __init__(self, app: ASGIApp, config: RoomConfig, console: Console) -> None:
        self._app = app
        self._config = config
        self._console = console
        rate = config.requests_per_second
        self._allowances = Allowances(rate, BURST_S * rate)
        self._open: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        """Responses, by status."""
        self.faults = 0
        """Faults of ours."""
        self.is_exempt: Callable[[Scope], bool] = lambda scope: False
        """Whether a request has a limit of its own, such as one from a seat that is known."""

    @property
    def open(self) -> int:
        """Requests in progress, including streams."""
        return self._open.total()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer any request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if scope.get("method", "GET") not in ("GET", "HEAD"):
            with_body = await _with_body(receive)
            if with_body is None:
                await self._refuse(scope, send, 408, "The request has not come.")
                return
            receive = with_body
        address = whose(str((scope.get("client") or ("",))[0]))
        refusal = self._refusal(scope, address)
        if refusal is not None:
            await self._refuse(scope, send, *refusal)
            return
        self._open[address] += 1
        try:
            await self._answer(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                has_begun = True
                self.statuses[message["status"]] += 1
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            elif message["type"] == "websocket.accept":
                has_begun = True
                self.statuses[101] += 1
            await send(message)

        try:
            await self._app(scope, receive, send_guarded)
        except Exception as error:
            if has_gone(error, trio.BusyResourceError):
                return
            self.faults += 1
            is_damaged = isinstance(error, LedgerError)
            trace = "".join(traceback.format_exception(error))
            self._console.err(f"riverboat: pages: {error}\n" if is_damaged else trace)
            if not has_begun:
                await self._refuse(scope, send, 500, "Something went wrong here. The operator has been told.")

    def _refusal(self, scope: Scope, address: str) -> tuple[int, str] | None:
        config = self._config
        if not self.is_exempt(scope) and not self._allowances.of(address).take():
            return 429, "Too many requests: wait a moment."
        if self.open >= config.connections or self._open[address] >= config.connections_per_address:
            return 503, "Too many connections: try again later."
        headers = {name: text.decode("latin-1") for name, text in scope["headers"]}
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        named = host_and_port(host)
        names = (config.host.lower(), *config.names)
        if named is None or not is_ours(named[0], names):
            return 421, "This room does not go by that name: its file names those it goes by (names)."
        if origin is None or scope.get("method") in ("GET", "HEAD"):  # only browsers send one
            return None
        if is_same_origin(origin, "http" if config.tls is None else "https", host, names):
            return None
        return 403, "This page belongs to another site."

    async def _refuse(self, scope: Scope, send: Send, status: int, text: str) -> None:
        self.statuses[status] += 1
        body, kind = text + "\n", b"text/plain; charset=utf-8"
        if status in _CODES and scope["path"].startswith(f"{ROOT}/"):
            body, kind = json.dumps(SeatError(_CODES[status], text).as_json()), b"application/json"
        headers = [(b"content-type", kind), (b"connection", b"close"), *_HEADERS]
        if status in (429, 503):
            headers.append((b"retry-after", b"2"))
        message = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
        await send({"type": f"{message}.start", "status": status, "headers": headers})
        await send({"type": f"{message}.body", "body": body.encode()})
