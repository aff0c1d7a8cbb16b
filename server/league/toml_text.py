"""TOML as people write it: values with the lines they are on, and mistakes reported in one line.

tomllib says what a file holds but not where; a scan of headers and keys finds the lines again.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from engine.support.user_input import did_you_mean

__all__ = ["FileMistake", "Section", "parse_toml", "read_text"]

_HEAD: Final = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*=""")
_AT_LINE: Final = re.compile(r"\s*\(at line (\d+), column \d+\)$")
_MOST_SHOWN: Final = 60
_MISSING: Final = object()

Place = tuple[str | int, ...]
"""A table of the file: names, and numbers in lists of tables."""


class FileMistake(ValueError):
    """What is wrong with a file: one line with file and line."""


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        FileMistake: it cannot be read.
    """
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise FileMistake(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise FileMistake(
            f"{path}:{line}: expected UTF-8, got a byte {error.object[error.start]:#04x}"
        ) from None


def parse_toml(text: str, path: Path) -> Section:
    """The text of a file as a section.

    Raises:
        FileMistake: it is not TOML.
    """
    try:
        value = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        said = str(error) or "nested too deeply"
        at = _AT_LINE.search(said)
        last = len(text.splitlines()) or 1
        line = int(at.group(1)) if at else last
        raise FileMistake(f"{path}:{line}: no TOML: {_AT_LINE.sub('', said)}") from None
    return Section(path, value, (), _lines(text))


def _lines(text: str) -> dict[Place, int]:
    """The lines of tables and keys."""
    found: dict[Place, int] = {}
    place: Place = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        head = _HEAD.match(line)
        if head is not None:
            name = head.group(2).strip("\"' ")
            if head.group(1) == "[[":
                place = (name, counts.get(name, 0))
                counts[name] = counts.get(name, 0) + 1
                found.setdefault((name,), number)
            else:
                place = (name,)
            found.setdefault(place, number)
            continue
        key = _KEY.match(line)
        if key is not None:
            word = next(group for group in key.groups() if group is not None)
            found.setdefault((*place, word), number)
    return found


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."


class Section:
    """A table of a file; each value is asked for by key, and `close` complains about those not asked for.

    Args:
        path: of the file.
        value: the contents of the table.
        place: of the table in the file.
        lines: of tables and keys.
    """

    def __init__(
        self, path: Path, value: Mapping[str, Any], place: Place, lines: Mapping[Place, int]
    ) -> None:
        self._path = path
        self._value = value
        self._place = place
        self._lines = lines
        self._asked: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._value

    def mistake(self, key: str, what: str) -> FileMistake:
        """A mistake in a value, or in the section if the key is missing."""
        return FileMistake(f"{self._path}:{self.line(key)}: {what}")

    def line(self, key: str = "") -> int:
        """The line of a key, else of its section, else the file's first line."""
        return self._lines.get((*self._place, key)) or self._lines.get(self._place) or 1

    def _get(self, key: str, default: Any, expected: str) -> Any:
        self._asked[key] = None
        if key in self._value:
            return self._value[key]
        if default is _MISSING:
            others = [each for each in self._value if each not in self._asked]
            near = did_you_mean(key, others).replace("did you mean", "misspelt as")
            raise self.mistake("", f"{self._title()} has no {key}: expected {expected}{near}")
        return default

    def _title(self) -> str:
        if not self._place:
            return "the file"
        name = ".".join(str(each) for each in self._place if isinstance(each, str))
        return f"[[{name}]]" if isinstance(self._place[-1], int) else f"[{name}]"

    def section(self, key: str, *, required: bool = False) -> Section:
        """A table; an empty one if there is none and none is required."""
        value = self._get(key, _MISSING if required else {}, f"a table [{key}]")
        if not isinstance(value, dict):
            raise self.mistake(key, f"expected a table [{key}], got {_shown(value)}")
        return Section(self._path, value, (*self._place, key), self._lines)

    def sections(self, key: str) -> list[Section]:
        """A list of tables; empty if there is none."""
        value = self._get(key, [], f"tables [[{key}]]")
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.mistake(key, f"expected tables [[{key}]], got {_shown(value)}")
        return [
            Section(self._path, each, (*self._place, key, number), self._lines)
            for number, each in enumerate(value)
        ]

    def text(self, key: str, default: Any = _MISSING, *, expected: str = "a text") -> Any:
        """A text; the default if there is none."""
        value = self._get(key, default, expected)
        if value is not default and not isinstance(value, str):
            raise self.mistake(key, f"{key}: expected {expected}, got {_shown(value)}")
        return value

    def choice(self, key: str, options: Collection[str], default: Any = _MISSING) -> Any:
        """One of some words."""
        expected = " or ".join(f'"{option}"' for option in options)
        value = self._get(key, default, expected)
        if value is not default and value not in options:
            near = did_you_mean(value, options) if isinstance(value, str) else ""
            raise self.mistake(key, f"{key}: expected {expected}, got {_shown(value)}{near}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._get(key, default, "true or false")
        if not isinstance(value, bool):
            raise self.mistake(key, f"{key}: expected true or false, got {_shown(value)}")
        return value

    def whole(self, key: str, default: Any = _MISSING, *, least: int = 1, most: int = 2**32 - 1) -> Any:
        """A whole number within bounds."""
        expected = f"a whole number from {least} to {most}"
        value = self._get(key, default, expected)
        if value is default:
            return value
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.mistake(key, f"{key}: expected {expected}, got {_shown(value)}")
        return value

    def number(self, key: str, default: Any = _MISSING, *, least: float = 0.0, most: float = 1e9) -> Any:
        """A number within bounds, as a float."""
        expected = f"a number from {least:g} to {most:g}"
        value = self._get(key, default, expected)
        if value is default:
            return value
        if (
            not isinstance(value, int | float)
            or isinstance(value, bool)
            or not math.isfinite(value)
            or not least <= value <= most
        ):
            raise self.mistake(key, f"{key}: expected {expected}, got {_shown(value)}")
        return float(value)

    def whole_or_word(self, key: str, words: Sequence[str], default: Any, *, most: int = 10**6) -> Any:
        """A whole number above 0, or one of some words."""
        value = self._get(key, default, "a number")
        if isinstance(value, str):
            return self.choice(key, words, default)
        return self.whole(key, default, most=most)

    def number_or_word(self, key: str, words: Sequence[str], default: Any, *, most: float = 1e9) -> Any:
        """A number above 0, or one of some words."""
        value = self._get(key, default, "a number")
        if isinstance(value, str):
            return self.choice(key, words, default)
        found = self.number(key, default, most=most)
        if found is not default and not found > 0:
            raise self.mistake(key, f"{key}: expected a number above 0, got {_shown(value)}")
        return found

    def whole_or_text(self, key: str, default: Any = _MISSING) -> Any:
        """A whole number or a text, as a text."""
        value = self._get(key, default, "a whole number or a text")
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(key, default)

    def numbers(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """A list of numbers of 0 or more."""
        value = self._get(key, default, "a list of numbers")
        if key not in self._value:
            return default
        if not isinstance(value, list) or not all(
            isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one < math.inf
            for one in value
        ):
            raise self.mistake(key, f"{key}: expected a list of numbers of 0 or more, got {_shown(value)}")
        return tuple([float(one) for one in value])

    def texts(self, key: str, default: Any = _MISSING) -> Any:
        """A list of texts, or one text; a tuple in either case."""
        value = self._get(key, default, "a list of texts")
        if value is default:
            return value
        each = [value] if isinstance(value, str) else value
        if not isinstance(each, list) or not all(isinstance(one, str) for one in each):
            raise self.mistake(key, f"{key}: expected a list of texts, got {_shown(value)}")
        return tuple(each)

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
