"""The room's door: one port for clients that know what a room is, and one per table for those that do not.

A client that connects says its version and its greeting (`protocol.extension`) and is then in the lobby: it
may look at the tables and join one.  While it has a seat, the table looks after it; afterwards it is in the
lobby again.  A client that knows only the ACPC's protocol connects to the port of a table, says its version,
and has a seat.

A client that misbehaves here harms only its own connection: its lines are read at a bounded rate, what it
does not read is kept up to a limit, and it has to say who it is within some seconds.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import socket
import ssl
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import attrs
import trio

import protocol
from engine.support.user_input import printable
from protocol.extension import LOBBY, NAME, ROOM_CAPABILITIES, TOKEN
from protocol.framing import MAX_LINE
from server.room.config import RoomConfig, TableConfig
from server.room.identities import Identities
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import LedgerIsFull, Registered
from server.room.tables.place import Place, RequestRefused, Visitor, Wish
from server.room.tables.requests import answer
from server.room.tables.table import RoomTable
from server.room.tls import spoken
from server.support.addresses import whose
from server.support.allowance import Allowance
from server.support.console import Console
from server.support.errors import only
from server.support.talk import beside
from server.table.channel import Channel, ChannelBroken
from server.table.lobby import open_listener
from server.table.seat import Client

HANDSHAKE_S: Final = 30.0
_IDLE_S: Final = 3600.0
# In the lobby, without a word.
_PAUSE_S: Final = 0.25
# After the system lacked the resources for a connection.
_BURST: Final = 50.0
# Requests that are read at once.
_ANY: Final = "any"
_OF_ROOMS: Final = ("the protocol of Riverboat's rooms", "riverboat play HOST:PORT")
_OF_TABLES: Final = ("the ACPC protocol", "the room's door")
# What is spoken at a port, and where people go.


@attrs.define(eq=False)
class Door:
    """Lets clients into the room."""

    _config: RoomConfig
    _identities: Identities
    _tables: Mapping[str, RoomTable]
    """Those that are open, by name."""
    _console: Console
    """For the operator."""
    _tls: ssl.SSLContext | None
    """Used at the door; None for plain text."""
    _here: Counter[str] = attrs.field(factory=Counter, init=False)
    """Connections by address."""
    _turned_away: int = attrs.field(default=0, init=False)
    open_private: Callable[[str, str], str] = attrs.field(default=lambda *_: _no_private(), init=False)
    """Opens a private table for an address and a game; returns its name."""
    visitors: set[Visitor] = attrs.field(factory=set, init=False)
    """Everybody who is connected."""

    @property
    def connections(self) -> int:
        """How many connections there are."""
        return self._here.total()

    def places(self, table: str) -> tuple[Place | None, ...]:
        """The places of a table; none where there is none of that name."""
        found = self._tables.get(table)
        return () if found is None else found.places

    def advisers(self, table: str) -> tuple[str, ...]:
        """The bots that the only person at a table may ask; none while others play there, too."""
        found = self._tables.get(table)
        people = [place for place in self.places(table) if place is not None and not place.is_house]
        return found.config.advice if found is not None and len(people) == 1 else ()

    async def serve(
        self, listener: socket.socket, table: TableConfig | None = None, *, is_trusted: bool = False
    ) -> None:
        """Let clients in, until cancelled.

        Args:
            listener: where they connect; closed at the end.
            table: at which plain ACPC clients are seated here; None for the door itself.
            is_trusted: clients come here without TLS, as the house's bots do.
        """
        tls = None if is_trusted else self._tls
        with contextlib.closing(listener):
            async with trio.open_nursery() as nursery:
                while True:
                    nursery.start_soon(self._receive, *await self._accept(listener), tls, table)

    async def welcome(
        self, sock: socket.socket, address: str, meet: Callable[[Visitor], object] = lambda visitor: None
    ) -> None:
        """Let in somebody who has come another way, such as a browser, until they have gone.

        Args:
            sock: this end of their connection, of plain bytes; closed at the end.
            address: theirs, to which the limits for an address apply.
            meet: told at once who they are to the room.
        """
        await self._receive(sock, address, None, None, meet)

    def hear(self, visitor: Visitor, word: str, text: str) -> bool:
        """Answer a request to a visitor's table even in the middle of a hand; False if they have no seat."""
        place = visitor.place
        table = None if place is None else self._tables.get(place.table)
        if place is None or table is None or place.given_up.is_set() or place.visitor is not visitor:
            return False
        answer(table.company, place, visitor, protocol.Request(word, text))
        table.company.seating.flush(place.seat, visitor.client)
        table.company.changed.set()
        return True

    async def _accept(self, listener: socket.socket) -> tuple[socket.socket, str]:
        while True:
            await trio.lowlevel.wait_readable(listener)
            try:
                sock, where = listener.accept()
            except BlockingIOError:
                continue
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    self._report(f"cannot accept connections: {error.strerror}; it tries again")
                    await trio.sleep(_PAUSE_S)
                continue
            return sock, str(where[0])

    def _is_too_many(self, address: str) -> bool:
        config = self._config
        if self.connections >= config.connections:
            self._turn_away(f"there are {config.connections} connections already")
        elif self._here[whose(address)] >= config.connections_per_address:
            self._turn_away(f"{address} has {config.connections_per_address} connections already")
        else:
            return False
        return True

    def _turn_away(self, why: str) -> None:
        """Tell the operator, the first time, the tenth, the hundredth, ..."""
        self._turned_away += 1
        if str(self._turned_away).strip("0") == "1":
            self._report(f"a client was turned away: {why} ({self._turned_away} so far)")

    def _report(self, text: str) -> None:
        self._console.err(f"riverboat: {printable(text)}\n")

    # --- a visit ---------------------------------------------------------------------------------------

    async def _receive(
        self,
        sock: socket.socket,
        address: str,
        tls: ssl.SSLContext | None,
        table: TableConfig | None,
        meet: Callable[[Visitor], object] = lambda visitor: None,
    ) -> None:
        """The whole visit of a client, whatever happens in it."""
        if self._is_too_many(address):
            sock.close()
            return
        address = whose(address)
        self._here[address] += 1
        try:
            async with spoken(sock, tls, HANDSHAKE_S) as plain:
                channel = Channel(plain)
                client = Client(channel, protocol.DealerConnection(None if table is None else table.game))
                visitor = Visitor(client, address)
                self.visitors.add(visitor)
                meet(visitor)
                try:
                    await self._visit(visitor, table)
                finally:
                    self.visitors.discard(visitor)
                    client.channel.close()
                    await self._leave(visitor)
        except ssl.SSLError as error:
            self._turn_away(f"{address} does not speak TLS: {error.reason or error}")
        except Exception as error:
            if not has_gone(error):
                self._console.err("".join(traceback.format_exception(error)))
        finally:
            self._here[address] -= 1
            if not self._here[address]:
                del self._here[address]

    async def _visit(self, visitor: Visitor, table: TableConfig | None) -> None:
        """A visit from the greeting to the end, in the lobby and at tables, or at one's own port."""
        client = visitor.client
        wanted = _Wanted(visitor, Allowance(self._config.requests_per_second, _BURST))
        if not await wanted.greet(at_table=table is not None):
            await client.explain(*(_OF_ROOMS if table is None else _OF_TABLES))
        elif table is not None:
            await self._visit_table(visitor, table)
        else:
            while not client.channel.is_closed and (request := await self._until_join(wanted)) is not None:
                await self._join(wanted, request)

    async def _visit_table(self, visitor: Visitor, table: TableConfig) -> None:
        """The visit of a client at a table's own port, which gets a seat or leaves."""
        try:
            visitor.player = await self._identities.identify("acpc", "", visitor.address)
            place = await self._tables[table.name].join(visitor, Wish(table.name))
        except (RequestRefused, KeyError, LedgerIsFull) as refusal:
            self._turn_away(f"{table.name}: {refusal}")
            return
        visitor.place = place
        await visitor.client.has_left.wait()

    async def _leave(self, visitor: Visitor) -> None:
        """After a connection has gone: give up a guest's seat, and return the chips to the house.

        The seat of one who may come back is kept for a while.
        """
        player, place = visitor.player, visitor.place
        if player is None or player.kind == "registered":
            return
        see_off = functools.partial(self._see_off, player)
        if place is not None and not place.given_up.is_set() and place.visitor in (visitor, None):
            table = self._tables.get(place.table)
            if table is not None:
                table.company.changed.set()
            if visitor.may_come_back:
                place.farewell = see_off
                return
            place.leaves = place.leaves or "has gone"
            with trio.CancelScope(shield=True):
                await place.given_up.wait()
        see_off()

    def _see_off(self, player: Registered) -> None:
        """Return a guest's chips to the house, unless they are here by another connection."""
        if not any(each.player is not None and each.player.id == player.id for each in self.visitors):
            with contextlib.suppress(LedgerIsFull):
                self._identities.has_left(player)

    async def _until_join(self, wanted: _Wanted) -> protocol.Request | None:
        """The next request for a seat; all other requests in the lobby are handled here."""
        # What the client does not read at once is written later; at a table, the table does that.
        async with beside(wanted.visitor.client.channel.keep_flushing):
            while True:
                request = await wanted.next_request()
                if request is None or request.word == "join":
                    return request
                self._do(wanted, request)

    def _do(self, wanted: _Wanted, request: protocol.Request) -> None:
        """Handle a request from somebody who has no seat."""
        visitor = wanted.visitor
        match request.word:
            case "list":
                tables = {name: each for name, each in self._tables.items() if not each.config.private}
                for name, table in tables.items():
                    visitor.say("table", f"{name} {describe(table)}")
                visitor.say("tables", str(len(tables)))
            case "host":
                try:
                    visitor.say("hosted", self.open_private(visitor.address, request.text))
                except RequestRefused as refusal:
                    visitor.say("refused", f"host: {refusal}")
            case "name" | "token" if visitor.player is not None:
                visitor.say("refused", f"you are {visitor.player.name} already")
            case "name":
                wanted.name = request.text
            case "token":
                wanted.token = request.text
            case _:
                visitor.say("refused", f"{request.word}: you have no seat")

    async def _join(self, wanted: _Wanted, request: protocol.Request) -> None:
        """Take a seat, and return when it is given up."""
        visitor = wanted.visitor
        try:
            wish = Wish.parse(request.text)
            if visitor.player is None:
                visitor.player = await self._identities.identify(wanted.name, wanted.token, visitor.address)
                wanted.token = ""
                if visitor.may_come_back:
                    visitor.say("keep", self._identities.secret_of(visitor.player))
            visitor.player = self._identities.admit(visitor.player)
            table = self._tables.get(self._any_table(visitor) if wish.table == _ANY else wish.table)
            if table is None:
                raise RequestRefused(f"there is no table {wish.table[:40]!r}")
            visitor.place = await table.join(visitor, wish)
        except (RequestRefused, LedgerError, LedgerIsFull) as refusal:
            is_full = isinstance(refusal, LedgerIsFull)
            full = "the room cannot write its ledger: try again later"
            visitor.say("refused", full if is_full else f"{refusal}")
            visitor.client.flush()
            return
        await visitor.client.has_left.wait()
        if visitor.client.attending is not None:  # the seat's task may be listening to a client that was late
            await visitor.client.attending.wait()

    def _any_table(self, visitor: Visitor) -> str:
        """A table with a seat that is free or a house bot's; otherwise one where somebody makes room."""
        for newcomer in (None, visitor):
            for name, table in self._tables.items():
                if not table.config.private and table.may_come(newcomer):
                    return name
        raise RequestRefused("all seats of all tables are taken")


