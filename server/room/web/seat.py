"""A seat in the browser: what its script says goes to the room's door unchanged, byte by byte.

So the door treats it like any client, limits by address included, and it sees what any client sees; each line
that comes back is passed on together with its meaning.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import attrs
import trio

from engine.poker.rules import HandView, RulesError
from protocol.errors import ProtocolError
from protocol.extension import parse_game_line, parse_note, parse_seated
from protocol.framing import LineBuffer
from protocol.match_state import MatchStateReader
from protocol.room_game import RoomGame
from server.room.door import Door
from server.room.tables.place import Visitor
from server.room.web.advice import WORD, Trainer
from server.room.web.bridge import come_in
from server.room.web.scenes import company, draw, seen_by_player
from server.support.allowance import Allowance

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

_STATE: Final = "MATCHSTATE:"
Company: TypeAlias = Callable[[str], list[dict[str, Any] | None]]


class DoorReader:
    """Reads one conversation.

    Args:
        company: who sits at a table, as `server.room.web.scenes.company` says it.
    """

    def __init__(self, company: Company = lambda table: []) -> None:
        self._company = company
        self.table = ""
        """At which the player sits, or sat last."""
        self._seats: dict[str, int] = {}  # by name, where those who sit at the table were seen
        self._lines = LineBuffer()
        self._game = RoomGame()
        self.names: tuple[str, ...] = ()
        """Of the players of the hand, by position."""
        self._reader: MatchStateReader | None = None
        self.view: HandView | None = None
        """What the player has been shown last."""
        self.hands: set[str] = set()
        """The numbers of the hands that the player has been dealt in this seat."""

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The messages that some bytes complete: every line as ``line``, together with its meaning.

        ``kind`` is ``scene`` for a hand (`server.room.web.scenes`), ``note`` with ``name`` and ``text``,
        or ``line``.
        """
        self._lines.feed(data)
        while (line := self._lines.next_line()) is not None:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            yield {"line": text, **self._meaning(text)}

    def _meaning(self, text: str) -> dict[str, Any]:
        try:
            if text.startswith(_STATE):
                return self._state(text)
            seated = parse_seated(text)
            if seated is not None:
                table, seat, stack = seated
                self.table = table
                self.hands.clear()
                return {"kind": "note", "name": "seated", "table": table, "seat": seat, "stack": stack}
            note = parse_note(text)
            if note is not None:
                self._hear(*note)
                return {"kind": "note", "name": note[0], "text": note[1]}
        except (ProtocolError, RulesError, ValueError):
            self._reader = None  # the line is shown as it is
        return {"kind": "line"}

    def _hear(self, name: str, text: str) -> None:
        """Take in a note about the next hand."""
        match name:
            case "game":
                game = self._game.with_game(parse_game_line(text))
            case "stacks":
                game = self._game.with_stacks(text)
            case "names":
                self.names = tuple(text.split("|"))
                return
            case _:
                return
        if game is not None:
            self._reader = MatchStateReader(game)

    def _state(self, text: str) -> dict[str, Any]:
        if self._reader is None:
            return {"kind": "line"}
        self.view = self._reader.read(text)
        self.hands.add(str(self.view.hand_number))
        shown = seen_by_player(self.view, self.names)
        company = self._company(self.table)
        self._seats |= {each["name"]: seat for seat, each in enumerate(company) if each is not None}
        if len(set(shown.names) & self._seats.keys()) == len(shown.names):
            seats = tuple([self._seats[name] for name in shown.names])
            button = None if shown.button is None else seats[shown.seats.index(shown.button)]
            shown = attrs.evolve(shown, seats=seats, button=button)
        return draw(shown, company)


LONGEST: Final = 8192
"""The longest message from a browser, in bytes."""
_CHUNK: Final = 32 * 1024
_AT_ONCE: Final = re.compile(r"#(chat|host) ([^\r\n]*)[\r\n]*")
_ADVICES: Final = 10
_ADVICES_PER_S: Final = 0.2
# Of one person.


