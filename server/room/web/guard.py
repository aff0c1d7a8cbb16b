"""Protects every page: limits by address, the same origin, headers, no traceback."""

from __future__ import annotations

import traceback
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import trio

from server.room.config import RoomConfig
from server.room.door import has_gone
from server.support.console import Console

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_BURST_S: Final = 10.0
# A page is several requests: an address may make at once as many as are allowed in this time.
_MOST_ADDRESSES: Final = 10_000
# Addresses whose requests are counted.


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
        self._allowances: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._open: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        """Responses, by status."""
        self.faults = 0
        """Faults of ours."""

    @property
    def open(self) -> int:
        """Requests in progress, including streams."""
        return self._open.total()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer any request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        address = str((scope.get("client") or ("",))[0])
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
            self._console.err("".join(traceback.format_exception(error)))
            if not has_begun:
                await self._refuse(scope, send, 500, "Something went wrong here. The operator has been told.")

    def _refusal(self, scope: Scope, address: str) -> tuple[int, str] | None:
        config = self._config
        if not self._has_allowance(address):
            return 429, "Too many requests: wait a moment."
        if self.open >= config.connections or self._open[address] >= config.connections_per_address:
            return 503, "Too many connections: try again later."
        if scope["type"] == "websocket" and not _is_same_origin(scope):
            return 403, "This page belongs to another site."
        return None

    def _has_allowance(self, address: str) -> bool:
        """Count a request; returns whether it may be answered."""
        rate = self._config.requests_per_second
        now = trio.current_time()
        left, since = self._allowances.pop(address, (_BURST_S * rate, now))
        left = min(_BURST_S * rate, left + (now - since) * rate)
        may = left >= 1
        self._allowances[address] = (left - may, now)
        if len(self._allowances) > _MOST_ADDRESSES:
            self._allowances.popitem(last=False)
        return may

    async def _refuse(self, scope: Scope, send: Send, status: int, text: str) -> None:
        self.statuses[status] += 1
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": text})
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
        if status in (429, 503):
            headers.append((b"retry-after", b"2"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode() + b"\n"})


def _is_same_origin(scope: Scope) -> bool:
    """Whether a request comes from our pages, or from a program: only browsers send an origin."""
    headers: dict[bytes, bytes] = dict[bytes, Any](scope["headers"])
    origin = headers.get(b"origin")
    if origin is None:
        return True
    host = headers.get(b"host", b"").decode("latin-1").lower()
    try:
        return bool(host) and urlsplit(origin.decode("latin-1")).netloc.lower() == host
    except ValueError:
        return False
