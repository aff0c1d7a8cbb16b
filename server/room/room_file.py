"""``room.toml``: a room as its operator describes it.

Every mistake is reported in one line that says where it is and what was expected there.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from engine.poker.rules import GameDefinition, GameDefinitionError, load_game, no_such_game
from engine.support.user_input import did_you_mean
from server.room.config import (
    DEFAULT_HTTP,
    NAME,
    Certificate,
    Policy,
    RoomConfig,
    RoomError,
    TableConfig,
    with_stakes,
)
from server.room.rules.line_up import Entry, posts_blinds
from server.room.rules.settling import Rake
from server.table.config import MOST_SECONDS, TimeLimits
from server.table.sit_and_go.terms import DEFAULT_LEVELS, DEFAULT_PAYOUTS, DEFAULT_STACK, Level, SitAndGo

_MOST_CHIPS: Final = 2**31 - 1
# The ACPC's stacks are 32-bit integers.
_RING_ONLY: Final = (
    "least",
    "most",
    "rake",
    "rake_cap",
    "joining",
    "rebuy",
    "port",
    "port_without_tls",
    "seats_for_one",
)
_SIT_AND_GO_ONLY: Final = ("buy_in", "stack", "payouts", "levels")
_ROUNDING: Final = 1e-6
_HEAD: Final = re.compile(r"\s*\[{1,2}\s*([\w.]+)\s*\]{1,2}")


def load_room(path: Path) -> RoomConfig:
    """The room that a file describes.

    Raises:
        RoomError: the file cannot be read, or says something impossible.
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
    """Reads a file's values, and knows which lines they are in."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()

    def fault(self, section: str, key: str | None, what: str) -> RoomError:
        """What is wrong, with file and line."""
        line = self._line(section, key)
        return RoomError(f"{self._path}{f':{line}' if line else ''}: {what}")

    def _line(self, section: str, key: str | None) -> int | None:
        """The line in which a key of a section is.

        Args:
            section: ``room``, ``room.tls``, one of the tables, such as ``table 0``, or a section of a table,
                such as ``table 0 levels 2``.
            key: None for the section's own line.
        """
        name, *numbers = section.split()
        start = self._head(name, int(numbers[0]) if numbers else 0, 0)
        if len(numbers) > 1 and start is not None:
            within = self._head(f"{name}.{numbers[1]}", int(numbers[2]), start)
            if within is None:  # it is an inline table
                key = numbers[1]
            start = within or start
        if start is None:
            return None
        for number, line in enumerate(self._lines[start:], start + 1):
            if _HEAD.match(line):
                break
            if key is not None and re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", line):
                return number
        return start

    def _head(self, name: str, index: int, after: int) -> int | None:
        """The line of a section's header; the first of its name has index 0."""
        for number, line in enumerate(self._lines[after:], after + 1):
            head = _HEAD.match(line)
            if head and head.group(1) == name:
                if index == 0:
                    return number
                index -= 1
        return None

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
        policy = Policy(read.one_of("policy", "ring", tuple(Policy)))
        self._fits_policy(section, policy, data)
        sit_and_go = self._sit_and_go(section, read, game) if policy is Policy.SIT_AND_GO else None
        buy_in = read.whole("buy_in", 0 if sit_and_go is None else sit_and_go.stack, 0, _MOST_CHIPS)
        table = TableConfig(
            name=name,
            game=game,
            game_text=text,
            policy=policy,
            fill=read.texts("fill"),
            least=read.whole("least", buy_in, 0, _MOST_CHIPS),
            most=read.whole("most", buy_in, 0, _MOST_CHIPS),
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
            sit_and_go=sit_and_go,
        )
        read.end()
        if table.policy is Policy.SIT_AND_GO:
            return table
        table = with_stakes(table)
        if table.least > table.most:
            raise self.fault(
                section, "most", f"expected at least {table.least}, as least is, got {table.most}"
            )
        if table.policy is Policy.RING and table.least < game.big_blind + max(game.antes):
            raise self.fault(section, "least", f"expected the big blind, {game.big_blind}, or more")
        if not posts_blinds(game) and table.joining is Entry.POSTS:
            raise self.fault(section, "joining", "expected 'waits': the game has no big blind to post")
        return table

    def _fits_policy(self, section: str, policy: Policy, data: Mapping[str, Any]) -> None:
        """Make sure that all keys exist for tables of this policy."""
        is_sit_and_go = policy is Policy.SIT_AND_GO
        for key in _RING_ONLY if is_sit_and_go else _SIT_AND_GO_ONLY:
            if key in data:
                goes = 'with policy = "sit-and-go"'
                raise self.fault(
                    section, key, f"{key} does not go {goes}" if is_sit_and_go else f"{key} goes {goes}"
                )

    def _sit_and_go(self, section: str, read: _Values, game: GameDefinition) -> SitAndGo:
        if game.is_limit or not posts_blinds(game):
            raise self.fault(section, "game", "expected a no-limit game with a small and a big blind")
        stack = read.whole("stack", DEFAULT_STACK, 2, _MOST_CHIPS // game.num_players)
        is_given = "payouts" in read
        payouts = read.numbers("payouts", DEFAULT_PAYOUTS)
        if abs(sum(payouts) - 1) > _ROUNDING or (is_given and len(payouts) > game.num_players):
            expected = f"up to {game.num_players} shares that add up to 1"
            raise self.fault(section, "payouts", f"payouts: expected {expected}, got {list(payouts)}")
        levels = tuple(
            [self._level(f"{section} levels {k}", each) for k, each in enumerate(read.sections("levels"))]
        )
        for number, level in enumerate(levels):
            if bool(level.hands) != bool(levels[0].hands):
                where = f"{section} levels {number}"
                raise self.fault(where, None, "expected levels by hands or by minutes, not some of each")
        levels = levels or DEFAULT_LEVELS
        least = levels[0].blinds[1] + levels[0].ante
        if stack < least:
            raise self.fault(section, "stack", f"expected the first big blind and ante, {least}, or more")
        return SitAndGo(stack, levels, payouts)

    def _level(self, section: str, data: Mapping[str, Any]) -> Level:
        read = _Values(self, section, dict(data))
        if ("hands" in read) == ("minutes" in read):
            raise self.fault(section, None, "expected either hands or minutes for which the level lasts")
        minutes = read.number("minutes", 1.0, 0.01, 1e6) if "minutes" in read else 0.0
        hands = read.whole("hands", 1, 1, 10**9) if "hands" in read else 0
        small = read.whole("small", None, 1, _MOST_CHIPS // 2)
        level = Level(
            hands,
            (small, read.whole("big", 2 * small, small, _MOST_CHIPS)),
            read.whole("ante", 0, 0, _MOST_CHIPS),
            minutes,
        )
        read.end()
        return level

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

    def __contains__(self, key: str) -> bool:
        """Whether a key is given, and has not been asked for."""
        return key in self._data

    def end(self) -> None:
        """Make sure that the section has nothing else."""
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

    def numbers(self, key: str, default: Sequence[float]) -> tuple[float, ...]:
        def is_right(value: Any) -> bool:
            return isinstance(value, list) and all(
                isinstance(each, int | float) and not isinstance(each, bool) and 0 <= each <= 1
                for each in value
            )

        return tuple(map(float, self._get(key, default, "a list of numbers from 0 to 1", is_right)))

    def sections(self, key: str) -> list[dict[str, Any]]:
        def is_right(value: Any) -> bool:
            return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)

        return list(self._get(key, (), f"sections [[table.{key}]]", is_right))

    def whole(self, key: str, default: int | None, least: int, most: int) -> int:
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
