"""Tables in this process, with real sockets: matches under test, and the clients that play in them.

Nothing here waits with a deadline of its own, so that virtual clocks jump to the server's deadlines and
to nothing else; a test that hangs is ended by pytest.
"""

import contextlib
import functools
import re
import socket
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final

import attrs
import trio

from engine.poker.match_key import MatchSeed
from engine.poker.rules import BettingState, GameDefinition, load_game, parse_betting
from protocol.records import HandRecord, parse_hand
from server.support.console import Console
from server.support.errors import FailureKind
from server.table.config import MatchConfig, OnFailure, TimeLimits
from server.table.match import MatchServer
from server.table.outcome import MatchOutcome
from tests.support.hands.golden_files import GOLDEN, GoldenLog

VERSION: Final = "VERSION:2.0.0"
Decider = Callable[[str], str | None]
"""Takes a match state, and returns the action of its addressee; None if it is not their turn."""
_ACTION: Final = re.compile(r"[fcr]\d*/*")


def match_config(
    game: str | GameDefinition = "leduc", hands: int = 1, seed: int = 0, **changes: Any
) -> MatchConfig:
    """A quiet match of a golden, packaged or other game between p0, p1, ...; any field may be given."""
    if isinstance(game, str):
        path = GOLDEN / f"{game}.game"
        text, definition = f"{game}.game", load_game(str(path) if path.exists() else game)
    else:
        text, definition = "GAME", game
    names = tuple(f"p{seat}" for seat in range(definition.num_players))
    config = MatchConfig("match", definition, text, hands, MatchSeed(seed), names, quiet=True)
    return attrs.evolve(config, **changes)


def folding_config(
    game: str | GameDefinition = "leduc", hands: int = 1, *, response: float = 10.0, **changes: Any
) -> MatchConfig:
    """A match that continues without a player who fails."""
    limits = TimeLimits(response=response, hand=3600.0, per_hand=3600.0)
    changes = {"limits": limits, "on_failure": OnFailure.FAIR, **changes}
    return match_config(game, hands, **changes)


def free_ports(number: int) -> list[int]:
    """Ports of this machine that nobody listens on."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@attrs.define(eq=False)
class Recorder(Console):
    """A console that keeps what a match reports."""

    stdout: str = ""
    stderr: str = ""
    hands: list[int] = attrs.Factory(list)
    _over: trio.Event = attrs.Factory(trio.Event)

    async def hand_is_over(self) -> None:
        """Wait until a hand ends."""
        await self._over.wait()

    def out(self, text: str) -> None:
        self.stdout += text

    def err(self, text: str) -> None:
        self.stderr += text

    def hand_finished(self, hand_number: int) -> None:
        self.hands.append(hand_number)
        self._over.set()
        self._over = trio.Event()

    @property
    def complaints(self) -> list[str]:
        """The lines on stderr that are neither header nor score, without the seat in a warning."""
        lines = [line for line in self.stderr.splitlines() if not line.startswith(("#", "SCORE:"))]
        return [re.sub(r"^WARNING: seat \d+ \(\w+\): ", "WARNING: ", line) for line in lines]


class Player:
    """A client in this process that sees every byte it is sent."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.lines: list[str] = []
        """All lines that it has been sent."""
        self.closed = trio.Event()
        """Set when `play` is over."""
        self._incoming = bytearray()

    async def say(self, *lines: str) -> None:
        """Send lines, in one write."""
        await self.stream.send_all("".join(f"{line}\r\n" for line in lines).encode())

    async def line(self) -> str | None:
        """The next line that it is sent; None if the dealer has closed."""
        while (end := self._incoming.find(b"\r\n")) < 0:
            try:
                data = await self.stream.receive_some(65536)
            except trio.BrokenResourceError:
                data = b""
            if not data:
                assert not self._incoming
                return None
            self._incoming += data
        line = self._incoming[:end].decode("ascii")
        del self._incoming[: end + 2]
        self.lines.append(line)
        return line

    async def heard(self, *wanted: str) -> None:
        """Assert that the next lines it is sent are these."""
        for line in wanted:
            assert await self.line() == line

    async def hear_out(self) -> list[str]:
        """All lines until the dealer closes."""
        start = len(self.lines)
        while await self.line() is not None:
            pass
        return self.lines[start:]

    async def answer(self, action: str) -> None:
        """Answer the last line it was sent."""
        await self.say(f"{self.lines[-1]}:{action}")

    async def play(self, decide: Decider) -> None:
        """Answer whenever it is to act, until the dealer closes."""
        async with self.stream:
            while (line := await self.line()) is not None:
                action = decide(line)
                if action is not None:
                    await self.say(f"{line}:{action}")
        self.closed.set()

    async def leave(self) -> None:
        """Close the connection."""
        await self.stream.aclose()


