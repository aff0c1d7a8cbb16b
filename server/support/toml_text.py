"""TOML as people write it: values with the places they stand at, and mistakes reported in one line.

tomllib says what a file holds but not where; a scan of headers and keys finds the places again.
"""

from __future__ import annotations

import contextlib
import math
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from engine.poker.rules import GameDefinition, GameDefinitionError, load_game, no_such_game
from engine.support.files.formats import why_unreadable
from engine.support.user_input import did_you_mean
from server.support.errors import told

_HEAD: Final = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*=""")
_HUGE: Final = re.compile("[0-9_]{4301}")  # digits that Python does not read
_AT: Final = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_MISSING: Final = object()

TomlPath = tuple[str | int, ...]
"""A table or a key of the file: names, and numbers in lists of tables."""
At = tuple[int, int]
"""Line and column, from 1."""


class FileMistake(ValueError):
    """A mistake in a file: one line with file, line and column."""


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        FileMistake: it cannot be read.
    """
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise FileMistake(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        byte = f"{error.object[error.start]:#04x}"
        raise FileMistake(f"{path}:{line}:{column}: expected UTF-8, got a byte {byte}") from None


def parse_toml(text: str, path: Path) -> Section:
    """The text of a file as a section.

    Raises:
        FileMistake: it is not TOML.
    """
    try:
        value = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        said = why_unreadable(error)
        found = _AT.search(said)
        huge = _HUGE.search(text)
        last = len(text[: huge.start() if huge else None].splitlines()) or 1
        line, column = found.groups() if found else (last, 1)
        at = f"{line or last}:{column or 1}"
        raise FileMistake(f"{path}:{at}: not TOML: {_AT.sub('', said)}") from None
    return Section(path, value, (), _places(text))


def _places(text: str) -> dict[TomlPath, At]:
    """The lines of tables and keys."""
    found: dict[TomlPath, At] = {}
    counts: dict[TomlPath, int] = {}  # of lists of tables: those met so far
    table: TomlPath = ()
    for number, line in enumerate(text.splitlines(), 1):
        head = _HEAD.match(line)
        if head is not None:
            at = number, head.start(1) + 1
            *outer, last = [part.strip("\"' ") for part in head.group(2).split(".")]
            table = ()
            for name in outer:
                table = (*table, name)
                table = (*table, counts[table] - 1) if table in counts else table
            table = (*table, last)
            found.setdefault(table, at)
            if head.group(1) == "[[":
                counts[table] = counts.get(table, 0) + 1
                table = (*table, counts[table] - 1)
                found.setdefault(table, at)
            continue
        key = _KEY.match(line)
        if key is not None:
            word = next(group for group in key.groups() if group is not None)
            found.setdefault((*table, word), (number, len(line) - len(line.lstrip()) + 1))
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -math.inf < value < math.inf


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value  # no path and no command has one


def _is_list(value: object, is_right: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(map(is_right, value))


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


class Section:
    """A table of a file; each value is asked for by key, and `close` complains about those not asked for.

    Args:
        path: of the file.
        value: the contents of the table.
        place: of the table in the file.
        places: of tables and keys, with their lines and columns.
    """

    def __init__(
        self, path: Path, value: Mapping[str, Any], place: TomlPath, places: Mapping[TomlPath, At]
    ) -> None:
        self._path = path
        self._value = value
        self._place = place
        self._places = places
        self._asked: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._value

    def mistake(self, key: str, what: str) -> FileMistake:
        """A mistake in a value, or in the section if the key is missing."""
        line, column = self._at(key)
        return FileMistake(f"{self._path}:{line}:{column}: {what}")

    @contextlib.contextmanager
    def refusing(self, key: str, prefix: str = "") -> Iterator[None]:
        """A context in which a ValueError is a mistake in a value; `prefix` begins the line that says so."""
        try:
            yield
        except ValueError as error:
            raise self.mistake(key, f"{prefix}{error}") from None

    def line(self, key: str = "") -> int:
        """The line of a key, else of its section, else the file's first line."""
        return self._at(key)[0]

    def _at(self, key: str) -> At:
        """The place of a key, else of the nearest table around it that has a line of its own."""
        place = (*self._place, key)
        return next(
            (self._places[place[:n]] for n in range(len(place), 0, -1) if place[:n] in self._places), (1, 1)
        )

    def _get(self, key: str, default: Any, expected: str, is_right: Callable[[Any], bool]) -> Any:
        """The value of a key; the default, which need not be right, if there is none."""
        self._asked[key] = None
        if key in self._value:
            value = self._value[key]
            if not is_right(value):
                raise self._wrong(key, expected)
            return value
        if default is _MISSING:
            others = [each for each in self._value if each not in self._asked]
            near = did_you_mean(key, others).replace("did you mean", "misspelt as")
            raise self.mistake("", f"{self._title()} has no {key}: expected {expected}{near}")
        return default

    def _wrong(self, key: str, expected: str, hint: str = "") -> FileMistake:
        return self.mistake(key, f"{key}: expected {expected}, got {told(self._value[key])}{hint}")

    def _title(self) -> str:
        if not self._place:
            return "the file"
        name = ".".join(str(each) for each in self._place if isinstance(each, str))
        return f"[[{name}]]" if isinstance(self._place[-1], int) else f"[{name}]"

    def section(self, key: str, *, required: bool = False) -> Section:
        """A table; an empty one if there is none and none is required."""
        value = self._get(key, _MISSING if required else {}, f"a table [{key}]", _is_table)
        return Section(self._path, value, (*self._place, key), self._places)

    def sections(self, key: str) -> list[Section]:
        """A list of tables; empty if there is none."""
        found = self._get(key, [], f"tables [[{key}]]", lambda value: _is_list(value, _is_table))
        place = (*self._place, key)
        return [Section(self._path, each, (*place, k), self._places) for k, each in enumerate(found)]

    def text(self, key: str, default: Any = _MISSING, *, expected: str = "a text", least: int = 0) -> Any:
        """A text of at least some length."""

        return self._get(key, default, expected, lambda value: _is_text(value) and len(value) >= least)

    def choice(self, key: str, options: Collection[str], default: Any = _MISSING) -> Any:
        """One of some words."""
        expected = " or ".join(f'"{option}"' for option in options)
        value = self._get(key, default, expected, lambda value: True)
        if key in self._value and value not in options:
            raise self._wrong(key, expected, did_you_mean(value, options) if isinstance(value, str) else "")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        return bool(self._get(key, default, "true or false", lambda value: isinstance(value, bool)))

    def whole(self, key: str, default: Any = _MISSING, *, least: int = 1, most: int = 2**32 - 1) -> Any:
        """A whole number within bounds."""
        expected = f"a whole number from {least} to {most}"

        def is_right(value: Any) -> bool:
            return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

        return self._get(key, default, expected, is_right)

    def number(self, key: str, default: Any = _MISSING, *, least: float = 0.0, most: float = 1e9) -> Any:
        """A number within bounds, as a float."""
        expected = f"a number from {least:g} to {most:g}"
        value = self._get(key, default, expected, lambda value: _is_number(value) and least <= value <= most)
        return float(value) if key in self._value else value

    def whole_or_word(self, key: str, words: Sequence[str], default: Any, *, most: int = 10**6) -> Any:
        """A whole number above 0, or one of some words."""
        if isinstance(self._value.get(key), str):
            return self.choice(key, words, default)
        return self.whole(key, default, most=most)

    def number_or_word(self, key: str, words: Sequence[str], default: Any, *, most: float = 1e9) -> Any:
        """A number above 0, or one of some words."""
        if isinstance(self._value.get(key), str):
            return self.choice(key, words, default)
        found = self.number(key, default, most=most)
        if key in self._value and not found > 0:
            raise self._wrong(key, "a number above 0")
        return found

    def whole_or_false(self, key: str, default: int, *, least: int = 1, most: int) -> Any:
        """A whole number; None for ``false``."""
        if self._value.get(key) is False:
            self._asked[key] = None
            return None
        return self.whole(key, default, least=least, most=most)

    def whole_or_text(self, key: str, default: Any = _MISSING) -> Any:
        """A whole number or a text, as a text."""
        value = self._value.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            self._asked[key] = None
            return str(value)
        return self.text(key, default, expected="a whole number or a text")

    def numbers(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """A list of numbers of 0 or more."""

        def is_right(value: Any) -> bool:
            return isinstance(value, list) and all(_is_number(each) and each >= 0 for each in value)

        return tuple(map(float, self._get(key, default, "a list of numbers of 0 or more", is_right)))

    def texts(self, key: str, default: Any = _MISSING) -> Any:
        """A list of texts, or one text; a tuple in either case."""
        expected = "a list of texts"
        value = self._get(key, default, expected, lambda value: _is_text(value) or _is_list(value, _is_text))
        return (value,) if isinstance(value, str) else tuple(value)

    def game(self, key: str, name: str, folder: Path) -> GameDefinition:
        """The game that the value of a key names: a file beside others in a folder, or a packaged game."""
        beside = folder / name
        try:
            return load_game(str(beside) if beside.is_file() else name)
        except OSError as error:
            raise self.mistake(key, no_such_game(name, error.strerror or str(error))) from None
        except GameDefinitionError as error:
            raise self.mistake(key, f"{key}: {str(error).splitlines()[-1]}") from None

    def close(self) -> None:
        """Complain about a key that nobody asked for.

        Raises:
            FileMistake: there is one; with the nearest names.
        """
        for key in self._value:
            if key not in self._asked:
                known = sorted(self._asked)
                near = did_you_mean(key, known) or f" (known: {', '.join(known)})"
                raise self.mistake(key, f"{self._title()} has no key {key!r}{near}")
