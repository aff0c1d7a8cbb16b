"""What ends a match early: signals, and the end of the program that launched us."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Sequence

import trio


async def await_signal(
    interruptions: list[int],
    scope: trio.CancelScope,
    noted: Sequence[int],
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """End the match in good order on Ctrl-C and similar signals."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as received:
        if noted:
            interruptions.append(128 + noted[0])
            scope.cancel()
        task_status.started()
        async for number in received:
            interruptions.append(128 + number)  # 130 on Ctrl-C
            scope.cancel()


async def await_end_of_stdin(interruptions: list[int], scope: trio.CancelScope) -> None:
    """End the match when the program that launched us has gone, or closes the pipe to say so."""
    async with trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as stdin:
        with contextlib.suppress(trio.BrokenResourceError):
            while await stdin.receive_some():
                pass
    interruptions.append(128 + signal.SIGHUP)
    scope.cancel()
