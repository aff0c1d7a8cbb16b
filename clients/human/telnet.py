"""The shell for ``telnet HOST PORT`` and ``nc HOST PORT``: one port, one seat, one person at a time.

The match does not depend on the connection.  Somebody who loses it comes back to the same port and is
shown where things stand; a second person is turned away.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from typing import Final

import trio

from clients.core.program import ProgramError, read_host, read_port
from clients.human.agent import Human
from clients.human.keyboard_lines import Key, LineAssembler, TelnetDecoder, telnet_text
from clients.human.style import Style

_CHUNK: Final = 1 << 16
_MAX_UNSENT: Final = 256 * 1024
"""Bytes kept for somebody who does not read; then the connection is given up."""
_GOODBYE_S: Final = 3.0
"""For the last words to be read."""
_KEEPALIVE_S: Final = 30
"""Idle seconds after which the system asks whether the other side still exists, as often as it likes."""
_BROKEN: Final = (OSError, trio.BrokenResourceError)
"""What the end of a connection raises."""


class TelnetDesk:
    """A screen at the other end of a connection that may break and come back.

    Args:
        style: what is shown; what the other side is cannot be known, so plain unless somebody said more.
        say: takes lines for the person who runs the program.
    """

    def __init__(self, style: Style, say: Callable[[str], None]) -> None:
        self.style = style
        """The style, for the window as wide as telnet has said."""
        self._encoding = "utf-8" if style.symbols else "ascii"
        self._say = say
        self._stream: trio.SocketStream | None = None
        self._unsent = bytearray()
        self._has_unsent = trio.Event()
        self.first_person = trio.Event()
        """Set when somebody has connected."""

    def write(self, text: str) -> None:
        """Send text soon; nothing where nobody is connected."""
        if self._stream is not None:
            self._put(telnet_text(text, self._encoding))

    def _put(self, data: bytes) -> None:
        self._unsent += data
        self._has_unsent.set()

    async def listen(self, human: Human, listeners: list[trio.SocketListener]) -> None:
        """Take everybody who connects to the seat, one at a time, for ever."""
        async with trio.open_nursery() as nursery:
            for listener in listeners:
                nursery.start_soon(self._accept, human, listener, nursery)

    async def _accept(self, human: Human, listener: trio.SocketListener, nursery: trio.Nursery) -> None:
        while True:
            try:
                stream = await listener.accept()
            except OSError:  # out of descriptors: nothing helps but time
                await trio.sleep(0.1)
                continue
            if self._stream is None:
                self._stream = stream
                nursery.start_soon(self._attend, human, stream)
            else:
                nursery.start_soon(_turn_away, stream)

    async def _attend(self, human: Human, stream: trio.SocketStream) -> None:
        """Talk to the person at the other end until the connection ends."""
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            stream.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEPALIVE_S)
        self._unsent.clear()
        is_back = self.first_person.is_set()
        self.write("Welcome back to Riverboat.\n" if is_back else "Welcome to Riverboat.\n")
        if is_back:
            human.show_state()
        self.first_person.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._send, stream, nursery.cancel_scope)
            await self._receive(human, stream)
            nursery.cancel_scope.cancel()
        self._stream = None
        await trio.aclose_forcefully(stream)
        self._say("the connection has ended; the seat waits for its player on the same port")

    async def _send(self, stream: trio.SocketStream, scope: trio.CancelScope) -> None:
        with contextlib.suppress(OSError):  # the connection is broken
            while len(self._unsent) <= _MAX_UNSENT:
                if not self._unsent:
                    self._has_unsent = trio.Event()
                    await self._has_unsent.wait()
                await self._send_some(stream)
        scope.cancel()

    async def _send_some(self, stream: trio.SocketStream) -> None:
        sent = await stream.socket.send(bytes(self._unsent[:_CHUNK]))
        del self._unsent[:sent]

    async def _receive(self, human: Human, stream: trio.SocketStream) -> None:
        telnet, lines = TelnetDecoder(), LineAssembler()
        while True:
            try:
                data = await stream.receive_some(_CHUNK)
            except trio.BrokenResourceError:
                return
            typed = lines.feed(telnet.feed(bytes(data))) if data else lines.finish()
            if telnet.reply:
                self._put(bytes(telnet.reply))
                telnet.reply.clear()
            if telnet.columns is not None:
                self.style = self.style.fitted(telnet.columns)
            for item in typed:
                _hear(human, item)
            if not data:
                return

    async def finish(self) -> None:
        """Send the last words, and close when they have been read, or after a while."""
        stream = self._stream
        if stream is None:
            return
        with trio.move_on_after(_GOODBYE_S, shield=True), contextlib.suppress(*_BROKEN):
            while self._unsent:
                await self._send_some(stream)
            await _end(stream)
        stream.socket.close()
        self._stream = None


def _hear(human: Human, item: str | Key) -> None:
    if isinstance(item, Key):
        # From a distance the keys that end programs end connections, often by accident: the seat is kept.
        human.say(f'{item.value} does nothing here; "quit" leaves the match.')
    else:
        human.hear(item)


async def _end(stream: trio.SocketStream) -> None:
    """Say no more, and wait until the other side has closed."""
    stream.socket.shutdown(socket.SHUT_WR)
    while await stream.receive_some(_CHUNK):
        pass  # closing with something unread would reset the connection and lose our words


async def _turn_away(stream: trio.SocketStream) -> None:
    try:
        with trio.move_on_after(_GOODBYE_S), contextlib.suppress(*_BROKEN):
            await stream.send_all(telnet_text("This seat is taken. Try again later.\n", "ascii"))
            await _end(stream)
    finally:
        stream.socket.close()


async def open_telnet_port(host: str, port: int) -> list[trio.SocketListener]:
    """Listening sockets of an address.

    Raises:
        ProgramError: it is not ours, or taken.
    """
    try:
        return await trio.open_tcp_listeners(port, host=host)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ProgramError(f"cannot listen on {host} port {port}: {reason}") from error


def read_listen_address(text: str) -> tuple[str, int]:
    """Host and port of ``[HOST:]PORT``; loopback without a host, any port with 0.

    Raises:
        ProgramError: it is not an address.
    """
    host, _, port = text.rpartition(":")
    host = read_host(host.removeprefix("[").removesuffix("]") or "127.0.0.1")
    try:
        return host, read_port(port, least=0)
    except ProgramError:
        raise ProgramError(f"expected [HOST:]PORT to listen on, got {text!r}", 2) from None
