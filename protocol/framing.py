"""Bytes to lines.

A line is everything up to and including LF.  The ACPC dealer reads into a buffer of 4096 bytes, so a
longer line reaches it in pieces of 4095 that it treats as separate lines (docs/acpc-dealer.md 5.6); we cut in
the same places, which also limits what a peer can make us keep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

MAX_LINE: Final = 4095
"""Longest line in bytes, line end included: the ACPC programs' buffer without its terminator."""


class LineBuffer:
    """Collects bytes and returns lines, in time linear in the bytes fed, however they are split."""

    def __init__(self) -> None:
        self._data = b""
        self._start = 0  # of what has not been handed out
        self._searched = 0  # up to here there is no LF after the start
        self._at_end = False
        self.is_empty = True
        """Whether everything has been handed out; an attribute, since it is looked at for every action."""

    def feed(self, data: bytes) -> None:
        """Add received bytes; empty bytes mean the end of the stream."""
        self._at_end |= not data
        self._searched -= self._start
        self._data = self._data[self._start :] + data
        self._start = 0
        self.is_empty = not self._data

    @property
    def at_end(self) -> bool:
        """Whether the stream has ended and every line has been taken."""
        return self._at_end and self.is_empty

    def __len__(self) -> int:
        return len(self._data) - self._start

    def _line_end(self) -> int:
        """Where the next line ends; 0 while it is incomplete.

        A last line without LF is complete when the stream has ended.
        """
        data, start = self._data, self._start
        end = data.find(b"\n", self._searched, start + MAX_LINE) + 1
        if not end:
            if len(data) - start >= MAX_LINE:
                end = start + MAX_LINE
            elif self._at_end and start < len(data):
                end = len(data)
            else:
                self._searched = len(data)
        return end

    def next_line(self) -> bytes | None:
        """Take the next line, line end included; None while it is incomplete."""
        end = self._line_end()
        if not end:
            return None
        line = self._data[self._start : end]
        self._start = self._searched = end
        self.is_empty = end == len(self._data)
        return line

    def take_behind(
        self, is_skipped: Callable[[bytes], bool], is_taken: Callable[[bytes], bool]
    ) -> bytes | None:
        """Take the first line that is wanted, if only lines that may be skipped precede it.

        The skipped lines stay.  None if another line comes first, or the next one is incomplete.

        Args:
            is_skipped: whether a line may be skipped; must hold for wanted lines, too.
            is_taken: whether a line is wanted.
        """
        end = self._line_end()
        if not end or not is_skipped(first := self._data[self._start : end]):
            return None
        if is_taken(first):
            return self.next_line()
        ahead = LineBuffer()
        ahead._data, ahead._at_end = self._data[self._start :], self._at_end
        while (line := ahead.next_line()) is not None:
            if is_taken(line):
                begin, end = ahead._start - len(line), ahead._start
                self._data = ahead._data[:begin] + ahead._data[end:]
                self._start = self._searched = 0
                self.is_empty = not self._data
                return line
            if not is_skipped(line):
                return None
        return None