@attrs.define
class _Wanted:
    """A visitor's lines in the lobby, at a bounded rate."""

    visitor: Visitor
    _allowance: Allowance
    name: str = ""
    token: str = ""

    async def greet(self, *, at_table: bool = False) -> bool:
        """Read the version and the greeting; returns whether the client may stay.

        Args:
            at_table: at a table's own port, where a version is enough.
        """
        client = self.visitor.client
        connection = client.connection
        deadline = trio.current_time() + HANDSHAKE_S
        has_version = False
        while True:
            try:
                event = connection.next_event()
            except protocol.BadVersion:
                return False
            if isinstance(event, protocol.Version):
                has_version = True
            elif isinstance(event, protocol.Greeting):
                self._grant(event, at_table=at_table)
                if not at_table and LOBBY in client.capabilities:
                    client.flush()
                    return True
            elif isinstance(event, protocol.ConnectionClosed):
                return False
            elif event is protocol.NEED_DATA:
                if at_table and has_version:
                    client.is_greeted = True
                    return True
                if connection.num_buffered > MAX_LINE or client.speaks_tls:
                    return False
                data = await client.channel.receive(deadline)
                if data is None:
                    return False
                connection.receive_data(data)
                client.first = client.first or data
            await trio.lowlevel.checkpoint()

    def _grant(self, greeting: protocol.Greeting, *, at_table: bool) -> None:
        """Answer a greeting; in the lobby it may bring a name and a token."""
        client = self.visitor.client
        offered = [word for word in ROOM_CAPABILITIES if not at_table or word not in (LOBBY, "stacks")]
        granted, data = client.connection.answer_greeting(greeting.words, offered, {})
        client.capabilities |= granted
        client.is_greeted = True
        client.say(data)
        for word in greeting.words:
            if word.startswith(NAME):
                self.name = word.removeprefix(NAME)
            elif word.startswith(TOKEN):
                self.token = word.removeprefix(TOKEN)
        if LOBBY in granted:
            client.say(client.connection.send(protocol.InLobby()))

    async def next_request(self) -> protocol.Request | None:
        """The next request; None if the client has gone, or has said nothing for too long."""
        client = self.visitor.client
        connection = client.connection
        while True:
            event = connection.next_event()
            if event is protocol.NEED_DATA:
                client.flush()
                data = await client.channel.receive(trio.current_time() + _IDLE_S)
                if data is None:
                    return None
                connection.receive_data(data)
                continue
            await self._allowance.wait()
            if isinstance(event, protocol.Request):
                return event
            if isinstance(event, protocol.ConnectionClosed):
                return None
            if isinstance(event, protocol.Greeting):  # it has had its answer
                client.say(connection.send(protocol.Note("refused", "you have been greeted already")))


def _no_private() -> str:
    raise RequestRefused("there are no private tables here")


def has_gone(error: BaseException, *others: type[BaseException]) -> bool:
    """Whether an error, perhaps one of `others`, only says that a client is not there any more."""
    known = ChannelBroken, OSError, trio.BrokenResourceError, trio.ClosedResourceError
    return only(error, *known, *others) is not None


def describe(table: RoomTable) -> str:
    """The words of ``#list`` about a table besides its name."""
    config = table.config
    taken = sum(place is not None for place in table.places)
    stakes = "-" if config.policy == "match" else f"{config.least}-{config.most}"
    return f"{config.policy} {config.game_text.split('/')[-1]} {taken}/{config.seats} {stakes}"


def listen(host: str, port: int, report: Callable[[str], Exception]) -> socket.socket:
    """A listening socket; if it cannot listen, the exception is the one that `report` makes."""
    try:
        return open_listener(host, port)
    except (OSError, OverflowError, UnicodeError) as error:
        raise report(f"{host} port {port}: {getattr(error, 'strerror', None) or error}") from error
