"""Who is in the room, and who sits where: visitors, places, and what both are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs
import trio

from protocol import Note, Seated, State
from protocol.extension import NEEDED_FOR_CHIPS
from server.room.config import TableConfig
from server.room.ledger.ledger import Player
from server.room.tables.line_up import Entry
from server.table.seat import Client, Seat, SeatClock

_ALL_HANDS: Final = 2**32
# A seat's time for all hands, at so and so much a hand, is never used up.


class Refused(Exception):
    """The room does not do what somebody wants; the message is for them."""


@attrs.define(eq=False)
class Visitor:
    """Somebody who is connected to the room."""

    client: Client
    address: str
    player: Player | None = None
    """None before it has been given a name."""
    place: Place | None = None
    """The seat that it has, or had last."""
    told: dict[str, str] = attrs.Factory(dict)
    """The notes that it was told last, by name: they are repeated only when they change."""

    @property
    def is_plain(self) -> bool:
        """It knows the ACPC's protocol only: hands must be what its game file says."""
        return not self.client.capabilities >= NEEDED_FOR_CHIPS

    def tell(self, name: str, text: str) -> None:
        """Say a note, if it asked for such notes and does not know; the next flush writes it."""
        if name in self.client.capabilities and self.told.get(name) != text:
            self.told[name] = text
            self.say(name, text)

    def say(self, name: str, text: str) -> None:
        """Say a note to a client that knows what a room is; the next flush writes it."""
        connection = self.client.connection
        if "lobby" in self.client.capabilities and connection.state in (State.LOBBY, State.WATCHING):
            self.client.say(connection.send(Note(name, " ".join(text.split()))))

    def begins_to_sit(self, table: str, seat: int, stack: int) -> None:
        """It has a seat from now on."""
        client = self.client
        client.has_left = trio.Event()
        client.is_late = trio.Event()
        client.has_replied = False
        client.stray_replies = 0
        self.told.clear()
        if client.connection.state is State.LOBBY:
            client.say(client.connection.send(Seated(table, seat, stack)))


@attrs.define(eq=False)
class Place:
    """A seat of a table that is somebody's."""

    table: str
    """Its table's name."""
    seat: Seat
    player: Player
    stack: int
    entry: Entry
    brought: int = 0
    """Chips at first, and at each rebuy."""
    visitor: Visitor | None = None
    """Their connection; None while there is none."""
    sits_out: bool = False
    top_up: int = 0
    """Chips to be brought before the next hand."""
    leaves: str | None = None
    """Why they give the seat up when the hand is over."""
    until: float | None = None
    """When they lose it if they do not play again until then, on trio's clock."""
    keep_s: float = 0.0
    """For which it is kept."""
    is_patience_spent: bool = False
    """Each time takes from that: others wait meanwhile."""
    is_settled: bool = False
    """The ledger has no chips of theirs at the table any more."""

    given_up: trio.Event = attrs.Factory(trio.Event)
    """Set when the seat is theirs no more."""

    def __attrs_post_init__(self) -> None:
        self.seat.name = self.player.name

    @property
    def is_house(self) -> bool:
        """A bot of the house's sits here."""
        return self.player.kind == "house"

    @property
    def is_there(self) -> bool:
        """A client is at the seat, and is not late."""
        return self.seat.client is not None and not self.seat.is_away

    @property
    def plays(self) -> bool:
        """Wants to be dealt the next hand."""
        return self.is_there and not self.sits_out and self.stack > 0 and self.leaves is None

    def occupy(self, visitor: Visitor, table: TableConfig) -> None:
        """Somebody has sat down, or has come back."""
        self.visitor = visitor
        self.is_back()
        self.sits_out = False
        seat = self.seat
        seat.clock = SeatClock(table.limits, _ALL_HANDS)
        seat.failures.clear()
        seat.grace_until = None

    def lost(self) -> None:
        """The connection is gone; the seat is kept for a while."""
        self.visitor = None
        self.is_absent()

    def is_absent(self) -> None:
        """They do not play; the seat is kept for a while from the first time that this is said."""
        if self.until is None:
            self.until = trio.current_time() + self.keep_s

    def is_back(self) -> None:
        """They play again."""
        if self.until is not None and self.is_patience_spent:
            self.keep_s = max(0.0, self.until - trio.current_time())
        self.until = None

    def told(self, notes: Mapping[str, str]) -> None:
        """Tell whoever sits here what is new about the next hand."""
        if self.visitor is not None:
            for name, text in notes.items():
                self.visitor.tell(name, text)