async def seat(websocket: WebSocket, door: Door, trainer: Trainer) -> None:
    """Bring a browser to the door; returns when either has gone."""
    visitors: list[Visitor] = []
    await websocket.accept()
    address = websocket.client.host if websocket.client else ""
    async with trio.open_nursery() as nursery:
        stream = come_in(nursery, door, address, visitors.append)
        try:
            async with trio.open_nursery() as talking:
                reader = DoorReader(lambda table: company(door.places(table)))
                talking.start_soon(_tell, stream, websocket, reader, talking.cancel_scope)
                await _listen(websocket, stream, _Person(websocket, door, visitors, trainer, reader, talking))
                talking.cancel_scope.cancel()
        finally:
            await trio.aclose_forcefully(stream)


@attrs.frozen
class _Person:
    """A person, who may ask what a bot would do, and is heard by the others at once."""

    websocket: WebSocket
    door: Door
    visitors: list[Visitor]
    """Who they are to the door; none before it has met them."""
    trainer: Trainer
    reader: DoorReader
    nursery: trio.Nursery
    _allowance: Allowance = attrs.field(factory=lambda: Allowance(_ADVICES_PER_S, _ADVICES))

    def does(self, text: str) -> bool:
        """Do what does not wait for the end of the hand; returns whether it is something of that kind."""
        said = _AT_ONCE.fullmatch(text)
        if text.startswith(WORD):
            self.ask(text.removeprefix(WORD).strip())
        elif said is None or not any(self.door.hear(each, *said.groups()) for each in self.visitors):
            return False
        return True

    def ask(self, text: str) -> None:
        """Ask a bot, or for the review of a hand; the page is told when there is an answer."""
        reader, view = self.reader, self.reader.view
        bots = self.door.advisers(reader.table)
        _, is_review, digits = text.partition("review ")
        if not bots or not (is_review or text in bots):
            why = "Nobody is asked while other people play here, and only bots that the room names."
        elif view is None or not (is_review or view.betting.position_to_act == view.position):
            why = "It is not your turn."
        elif is_review and digits not in reader.hands:
            why = "There is no such hand."
        elif not self._allowance.take():
            why = "Wait a little: too many questions."
        elif is_review:
            name = reader.names[view.position]
            self.nursery.start_soon(self._tell, self.trainer.review, reader.table, name, int(digits))
            return
        else:
            self.nursery.start_soon(self._tell, self.trainer.ask, text, view)
            return
        self.nursery.start_soon(self._send, {"rows": [["", why]]})

    async def _tell(self, ask: Callable[..., Awaitable[dict[str, Any]]], *about: object) -> None:
        await self._send(await ask(*about))

    async def _send(self, found: dict[str, Any]) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError, OSError, RuntimeError):
            await self.websocket.send_text(json.dumps({"kind": "advice", **found}))


async def _listen(websocket: WebSocket, stream: trio.SocketStream, person: _Person) -> None:
    """Pass on what the browser says, until it has gone or the door has cut it off."""
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while True:
            text = (await websocket.receive()).get("text")
            if text is None:
                return  # it has gone, or speaks bytes
            if not person.does(text):
                await stream.send_all(text.encode("utf-8", "replace"))


async def _tell(
    stream: trio.SocketStream, websocket: WebSocket, reader: DoorReader, talking: trio.CancelScope
) -> None:
    """Pass on what the door says, until it has no more to say."""
    from starlette.websockets import WebSocketDisconnect

    try:
        while data := await stream.receive_some(_CHUNK):
            for message in reader.feed(bytes(data)):
                await websocket.send_text(json.dumps(message))
        await websocket.close()
    except (WebSocketDisconnect, trio.BrokenResourceError, trio.ClosedResourceError, OSError):
        pass  # the browser has gone
    talking.cancel()
