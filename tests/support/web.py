"""A room with its pages in this process, and the browser's side of HTTP and WebSocket on trio's streams."""

import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import attrs
import httpx2
import trio
from wsproto import ConnectionType, WSConnection, events

from server.room.config import RoomConfig
from server.room.web.serving import serve_web
from tests.support.rooms import OpenRoom, room_of


class Rejected(Exception):
    """A WebSocket was refused; the first argument is the HTTP status."""


class WebSocket:
    """The client's end of a WebSocket.

    Args:
        stream: a connection to the server.
        target: the path to ask for.
        host: the host with its port.
        headers: more headers of the request.
    """

    def __init__(
        self, stream: trio.abc.Stream, target: str, host: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.stream = stream
        self._connection = WSConnection(ConnectionType.CLIENT)
        extra = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        self._waiting: list[events.Event] = []
        self._request = events.Request(host=host, target=target, extra_headers=extra)

    async def open(self) -> None:
        """Make the handshake.

        Raises:
            Rejected: the server refuses.
        """
        await self.stream.send_all(self._connection.send(self._request))
        event = await self._next_event()
        if not isinstance(event, events.AcceptConnection):
            raise Rejected(event.status_code if isinstance(event, events.RejectConnection) else event)

    async def say(self, *lines: str) -> None:
        """Send lines, all in one message."""
        await self.send("".join(f"{line}\r\n" for line in lines))

    async def send(self, text: str | bytes) -> None:
        """Send a message."""
        event = events.BytesMessage(text) if isinstance(text, bytes) else events.TextMessage(text)
        await self.stream.send_all(self._connection.send(event))

    async def message(self) -> Any:
        """The next message, parsed as JSON; None at the end."""
        text = ""
        while (event := await self._next_event()) is not None:
            if isinstance(event, events.TextMessage):
                text += event.data
                if event.message_finished:
                    return json.loads(text)
        return None

    async def _next_event(self) -> events.Event | None:
        """The next event; pings are answered, and None is the end."""
        while True:
            while self._waiting:
                event = self._waiting.pop(0)
                if isinstance(event, events.CloseConnection):
                    return None
                if not isinstance(event, events.Ping):
                    return event
                await self.stream.send_all(self._connection.send(event.response()))
            try:
                data = await self.stream.receive_some()
            except trio.BrokenResourceError:
                return None
            if not data:
                return None
            self._connection.receive_data(bytes(data))
            self._waiting += list(self._connection.events())


class BrowserSeat:
    """A person in the browser; like the page's script, it speaks the room's lines."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self.heard: list[dict[str, Any]] = []
        """All messages."""
        self.lines: list[str] = []
        """The lines in them."""

    async def sit_down(self, table: str, words: str = "", chips: str = "") -> None:
        """Take a seat."""
        greeting = f"#riverboat/1 lobby seat names game stacks clock {words}".rstrip()
        await self._websocket.say("VERSION:2.0.0", greeting)
        await self.until("lobby")
        await self._websocket.say(f"#join {table} {chips}".rstrip())
        await self.until("seated")

    async def next(self) -> Any:
        """The next message; None at the end."""
        message = await self._websocket.message()
        if message is not None:
            self.heard.append(message)
            self.lines.append(message.get("line", ""))
        return message

    async def until(self, name: str) -> Any:
        """The next note with a name; messages before it are skipped."""
        while (message := await self.next()) is not None:
            if message.get("name") == name:
                return message
        raise AssertionError(f"the connection ended before #{name}: {self.lines[-5:]}")

    async def say(self, *lines: str) -> None:
        """Send lines, as the script does."""
        await self._websocket.say(*lines)

    async def play_hands(self, hands: int, action: str = "c") -> None:
        """Play until so many hands are over, or the seat is lost."""
        while hands and (message := await self.next()) is not None:
            if message.get("name") == "lobby":
                return
            if "ask" in message:
                await self.say(f"{message['line']}:{action}")
            hands -= message["kind"] == "scene" and message["over"]

    async def leave(self) -> None:
        """Close the page."""
        await self._websocket.stream.aclose()


@attrs.define(eq=False)
class OpenPages:
    """A room with its pages, and clients that look at them."""

    room: OpenRoom
    address: str
    http: httpx2.AsyncClient
    _streams: list[trio.abc.Stream] = attrs.Factory(list)

    @property
    def port(self) -> int:
        """The port of the pages."""
        return int(self.address.rstrip("/").rpartition(":")[2])

    async def get(self, path: str, **options: Any) -> httpx2.Response:
        """Ask for a page."""
        return await self.http.get(path, **options)

    async def connect(self) -> trio.abc.Stream:
        """A connection in which nothing has been sent."""
        stream: trio.abc.Stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        if self.address.startswith("https:"):
            stream = trio.SSLStream(stream, _any_certificate(), https_compatible=True)
        self._streams.append(stream)
        return stream

    async def websocket(self, path: str = "/seat", **headers: str) -> WebSocket:
        """An open WebSocket."""
        websocket = WebSocket(await self.connect(), path, f"127.0.0.1:{self.port}", headers)
        await websocket.open()
        return websocket

    async def browser(self, table: str = "a", words: str = "", chips: str = "") -> BrowserSeat:
        """A person who has taken a seat in the browser."""
        seat = BrowserSeat(await self.websocket())
        await seat.sit_down(table, words, chips)
        return seat

    async def events(self, table: str = "a") -> AsyncGenerator[dict[str, Any], None]:
        """The events that a spectator of a table is sent."""
        stream = await self.connect()
        await stream.send_all(f"GET /tables/{table}/events HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        text = b""
        while data := await stream.receive_some():
            text += data
            while (end := text.find(b"}\n\n")) >= 0:
                start = text.rindex(b"data: ", 0, end)
                yield json.loads(text[start + 6 : end + 1])
                text = text[end + 3 :]

    async def close(self) -> None:
        """Close all connections of this side."""
        for stream in self._streams:
            await trio.aclose_forcefully(stream)


def _any_certificate() -> ssl.SSLContext:
    """A TLS client context that accepts every certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # which takes no time to read the system's
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@asynccontextmanager
async def pages_of(config: RoomConfig) -> AsyncIterator[OpenPages]:
    """A room with its pages, for the block; checks afterwards that its ledger adds up."""
    config = attrs.evolve(config, http=0)
    async with room_of(config) as room, trio.open_nursery() as nursery:
        address = await nursery.start(serve_web, room.room, room.console)
        async with httpx2.AsyncClient(base_url=address, verify=_any_certificate()) as http:
            pages = OpenPages(room, address, http)
            try:
                yield pages
            finally:
                await pages.close()
                room.close()  # or the room would wait for guests who are silent
        nursery.cancel_scope.cancel()
