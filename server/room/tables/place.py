"""Who is in the room, and who sits where: visitors, places, and what both are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs
import trio

from engine.support.user_input import parse_whole, printable
from protocol import InLobby, Note, Seated, State, TurnWithdrawn
from protocol.extension import KEEP, NEEDED_FOR_CHIPS, PERSON
from server.room.ledger.ledger import Registered
from server.support.allowance import Allowance
from server.table.rules.line_up import Joining
from server.table.seat import Client, Seat

_HEARS: Final = (State.LOBBY, State.WATCHING, State.TO_ACT)


class RequestRefused(Exception):
    """The room refuses a request; the message is for the client."""


@attrs.define(eq=False)
class Visitor:
    """Somebody who is connected to the room."""

    client: Client
    address: str
    player: Registered | None = None
    """None before it has a name."""
    place: Place | None = None
    """The seat that it has, or had last."""

    @property
    def is_plain(self) -> bool:
        """Whether it knows only the ACPC's protocol: hands must be what its game file says."""
        return not self.client.capabilities >= NEEDED_FOR_CHIPS

    @property
    def is_person(self) -> bool:
        """Whether a person looks at what it is shown."""
        return PERSON in self.client.capabilities

    @property
    def may_come_back(self) -> bool:
        """Whether it is a guest who is told how to take the seat again."""
        return self.is_guest and KEEP in self.client.capabilities

    @property
    def is_guest(self) -> bool:
        """Whether it plays under a name that is nobody's."""
        return self.player is not None and self.player.kind == "guest"

    def say(self, name: str, text: str) -> None:
        """Send a note to a client that knows what a room is; the next flush writes it."""
        connection = self.client.connection
        if "lobby" in self.client.capabilities and connection.state in _HEARS:
            self.client.say(connection.send(Note(name, printable(" ".join(text.split())))))

    def loses_seat(self, reason: str) -> None:
        """Tell a client that knows what a room is that it has none any more.

        Raises:
            ChannelBroken: it has gone.
        """
        client, connection = self.client, self.client.connection
        if connection.state is State.TO_ACT:
            client.say(connection.send(TurnWithdrawn()))
        client.say(connection.send(InLobby(reason)))
        client.flush()

    def begins_to_sit(self, table: str, seat: int, stack: int) -> None:
        """Tell it that it has a seat from now on."""
        client = self.client
        client.has_left = trio.Event()
        client.is_late = trio.Event()
        client.has_replied = False
        client.stray_replies = 0
        client.told.clear()
        if client.connection.state is State.LOBBY:
            client.say(client.connection.send(Seated(table, seat, stack)))


@attrs.define(eq=False)
class Place:
    """A seat at a table that belongs to somebody."""

    table: str
    """Its table's name."""
    seat: Seat
    player: Registered
    stack: int
    entry: Joining
    since: float = attrs.Factory(trio.current_time)
    """When they sat down, on trio's clock."""
    brought: int = 0
    """Chips brought at first, and at each rebuy."""
    visitor: Visitor | None = None
    """Their connection; None while there is none."""
    sits_out: bool = False
    top_up: int = 0
    """Chips to be brought before the next hand."""
    unshown: tuple[int, tuple[int, ...]] | None = None
    """Their last hand's number and cards, which nobody has seen."""
    leaves: str | None = None
    """Why they give up the seat when the hand is over."""
    until: float | None = None
    """When they lose it if they do not play again by then, on trio's clock."""
    keep_s: float = 0.0
    """How long it is kept."""
    is_patience_spent: bool = False
    """Each absence uses up part of that time: others wait meanwhile."""
    is_settled: bool = False
    """The ledger has no chips of theirs at the table any more."""

    breath: Allowance = attrs.Factory(lambda: Allowance(1.0, 5.0))
    """For what they say to the others."""
    given_up: trio.Event = attrs.Factory(trio.Event)
    """Set when the seat is no longer theirs."""
    farewell: Callable[[], object] | None = None
    """Called then, for somebody who has gone meanwhile."""

    def __attrs_post_init__(self) -> None:
        self.seat.name = self.player.name

    @property
    def is_house(self) -> bool:
        """Whether one of the house's bots sits here."""
        return self.player.kind == "house"

    @property
    def is_there(self) -> bool:
        """Whether a client is at the seat and not late."""
        return self.seat.client is not None and not self.seat.is_away

    @property
    def plays(self) -> bool:
        """Whether they want to be dealt the next hand."""
        return self.is_there and not self.sits_out and self.stack > 0 and self.leaves is None

    def occupy(self, visitor: Visitor) -> None:
        """Note that somebody has sat down or come back."""
        self.visitor, self.farewell = visitor, None
        self.is_back()
        self.sits_out = False
        self.seat.failures.clear()

    def give_up(self) -> None:
        """Note that the seat is free."""
        self.given_up.set()
        if self.farewell is not None:
            self.farewell()

    def lost(self) -> None:
        """Note that the connection is gone; the seat is kept for a while."""
        self.visitor = None
        self.is_absent()

    def is_absent(self) -> None:
        """Note that they do not play; from the first such call on, the seat is kept for a while."""
        if self.until is None:
            self.until = trio.current_time() + self.keep_s

    def is_back(self) -> None:
        """Note that they play again."""
        if self.until is not None and self.is_patience_spent:
            self.keep_s = max(0.0, self.until - trio.current_time())
        self.until = None


