"""Bytes to lines.

A line is everything up to and including LF.  The ACPC dealer reads into a buffer of 4096 bytes, so a
longer line reaches it in pieces of 4095 that it takes for lines of their own (acpc-spec 5.6); we cut
in the same places, which also bounds what a peer can make us keep.
"""

from __future__ import annotations

from typing import Final

MAX_LINE: Final = 4095
"""Longest line in bytes, line end included: the ACPC programs' buffer without its terminator."""


class LineBuffer:
    """Collects bytes and hands out lines.  Linear in the bytes fed, however they are chopped up."""

    def __init__(self) -> None:
        self._data = b""
        self._start = 0  # of what has not been handed out
        self._searched = 0  # up to here there is no LF after the start
        self._at_end = False

    def feed(self, data: bytes) -> None:
        """Add received bytes; empty bytes mean the end of the stream."""
        if not data:
            self._at_end = True
        elif self._start == len(self._data):  # the usual case: one message at a time
            self._data = data
            self._start = self._searched = 0
        else:
            self._searched -= self._start
            self._data = self._data[self._start :] + data
            self._start = 0

    @property
    def at_end(self) -> bool:
        """The stream has ended and every line has been handed out."""
        return self._at_end and self._start == len(self._data)

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

    def peek(self) -> bytes | None:
        """The next line without taking it; None while it is incomplete."""
        end = self._line_end()
        return self._data[self._start : end] if end else None

    def next_line(self) -> bytes | None:
        """Take the next line, line end included; None while it is incomplete."""
        end = self._line_end()
        if not end:
            return None
        line = self._data[self._start : end]
        self._start = self._searched = end
        return line
