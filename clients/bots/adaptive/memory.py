"""The adaptive bot's memory file: what it has counted of each opponent, by name, in one archive."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.support.files import write_whole
from engine.support.files.formats import format_arrays, parse_arrays, shown
from engine.support.files.lock import FileIsLocked, FileLock

__all__ = ["InvalidMemoryError", "MemoryFile", "Remembered", "format_memory", "load", "parse_memory"]

SCHEMA_VERSION: Final = 2
_OLDEST_SCHEMA: Final = 1
"""The oldest schema that can be read; it had no no-limit games."""
_KIND: Final = "riverboat habits"

Remembered = Mapping[str, NDArray[Any]]
"""A player's arrays, from `engine.solving.miximax.habits.Habits.as_arrays`.

In no-limit games their names begin with ``no-limit.``.
"""


class InvalidMemoryError(ValueError):
    """A file that does not hold habits of this version, or that cannot be locked or written."""


def format_memory(players: Mapping[str, Remembered]) -> bytes:
    """The bytes of a memory file.

    Args:
        players: each player's arrays, by name.
    """
    arrays: dict[str, Any] = {
        "kind": np.array(_KIND),
        "schema": np.array(SCHEMA_VERSION),
        "names": np.array(list(players), dtype=np.str_),
    }
    for number, remembered in enumerate(players.values()):
        arrays |= {f"{number}.{name}": array for name, array in remembered.items()}
    return format_arrays(arrays)


def parse_memory(data: bytes) -> dict[str, Remembered]:
    """Read the bytes that `format_memory` made; the counts themselves are checked where they are used.

    Raises:
        InvalidMemoryError: the bytes are truncated, or of another kind or version of file.
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
    """The contents of a memory file; empty if there is none yet.

    Raises:
        InvalidMemoryError: the file exists and cannot be read.
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
    """A locked memory file, which only one bot at a time may write.

    Args:
        path: the file, which need not exist; its folder must.
        owner: the bot; when it is garbage-collected, the file is saved and unlocked.
        remembered: returns what the file is to hold; it must not hold a reference to the owner.

    Raises:
        InvalidMemoryError: another bot has the file, or the folder is missing or cannot be written.

    *Resource handling*: `close` it; otherwise it is closed when the owner is garbage-collected.
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
        """Write the file in one step; an error becomes a line on stderr and does not stop the match."""
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
