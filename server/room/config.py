"""What a room is, as its operator writes it down: ``room.toml``.

Every mistake is one line that says where it stands and what was expected there.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import attrs

from engine.rules import GameDefinition, GameDefinitionError, load_game, no_such_game
from engine.user_input import did_you_mean
from server.room.tables.line_up import Entry, posts_blinds
from server.room.tables.settling import Rake
from server.table.config import MOST_SECONDS, TimeLimits

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
"""Names of players and tables: for logs, addresses and pages alike."""
DEFAULT_HTTP: Final = 8000
_MOST_CHIPS: Final = 2**31 - 1
# The ACPC's stacks are 32-bit integers.


class RoomError(Exception):
    """The room cannot be as it is asked for; the message is one line."""


class Policy(StrEnum):
    """How chips and hands belong together at a table."""

    MATCH = "match"
    """Everybody begins every hand with the game's stacks; what is won is a score and no chips."""
    RING = "ring"
    """Chips are brought to the table, carry over from hand to hand, and are taken away again."""


@attrs.frozen
class TableConfig:
    """A table of the room."""

    name: str
    game: GameDefinition
    game_text: str
    """The game as the operator named it."""
    policy: Policy = Policy.RING
    fill: tuple[str, ...] = ()
    """Bots of the house that take empty seats, in turn, and make room for others."""
    least: int = 0
    """Chips to bring at least."""
    most: int = 0
    """Chips to bring at most, top-ups included."""
    rake: Rake = attrs.field(factory=Rake)
    joining: Entry = Entry.WAITS
    """On what condition newcomers are dealt in."""
    rebuy: bool = True
    """Who has lost all chips brings the same again, as long as there are enough in the account."""
    seats_for_one: bool = False
    """One player may have several seats."""
    alone: bool = False
    """Bots of the house play although nobody else is there."""
    pause_s: float = 0.0
    """Between two hands."""
    limits: TimeLimits = attrs.field(factory=lambda: TimeLimits(30.0, 600.0, 1e6, grace=10.0))
    keep_seat_s: float = 120.0
    """For which the seat of somebody who has lost the connection, or sits out, is kept."""
    port: int | None = None
    """Where plain ACPC clients take a seat; 0 for any port, None for none."""
    port_without_tls: bool = False
    """No TLS is spoken there, whatever the room speaks: clients of old do not."""

    @property
    def seats(self) -> int:
        """How many there are."""
        return self.game.num_players

    @property
    def usual(self) -> int:
        """Chips that somebody brings who does not say how many."""
        return min(self.most, max(self.least, 100 * self.game.big_blind))


@attrs.frozen
class Certificate:
    """What TLS is spoken with."""

    certificate: Path
    key: Path


@attrs.frozen
class RoomConfig:
    """A room."""

    tables: tuple[TableConfig, ...]
    host: str = "127.0.0.1"
    port: int = 4000
    data: Path = Path("room")
    """The folder of the ledger and the logs."""
    guests: bool = True
    """Whoever has no token may play, under a name that is nobody's."""
    guest_chips: int = 100_000
    """That a guest is given, and which go back when they leave."""
    connections: int = 5000
    """Most connections at a time."""
    connections_per_address: int = 1000
    """The same from one address."""
    guesses_per_minute: int = 10
    """Wrong tokens from one address, after which it has to wait."""
    requests_per_second: float = 20.0
    """That are read of one client."""
    tls: Certificate | None = None
    http: int | None = DEFAULT_HTTP
    """The port of the pages for people; 0 for any, None for no pages."""
    is_http_chosen: bool = False
    """The operator has named it; otherwise another is as good."""
    show_cards_after: float = 0.0
    """Seconds after a hand's end in which pages do not tell what its showdown has shown."""


def default_room() -> RoomConfig:
    """The room without a file: three ring tables on loopback, with bots that make room."""
    bots = ("simple", "hand-strength", "random")
    return RoomConfig(
        tuple(
            [
                _with_stakes(TableConfig(name, load_game(name), name, fill=bots, port=0))
                for name in ("limit-2p", "limit-6p", "nolimit-6p")
            ]
        )
    )


def _with_stakes(table: TableConfig) -> TableConfig:
    """A table with buy-ins for those that are not given: 20 to 200 big blinds."""
    blind = table.game.big_blind
    least = table.least or 20 * blind
    return attrs.evolve(table, least=least, most=table.most or max(least, 200 * blind))


