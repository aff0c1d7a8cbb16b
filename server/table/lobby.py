"""The way in: listening sockets, accepting clients, the version handshake, greetings.

A seat's port is open while the seat is vacant; a second client is refused.  At the beginning of a match the
first client that connects to a seat without a token is its player, as with the ACPC dealer
(docs/acpc-dealer.md 5.2, 5.3), even if it then fails.  So is a client that the match's `door` recognises as
the player.
In all other cases a client becomes a seat's player only when it has said what it must: several clients may
shake hands at a time, and one that cannot is told in a line what is spoken here, and turned away, which
counts as nobody's failure.
"""

from __future__ import annotations

import errno
import socket
from collections import deque
from typing import Final

import trio

import protocol
from engine.support.user_input import fault_text
from protocol.agents import usage
from protocol.extension import STACKS, TOKEN, introduction
from protocol.framing import MAX_LINE
from protocol.policy import CAPABILITY
from server.support.console import Console
from server.support.errors import FailureKind, MatchAborted, SeatFailed
from server.support.seat_tokens import same_token
from server.table.channel import Channel
from server.table.config import Admission, MatchConfig
from server.table.seat import Client, Seat

MAX_HANDSHAKES: Final = 32
"""Clients that may shake hands at one seat at a time; the oldest is dropped for a new one."""
_BACKLOG: Final = 64
# Connections that the system keeps for us until they are accepted.
_REOPEN_S: Final = 0.25
# Between attempts to listen again on a vacated seat's port, which the system may hold for a moment; and
# between attempts to accept while no descriptor is free.
_OUT_OF_RESOURCES: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def open_listener(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        OSError: the address is not ours, or taken.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setblocking(False)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


class Lobby:
    """The open ports of one match.

    *Resource handling*: `close` when nobody else is to come.
    """

    def __init__(self, config: MatchConfig, console: Console) -> None:
        self._config = config
        self._console = console
        self._listeners: dict[int, socket.socket] = {}
        self._turned_away = [0] * len(config.names)  # clients, by seat
        self._is_starved = False  # the last attempt to accept failed for want of descriptors

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

    async def _admit_first_comer(self, seat: Seat, deadline: float) -> Client:
        """The first client that connects to a seat without a token, once it has said its version.

        Args:
            seat: a vacant seat.
            deadline: for connecting, on trio's clock.

        Raises:
            SeatFailed: nobody came by the deadline, or the one who came is not a client.
        """
        client: Client | None = None
        with trio.CancelScope(deadline=deadline):
            client = await self.accept(seat, await self._listener(seat))
        if client is None:
            raise self._nobody_came()
        self.stop_listening(seat)
        try:
            await self.shake_hands(seat, client)
        except BaseException:
            client.channel.close()
            raise
        return client

    async def admit(self, seat: Seat, deadline: float, *, is_first: bool) -> Client:
        """The client that takes a vacant seat.

        It is the first that says its version and, if required, the seat's token; the first of all at a seat
        that has no token, in a match without a door.

        Args:
            seat: a vacant seat.
            deadline: on trio's clock.
            is_first: nobody has sat there yet; a client that is the seat's player for certain then is so even
                if it fails.

        Raises:
            SeatFailed: nobody has completed this by the deadline, or the player failed.
        """
        if is_first and seat.token is None and self._config.door is None:
            return await self._admit_first_comer(seat, deadline)
        reception = _Reception(self, seat, is_first)
        try:
            with trio.CancelScope(deadline=deadline):
                await reception.run(await self._listener(seat))
        except BaseException:
            if reception.admitted is not None:
                reception.admitted.channel.close()
            raise
        if reception.admitted is None:
            raise reception.failure or self._nobody_came()
        self.stop_listening(seat)
        return reception.admitted

    async def _listener(self, seat: Seat) -> socket.socket:
        """The seat's listening socket, opened again if need be."""
        door = self._config.door
        elsewhere = None if door is None else await door.listener(seat.number)
        if elsewhere is not None:
            self.stop_listening(seat)
            self._listeners[seat.number] = elsewhere
        listener = self._listeners.get(seat.number)
        while listener is None:
            try:
                listener = self._listeners[seat.number] = open_listener(self._config.host, seat.port)
            except OSError as error:  # the system still holds the port, or somebody took it
                self._note_starvation(error, seat)
                await trio.sleep(_REOPEN_S)
        return listener

    def is_expected(self, seat: Seat) -> bool:
        """Whether somebody is about to take a seat: never, since whoever is let in here takes it at once."""
        return False

    def stop_listening(self, seat: Seat) -> None:
        """Close a seat's port: it has a client, or is not to have one again."""
        listener = self._listeners.pop(seat.number, None)
        if listener is not None:
            listener.close()

    async def accept(self, seat: Seat, listener: socket.socket) -> Client:
        """The next connection to a seat's port."""
        while True:
            if listener.fileno() < 0:  # its door has closed it: the seat's player comes elsewhere now
                listener = await self._listener(seat)
            try:
                await trio.lowlevel.wait_readable(listener)
            except trio.ClosedResourceError:
                continue
            try:
                sock, _ = listener.accept()
            except BlockingIOError:
                continue
            except OSError as error:  # the client has gone already, or there are no descriptors left
                if self._note_starvation(error, seat):
                    await trio.sleep(_REOPEN_S)
                continue
            self._is_starved = False
            client = await self._let_in(seat, sock)
            if client is not None:
                return client

    async def _let_in(self, seat: Seat, sock: socket.socket) -> Client | None:
        """A connection as a client that may shake hands; None if it may not."""
        door = self._config.door
        try:
            entry = Admission(seat.token) if door is None else await door.judge(seat.number, sock)
            if entry.refusal is None:
                connection = protocol.DealerConnection(self._config.game)
                return Client(Channel(sock), connection, entry.token, entry.is_player)
            self.turn_away(seat, entry.refusal)
        except OSError:
            pass  # it has gone
        except BaseException:
            sock.close()
            raise
        sock.close()
        return None

    def _note_starvation(self, error: OSError, seat: Seat) -> bool:
        """Whether the system has run out of something; the operator is told once."""
        if error.errno not in _OUT_OF_RESOURCES:
            return False
        if not self._is_starved:
            self._is_starved = True
            self._console.err(
                f"riverboat: {seat.label}: cannot accept connections: {error.strerror}; it tries again\n"
            )
        return True

    def _nobody_came(self) -> SeatFailed:
        missing = min(self._listeners)  # the listeners left are those of seats nobody has connected to
        return SeatFailed(
            FailureKind.STALLED,
            f"did not connect within {self._config.limits.start or 0:g} s",
            f"ERROR: timed out waiting for seat {missing + 1} to connect\n",
        )

    def turn_away(self, seat: Seat, why: str, client: Client | None = None) -> None:
        """Tell the operator that a client could not sit down: the 1st time, the 10th, the 100th, ..."""
        self._turned_away[seat.number] += 1
        count = self._turned_away[seat.number]
        if str(count).strip("0") == "1":
            has_no_token = client is not None and client.token is not None
            who = "a client without the seat's token" if has_no_token else "a client"
            so_far = f" ({count} so far)" if count > 1 else ""
            self._console.err(f"riverboat: {seat.label}: {who} was turned away: {why}{so_far}\n")

    async def shake_hands(self, seat: Seat, client: Client) -> None:
        """Read a new client's version, and its greeting if it has sent one.

        Raises:
            SeatFailed: it said nothing in time, left, is not a client, or does not know the seat's token.
        """
        limit = self._config.limits.handshake
        deadline = trio.current_time() + limit
        connection = client.connection
        version: protocol.Version | None = None
        is_welcome = client.token is None
        has_left = False
        while True:
            try:
                event = connection.next_event()
            except protocol.BadVersion as error:
                line = error.line.decode("utf-8", "surrogateescape")
                raise SeatFailed(
                    FailureKind.NONSENSE, str(error), f"ERROR: invalid version string {line}"
                ) from error
            if isinstance(event, protocol.Version):
                version = event
            elif isinstance(event, protocol.Greeting):
                if not is_welcome and not _has_token(event.words, client.token):
                    raise SeatFailed(FailureKind.NONSENSE, "its greeting does not have it", "")
                is_welcome = True
                welcome(seat, client, event.words, self._config)
            elif not (event is protocol.NEED_DATA or isinstance(event, protocol.ConnectionClosed)):
                pass  # a comment
            elif version is not None and is_welcome:
                break
            elif has_left:
                detail = "left before its version line" if version is None else "left without showing it"
                raise SeatFailed(FailureKind.DISCONNECTED, detail, _no_version(seat))
            elif connection.num_buffered > MAX_LINE:
                raise SeatFailed(FailureKind.NONSENSE, "it talks on without showing it", "")
            elif client.speaks_tls:
                raise SeatFailed(FailureKind.NONSENSE, "it speaks TLS", _no_version(seat))
            elif (data := await client.channel.receive(deadline)) is not None:
                connection.receive_data(data)
                client.first = client.first or data
                has_left = not data
            elif version is None:
                detail = f"connected, but sent no version line within {limit:g} s"
                raise SeatFailed(FailureKind.STALLED, detail, _no_version(seat))
            else:
                raise SeatFailed(FailureKind.STALLED, f"it has not shown it within {limit:g} s", "")
            await trio.lowlevel.checkpoint()  # however much it has said, others get their turns
        if not version.is_supported:
            self._console.err("ERROR: this server is currently using version 2.0.0\n")


class _Reception:
    """Clients shaking hands at one seat, several at a time; the first to succeed is admitted."""

    def __init__(self, lobby: Lobby, seat: Seat, is_first: bool) -> None:
        self._lobby = lobby
        self._seat = seat
        self._is_first = is_first
        self._handshakes: deque[trio.CancelScope] = deque()
        self.admitted: Client | None = None
        self.failure: SeatFailed | None = None

    async def run(self, listener: socket.socket) -> None:
        """Receive clients as they connect, until one has been admitted."""
        async with trio.open_nursery() as tasks:
            while True:
                client = await self._lobby.accept(self._seat, listener)
                if len(self._handshakes) >= MAX_HANDSHAKES:
                    self._handshakes[0].cancel()
                tasks.start_soon(self._receive, client, tasks.cancel_scope)

    async def _receive(self, client: Client, everybody: trio.CancelScope) -> None:
        """Shake hands with a client, and handle whatever it does."""
        try:
            with trio.CancelScope() as handshake:
                self._handshakes.append(handshake)
                await self._lobby.shake_hands(self._seat, client)
                if self.admitted is None:
                    self.admitted = client
                    everybody.cancel()
            if handshake.cancelled_caught:
                self._lobby.turn_away(self._seat, "others came, and it had not said what it must", client)
        except SeatFailed as failure:
            if self._is_first and client.is_player and client.token is None:
                self.failure = failure
                everybody.cancel()
            else:
                self._lobby.turn_away(self._seat, failure.detail, client)
                if client.connection.state in (protocol.State.AWAITING_VERSION, protocol.State.ERROR):
                    await client.explain("the ACPC protocol", "riverboat play HOST PORT")
        except Exception as error:
            self._lobby.turn_away(self._seat, fault_text(error), client)
        finally:
            self._handshakes.remove(handshake)
            if self.admitted is not client:
                client.channel.close()


def welcome(seat: Seat, client: Client, words: tuple[str, ...], config: MatchConfig) -> None:
    """Answer a client's first greeting: say which capabilities are granted, with their lines.

    The answer goes out with the next `Client.flush`; see `protocol.extension`.
    """
    if client.is_greeted:
        return
    client.is_greeted = True
    withheld = {CAPABILITY} if config.policy_path is None else set()
    if config.usage_path is None:
        withheld.add(usage.CAPABILITY)
    if not config.carries_chips:
        withheld.add(STACKS)
    notes = {} if config.carries_chips else introduction(config.game, config.names, seat.number)
    granted, data = client.connection.answer_greeting(words, {*protocol.CAPABILITIES} - withheld, notes)
    client.capabilities |= granted
    client.say(data)


def _no_version(seat: Seat) -> str:
    return f"ERROR: could not read version string from seat {seat.number + 1}\n"


def _has_token(words: tuple[str, ...], token: str | None) -> bool:
    expected = (token or "").encode("utf-8", "surrogateescape")
    presented = [word.removeprefix(TOKEN).encode("latin-1") for word in words if word.startswith(TOKEN)]
    return any(same_token(word, expected) for word in presented)
