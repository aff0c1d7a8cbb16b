"""Opens the port for people: `serve_web` runs the pages beside the room, as one of its tasks."""

from __future__ import annotations

import errno
import logging
import socket
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import trio

from server.console import Console
from server.room.config import RoomConfig, RoomError
from server.room.door import listen
from server.room.room import Room
from server.web.audience import Broadcasts
from server.web.seat import LONGEST

if TYPE_CHECKING:
    from hypercorn.config import Config

NEEDED: Final = ("hypercorn", "jinja2", "starlette")
_UNREAD_MS: Final = 30_000
# After which a browser that reads nothing of what it has asked for is cut off.
_PING_S: Final = 20.0


def what_is_missing() -> str | None:
    """Why there can be no pages here, in a line; None where there can."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if not missing:
        return None
    return f"there are no pages for browsers: they need {' and '.join(missing)}: pip install 'riverboat[web]'"


async def serve_web(
    room: Room, console: Console, *, task_status: trio.TaskStatus[str] = trio.TASK_STATUS_IGNORED
) -> None:
    """Serve the pages of a room that is open until cancelled; started with their address.

    Raises:
        RoomError: the port cannot be opened.
    """
    from hypercorn.trio import serve

    from server.web.figures import Figures
    from server.web.guard import Guard
    from server.web.pages import Pages

    listener = _listener(room.config)
    port = listener.getsockname()[1]
    host = f"[{room.config.host}]" if ":" in room.config.host else room.config.host
    scheme = "http" if room.config.tls is None else "https"
    config = _hypercorn(room.config, listener, console)
    async with trio.open_nursery() as nursery:
        broadcasts = Broadcasts(room, nursery)
        pages = Pages(room, broadcasts)
        guard = Guard(pages.application(), room.config, console)
        if find_spec("prometheus_client") is not None:
            pages.figures = Figures(room, guard, broadcasts)
        await nursery.start(_serve, serve, guard, config)
        task_status.started(f"{scheme}://{host}:{port}/")


async def _serve(serve: Any, guard: Any, config: Config, *, task_status: trio.TaskStatus[list[str]]) -> None:
    await serve(guard, config, mode="asgi", shutdown_trigger=trio.sleep_forever, task_status=task_status)


def _listener(config: RoomConfig) -> socket.socket:
    """The listening socket; of any port, where that of the room's is taken and nobody has asked for it."""
    assert config.http is not None  # whoever calls this wants pages
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


def _hypercorn(room: RoomConfig, listener: socket.socket, console: Console) -> Config:
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    if room.tls is not None:
        config.certfile, config.keyfile = str(room.tls.certificate), str(room.tls.key)
    config.alpn_protocols = ["http/1.1"]
    config.websocket_max_message_size = LONGEST
    config.websocket_ping_interval = _PING_S
    config.include_server_header = False
    config.graceful_timeout = 0.5
    config.accesslog = None
    log = logging.getLogger("riverboat.web")
    log.handlers = [_ToConsole(console)]
    log.propagate = False
    log.setLevel(logging.WARNING)
    config.errorlog = log
    return config


class _ToConsole(logging.Handler):
    """What the web server has to say, for the operator."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Pass it on."""
        self._console.err(f"riverboat: pages: {self.format(record)}\n")
