"""The adaptive bot's memory: all that it has counted of each opponent, by name, in one archive."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from engine.support.files.archive import Archive, ArchiveError, find_archive

__all__ = ["Remembered", "archive_of", "load"]

KIND: Final = "riverboat habits"
SCHEMA_VERSION: Final = 2
"""Schema 1 is read as well: it had no no-limit games."""

Remembered = Mapping[str, NDArray[Any]]
"""A player's arrays, from `engine.solving.miximax.habits.Habits.as_arrays`.

In no-limit games their names begin with ``no-limit.``.
"""


def archive_of(players: Mapping[str, Remembered]) -> Archive:
    """Each player's arrays, by name; in the archive their names begin with the player's number and a dot."""
    arrays = {
        f"{number}.{name}": array
        for number, remembered in enumerate(players.values())
        for name, array in remembered.items()
    }
    return Archive(KIND, SCHEMA_VERSION, {"names": list(players)}, arrays)


def load(path: Path) -> dict[str, Remembered]:
    """The contents of a memory file; empty if there is none yet.

    The counts themselves are checked where they are used.

    Raises:
        ArchiveError: the file exists and cannot be read.
    """
    archive = find_archive(path, KIND, SCHEMA_VERSION)
    if archive is None:
        return {}
    names = archive.meta.get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ArchiveError(f"{path} is damaged: expected the players' names")
    players: dict[str, dict[str, NDArray[Any]]] = {name: {} for name in names}
    numbers = {str(number): name for number, name in enumerate(names)}
    for key, array in archive.arrays.items():
        number, _, name = key.partition(".")
        if number in numbers:
            players[numbers[number]][name] = array
    return dict(players)