@attrs.define(eq=False)
class Table:
    """A match that is being served."""

    config: MatchConfig
    console: Recorder = attrs.Factory(Recorder)
    _server: MatchServer | None = None
    _outcome: MatchOutcome | None = None
    _over: trio.Event = attrs.Factory(trio.Event)
    _players: list[Player] = attrs.Factory(list)
    _nursery: trio.Nursery | None = None

    def start_soon(self, function: Callable[..., Awaitable[object]], *arguments: object) -> None:
        """Run a task for as long as the table is there; only for `table_of`."""
        assert self._nursery is not None
        self._nursery.start_soon(function, *arguments)

    def close(self) -> None:
        """Close all connections of this side."""
        for player in self._players:
            player.stream.socket.close()

    @property
    def server(self) -> MatchServer:
        assert self._server is not None
        return self._server

    async def serve(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Play the match; started when its ports are open."""
        server = self._server = MatchServer(self.config, self.console)
        server.open()
        task_status.started()
        self._outcome = await server.run()
        self._over.set()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    async def outcome(self) -> MatchOutcome:
        """Wait for the end of the match, and return its outcome."""
        await self._over.wait()
        assert self._outcome is not None
        return self._outcome

    def failures(self, seat: int) -> list[FailureKind]:
        """The kinds of failures of a seat so far, in order."""
        return [failure.kind for failure in self.server.seats[seat].failures]

    async def connect(self, seat: int) -> Player:
        """A client that has connected to a seat's port, and has sent nothing yet."""
        player = Player(await trio.open_tcp_stream("127.0.0.1", self.server.ports[seat]))
        self._players.append(player)
        return player

    async def join(self, seat: int, *lines: str) -> Player:
        """A client that has sat down, by sending the version line and perhaps others."""
        player = await self.connect(seat)
        await player.say(VERSION, *lines)
        return player

    async def join_all(self, *seats: int) -> list[Player]:
        """Clients at these seats, or at all seats."""
        return [await self.join(seat) for seat in seats or range(len(self.config.names))]


async def open_table(nursery: trio.Nursery, config: MatchConfig) -> Table:
    """Serve a match in a nursery."""
    table = Table(config)
    await nursery.start(table.serve)
    return table


@asynccontextmanager
async def table_of(config: MatchConfig) -> AsyncIterator[Table]:
    """A table that exists for the block; whatever is still running at its end is cancelled."""
    async with trio.open_nursery() as nursery:
        table = await open_table(nursery, config)
        table._nursery = nursery
        try:
            yield table
        finally:
            table.close()
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def seated(config: MatchConfig, *greetings: str) -> AsyncIterator[tuple[Table, list[Player]]]:
    """A table with a player in every seat; the first of them greet it."""
    async with table_of(config) as table:
        words = [[greeting] for greeting in greetings] + [[]] * (len(config.names) - len(greetings))
        yield table, [await table.join(seat, *lines) for seat, lines in enumerate(words)]


async def small_stream(port: int) -> trio.SocketStream:
    """A connection with the smallest buffers that the system allows."""
    sock = trio.socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    with contextlib.suppress(OSError):  # smaller than some systems allow
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 88)
    await sock.connect(("127.0.0.1", port))
    return trio.SocketStream(sock)


async def play_match(config: MatchConfig, deciders: Iterable[Decider]) -> tuple[Table, list[Player]]:
    """Play a whole match with a player of this process in every seat."""
    async with trio.open_nursery() as nursery:
        table = await open_table(nursery, config)
        players = await table.join_all()
        for player, decide in zip(players, deciders, strict=True):
            nursery.start_soon(player.play, decide)
    return table, players


