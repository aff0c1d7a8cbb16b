"""Rooms in this process, with real sockets, and the guests who come to them."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import trio

from engine.poker.rules import GameDefinition, load_game, parse_game
from server.room.config import RoomConfig, TableConfig
from server.room.identities import register
from server.room.ledger.ledger import Ledger
from server.room.room import Addresses, Room
from server.table.config import TimeLimits
from tests.support.tables import VERSION, Player, Recorder, betting_state, split_state

_parsed = functools.cache(parse_game)


def table_config(
    name: str = "a", game: str | GameDefinition = "nolimit-6p-100bb", **changes: Any
) -> TableConfig:
    """The configuration of a ring table with stacks of 40 to 400 chips; any field may be given."""
    definition = load_game(game) if isinstance(game, str) else game
    config = TableConfig(name, definition, game if isinstance(game, str) else "GAME", least=40, most=400)
    config = attrs.evolve(config, limits=TimeLimits(10.0, 600.0, 1e6, grace=0.0), pace_s=0, showdown_s=0)
    return attrs.evolve(config, **changes)


def room_config(folder: Path, *tables: TableConfig, **changes: Any) -> RoomConfig:
    """The configuration of a room on a free port that gives guests 1000 chips; any field may be given."""
    config = RoomConfig(tables or (table_config(),), port=0, data=folder / "room", guest_chips=1000)
    config = attrs.evolve(config, guests_per_minute=10**6)
    return attrs.evolve(config, **changes)


def account(config: RoomConfig, name: str = "Ann", chips: int = 500) -> str:
    """Make a player with an account before the room opens; returns the words with which they come in."""
    with Ledger(config.data) as ledger:
        _, token = register(ledger, name, chips)
    return f"name={name} token={token}"


def standings_of(ledger: Ledger) -> list[tuple[str, str, int, int]]:
    """The standings of everybody who has played, the best first."""
    rows = [row for player in ledger.players() if (row := ledger.standing(player)) is not None]
    return sorted(rows, key=lambda row: (-row[3], row[0]))


async def until(holds: Callable[[], object]) -> None:
    """Wait for something that nobody tells of; a test's own limit of time ends it."""
    while not holds():  # noqa: ASYNC110
        await trio.sleep(0.01)


async def play_each(
    guests: Sequence[Guest], hands: int = 1 << 30, act: Callable[[str], str] = lambda betting: "c"
) -> None:
    """Let all of some guests play until each has seen the end of so many hands, or has lost the seat."""
    async with trio.open_nursery() as playing:
        for guest in guests:
            playing.start_soon(guest.play_hands, hands, act)


