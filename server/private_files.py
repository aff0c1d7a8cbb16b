"""Files that are for our own user alone; and, where cards are played twice, for nobody before the end.

A bot that a match launches runs as the same user, and may read whatever that user may.  In a duplicate match
the cards of one pass are those of the next, so the files of all passes have no name while hands are to come
(`O_TMPFILE`), and are given their names at the end, on every way out but one: a process that is killed
without a chance to act takes them with it.  Other designs do not lose less.  Files under their names are what
is to be prevented; encrypted ones need a key that dies with the process; and a second process that holds
them is of no use where both are killed together, by a power cut or for want of memory.  A duplicate match
that was killed cannot be resumed anyway.  What must not be lost belongs to a match without `--duplicate`: its
files have their names from the beginning, and a line that has been written stays.

Where the system cannot hide files, they have their names from the beginning, too.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

FOLDER_MODE: Final = 0o700
"""Permissions of a match's folders."""
_MODE: Final = 0o600
_OWN_DESCRIPTORS: Final = "/proc/self/fd"


class PrivateFiles:
    """Makes files for our user alone.

    Args:
        hidden: until `publish`, where the system can do that.

    *Resource handling*: `publish` on every way out.
    """

    def __init__(self, *, hidden: bool = False) -> None:
        self._hides = hidden and hasattr(os, "O_TMPFILE") and os.path.isdir(_OWN_DESCRIPTORS)
        self._hidden: dict[str, int] = {}  # a descriptor of each hidden file, by the name it is to have

    def open(self, path: str, flags: int) -> int:
        """A new descriptor of a file: for `open(..., opener=...)`.

        Raises:
            OSError: it cannot be made.
        """
        if path in self._hidden:
            return os.dup(self._hidden[path])
        if self._hides:
            with contextlib.suppress(OSError):  # this file system cannot, or the next attempt says what it is
                unnamed = os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC
                self._hidden[path] = os.open(os.path.dirname(path) or ".", unnamed, _MODE)
                return os.dup(self._hidden[path])
        return os.open(path, flags, _MODE)

    def tail(self, path: Path, most: int) -> bytes:
        """Up to `most` bytes from the end of a file; nothing where it cannot be read."""
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
                _name(descriptor, path)
            except OSError as error:
                faults.append(f"{path} cannot be written: {error.strerror or error}")
            finally:
                os.close(descriptor)
        return faults


def _name(descriptor: int, path: str) -> None:
    """Give a file without a name one, in place of whatever has it."""
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
