"""The sources of a report: match logs, what else a match's folder contains, and how to play it again.

A folder may come from anybody: nothing in it is trusted, and no path that it names is followed.
"""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from engine.support.files.formats import parse_json
from engine.support.user_input import printable
from server.records.batches import group_passes
from server.records.logs import RESULT_FILE, LogError, MatchLog, find_logs, open_log
from server.records.match_defaults import MATCH_DEFAULTS
from server.records.review.counts import Passes
from server.support.private_files import tail_of
from server.table.config import FORMER_POLICIES

_MOST_RESULT: Final = 1 << 24
_TAIL_BYTES: Final = 8192
_TAIL_LINES: Final = 20


class Record:
    """An object of a JSON file, read without trust: values of a wrong type count as missing."""

    def __init__(self, value: object = None) -> None:
        self._value: Mapping[str, Any] = value if isinstance(value, dict) else {}

    def __bool__(self) -> bool:
        return bool(self._value)

    def names(self) -> list[str]:
        """Its keys."""
        return [key for key in self._value if isinstance(key, str)]

    def text(self, key: str) -> str | None:
        """A text, made printable; None if missing."""
        value = self._value.get(key)
        return printable(value, "\n") if isinstance(value, str) else None

    def number(self, key: str) -> float | None:
        """A finite number; None if missing."""
        value = self._value.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            return value if math.isfinite(value) else None
        except OverflowError:  # a whole number beyond any double
            return None

    def whole(self, key: str) -> int | None:
        """A whole number of any size; None if missing."""
        value = self._value.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, key: str) -> bool:
        """Whether a value is true."""
        return self._value.get(key) is True

    def record(self, key: str) -> Record:
        """An object; an empty one if missing."""
        return Record(self._value.get(key))

    def records(self, key: str) -> list[Record]:
        """The objects of a list."""
        return list(map(Record, self._list(key)))

    def texts(self, key: str) -> list[str]:
        """The texts of a list, made printable."""
        return [printable(each, "\n") for each in self._list(key) if isinstance(each, str)]

    def numbers(self, key: str) -> list[float]:
        """The finite numbers of a list."""
        found = [Record({"": each}).number("") for each in self._list(key)]
        return [each for each in found if each is not None]

    def _list(self, key: str) -> list[Any]:
        value = self._value.get(key)
        return value if isinstance(value, list) else []


@attrs.frozen
class Source:
    """The logs of a report, and what else is known of their match."""

    title: str
    matches: tuple[Passes, ...]
    folder: Path | None
    """The folder of the match, if all logs are in one."""
    result: Record
    """The contents of ``result.json`` in the folder; empty without one."""
    warnings: tuple[str, ...]
    """Warnings about the sources, in lines."""

    @property
    def logs(self) -> tuple[MatchLog, ...]:
        """All logs, match by match."""
        return tuple([log for passes in self.matches for log in passes])

    def last_words(self) -> dict[str, list[str]]:
        """The last lines that players wrote to stderr, by the names of their files without ``.err``."""
        if self.folder is None:
            return {}
        folders = [self.folder / "players", *sorted(self.folder.glob("pass-*/players"))]
        return {
            printable(str(path.relative_to(self.folder)).removesuffix(".err")): lines
            for folder in folders
            for path in sorted(folder.glob("*.err"))
            if (lines := last_lines(path))
        }

    def checksums(self) -> list[tuple[str, str]]:
        """The name and SHA-256 of each log."""
        return [(self._name(log.path), _checksum(log.path)) for log in self.logs]

    def _name(self, path: Path) -> str:
        inside = self.folder is not None and path.is_relative_to(self.folder)
        return printable(str(path.relative_to(self.folder) if inside and self.folder else path))


def open_source(paths: Sequence[Path], game: str | None = None) -> Source:
    """Scan folders of matches, and logs.

    Args:
        paths: the folders and logs.
        game: the game played, if the logs do not say.

    Raises:
        LogError: something cannot be read; the message is one line.
    """
    logs = [open_log(path, game) for path in find_logs(paths)]
    folder = paths[0] if len(paths) == 1 and paths[0].is_dir() else None
    result, warnings = _read_result(folder) if folder is not None else (Record(), [])
    for log in logs:
        warnings += log.warnings
    if not any(log.num_hands for log in logs) and not result:
        where = ", ".join([str(log.path) for log in logs])
        raise LogError(f"{where}: there are no hands to report on")
    title = folder.resolve().name if folder else ", ".join([log.path.name for log in logs[:3]])
    title += f" and {len(logs) - 3} more" if folder is None and len(logs) > 3 else ""
    return Source(printable(title), _matches(logs, result), folder, result, tuple(map(printable, warnings)))