# --- reading -----------------------------------------------------------------------------------------------


def load_room(path: Path) -> RoomConfig:
    """The room that a file describes.

    Raises:
        RoomError: the file cannot be read, or says something that cannot be.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise RoomError(f"{path}: {getattr(error, 'strerror', None) or 'it is not text'}") from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"at line (\d+), column \d+", str(error))
        line = f":{where.group(1)}" if where else ""
        raise RoomError(f"{path}{line}: not TOML: {str(error).partition(' (at ')[0]}") from error
    return _Reader(path, text).room(data)


class _Reader:
    """Reads a file's values, and knows the lines they stand in."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()

    def fault(self, section: str, key: str | None, what: str) -> RoomError:
        """What is wrong, with file and line."""
        line = self._line(section, key)
        return RoomError(f"{self._path}{f':{line}' if line else ''}: {what}")

    def _line(self, section: str, key: str | None) -> int | None:
        """Where a key of a section stands: ``room``, ``room.tls``, or one table of them all, ``table 0``."""
        name, _, index = section.partition(" ")
        left = int(index or 0)
        start = None
        for number, line in enumerate(self._lines, 1):
            head = re.match(r"\s*\[{1,2}\s*([\w.]+)\s*\]{1,2}", line)
            if head:
                if start is not None:
                    break
                if head.group(1) == name:
                    if left == 0:
                        start = number
                    left -= 1
            elif start is not None and key is not None and re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", line):
                return number
        return start

    def room(self, data: Mapping[str, Any]) -> RoomConfig:
        self._known("", data, ("room", "table"))
        room = self._section(data, "room")
        tables = data.get("table", [])
        if not isinstance(tables, list) or not tables or not all(isinstance(each, dict) for each in tables):
            raise RoomError(f"{self._path}: expected at least one [[table]]")
        read = _Values(self, "room", room)
        tls = room.pop("tls", None)
        config = RoomConfig(
            tables=tuple([self._table(f"table {number}", each) for number, each in enumerate(tables)]),
            host=read.text("host", "127.0.0.1"),
            port=read.whole("port", 4000, 0, 65535),
            data=self._path.parent / read.text("data", "room"),
            guests=read.flag("guests", default=True),
            guest_chips=read.whole("guest_chips", 100_000, 0, _MOST_CHIPS),
            connections=read.whole("connections", 5000, 1, 1_000_000),
            connections_per_address=read.whole("connections_per_address", 1000, 1, 1_000_000),
            guesses_per_minute=read.whole("guesses_per_minute", 10, 1, 1000),
            requests_per_second=read.number("requests_per_second", 20.0, 0.1, 1e6),
            tls=None if tls is None else self._tls(tls),
            is_http_chosen="http" in room,
            http=read.port_or_none("http", DEFAULT_HTTP),
            show_cards_after=read.number("show_cards_after", 0.0, 0.0, MOST_SECONDS),
        )
        read.end()
        names = [table.name for table in config.tables]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise self.fault(f"table {number}", "name", f"there is a table {name} already")
        return config

    def _section(self, data: Mapping[str, Any], name: str) -> dict[str, Any]:
        section = data.get(name, {})
        if not isinstance(section, dict):
            raise self.fault(name, None, f"expected a section [{name}]")
        return dict(section)

    def _known(self, section: str, data: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for key in data:
            if key not in known:
                raise self.fault(
                    section or key, None, f"there is no section [{key}]{did_you_mean(key, known)}"
                )

    def _tls(self, data: object) -> Certificate:
        if not isinstance(data, dict):
            raise self.fault("room", "tls", "expected a section [room.tls] with certificate and key")
        read = _Values(self, "room.tls", dict(data))
        folder = self._path.parent
        pair = Certificate(folder / read.text("certificate"), folder / read.text("key"))
        read.end()
        return pair

    def _table(self, section: str, data: Mapping[str, Any]) -> TableConfig:
        read = _Values(self, section, dict(data))
        name = read.text("name")
        if not NAME.fullmatch(name):
            expected = "1 to 32 letters, digits and _ . -, the first a letter or a digit"
            raise self.fault(section, "name", f"expected a name of {expected}, got {name!r}")
        text = read.text("game", name)
        game = self._game(section, text)
        limits = TimeLimits(
            response=read.number("seconds", 30.0, 0.1, MOST_SECONDS),
            hand=read.number("seconds_per_hand", 600.0, 0.1, MOST_SECONDS),
            per_hand=1e6,
            grace=read.number("grace", 10.0, 0.0, MOST_SECONDS),
        )
        table = TableConfig(
            name=name,
            game=game,
            game_text=text,
            policy=Policy(read.one_of("policy", "ring", tuple(Policy))),
            fill=read.texts("fill"),
            least=read.whole("least", 0, 0, _MOST_CHIPS),
            most=read.whole("most", 0, 0, _MOST_CHIPS),
            rake=Rake(read.number("rake", 0.0, 0.0, 0.2), read.whole("rake_cap", 0, 0, _MOST_CHIPS)),
            joining=Entry(read.one_of("joining", "waits", ("waits", "posts"))),
            rebuy=read.flag("rebuy", default=True),
            seats_for_one=read.flag("seats_for_one", default=False),
            alone=read.flag("alone", default=False),
            pause_s=read.number("pause", 0.0, 0.0, 3600.0),
            limits=limits,
            keep_seat_s=read.number("keep_seat", 120.0, 0.0, MOST_SECONDS),
            port=read.port("port"),
            port_without_tls=read.flag("port_without_tls", default=False),
        )
        read.end()
        table = _with_stakes(table)
        if table.least > table.most:
            raise self.fault(
                section, "most", f"expected at least {table.least}, as least is, got {table.most}"
            )
        if table.policy is Policy.RING and table.least < game.big_blind + max(game.antes):
            raise self.fault(section, "least", f"expected the big blind, {game.big_blind}, or more")
        if not posts_blinds(game) and table.joining is Entry.POSTS:
            raise self.fault(section, "joining", "expected 'waits': the game has no big blind to post")
        return table

    def _game(self, section: str, text: str) -> GameDefinition:
        beside = self._path.parent / text
        try:
            return load_game(str(beside) if beside.is_file() else text)
        except OSError as error:
            reason = no_such_game(text, error.strerror or str(error))
            raise self.fault(section, "game", reason) from error
        except GameDefinitionError as error:
            raise self.fault(section, "game", str(error)) from error


class _Values:
    """The values of one section, each asked for once."""

    def __init__(self, reader: _Reader, section: str, data: dict[str, Any]) -> None:
        self._reader = reader
        self._section = section
        self._data = data
        self._asked: list[str] = []

    def end(self) -> None:
        """Nothing else may stand there."""
        for key in self._data:
            hint = did_you_mean(key, self._asked)
            raise self._reader.fault(self._section, key, f"there is no setting {key!r}{hint}")

    def _get(self, key: str, default: Any, expected: str, is_right: Callable[[Any], bool]) -> Any:
        self._asked.append(key)
        value = self._data.pop(key, default)
        if value is None:
            raise self._reader.fault(self._section, key, f"expected {key} = {expected}, there is none")
        if value is not default and not is_right(value):
            raise self._reader.fault(self._section, key, f"{key}: expected {expected}, got {value!r}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        return str(self._get(key, default, "a text", lambda value: isinstance(value, str) and bool(value)))

    def texts(self, key: str) -> tuple[str, ...]:
        def is_right(value: Any) -> bool:
            return isinstance(value, list) and all(isinstance(each, str) and each for each in value)

        return tuple(self._get(key, (), "a list of texts", is_right))

    def flag(self, key: str, *, default: bool) -> bool:
        return bool(self._get(key, default, "true or false", lambda value: isinstance(value, bool)))

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        def is_right(value: Any) -> bool:
            return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

        return int(self._get(key, default, f"a whole number from {least} to {most}", is_right))

    def number(self, key: str, default: float, least: float, most: float) -> float:
        def is_right(value: Any) -> bool:
            return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most

        return float(self._get(key, default, f"a number from {least:g} to {most:g}", is_right))

    def one_of(self, key: str, default: str, options: tuple[str, ...]) -> str:
        expected = " or ".join(f'"{each}"' for each in options)
        return str(self._get(key, default, expected, lambda value: value in options))

    def port(self, key: str) -> int | None:
        return self.whole(key, 0, 0, 65535) if key in self._data else None

    def port_or_none(self, key: str, default: int) -> int | None:
        """A port, or ``false`` for none."""
        if self._data.get(key) is False:
            self._asked.append(key)
            del self._data[key]
            return None
        return self.whole(key, default, 0, 65535)
