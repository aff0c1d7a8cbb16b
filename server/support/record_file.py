"""The match log and the transaction log on disk.

Every line is written with one unbuffered write: however the process is killed, the files hold everything
that was reported.  Opening a file for appending first cuts off an incomplete last line.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
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
        start = size
        while start > 0:
            step = min(start, 65536)
            start -= step
            file.seek(start)
            end = file.read(step).rfind(b"\n")
            if end >= 0:
                start += end + 1
                break
        if start < size:
            file.truncate(start)


def read_lines(path: Path) -> list[str]:
    """The complete lines of a record file, line ends included; none if there is no such file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    return lines if data.endswith(b"\n") or not lines else lines[:-1]
