"""What a room reports to its operator: lines on a terminal, JSON objects elsewhere.

If structlog is not installed, it reports plain lines everywhere.  A report never waits and never fails: the
disk may be full, the pipe closed or unread, and clients may do again and again what is reported.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import sys
import threading
import time
from importlib.util import find_spec
from typing import Any, Final, TextIO

from server.support.allowance import Allowances
from server.support.console import Console

_PREFIX: Final = "riverboat: "
_WARNING: Final = "WARNING: "
_TRACE: Final = "Traceback (most recent call last):"
LINES_AT_ONCE: Final = 20
"""Lines of one kind about one seat, and as many more a minute; others are counted and dropped."""
_KIND: Final = 18
# Letters at the beginning of a line that tell its kind, and its seat if it has one.
_MOST_WAITING: Final = 1000
_GOODBYE_S: Final = 1.0


class Unhurried:
    """A stream to which a thread writes: nobody else waits for it, and what it does not take is dropped.

    Args:
        stream: with a file behind it; to others, as tests have them, everybody writes.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._waiting = queue.Queue[str | None](_MOST_WAITING)
        self._is_well = True  # it has taken the last line
        self.dropped = 0
        """Lines that have not been written so far."""
        self._told = 0
        self.allowances: Final = Allowances(LINES_AT_ONCE / 60, LINES_AT_ONCE, time.monotonic)
        """For lines, by their kind."""
        self._thread: threading.Thread | None = None
        with contextlib.suppress(OSError):
            self._thread = threading.Thread(target=self._run, args=(stream.fileno(),), daemon=True)
            self._thread.start()

    def write(self, text: str) -> None:
        """Have it written soon."""
        if self._thread is None:
            self._stream.write(text)
            return
        try:
            self._waiting.put_nowait(text)
        except queue.Full:
            self.dropped += 1

    def flush(self) -> None:
        """Do nothing: the thread does."""

    def untold(self) -> int:
        """Lines dropped since the last time; 0 as long as none would be written."""
        untold = self.dropped - self._told if self._is_well and not self._waiting.full() else 0
        self._told += untold
        return untold

    def close(self) -> None:
        """Wait a little until everything is written."""
        if self._thread is not None:
            with contextlib.suppress(queue.Full):
                self._waiting.put(None, timeout=_GOODBYE_S)
                self._thread.join(_GOODBYE_S)

    def _run(self, descriptor: int) -> None:
        while (text := self._waiting.get()) is not None:
            data = text.encode("utf-8", "replace")
            try:
                while data:
                    data = data[os.write(descriptor, data) :]
            except OSError:
                self.dropped += 1
            self._is_well = not data


class OperatorConsole(Console):
    """Where a room reports: stderr.

    Args:
        log: takes reports, with their level; None for plain text.
        stream: takes plain text.
        table: whose console this is; None for the room's own.
    """

    def __init__(self, log: Any, stream: Unhurried, table: str | None = None) -> None:
        self._log = log
        self._stream = stream
        self._table = table

    def of_table(self, name: str) -> OperatorConsole:
        """The console of a table, whose reports have its name."""
        return OperatorConsole(self._log, self._stream, name)

    def out(self, text: str) -> None:
        """Report a line of output."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def err(self, text: str) -> None:
        """A line for people; bytes from clients that are not text are replaced."""
        if not self._stream.allowances.of((self._table, text[:_KIND])).take():
            self._stream.dropped += 1
            return
        if untold := self._stream.untold():
            self._say(f"{_PREFIX}{untold} lines were not written\n")
        self._say(text.encode("utf-8", "replace").decode("utf-8"))

    def _say(self, text: str) -> None:
        if self._log is None:
            self._stream.write(text)
            self._stream.flush()
            return
        where = {} if self._table is None else {"table": self._table}
        if _TRACE in text:
            last = text.strip().splitlines()[-1]
            self._log.error("a fault of ours", error=last.strip(" |+-"), exception=text, **where)
            return
        for line in text.splitlines():
            level = logging.WARNING if line.startswith(_WARNING) else logging.INFO
            self._log.log(level, line.removeprefix(_WARNING).removeprefix(_PREFIX), **where)

    def event(self, name: str, **fields: object) -> None:
        """Report something that programs may want to know; does nothing for plain lines."""
        if self._log is not None:
            self._log.info(name, **fields)

    def close(self) -> None:
        """Wait a little until everything is written."""
        self._stream.close()


def operator_console(stream: TextIO | None = None) -> OperatorConsole:
    """The console of this process, or one that writes to a stream."""
    stream = sys.stderr if stream is None else stream
    target = Unhurried(stream)
    if find_spec("structlog") is None or stream.isatty():
        return OperatorConsole(None, target)
    import structlog
    from structlog.processors import JSONRenderer, TimeStamper, add_log_level

    log = structlog.wrap_logger(
        structlog.WriteLogger(target),  # type: ignore[arg-type]  # it writes and flushes
        processors=[add_log_level, TimeStamper(fmt="iso", utc=True), JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
    )
    return OperatorConsole(log, target)
