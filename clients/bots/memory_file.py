"""A bot's memory file: one bot at a time writes it, now and then and at its end."""

from __future__ import annotations

import functools
import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

from clients.core.agent import Agent
from engine.support.files.archive import Archive, ArchiveError, lock_archive, write_archive
from engine.support.files.lock import FileLock
from protocol import variables

Contents = Callable[[], Archive | None]
"""Returns what a file is to hold; None for nothing."""


class MemoryFile:
    """A locked memory file.

    Args:
        path: the file, which need not exist; its folder must.
        owner: the bot; when it is garbage-collected, the file is saved and unlocked.
        contents: what to write; it must not hold a reference to the owner.

    Raises:
        ArchiveError: another bot has the file, or the folder is missing or cannot be written.

    *Resource handling*: `close` it; otherwise it is closed when the owner is garbage-collected.
    """

    def __init__(self, path: Path, owner: object, contents: Contents) -> None:
        self._save = functools.partial(_save, type(owner).__name__.lower(), path, contents)
        self._closing = weakref.finalize(owner, _close, lock_archive(path), self._save)

    def save(self) -> None:
        """Write the file in one step; an error becomes a line on stderr and does not stop the match."""
        if self._closing.alive:
            self._save()

    def close(self) -> None:
        """Save, and let another bot have the file."""
        self._closing()


class Remembering(Agent):
    """An agent that may have a memory file.

    *Resource handling*: `close_memory` saves and lets go of the file; it happens by itself when nobody plays
    with the bot any more.
    """

    _file: MemoryFile | None = None

    def open_memory(
        self, path: Path, contents: Contents, load: Callable[[Path], object], *, learns: bool
    ) -> None:
        """Load a memory file, and keep it to write if anything will be learnt.

        Raises:
            ArchiveError: it cannot be read, written or locked.
        """
        # In a duplicate match there is nothing to write: the bot would know the cards.
        if learns and not os.environ.get(variables.DUPLICATE):
            self._file = MemoryFile(path, self, contents)
        try:
            load(path)
        except ArchiveError:
            self.close_memory()
            raise

    def save_memory(self) -> None:
        """Write the memory file, if there is one to keep; what goes wrong is a line on stderr."""
        if self._file is not None:
            self._file.save()

    def close_memory(self) -> None:
        """Save, and let another bot have the file."""
        if self._file is not None:
            self._file.close()


def _close(lock: FileLock, save: Callable[[], None]) -> None:
    try:
        save()
    finally:
        lock.release()


def _save(bot: str, path: Path, contents: Contents) -> None:
    archive = contents()
    try:
        if archive is not None:
            write_archive(path, archive)
    except ArchiveError as error:  # a full disk costs the memory, not the match
        print(f"{bot}: {error}", file=sys.stderr)
