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
        self._data = bytearray()
        self._searched = 0  # bytes at the start known to hold no LF
        self._at_end = False

    def feed(self, data: bytes) -> None:
        """Add received bytes; empty bytes mean the end of the stream."""
        if data:
            self._data += data
        else:
            self._at_end = True

    @property
    def at_end(self) -> bool:
        """The stream has ended and every line has been handed out."""
        return self._at_end and not self._data

    def __len__(self) -> int:
        return len(self._data)

    def peek(self) -> bytes | None:
        """The next line without taking it; None while it is incomplete.

        A last line without LF is complete when the stream has ended.
        """
        data = self._data
        end = data.find(b"\n", self._searched, MAX_LINE) + 1
        if not end:
            if len(data) >= MAX_LINE:
                end = MAX_LINE
            elif self._at_end and data:
                end = len(data)
            else:
                self._searched = len(data)
                return None
        return bytes(data[:end])

    def next_line(self) -> bytes | None:
        """Take the next line, line end included; None while it is incomplete."""
        line = self.peek()
        if line is not None:
            del self._data[: len(line)]
            self._searched = 0
        return line
