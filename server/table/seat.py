"""One seat: who sits there, how to talk to him, how much time he has used, how he failed."""

from __future__ import annotations

from array import array

import attrs

from protocol import DealerConnection
from server.errors import Failure
from server.table.channel import Channel
from server.table.clock import SeatClock


@attrs.define(eq=False)
class Client:
    """Somebody connected to a seat."""

    channel: Channel
    connection: DealerConnection
    capabilities: frozenset[str] = frozenset()
    """What the server has granted (`protocol.extension`)."""
    unwritten: bytes = b""
    """Said, but not written yet: one write carries all of it."""

    def say(self, data: bytes) -> None:
        """Add to what the next `flush` writes."""
        self.unwritten += data

    def flush(self) -> None:
        """Write what has been said.

        Raises:
            ChannelBroken: it cannot be written.
        """
        data, self.unwritten = self.unwritten, b""
        if data:
            self.channel.send(data)


@attrs.define(eq=False)
class Seat:
    """A fixed place at the table for the whole match."""

    number: int
    """From 0; people are told ``number + 1``."""
    name: str
    clock: SeatClock
    token: str | None
    """What a client must present to sit here; None for an open seat."""
    port: int = 0
    position: int = 0
    """Its place in the current hand, relative to the button."""
    client: Client | None = None
    """Who is connected; None while the seat is vacant."""
    is_away: bool = False
    """Its client was late and has not spoken since: it is not waited for."""
    late_in_a_row: int = 0
    failures: list[Failure] = attrs.Factory(list)
    decision_seconds: array[float] = attrs.Factory(lambda: array("d"))
    warnings: int = 0
    """Answers that had to be ignored or corrected."""

    @property
    def label(self) -> str:
        """How messages name the seat."""
        return f"seat {self.number + 1} ({self.name})"
