"""Opens the port for people: `serve_web` runs the pages beside the room, as one of its tasks."""

from __future__ import annotations

import errno
import functools
import logging
import socket
import traceback
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import trio

from server.room.config import RoomConfig, RoomError
from server.room.door import HANDSHAKE_S, has_gone, listen
from server.room.hosting import open_private
from server.room.room import Room
from server.room.tls import server_context
from server.room.web.guard import Guard
from server.room.web.seat import LONGEST
from server.support.addresses import whose
from server.support.console import Console

if TYPE_CHECKING:
    from hypercorn.config import Config
    from starlette.types import ASGIApp

NEEDED: Final = ("hypercorn", "jinja2", "starlette")
_UNREAD_MS: Final = 30_000
# After which a browser that does not read the response it asked for is cut off.
_PING_S: Final = 20.0


def what_is_missing() -> str | None:
    """Why there can be no pages here, in one line; None if there can."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if not missing:
        return None
    return f"there are no pages for browsers: they need {' and '.join(missing)}: pip install 'riverboat[web]'"


async def serve_web(
    room: Room, console: Console, *, task_status: trio.TaskStatus[str] = trio.TASK_STATUS_IGNORED
) -> None:
    """Serve the pages of an open room until cancelled; reports as started with their address.

    Raises:
        RoomError: the port cannot be opened.
    """
    from server.room.web.figures import Figures
    from server.room.web.pages import Pages

    listener = _listener(room.config)
    port = listener.getsockname()[1]
    host = f"[{room.config.host}]" if ":" in room.config.host else room.config.host
    scheme = "http" if room.config.tls is None else "https"
    async with trio.open_nursery() as nursery:
        if room.config.private_tables:
            room.door.open_private = functools.partial(open_private, room)
        pages = Pages(room, nursery, console)
        guard = Guard(pages.application(), room.config, console)
        guard.is_exempt = pages.has_limits
        if find_spec("prometheus_client") is not None:
            pages.figures = Figures(room, guard, pages.broadcasts)
        nursery.start_soon(pages.past.standings)  # so that the first who asks need not wait
        nursery.start_soon(Browsers(guard, room.config, console).serve, listener)
        task_status.started(f"{scheme}://{host}:{port}/")


class Browsers:
    """Connections of browsers, each of which hypercorn looks after.

    A fault in one ends only that one; hypercorn's own loop would end with it.

    Args:
        app: answers requests.
        config: of the room, whose limits of connections apply here, too.
        console: for the operator.
        bodies: how paths begin whose requests may have bodies; None for those of a room.
    """

    def __init__(
        self, app: ASGIApp, config: RoomConfig, console: Console, bodies: tuple[bytes, ...] | None = None
    ) -> None:
        from server.room.web.connection import BODIES, FrameLimits

        self._app = app
        self._config = config
        self._console = console
        self._settings = _settings(console)
        self._limits = FrameLimits(config.requests_per_second, bodies or BODIES)
        self._tls = None if config.tls is None else server_context(config.tls)
        self._sockets: dict[trio.socket.SocketType, str] = {}  # with their addresses

    async def serve(self, listener: socket.socket) -> None:
        """Let browsers in until cancelled; those that are still there are then cut off."""
        accepting = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.serve_listeners, self._visit, [accepting])
                try:
                    await trio.sleep_forever()
                finally:
                    for each in list(self._sockets):
                        each.close()  # hypercorn lets nobody cancel what it writes
        finally:
            listener.close()

    async def _visit(self, plain: trio.SocketStream) -> None:
        """One connection."""
        from hypercorn.typing import ConnectionState

        from server.room.web.connection import BrowserConnection

        sock = plain.socket
        stream: Any = plain
        try:
            address = whose(sock.getpeername()[0])
            of_address = sum(each == address for each in self._sockets.values())
            if len(self._sockets) >= self._config.connections or (
                of_address >= self._config.connections_per_address
            ):
                return
            self._sockets[sock] = address
            if self._tls is not None:
                stream = trio.SSLStream(plain, self._tls, server_side=True, https_compatible=True)
            with trio.CancelScope() as visit:

                async def answer(
                    scope: Any, receive: Any, send: Any, sync_spawn: Any, call_soon: Any
                ) -> None:
                    await self._app(scope, receive, send)
                    if scope["type"] == "websocket":  # nobody reads what still comes: it is not waited for
                        sock.close()
                        visit.cancel()

                await BrowserConnection(answer, self._settings, self._limits, ConnectionState({}), stream)
        except Exception as error:
            if not has_gone(error, trio.BusyResourceError):
                self._console.err("".join(traceback.format_exception(error)))
        finally:
            self._sockets.pop(sock, None)
            sock.close()


def _listener(config: RoomConfig) -> socket.socket:
    """The listening socket; at any port, if the room's is taken and was not explicitly asked for."""
    assert config.http is not None  # the caller wants pages
    try:
        listener = listen(config.host, config.http, RoomError)
    except RoomError as error:
        cause = error.__cause__
        is_taken = isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE
        if config.is_http_chosen or not is_taken:
            raise
        listener = listen(config.host, 0, RoomError)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; connections have it from here
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
    return listener


def _settings(console: Console) -> Config:
    from hypercorn.config import Config

    config = Config()
    config.websocket_max_message_size = LONGEST
    config.max_app_queue_size = 2  # a request and its end; of a WebSocket, messages
    config.ssl_handshake_timeout = HANDSHAKE_S
    config.websocket_ping_interval = _PING_S
    config.include_server_header = False
    config.accesslog = None
    log = logging.getLogger("riverboat.web")
    log.handlers = [_ToConsole(console)]
    log.propagate = False
    log.setLevel(logging.WARNING)
    config.errorlog = log
    return config


class _ToConsole(logging.Handler):
    """Passes what the web server says to the operator."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Pass it on."""
        self._console.err(f"riverboat: pages: {self.format(record)}\n")
