"""What an agent may ask for, by name: the same for MCP's tools and for the addresses of HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol, runtime_checkable

import attrs

from protocol.agents.answers import DO, TO
from protocol.agents.observation import Schema, closed
from protocol.agents.turns import SeatError, TurnBook

MOST_WAIT_S: Final = 55
"""Longest time that one request waits: clients give up after a minute."""
_USUAL_WAIT_S: Final = 50
TEXT: Final[Schema] = {"type": "string", "maxLength": 64}
WORD: Final[Schema] = {**TEXT, "pattern": r"^\S+$"}
CHIPS: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
_WAIT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": MOST_WAIT_S}


@attrs.frozen
class Tool:
    """Something that may be asked for."""

    text: str
    """What it does, for the client."""
    arguments: Schema
    is_for_rooms: bool = False
    """It makes no sense at the table of a match."""


TOOLS: Final = {
    "tables": Tool("The tables of the room.", closed({}), is_for_rooms=True),
    "sit": Tool("Take a seat at a table.", closed({"table": WORD}, {"chips": CHIPS}), is_for_rooms=True),
    "wait_for_turn": Tool(
        "Wait until it is your turn. Returns the hand as you see it, with what is legal; or a status: "
        "waiting (ask again), lobby (no seat), closed (the end).",
        closed({}, {"max_seconds": _WAIT}),
    ),
    "act": Tool(
        "Answer a turn: give its id, what you do and, for bet and raise, the total to. With wait, the "
        "next turn is returned as well.",
        closed({"turn": WORD, "do": DO}, {"to": TO, "wait": {"type": "boolean"}}),
    ),
    "last_hand": Tool("The last hand that was finished, with what was shown and won.", closed({})),
    "top_up": Tool("Bring more chips before the next hand.", closed({"chips": CHIPS}), is_for_rooms=True),
    "leave": Tool("Give the seat up when the hand is over.", closed({})),
}

PLAY: Final = (
    "Play poker until the table is closed: call wait_for_turn; when its status is your_turn, answer with act "
    "and the turn's id; go on until the status is closed."
)
"""What a client is told that does not know what to do; no strategy in it."""


class Desk(Protocol):
    """A seat."""

    @property
    def book(self) -> TurnBook:
        """The turns of the seat."""

    async def act(self, message: object) -> dict[str, Any]:
        """Answer a turn; returns the receipt.

        Raises:
            SeatError: it is no answer, or comes for another turn.
        """

    async def leave(self) -> None:
        """Give the seat up."""


@runtime_checkable
class DeskInRoom(Desk, Protocol):
    """A seat in a room, with the ways to ask for one."""

    async def tables(self) -> list[dict[str, Any]]:
        """The tables of the room."""

    async def sit(self, table: str, chips: int | None) -> dict[str, Any]:
        """Take a seat; returns table, seat and stack.

        Raises:
            SeatError: the room refuses.
        """

    async def top_up(self, chips: int) -> None:
        """Bring more chips."""


Within = Callable[[float], AbstractContextManager[object]]
"""Ends what it is around after some seconds, such as ``trio.move_on_after``."""


async def call(desk: Desk, name: str, arguments: object, within: Within) -> dict[str, Any]:
    """Do what a client asks for; returns the object to send.

    Args:
        desk: of the client.
        name: of `TOOLS`.
        arguments: its, parsed; any value.
        within: limits the waiting.

    Raises:
        SeatError: with the object to send instead.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise SeatError("format", f"there is no tool of that name; there are {', '.join(TOOLS)}")
    given = checked(arguments, tool.arguments, passes=("do", "to", "turn"))
    book = desk.book
    book.is_heard = True
    match name:
        case "wait_for_turn":
            return await waited(book, given.get("max_seconds", _USUAL_WAIT_S), within)
        case "act":
            wait = given.pop("wait", False)
            receipt = await desk.act(given)
            return {**receipt, "next": await waited(book, _USUAL_WAIT_S, within)} if wait else receipt
        case "last_hand":
            return book.last_hand or {"status": book.status}
        case "leave":
            await desk.leave()
        case _ if not isinstance(desk, DeskInRoom):
            raise SeatError("refused", "This is a match: there is one table, and you sit at it.")
        case "tables":
            return {"tables": await desk.tables()}
        case "sit":
            return await desk.sit(given["table"], given.get("chips"))
        case _:
            await desk.top_up(given["chips"])
    return {"status": book.status}


async def waited(book: TurnBook, seconds: float, within: Within) -> dict[str, Any]:
    """The observation of the next turn, or the status when the time is up."""
    with within(seconds):
        await book.next_turn()
    return book.observation()


def checked(arguments: object, schema: Schema, passes: tuple[str, ...] = ()) -> dict[str, Any]:
    """A client's arguments, which have just the members of a schema, and of the right types.

    Nothing is coerced, nothing ignored.

    Args:
        arguments: any value.
        schema: made by `closed`.
        passes: members whose values are checked by somebody else.

    Raises:
        SeatError: ``format``.
    """
    if not isinstance(arguments, Mapping):
        raise SeatError("format", "expected a JSON object")
    members = schema["properties"]
    known = ", ".join(members) or "nothing"
    if any(name not in members for name in arguments):
        raise SeatError("format", f"an unknown member: expected {known}")
    for name in schema["required"]:
        if name not in arguments:
            raise SeatError("format", f"{name} is missing: expected {known}")
    for name, value in arguments.items():
        expected = "" if name in passes else _expected(value, members[name])
        if expected:
            raise SeatError("format", f"{name}: expected {expected}")
    return dict(arguments)


def _expected(value: object, schema: Schema) -> str:
    """The kind of value that was expected instead of another; empty if it is what it should be."""
    match schema["type"]:
        case "integer":
            least, most = schema["minimum"], schema["maximum"]
            fits = type(value) is int and least <= value <= most
            wanted = f"a whole number from {least} to {most}"
        case "boolean":
            fits, wanted = isinstance(value, bool), "true or false"
        case _:
            most = schema["maxLength"]
            fits = isinstance(value, str) and 0 < len(value) <= most and value.isprintable()
            wanted = f"up to {most} characters"
            if "pattern" in schema:
                fits, wanted = fits and str(value).split() == [value], f"{wanted} without blanks"
    return "" if fits else wanted
