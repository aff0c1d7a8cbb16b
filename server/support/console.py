"""Where a match reports."""

from __future__ import annotations

import contextlib
import time
from functools import partial
from pathlib import Path

from engine.support.user_input import printable
from server.support.private_files import open_private
from server.support.record_file import Later, at_once


class Console:
    """A match's output: the dealer's stdout and stderr, files in the match folder, or by itself nothing."""

    def out(self, text: str) -> None:
        """A line for programs: the score."""

    def err(self, text: str) -> None:
        """A line for people: header, trace, warnings and errors.  Undecodable bytes are surrogates."""

    def hand_finished(self, hand_number: int) -> None:
        """Note that a hand is over."""


class FileConsole(Console):
    """Writes warnings and failures into a file in a match's folder; a full disk loses them, not the match.

    Args:
        path: of the file, which is appended to.
        later: does to it what could give cards away.

    *Resource handling*: `close` it.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path, later: Later = at_once) -> None:
        self._file = open(path, "ab", buffering=0, opener=open_private)  # noqa: SIM115 - closed in close()
        self._later = later

    def err(self, text: str) -> None:
        """Write it into the file."""
        self._later(partial(self._write, printable(text, "\n").encode()))

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self._file.write(data)

    def close(self) -> None:
        """Close the file."""
        self._later(self._file.close)


def say(line: str, *, err: bool = True) -> None:
    """Say a line to people, on stderr or stdout; what is going on does not end because nobody reads it."""
    import click  # the dealer starts without it

    with contextlib.suppress(OSError):
        click.echo(line, err=err)


def now_us() -> int:
    """The wall clock, in microseconds since 1970: for stamps, never for measuring."""
    return time.time_ns() // 1000
