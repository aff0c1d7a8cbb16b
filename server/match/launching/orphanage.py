"""What players leave behind: processes that have left their session and lost their parent.

Linux gives such processes to us once we have asked for them (`adopt_orphans`).  Those that end are reaped at
once, so that no zombies accumulate in a long match; those left at the end of a match are killed.  Other
children of this process are left alone: those it had from the beginning, and those that our code waits for.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Final

import trio

from server.match.launching.local_sockets import ProcessInfo, processes

_MOST_ROUNDS: Final = 100
# Rounds of killing: a process may start others while we look.


class Orphanage:
    """The adopted children of this process.

    Args:
        own: children that were there before anybody was launched.
        on_started: takes the process of each player that has been started.
    """

    def __init__(self, own: frozenset[int], on_started: Callable[[int], None] | None = None) -> None:
        self._awaited = set(own)
        self._on_started = on_started
        self._being_started = 0

    @classmethod
    def open(cls, on_started: Callable[[int], None] | None = None) -> Orphanage:
        """The orphanage of a process that is about to launch others."""
        return cls(frozenset(_children(_everybody())), on_started)

    @contextlib.contextmanager
    def starting(self) -> Iterator[None]:
        """Start a child within this: nothing is reaped until it is known whether somebody `awaits` it."""
        self._being_started += 1
        try:
            yield
        finally:
            self._being_started -= 1

    def awaits(self, process: int) -> None:
        """Leave a child to the code that waits for it, which is to learn how it ended."""
        self._awaited.add(process)
        if self._on_started is not None:
            self._on_started(process)

    def reap(self) -> None:
        """Reap adopted children that have ended."""
        if not self._being_started:
            for child in _children(_everybody()) - self._awaited:
                _try_to_reap(child)

    def empty(self) -> None:
        """Kill the adopted children with all their descendants; no child may be starting meanwhile."""
        for _ in range(_MOST_ROUNDS):
            everybody = _everybody()
            adopted = _children(everybody) - self._awaited
            if not adopted:
                return
            for number in _with_descendants(adopted, everybody):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for child in adopted:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, 0)  # it has been killed: this is a matter of microseconds

    async def keep_reaping(self) -> None:
        """`reap` whenever a child has ended, until cancelled."""
        with trio.open_signal_receiver(signal.SIGCHLD) as ended:
            async for _ in ended:
                self.reap()


def _everybody() -> dict[int, ProcessInfo]:
    """All processes; none if there cannot be adopted ones."""
    if sys.platform != "linux":
        return {}
    with contextlib.suppress(OSError):
        return processes()
    return {}


def _children(everybody: dict[int, ProcessInfo]) -> set[int]:
    ours = os.getpid()
    return {number for number, info in everybody.items() if info.parent == ours}


def _with_descendants(members: set[int], everybody: dict[int, ProcessInfo]) -> set[int]:
    while True:
        more = {number for number, info in everybody.items() if info.parent in members} | members
        if more == members:
            return members
        members = more


def _try_to_reap(child: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, os.WNOHANG)