# --- how clients reach seats: through the room's door, not through ports of their own -------------------


@attrs.frozen
class Wish:
    """A wish for a seat."""

    table: str
    chips: int | None = None
    """To be brought; None for the usual number."""
    seat: int | None = None
    """None for any."""

    @classmethod
    def parse(cls, text: str) -> Wish:
        """The text of a ``#join``: ``deep 400 seat=3``, of which only the table must be there.

        Raises:
            RequestRefused: it is none.
        """
        table, *words = text.split() or [""]
        seats = [word.removeprefix("seat=") for word in words if word.startswith("seat=")]
        chips = [word for word in words if not word.startswith("seat=")]
        if not table or len(chips) > 1 or len(seats) > 1:
            raise RequestRefused("expected #join TABLE, #join TABLE CHIPS, or either with seat=NUMBER")
        numbers = []
        for what, found in (("chips", chips), ("seat", seats)):
            try:
                numbers.append(parse_whole(found[0]) if found else None)
            except ValueError:
                raise RequestRefused(f"expected a whole number of {what}, got {found[0][:40]!r}") from None
        return cls(table, numbers[0], None if numbers[1] is None else numbers[1] - 1)


@attrs.define(eq=False)
class Arrival:
    """Somebody who waits for a seat."""

    visitor: Visitor
    wish: Wish
    decided: trio.Event = attrs.Factory(trio.Event)
    place: Place | None = None
    refusal: str = ""

    @property
    def is_bot(self) -> bool:
        """Whether it is one of the house's bots."""
        return self.visitor.player is not None and self.visitor.player.kind == "house"


class Handover:
    """Passes clients to the tasks that look after seats (`server.table.seating.Seating`)."""

    def __init__(self, seats: int) -> None:
        self._clients: list[Client | None] = [None] * seats
        self._came = [trio.Event() for _ in range(seats)]

    def hand_over(self, seat: int, client: Client) -> None:
        """Offer a client to a seat; an earlier one that has not been taken is cut off."""
        self.take_back(seat)
        self._clients[seat] = client
        self._came[seat].set()

    def take_back(self, seat: int) -> None:
        """Cut off a client that has been offered and not yet taken."""
        client, self._clients[seat] = self._clients[seat], None
        if client is not None:
            client.channel.close()
            client.has_left.set()
            self._came[seat] = trio.Event()

    def open(self, seats: tuple[Seat, ...]) -> None:
        """Nothing: the door is the room's."""

    def close(self) -> None:
        """Admit nobody any more."""
        for seat in range(len(self._clients)):
            self.take_back(seat)

    async def admit(self, seat: Seat, deadline: float, *, is_first: bool) -> Client:
        """The next client of a seat, however long it takes."""
        number = seat.number
        while (client := self._clients[number]) is None:
            await self._came[number].wait()
        self._clients[number] = None
        self._came[number] = trio.Event()
        return client

    def is_expected(self, seat: Seat) -> bool:
        """Whether a client has been offered to a seat and not yet taken."""
        return self._clients[seat.number] is not None

    def stop_listening(self, seat: Seat) -> None:
        """Nothing: the door is the room's."""
