"""A seat in a room for an agent: the line protocol on one side, the book of turns on the other.

Whoever moves the bytes gives it a stream, and runs it; it waits for nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from engine.support.user_input import parse_finite, quoted
from protocol import events
from protocol.agents.turns import SeatError, Signal, TurnBook
from protocol.connection import NEED_DATA, PlayerConnection
from protocol.extension import LOBBY, NAME, STACKS, TOKEN, TOO_LATE, parse_game_line
from protocol.room_game import RoomGame
from protocol.states import State

_TABLE: Final = ("name", "policy", "game", "taken", "chips")
"""The words of a ``#table`` line."""


class Stream(Protocol):
    """Bytes both ways, such as ``trio.abc.Stream``."""

    async def send_all(self, data: bytes) -> None:
        """Send bytes after those before them; nothing happens if the other side has gone."""

    async def receive_some(self) -> bytes | bytearray:
        """Receive bytes; none at the end."""


class RoomDesk:
    """A client of a room (`protocol.agents.tools.Desk`): `run` it, then ask.

    Args:
        stream: connected to the room's door.
        new_event: makes an event, such as ``trio.Event``.
        now: the clock by which turns end.
        name: ours in the room; None for a guest.
        token: of that name.
    """

    def __init__(
        self,
        stream: Stream,
        new_event: Callable[[], Signal],
        now: Callable[[], float],
        *,
        name: str | None = None,
        token: str | None = None,
    ) -> None:
        self.book: Final = TurnBook(new_event, now)
        self._stream, self._new_event = stream, new_event
        self._connection = PlayerConnection(None)
        who = [*([f"{NAME}{name}"] if name else []), *([f"{TOKEN}{token}"] if token else [])]
        self._greeting = ("seat", "names", "game", STACKS, "clock", LOBBY, *who)
        self._game = RoomGame()
        self._seat = 0
        self._seconds: float | None = None
        self._told = new_event()  # something that is waited for has been said
        self._is_asked = False  # the room owes an answer, whether or not somebody still waits for it
        self._answer: Any = None  # to the last request: a Seated, a SeatError or rows of tables
        self._rows: list[dict[str, Any]] = []
        self._wanted: str | None = None  # the table that we sit at, or want to

    # --- the room says -------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Converse until the room has no more to say.

        Raises:
            ProtocolError: it breaks the protocol.
        """
        connection = self._connection
        try:
            await self._stream.send_all(self._opening())
            while True:
                event = connection.next_event()
                if event is NEED_DATA:
                    connection.receive_data(bytes(await self._stream.receive_some()))
                elif isinstance(event, events.ConnectionClosed):
                    return
                elif isinstance(event, events.TurnToAct):
                    self.book.ask(event.view, self._seat, self._seconds)
                elif isinstance(event, events.StateUpdate):
                    self.book.withdraw()
                    self.book.see(event.view, self._seat)
                elif isinstance(event, events.Note):
                    self._note(event.name, event.text)
                elif isinstance(event, events.Seated):
                    self.book.sits_down()
                    self._tell(event)
                elif isinstance(event, events.InLobby):
                    await self._in_lobby(event.reason)
        finally:
            self.book.leave("closed")
            self._tell(SeatError("closed", "The table has closed."))

    def _opening(self) -> bytes:
        """The first lines of a conversation; nothing if they have been said."""
        connection = self._connection
        if connection.state is not State.AWAITING_VERSION:
            return b""
        return connection.send(events.Version()) + connection.send(events.Greeting(self._greeting))

    def _note(self, name: str, text: str) -> None:
        match name:
            case "seat" if text.isdecimal():
                self._seat = int(text)
            case "clock":
                self._seconds = parse_finite(text)
            case "game":
                self._connection.game = self._game.with_game(parse_game_line(text, "the room's #game line"))
            case "stacks":
                self._connection.game = self._game.with_stacks(text)
            case "refused":
                self._tell(SeatError("refused", f"The room refuses: {quoted(text)}."))
            case "table":
                words = [*text.split(), *("-",) * len(_TABLE)]
                self._rows.append(dict(zip(_TABLE, words, strict=False)))
            case "tables":
                rows, self._rows = self._rows, []
                self._tell(rows)

    async def _in_lobby(self, reason: str) -> None:
        """Sit down again where we were only late, as long as somebody still asks for turns."""
        was_heard = self.book.is_heard
        self.book.leave()
        if reason == TOO_LATE and was_heard and self._wanted is not None:
            self._told, self._is_asked = self._new_event(), True
            await self._request("join", self._wanted)

    def _tell(self, answer: object) -> None:
        self._answer, self._is_asked = answer, False
        self._told.set()

    # --- the client asks -----------------------------------------------------------------------------------

    async def _request(self, word: str, text: str = "") -> None:
        if self._connection.state is State.CLOSED or self.book.status == "closed":
            raise SeatError("closed", "The table has closed.")
        await self._stream.send_all(self._opening() + self._connection.send(events.Request(word, text)))

    async def _asked(self, word: str, text: str = "") -> Any:
        """The room's answer to a request in the lobby.

        Raises:
            SeatError: it refuses, or the client has a seat.
        """
        while self._is_asked:
            await self._told.wait()
        if self.book.status not in ("lobby", "closed"):
            raise SeatError("refused", "You have a seat: leave it first.")
        self._told, self._is_asked = self._new_event(), self.book.status == "lobby"
        await self._request(word, text)
        await self._told.wait()
        if isinstance(self._answer, SeatError):
            raise self._answer
        return self._answer

    async def tables(self) -> list[dict[str, Any]]:
        """The tables of the room, as ``#list`` says them."""
        return await self._asked("list")

    async def sit(self, table: str, chips: int | None) -> dict[str, Any]:
        """Take a seat."""
        self._wanted = table if chips is None else f"{table} {chips}"
        seated = await self._asked("join", self._wanted)
        assert isinstance(seated, events.Seated)  # only that answers a #join
        return {"table": seated.table, "seat": seated.seat, "stack": seated.stack}

    async def act(self, message: object) -> dict[str, Any]:
        """Answer a turn."""
        receipt = self.book.answer(message)
        if "again" not in receipt and self._connection.state is State.TO_ACT:
            await self._stream.send_all(self._connection.send(events.Reply(self.book.action)))
        return receipt

    async def top_up(self, chips: int) -> None:
        """Bring more chips before the next hand."""
        await self._request("top-up", str(chips))

    async def leave(self) -> None:
        """Give the seat up when the hand is over; without one nothing is said."""
        self._wanted = None
        if self.book.status != "lobby":  # else the refusal could pass for the answer to what is asked next
            await self._request("leave")