def split_state(line: str) -> tuple[int, int, str, str]:
    """Position, hand number, betting and cards of a match state."""
    name, position, hand, betting, cards = line.split(":")
    assert name == "MATCHSTATE"
    return int(position), int(hand), betting, cards


def is_to_act(game: GameDefinition, line: str) -> bool:
    """Whether a line is a state in which its addressee is to act."""
    if line.startswith("#"):
        return False
    position, _, betting, _ = split_state(line)
    return betting_state(game, betting).position_to_act == position


@functools.lru_cache(maxsize=65536)
def betting_state(game: GameDefinition, betting: str) -> BettingState:
    return parse_betting(game, betting)


def always(game: GameDefinition, action: str) -> Decider:
    """A decider that always plays one action."""
    return lambda line: action if is_to_act(game, line) else None


def state_determined(game: GameDefinition) -> Decider:
    """A decider that plays wildly, but by the state alone, so that it continues unchanged after a restart."""

    def decide(line: str) -> str | None:
        if not is_to_act(game, line):
            return None
        number = zlib.crc32(line.encode())
        letter = "fcccrrr"[number % 7]
        return letter if game.is_limit or letter != "r" else f"r{number // 7 % 30000}"

    return decide


def replaying(log: GoldenLog) -> Decider:
    """A decider that plays the actions of a log, for any seat."""
    turns: dict[tuple[int, str], tuple[int, str]] = {}
    for record in log.records:
        parts = _ACTION.findall(record.betting)
        assert "".join(parts) == record.betting
        steps = betting_state(log.game, record.betting).steps()
        for number, (_, position, action) in enumerate(steps):
            turns[record.hand_number, "".join(parts[:number])] = position, str(action)

    def decide(line: str) -> str | None:
        position, hand, betting, _ = split_state(line)
        acting, action = turns.get((hand, betting), (None, None))
        return action if acting == position else None

    return decide


def conversations(game: GameDefinition, records: Iterable[HandRecord]) -> tuple[list[bytes], list[bytearray]]:
    """By seat: all replies that led to the hands of a log, and all messages that were sent.

    They are made from the text of the log; our rules only say whose turn it is, and who has folded.
    """
    num_seats = game.num_players
    said = [bytearray() for _ in range(num_seats)]
    told = [bytearray() for _ in range(num_seats)]
    for record in records:
        holes, *board = record.cards.split("/")
        cards = holes.split("|")
        end = parse_betting(game, record.betting)
        turns = [*end.steps(), None]
        parts = ["", *_ACTION.findall(record.betting)]
        private = ["|" * p + own + "|" * (num_seats - 1 - p) for p, own in enumerate(cards)]
        betting = ""
        for turn, part in zip(turns, parts, strict=True):
            betting += part
            if turn is None and end.is_showdown:
                for p in range(num_seats):
                    shown = [own if q == p or not end.folded[q] else "" for q, own in enumerate(cards)]
                    private[p] = "|".join(shown)
            public = "".join(f"/{part}" for part in board[: betting.count("/")])
            for p in range(num_seats):
                message = f"MATCHSTATE:{p}:{record.hand_number}:{betting}:{private[p]}{public}".encode()
                seat = (p + record.hand_number) % num_seats
                told[seat] += message + b"\r\n"
                if turn is not None and turn[1] == p:
                    said[seat] += b"%s:%s\r\n" % (message, str(turn[2]).encode())
    return [bytes(lines) for lines in said], told


def hands_logged(config: MatchConfig) -> list[HandRecord]:
    """The hands in a match's log."""
    assert config.log_path is not None
    lines = config.log_path.read_text().splitlines()
    return [record for line in lines if (record := parse_hand(line)) is not None]


def lines_told(config: MatchConfig) -> list[list[str]]:
    """By seat: the lines that the players were sent, according to the match's log, if none of them failed."""
    _, told = conversations(config.game, hands_logged(config))
    return [lines.decode().split("\r\n")[:-1] for lines in told]
