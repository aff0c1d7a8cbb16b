"""The `riverboat` program: the house's commands here, the players' through the entry-point groups.

`riverboat dealer` reads its own command line and starts without any of this.
"""

from __future__ import annotations

import errno
import os
import sys

from engine.support.interruption import end_at_once, ignore_signals


def main() -> int:
    """Run the command line; returns the exit status."""
    end_at_once()
    try:
        _fill_standard_descriptors()
        return _flushed(_run())
    finally:
        ignore_signals()


def _fill_standard_descriptors() -> None:
    """Open those of stdin, stdout and stderr that our caller has closed, on the null device.

    Otherwise the next file or socket that is opened gets the number, and is written to as if it were stdout.
    """
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - for as long as we run
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def _run() -> int:
    try:
        if sys.argv[1:2] == ["dealer"]:
            from server.commands.play.dealer import main as deal

            return deal(sys.argv[2:])
        from server.commands.program import riverboat

        riverboat(prog_name="riverboat")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0


def _flushed(status: int) -> int:
    """The exit status, once all output is flushed; lost output gives a line and status 1."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more
        if status == 0 and error.errno != errno.EPIPE:
            print(f"riverboat: standard output: {error.strerror or error}", file=sys.stderr)
        return status or 1
    return status
