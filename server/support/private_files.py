"""Files that only our own user can read; and, if cards are played twice, that nobody can read before the end.

A bot that a match launches runs as the same user, and may read whatever that user may.  In a duplicate match
the cards of one pass are those of the next, so the files of all passes have no name while hands are to come
(`O_TMPFILE`), and are given their names at the end: by us, or by `server.match.sittings.keeper` if we are
killed without a chance to act.  A power cut ends both processes at once, and the files are lost.  Other
designs would lose as much: named files are what must be avoided, and encrypted ones need a key that dies
with the process. For a match that must survive a power cut, leave out `--duplicate` or use `--sandbox`: its
files have their names from the beginning, and every written line stays.

Where the system cannot hide files, they have their names from the beginning, too.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

FOLDER_MODE: Final = 0o700
"""Permissions of a match's folders."""
FILE_MODE: Final = 0o600
_OWN_DESCRIPTORS: Final = "/proc/self/fd"


class PrivateFiles:
    """Makes files that only our user can read.

    Args:
        hidden: until `publish`, if the system can do that.
        on_hidden: takes the path that a hidden file is to have, and a descriptor of it.

    *Resource handling*: `publish` on every way out.
    """

    def __init__(self, *, hidden: bool = False, on_hidden: Callable[[str, int], None] | None = None) -> None:
        self._on_hidden = on_hidden
        self._hides = hidden and hasattr(os, "O_TMPFILE") and os.path.isdir(_OWN_DESCRIPTORS)
        self._hidden: dict[str, int] = {}  # a descriptor of each hidden file, by the name it is to have

    def open(self, path: str, flags: int) -> int:
        """A new descriptor of a file: for `open(..., opener=...)`.

        Raises:
            OSError: it cannot be made; or the disk is full, and what was published of it cannot be hidden.
        """
        if not flags & os.O_TRUNC:
            self._hide(Path(path))
        if path in self._hidden:
            return os.dup(self._hidden[path])
        descriptor = self._nameless(path)
        if descriptor is None:
            return os.open(path, flags, FILE_MODE)
        self._keep(path, descriptor)
        return os.dup(descriptor)

    def _hide(self, path: Path) -> None:
        """Hide a file that an earlier sitting has published, if the system can do that."""
        name = str(path)
        if name in self._hidden or not path.exists():
            return
        descriptor = self._nameless(name)
        if descriptor is not None:
            with open(path, "rb") as published, open(descriptor, "wb", closefd=False) as copy:
                shutil.copyfileobj(published, copy)
            self._keep(name, descriptor)
            path.unlink()

    def _nameless(self, path: str) -> int | None:
        """The descriptor of a new file without a name; None if it cannot be hidden, or need not be."""
        if self._hides:
            with contextlib.suppress(OSError):  # this file system cannot, or the next attempt says why
                flags = os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC
                return os.open(os.path.dirname(path) or ".", flags, FILE_MODE)
        return None

    def _keep(self, path: str, descriptor: int) -> None:
        self._hidden[path] = descriptor
        if self._on_hidden is not None:
            self._on_hidden(path, descriptor)

    def tail(self, path: Path, most: int) -> bytes:
        """Up to `most` bytes from the end of a file; nothing if it cannot be read."""
        descriptor = self._hidden.get(str(path))
        try:
            if descriptor is None:
                with open(path, "rb") as file:
                    file.seek(max(0, file.seek(0, os.SEEK_END) - most))
                    return file.read(most)
            return os.pread(descriptor, most, max(0, os.fstat(descriptor).st_size - most))
        except OSError:
            return b""

    def publish(self) -> list[str]:
        """Give every file its name; returns lines that say which cannot have it."""
        faults: list[str] = []
        while self._hidden:
            path, descriptor = self._hidden.popitem()
            try:
                give_name(descriptor, path)
            except OSError as error:
                faults.append(f"{path} cannot be written: {error.strerror or error}")
            finally:
                os.close(descriptor)
        return faults


def give_name(descriptor: int, path: str) -> None:
    """Give a name to a nameless file, replacing any file that has it.

    Raises:
        OSError: its folder is gone, or cannot be written.
    """
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    temporary = f".{secrets.token_hex(8)}.new"
    try:
        os.link(f"{_OWN_DESCRIPTORS}/{descriptor}", temporary, dst_dir_fd=folder)  # follows that link
        os.replace(temporary, os.path.basename(path), src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    finally:
        os.close(folder)