def _matches(logs: Sequence[MatchLog], result: Record) -> tuple[Passes, ...]:
    """The logs grouped by match; those of a duplicate match are its passes, however few cards they show."""
    played = [log for log in logs if log.num_hands]
    if not played:
        return (tuple(logs[:1]),)
    if result.flag("duplicate") and len(played) == len(logs) > 1:
        return (tuple(logs),)
    return group_passes(played)


def _read_result(folder: Path) -> tuple[Record, list[str]]:
    """``result.json`` of a folder, and warnings about it."""
    path = folder / RESULT_FILE
    if not path.exists():
        return Record(), []
    try:
        if path.stat().st_size > _MOST_RESULT:
            raise ValueError(f"expected {_MOST_RESULT} bytes at most")
        result = Record(parse_json(path.read_text("utf-8")))
        if not result:
            raise ValueError("expected a JSON object")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Record(), [f"{path}: it is passed over: {reason}"]
    return result, []


def last_lines(path: Path) -> list[str]:
    """The last lines of a file, made printable; none if it is not a plain file but, for example, a link."""
    data = tail_of(path, _TAIL_BYTES + 1)
    lines = data.decode("utf-8", "replace").splitlines()
    whole = lines[1:] if len(data) > _TAIL_BYTES else lines
    return [printable(line) for line in whole[-_TAIL_LINES:]]


def _checksum(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def how_to_repeat(source: Source) -> dict[str, Any]:
    """All that is known about replaying a match: command, seed or key, versions, logs."""
    result, logs = source.result, source.logs
    headers = [log.header for log in logs if log.header is not None]
    checksums = source.checksums()
    commands = [_match_command(result)] if result else [_dealer_command(log) for log in logs]
    known = {
        "commands": [command for command in commands if command],
        "checks": [printable(shlex.join(["riverboat", "verify", name])) for name, _ in checksums],
        "seed": _seed(result) or next((printable(header.seed) for header in headers), None),
        "key": result.text("key") or next((printable(key) for log in logs for key in log.keys), None),
        "commitment": result.text("commitment")
        or next((printable(each) for log in logs for each in log.commitments), None),
        "player_seeds": {
            player.text("name") or "": [str(int(seed)) for seed in seeds]
            for player in result.records("players")
            if (seeds := player.numbers("player_seeds"))
        },
        **{key: result.text(key) for key in ("version", "started", "finished")},
        "logs": [{"log": name, "sha256": checksum} for name, checksum in checksums],
    }
    return {key: value for key, value in known.items() if value not in (None, {}, [])}


def _seed(result: Record) -> str | None:
    seed = result.whole("seed")
    return None if seed is None else str(seed)


def _match_command(result: Record) -> str | None:
    """The command line of ``riverboat match``; options that have their defaults are left out."""
    game, players, seed = result.text("game"), result.texts("commands"), result.text("key") or _seed(result)
    if not (game and players and seed):
        return None
    options = result.record("options")
    words = ["riverboat", "match", game, *players, "--seed", seed]
    hands = options.whole("hands") or result.whole("deals")
    words += ["--hands", str(hands)] if hands else []
    words += ["--duplicate"] if result.flag("duplicate") else []
    until = result.record("until")
    bound = until.number("mbb_per_hand")
    if bound is not None:
        words += ["--until", f"{bound:g}"]
    elif until.text("goal") == "decided":
        words += ["--until", "decided"]
    words += ["--fixed-seats"] if options.flag("fixed_seats") else []
    words += ["--sandbox"] if options.flag("sandbox") else []
    for key in ("show", "write", "network", "pass_env"):
        words += [f"--{key.replace('_', '-')}={value}" for value in options.texts(key)]
    for key, default in attrs.asdict(MATCH_DEFAULTS).items():
        number, text = options.number(key), options.text(key)
        text = FORMER_POLICIES.get(text or "", text)
        value = f"{number:g}" if number is not None else text
        if value is not None and default not in (number, text):
            words += [f"--{key.replace('_', '-')}", value]
    return printable(shlex.join(words))


def _dealer_command(log: MatchLog) -> str | None:
    """The command line of ``riverboat dealer``; None if the header does not have what it needs."""
    header = log.header
    if header is None or header.hands is None or not header.seed.isdecimal():
        return None
    words = [header.name, header.game, str(header.hands), header.seed, *log.players]
    return printable(shlex.join(["riverboat", "dealer", *words]))
