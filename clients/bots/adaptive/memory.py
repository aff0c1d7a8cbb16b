"""What the adaptive bot remembers of its opponents between matches: one archive of counts, by name."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.files import write_whole
from engine.files.formats import format_arrays, parse_arrays, shown
from engine.files.lock import FileIsLocked, FileLock

__all__ = ["InvalidMemoryError", "MemoryFile", "Remembered", "format_memory", "load", "parse_memory"]

SCHEMA_VERSION: Final = 2
_OLDEST_SCHEMA: Final = 1
"""Which knew no no-limit games."""
_KIND: Final = "riverboat habits"

Remembered = Mapping[str, NDArray[Any]]
"""Of a player: the arrays of `engine.miximax.habits.Habits.as_arrays`; the names of those of no-limit games
begin with ``no-limit.``."""


class InvalidMemoryError(ValueError):
    """A file that does not hold habits of this version, or that cannot be kept."""


def format_memory(players: Mapping[str, Remembered]) -> bytes:
    """What is remembered of players, by name."""
    arrays: dict[str, Any] = {
        "kind": np.array(_KIND),
        "schema": np.array(SCHEMA_VERSION),
        "names": np.array(list(players), dtype=np.str_),
    }
    for number, remembered in enumerate(players.values()):
        arrays |= {f"{number}.{name}": array for name, array in remembered.items()}
    return format_arrays(arrays)


def parse_memory(data: bytes) -> dict[str, Remembered]:
    """What `format_memory` was called on; the counts themselves are checked by those who use them.

    Raises:
        InvalidMemoryError: it is truncated, or another kind or version of file.
    """
    try:
        arrays = parse_arrays(data)
    except ValueError as error:
        raise InvalidMemoryError(f"opponents' habits: {error}") from error
    if str(arrays.get("kind")) != _KIND:
        raise InvalidMemoryError(f"opponents' habits: expected an archive whose kind is {_KIND!r}")
    schema, names = arrays.get("schema"), arrays.get("names")
    if schema is None or schema.shape != () or not _OLDEST_SCHEMA <= schema <= SCHEMA_VERSION:
        raise InvalidMemoryError(f"opponents' habits: expected schema {SCHEMA_VERSION}, got {shown(schema)}")
    if names is None or names.ndim != 1 or names.dtype.kind != "U":
        raise InvalidMemoryError("opponents' habits: expected the players' names")
    return {
        name: {
            key.partition(".")[2]: array
            for key, array in arrays.items()
            if key.partition(".")[0] == str(number)
        }
        for number, name in enumerate(names.tolist())
    }


def load(path: Path) -> dict[str, Remembered]:
    """What a file remembers; nothing if there is none yet.

    Raises:
        InvalidMemoryError: it is there and cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidMemoryError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        return parse_memory(data)
    except InvalidMemoryError as error:
        raise InvalidMemoryError(f"{path}: {error}") from error


class MemoryFile:
    """The right to write a memory file, for one bot at a time.

    Args:
        path: the file, which need not exist; its folder must.
        owner: when nobody plays with it any more, the file is saved and let go of.
        remembered: tells what is to be kept; it must not hold on to the owner.

    Raises:
        InvalidMemoryError: another bot has it, or the folder is missing or cannot be written.

    *Resource handling*: `close` it; that happens by itself with the end of the owner.
    """

    def __init__(self, path: Path, owner: object, remembered: Callable[[], Mapping[str, Remembered]]) -> None:
        try:
            lock = FileLock(path)
        except FileIsLocked as error:
            raise InvalidMemoryError(f"{path} is being written by another bot: one at a time") from error
        except OSError as error:
            raise InvalidMemoryError(f"{path} cannot be written: {error.strerror or error}") from error
        self._path, self._remembered = path, remembered
        self._closing = weakref.finalize(owner, _close, path, lock, remembered)

    def save(self) -> None:
        """Write it in one step; what goes wrong is a line on stderr, and costs the memory, not the match."""
        if self._closing.alive:
            _save(self._path, self._remembered())

    def close(self) -> None:
        """Save, and let another bot have the file."""
        self._closing()


def _close(path: Path, lock: FileLock, remembered: Callable[[], Mapping[str, Remembered]]) -> None:
    try:
        players = remembered()
        if players:
            _save(path, players)
    finally:
        lock.release()


def _save(path: Path, players: Mapping[str, Remembered]) -> None:
    try:
        write_whole(path, format_memory(players))
    except OSError as error:
        print(f"adaptive: {path} cannot be written: {error.strerror or error}", file=sys.stderr)
