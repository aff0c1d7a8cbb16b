"""Recognises the format of a file, and reads its hands."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from engine.poker.rules import GameDefinition
from server.records.formats.acpc import read_acpc
from server.records.formats.hands import FormatError, PlayedHand
from server.records.formats.phh import parse_phh
from server.records.formats.pokerstars import is_stars, parse_stars
from server.records.logs import LogError, find_logs

_PHH_ENDINGS: Final = (".phh", ".phhs")
_TOML: Final = re.compile(r"\s*(?:\[[^\]\n]+\]\s*)?[A-Za-z_]+\s*=", re.MULTILINE)
_LOOKED_AT: Final = 65_536


def find_hands(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files that some paths name: a folder has PHH files, in the order of their numbers, or logs.

    Raises:
        LogError: a folder with neither.
    """
    found: list[Path] = []
    for path in paths:
        files = [each for ending in _PHH_ENDINGS for each in path.glob(f"*{ending}")] if path.is_dir() else []
        found += sorted(files, key=_by_number) if files else find_logs([path])
    return tuple(found)


def _by_number(path: Path) -> tuple[int, str]:
    number = re.match(r"\d{1,18}", path.name)
    return (int(number.group()) if number else 10**18, path.name)


def read_hands(path: Path, game: GameDefinition | str | None) -> Iterator[PlayedHand | FormatError]:
    """The hands of a file in any of the formats; for a hand that cannot be read, the error.

    Args:
        path: the file, gzipped or not.
        game: the game, for ACPC logs that do not name a game that can be found.

    Raises:
        LogError: an ACPC log cannot be read.
        FormatError: a file of another format cannot be read.
    """
    if path.suffix in _PHH_ENDINGS:
        return parse_phh(_text(path), str(path))
    if path.is_file():
        beginning = _text(path, _LOOKED_AT)
        if is_stars(beginning):
            return parse_stars(_text(path), str(path))
        if _TOML.match(beginning):
            return parse_phh(_text(path), str(path))
    return read_acpc(path, game)


def _text(path: Path, most: int = -1) -> str:
    """The contents of a file, gzipped or not, as far as they are text."""
    try:
        with open(path, "rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            data = gzip.GzipFile(fileobj=raw).read(most) if packed else raw.read(most)
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise LogError(f"{path}: {reason}") from None
    return data.decode("utf-8", "surrogateescape" if most > 0 else "replace")
