"""The way in: listening sockets, accepting a client, the version handshake, greetings (acpc-spec 5.2, 5.3).

A seat's port is open while the seat is vacant and nobody is shaking hands there; a second client is
refused.  Which seats to wait for, and what a failure means, the match decides.
"""

from __future__ import annotations

import errno
import socket
from typing import Final

import trio

from engine.rules import format_game
from protocol import (
    CAPABILITIES,
    BadVersion,
    ConnectionClosed,
    DealerConnection,
    Greeting,
    Note,
    State,
    Version,
)
from protocol.extension import TOKEN
from protocol.framing import MAX_LINE
from server.console import Console
from server.errors import FailureKind, MatchAborted, SeatFailed
from server.table.channel import Channel
from server.table.config import MatchConfig
from server.table.seat import Client, Seat

_REOPEN_S: Final = 0.25
# Between attempts to listen again on a vacated seat's port, which the system may hold for a moment.


def open_listener(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        OSError: the address is not ours, or taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setblocking(False)
        listener.bind((host, port))
        listener.listen(8)
    except BaseException:
        listener.close()
        raise
    return listener


class Lobby:
    """The open ports of one match.

    *Resource handling*: `close` when nobody more is to come.
    """

    def __init__(self, config: MatchConfig, console: Console) -> None:
        self._config = config
        self._console = console
        self._listeners: dict[int, socket.socket] = {}

    def open(self, seats: tuple[Seat, ...]) -> None:
        """Open every seat's port, in seat order.

        Raises:
            MatchAborted: with the line that says which cannot be opened, or that the host is none.
        """
        config = self._config
        for seat in seats:
            port = config.ports[seat.number] if seat.number < len(config.ports) else 0
            try:
                listener = open_listener(config.host, port)
            except (OSError, OverflowError, TypeError, UnicodeError) as error:
                raise MatchAborted(
                    f"ERROR: could not create listen socket for player {seat.number + 1}\n"
                    f"riverboat: {config.host} port {port}: {getattr(error, 'strerror', None) or error}\n"
                ) from error
            seat.port = listener.getsockname()[1]
            self._listeners[seat.number] = listener

    def close(self) -> None:
        """Close every port that is still open."""
        for listener in self._listeners.values():
            listener.close()
        self._listeners.clear()

    async def admit(self, seat: Seat, deadline: float) -> Client:
        """The next client of a seat's port that may sit there and has said its version.

        Args:
            seat: a vacant seat.
            deadline: for connecting, on trio's clock.

        Raises:
            SeatFailed: nobody came by the deadline, or who came is no client.
        """
        while True:
            sock = await self._accept(seat, deadline)
            client = Client(Channel(sock), DealerConnection(self._config.game))
            try:
                if await self._shake_hands(seat, client):
                    return client
            except BaseException:
                client.channel.close()
                raise
            client.channel.close()
            self._console.err(f"riverboat: {seat.label}: a client without the seat's token was turned away\n")

    async def _accept(self, seat: Seat, deadline: float) -> socket.socket:
        """The next connection to a seat's port, which is then closed: a seat has one client."""
        with trio.CancelScope(deadline=deadline):
            listener = self._listeners.get(seat.number)
            while listener is None:
                try:
                    listener = self._listeners[seat.number] = open_listener(self._config.host, seat.port)
                except OSError:  # the system still holds the port, or somebody took it
                    await trio.sleep(_REOPEN_S)
            while True:
                await trio.lowlevel.wait_readable(listener)
                try:
                    sock, _ = listener.accept()
                except BlockingIOError:
                    continue
                except OSError as error:
                    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                        await trio.sleep(_REOPEN_S)  # out of descriptors: nothing else helps
                    continue
                del self._listeners[seat.number]
                listener.close()
                return sock
        missing = min(self._listeners)  # the listeners left are those of seats nobody has connected to
        raise SeatFailed(
            FailureKind.STALLED,
            f"did not connect within {self._config.limits.start or 0:g} s",
            f"ERROR: timed out waiting for seat {missing + 1} to connect\n",
        )

    async def _shake_hands(self, seat: Seat, client: Client) -> bool:
        """Read a new client's version, and its greeting where it has sent one.

        Returns:
            Whether it may sit here; False only where the seat has a token.

        Raises:
            SeatFailed: it said nothing in time, left, or is no client.
        """
        limit = self._config.limits.handshake
        deadline = trio.current_time() + limit
        unread = f"ERROR: could not read version string from seat {seat.number + 1}\n"
        connection = client.connection
        is_welcome = seat.token is None
        while True:
            try:
                event = connection.next_event()
            except BadVersion as error:
                line = error.line.decode("utf-8", "surrogateescape")
                raise SeatFailed(
                    FailureKind.NONSENSE, str(error), f"ERROR: invalid version string {line}"
                ) from error
            has_version = connection.state is not State.AWAITING_VERSION
            if isinstance(event, Version):
                if not event.is_supported:
                    self._console.err("ERROR: this server is currently using version 2.0.0\n")
            elif isinstance(event, Greeting):
                if seat.token is not None and not _has_token(event.words, seat.token):
                    return False
                is_welcome = True
                welcome(seat, client, event.words, self._config)
            elif isinstance(event, ConnectionClosed):
                if has_version and not is_welcome:
                    return False
                raise SeatFailed(FailureKind.DISCONNECTED, "left before its version line", unread)
            elif has_version and is_welcome:
                return True
            else:
                if connection.num_buffered > MAX_LINE:  # it talks on without showing the seat's token
                    return False
                data = await client.channel.receive(deadline, may_poll=False)
                if data is None:
                    if has_version:
                        return False
                    detail = f"connected, but sent no version line within {limit:g} s"
                    raise SeatFailed(FailureKind.STALLED, detail, unread)
                connection.receive_data(data)


def welcome(seat: Seat, client: Client, words: tuple[str, ...], config: MatchConfig) -> None:
    """Answer a greeting: say which capabilities are granted, and what they tell (`protocol.extension`).

    The answer goes out with the next `Client.flush`.
    """
    connection = client.connection
    granted = tuple(dict.fromkeys(word for word in words if word in CAPABILITIES))
    client.capabilities |= frozenset(granted)
    client.say(connection.send(Greeting(granted)))
    notes = {
        "seat": str(seat.number),
        "names": "|".join(config.names),
        "game": format_game(config.game).strip().replace("\n", ";"),
    }
    for name, text in notes.items():
        if name in granted:
            client.say(connection.send(Note(name, text)))


def _has_token(words: tuple[str, ...], token: str) -> bool:
    from secrets import compare_digest  # brings hashing along: only seats with tokens wait for it

    presented = [word.removeprefix(TOKEN) for word in words if word.startswith(TOKEN)]
    return any(compare_digest(word.encode(), token.encode()) for word in presented)
