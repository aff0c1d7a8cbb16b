"""Files that only our own user can read."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final

FOLDER_MODE: Final = 0o700
"""Permissions of a match's folders."""
FILE_MODE: Final = 0o600


def open_private(path: str, flags: int) -> int:
    """A descriptor of a file that only our user can read: for `open(..., opener=...)`.

    Raises:
        OSError: it cannot be opened.
    """
    return os.open(path, flags, FILE_MODE)


def first_free(folders: Iterable[Path]) -> Path:
    """Make the first of some folders, without an end, that nobody has made yet.

    Raises:
        OSError: it cannot be made.
    """
    for folder in folders:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=FOLDER_MODE)
            return folder
    raise AssertionError  # unreachable


def appended_to(path: Path) -> IO[bytes]:
    """A file that only our user can read, opened to append to it.

    Raises:
        OSError: it cannot be opened.
    """
    return open(path, "ab", opener=open_private)


def tail_of(path: Path, most: int) -> bytes:
    """Up to `most` bytes from the end of a plain file; nothing if it cannot be read, or is a link, say."""
    try:
        with open(path, "rb", opener=open_itself) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file.seek(max(0, file.seek(0, os.SEEK_END) - most))
                return file.read(most)
    except OSError:
        pass
    return b""


def open_itself(path: str, flags: int) -> int:
    """A descriptor of a file, not of what a link leads to, without waiting: for `open(..., opener=...)`.

    Raises:
        OSError: it cannot be opened, or is a link.
    """
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
