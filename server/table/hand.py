"""A hand on the table, and what each seat is shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import attrs

from engine.poker.rules import HandState
from protocol import LocalProtocolError, Note, State, TurnWithdrawn
from protocol.match_state import HandMessages
from server.table.seat import Client, Seat

_TO_ACT: Final = State.TO_ACT


@attrs.frozen
class HandOnTable:
    """One hand: its messages, and the seats of its positions.

    They belong together: a client that sits down at any moment is shown a hand from its own position in that
    hand, and never one hand's cards from its position in the next.
    """

    messages: HandMessages
    positions: tuple[int | None, ...]
    """By seat, its place in this hand relative to the button; None for a seat that is not dealt in."""

    def is_dealt(self, seat: Seat) -> bool:
        """Whether a seat has cards in this hand."""
        return self.positions[seat.number] is not None

    def show(self, state: HandState, seat: Seat, client: Client) -> bytes:
        """Tell a seat's client how the hand stands; `Client.flush` writes it.

        Returns:
            The line that says it.

        Raises:
            LocalProtocolError: the seat is not dealt in, or nothing can be said to the client.
        """
        connection = client.connection
        if connection.state is _TO_ACT:
            connection.send(TurnWithdrawn())  # the house has acted for it
            client.stray_replies -= 1
        position = self.positions[seat.number]
        if position is None:
            raise LocalProtocolError(f"{seat.label} is not dealt in")
        is_turn = state.betting.position_to_act == position
        if is_turn and "clock" in client.capabilities:
            client.say(connection.send(Note("clock", f"{seat.clock.left():.6g}")))
        data = connection.show(self.messages.message(state, position), is_turn=is_turn)
        client.unwritten += data  # as `Client.say`
        return data


Situation = tuple[HandState, HandOnTable]
"""How a hand stands, as one value; a plain tuple, since one is made for every action."""


@attrs.frozen
class PlayedHand:
    """A finished hand as one table passes it to another that keeps the records."""

    line: str
    """Of the log."""
    chips_by_seat: tuple[float, ...]
    notes: str = ""
    """What happened to seats meanwhile, as comment lines of the log."""
    told: str = ""
    """What clients have said about their strategies, as the house keeps it."""


class OtherTables(Protocol):
    """Tables that play some of a match's hands."""

    async def hand(self, number: int, seats: Sequence[Seat]) -> PlayedHand | None:
        """A hand that another table plays, once it is over; None for a hand that no other table plays.

        Args:
            number: of the hand; asked for in order.
            seats: of the table that asks.

        Raises:
            MatchAborted: the table that plays it cannot go on.
        """
