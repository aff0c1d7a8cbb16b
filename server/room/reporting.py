"""What a room reports to its operator: lines on a terminal, JSON objects elsewhere.

If structlog is not installed, it reports plain lines everywhere.
"""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec
from typing import Any, Final, TextIO

_PREFIX: Final = "riverboat: "
_WARNING: Final = "WARNING: "
_TRACE: Final = "Traceback (most recent call last):"


class OperatorConsole:
    """Where a room reports: stderr.

    Args:
        log: takes reports, with their level; None for plain text.
        stream: takes plain text.
        table: whose console this is; None for the room's own.
    """

    def __init__(self, log: Any = None, stream: TextIO | None = None, table: str | None = None) -> None:
        self._log = log
        self._stream = sys.stderr if stream is None else stream
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
        text = text.encode("utf-8", "replace").decode("utf-8")
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

    def hand_finished(self, hand_number: int) -> None:
        """Do nothing: hands are in the ledger."""


def operator_console(stream: TextIO | None = None) -> OperatorConsole:
    """The console of this process."""
    stream = sys.stderr if stream is None else stream
    if find_spec("structlog") is None or stream.isatty():
        return OperatorConsole(None, stream)
    import structlog

    log = structlog.wrap_logger(
        structlog.WriteLogger(stream),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
    )
    return OperatorConsole(log, stream)
