"""How clients reach the seats of a room's table: through the room's door, not through ports of their own."""

from __future__ import annotations

import attrs
import trio

from server.room.tables.place import Place, Visitor
from server.table.seat import Client, Seat


@attrs.define(eq=False)
class Arrival:
    """Somebody who waits for a seat."""

    visitor: Visitor
    chips: int | None
    decided: trio.Event = attrs.Factory(trio.Event)
    place: Place | None = None
    refusal: str = ""


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

    async def admit_first_comer(self, seat: Seat, deadline: float) -> Client:
        """The next client of a seat."""
        return await self.admit(seat, deadline, is_first=True)

    async def admit(self, seat: Seat, deadline: float, *, is_first: bool) -> Client:
        """The next client of a seat, however long it takes."""
        number = seat.number
        while (client := self._clients[number]) is None:
            await self._came[number].wait()
        self._clients[number] = None
        self._came[number] = trio.Event()
        return client

    def stop_listening(self, seat: Seat) -> None:
        """Nothing: the door is the room's."""