class Guest(Player):
    """A client of a room that sees every line, and keeps the room's notes on the next hand."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self.notes: dict[str, str] = {}
        self.hands: list[str] = []
        """The final states of the hands that it saw."""
        self._played = 0  # the number of lines that `play_hands` has handled

    async def line(self) -> str | None:
        line = await super().line()
        if line is not None and line.startswith("#"):
            name, _, text = line[1:].partition(" ")
            self.notes[name] = text
        return line

    async def until(self, start: str) -> str:
        """The next line that begins with a text; lines before it are skipped."""
        while (line := await self.line()) is not None:
            if line.startswith(start):
                return line
        raise AssertionError(f"the connection ended before {start}")

    async def enter(self, words: str = "") -> None:
        """Come into the lobby."""
        await self.say(VERSION, f"#riverboat/1 lobby seat names game stacks commit {words}".rstrip())
        await self.until("#lobby")

    async def sit_down(self, table: str = "a", words: str = "", chips: str = "") -> None:
        """Come into the lobby and take a seat."""
        await self.enter(words)
        await self.say(f"#join {table} {chips}".rstrip())
        await self.until("#seated")

    def game(self) -> GameDefinition:
        """The game of the current hand."""
        game = _parsed(self.notes["game"].replace(";", "\n"))
        return attrs.evolve(game, stacks=tuple(map(int, self.notes["stacks"].split("|"))))

    async def until_asked(self) -> None:
        """Read until this guest is to act."""
        while True:
            position, _, betting, _ = split_state(await self.until("MATCHSTATE"))
            if betting_state(self.game(), betting).position_to_act == position:
                return

    async def play_hands(self, hands: int, act: Callable[[str], str] = lambda betting: "c") -> None:
        """Play until so many hands are over, or the seat is lost."""
        is_new = len(self.lines) != self._played and self.lines[-1].startswith("MATCHSTATE")
        waiting = [self.lines[-1]] if is_new else []
        while hands:
            line = waiting.pop() if waiting else await self.line()
            self._played = len(self.lines)
            if line is None or line.startswith("#lobby"):
                return
            if line.startswith("#"):
                continue
            position, _, betting, _ = split_state(line)
            state = betting_state(self.game(), betting)
            if state.position_to_act == position:
                await self.say(f"{line}:{act(betting)}")
            elif state.is_finished:
                self.hands.append(line)
                hands -= 1


@attrs.define(eq=False)
class OpenRoom:
    """An open room."""

    room: Room
    addresses: Addresses
    console: Recorder
    nursery: trio.Nursery
    _guests: list[Guest] = attrs.Factory(list)

    async def connect(self, port: int | None = None) -> Guest:
        """A guest who has connected, and has sent nothing yet."""
        guest = Guest(await trio.open_tcp_stream("127.0.0.1", port or self.addresses.port))
        self._guests.append(guest)
        return guest

    def close(self) -> None:
        """Close all connections of this side."""
        for guest in self._guests:
            guest.stream.socket.close()

    async def play(
        self, guests: list[Guest], hands: int, act: Callable[[str], str] = lambda betting: "c"
    ) -> None:
        """Let some guests play until so many hands in all are over at the first table."""
        async with trio.open_nursery() as playing:
            for guest in guests:
                playing.start_soon(guest.play_hands, 1 << 30, act)
            await self.have_played(hands)
            playing.cancel_scope.cancel()

    def chips_of(self, name: str) -> int:
        """The chips in a player's account."""
        player = self.room.ledger.player(name)
        assert player is not None
        return player.chips

    def won(self) -> dict[str, int]:
        """What everybody has won, by name."""
        return {name: chips for name, _, _, chips in standings_of(self.room.ledger)}

    async def have_played(self, hands: int, table: str = "a") -> None:
        """Wait until so many hands in all are over at a table."""
        while self.room.tables[table].hands_played < hands:
            await self.console.hand_is_over()

    async def enter(self, words: str = "") -> Guest:
        """A guest who has come into the lobby."""
        guest = await self.connect()
        await guest.enter(words)
        return guest

    async def sit_down(self, table: str = "a", words: str = "", chips: str = "") -> Guest:
        """A guest who has taken a seat."""
        guest = await self.connect()
        await guest.sit_down(table, words, chips)
        return guest

    async def seated(self, *names: str) -> list[Guest]:
        """Guests of these names who have taken seats."""
        return [await self.sit_down(words=f"name={name}") for name in names]

    def start_soon(self, function: Callable[..., Awaitable[object]], *arguments: object) -> None:
        """Run a task for as long as the room is open."""
        self.nursery.start_soon(function, *arguments)


@asynccontextmanager
async def room_of(config: RoomConfig) -> AsyncIterator[OpenRoom]:
    """A room that is open for the block, then closed in good order; checks that its ledger adds up."""
    console = Recorder()
    room = Room(config, console)
    async with trio.open_nursery() as nursery:
        addresses = await nursery.start(room.run)
        async with trio.open_nursery() as people:
            open_room = OpenRoom(room, addresses, console, people)
            try:
                yield open_room
            finally:
                people.cancel_scope.cancel()
        open_room.close()
        check = room.ledger.check()
        assert check.faults == (), check.faults
        room.drain()
        await room.closed.wait()
    assert room.faults == 0, console.stderr
