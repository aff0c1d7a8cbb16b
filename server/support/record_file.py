"""The match log and the transaction log on disk.

Every line is written with one unbuffered write: however the process is killed, the files hold everything
that was reported.  Opening a file for appending first cuts off an incomplete last line.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Callable, Generator
from pathlib import Path

Opener = Callable[[str, int], int]
"""How a file is opened, given its path and flags: as the parameter of `open`."""

Later = Callable[[Callable[[], None]], None]
"""Takes what is to be done to a file once it gives away no cards that are still to be dealt to somebody."""


def at_once(act: Callable[[], None]) -> None:
    """A `Later` for what gives no cards away."""
    act()


class RecordFile:
    """A text file that is only ever appended to, a line per write.

    Args:
        path: of the file.
        append: to what is there; otherwise the file begins empty.
        opener: creates the file; None for one with the permissions of the umask.

    *Resource handling*: close it, or use it in a ``with`` block.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path, *, append: bool, opener: Opener | None = None) -> None:
        mode = "ab" if append else "wb"
        self._file = open(path, mode, buffering=0, opener=opener)  # noqa: SIM115 - closed in close()
        if append:
            _cut_torn_line(path)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been written, neither by us nor before."""
        return self._file.seek(0, 2) == 0

    def write(self, text: str) -> None:
        """Append text, ended by a line end.

        Raises:
            OSError: the disk is full, or worse; any part of the text that was written is removed again.
        """
        data = text.encode("utf-8", "surrogateescape")
        written = 0
        try:
            while written < len(data):
                written += self._file.write(data[written:] if written else data) or 0
        except OSError:
            if written:
                with contextlib.suppress(OSError):
                    self._file.truncate(self._file.tell() - written)
            raise

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._file.close()

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _cut_torn_line(path: Path) -> None:
    """Cut off an incomplete last line: the process that wrote it died in the middle."""
    with open(path, "rb+") as file:
        size = file.seek(0, 2)
        if size:  # an empty file cannot be mapped
            with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as data:
                end = data.rfind(b"\n") + 1
            if end < size:
                file.truncate(end)


def lines_of(path: Path) -> Generator[str]:
    """The lines that a record file has now, with their ends and without a torn last one.

    They are read as they are asked for; what is appended meanwhile is not among them.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        left = os.fstat(file.fileno()).st_size
        for line in file:
            left -= len(line)
            if left < 0 or not line.endswith(b"\n"):
                return
            yield line.decode("utf-8", "surrogateescape")


def read_lines(path: Path) -> list[str]:
    """The same at once; none if there is no such file."""
    try:
        return list(lines_of(path))
    except FileNotFoundError:
        return []
