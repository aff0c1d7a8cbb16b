"""The order in which tables are served: in the order of the answers, and the player to act before the others.

trio wakes all runnable tasks in one batch, in order or in reverse.  If two hundred tables are answered while
two hundred are served, one table may wait for two batches, and the next for none.  Here one task listens to
all clients, and wakes the tables of a few at a time: the client that has spoken first is served first.  What
the other players at a table are shown is written a millisecond later when no table waits, or after a quarter
of a second: by then most of them are to act, and one write tells them all, instead of one for each action.

A single listener needs Linux's epoll, and costs each wait another wake-up; elsewhere, and where no more
tables play than are woken at once, each table waits for its own clients in trio's way.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import select
import socket
from collections.abc import Callable, Iterator
from typing import Final

import attrs
import trio

_AT_ONCE: Final = 16
# Tables that are woken in one batch.
_BREATH_S: Final = 0.002
# How long a table may play on without letting others run, once it has finished a hand.
_SOONEST_S: Final = 0.001
# How long a write to a player who is not to act is delayed: it may be their turn by then.
_LATEST_S: Final = 0.25
# How long it may be delayed.


@attrs.define(eq=False)
class _Wait:
    """A table that waits for its player."""

    task: trio.lowlevel.Task
    deadline: float
    is_over: bool = False
    """Woken because the time is up."""
    is_closed: bool = False
    """Woken because we have closed the connection."""


class Turns:
    """Waits for the clients of all tables of this thread (`here`)."""

    def __init__(self) -> None:
        self.tables = 0
        """Tables that play at present: a lone one may wait for its player without letting others run."""
        self._epoll = select.epoll() if hasattr(select, "epoll") else None
        self._waiting: dict[int, _Wait] = {}  # by descriptor
        self._kept: dict[object, tuple[float, Callable[[], object]]] = {}  # since when; the oldest first
        self._next = math.inf  # no deadline is earlier
        self._asleep = trio.CancelScope()  # its deadline is never later than anything that is due
        self._ran_at = -math.inf  # when others than one table ran last

    @contextlib.contextmanager
    def one_more_table(self) -> Iterator[None]:
        """Counts a table while it plays."""
        self.tables += 1
        try:
            yield
        finally:
            self.tables -= 1

    @property
    def is_crowded(self) -> bool:
        """Whether more tables play than are woken at once, so that it matters who is served first."""
        return self.tables > _AT_ONCE

    async def let_others_run(self, now: float) -> None:
        """A checkpoint, unless others have just run: it takes as long as an action of a fast match."""
        if now >= self._ran_at + _BREATH_S:
            await trio.lowlevel.checkpoint()
            self._ran_at = now

    # --- waiting ---------------------------------------------------------------------------------------

    async def until_readable(self, sock: socket.socket, deadline: float) -> bool:
        """Wait until something has arrived or the client has gone; False if `deadline` comes first.

        Raises:
            trio.ClosedResourceError: we have closed it.
        """
        number = sock.fileno()
        if number < 0:
            raise trio.ClosedResourceError
        if self._epoll is None or not self.is_crowded:
            with trio.CancelScope(deadline=deadline):
                await trio.lowlevel.wait_readable(sock)
                return True
            return False
        if number in self._waiting:
            raise trio.BusyResourceError("a table waits for this client already")
        once = select.EPOLLIN | select.EPOLLONESHOT
        try:
            self._epoll.modify(number, once)
        except FileNotFoundError:
            self._epoll.register(number, once)
        wait = self._waiting[number] = _Wait(trio.lowlevel.current_task(), deadline)
        if deadline < self._next:
            self._next = deadline
            self._wake_by(deadline)

        def abort(_: object) -> trio.lowlevel.Abort:
            del self._waiting[number]
            return trio.lowlevel.Abort.SUCCEEDED

        await trio.lowlevel.wait_task_rescheduled(abort)
        if wait.is_closed:
            raise trio.ClosedResourceError
        return not wait.is_over

    def is_closing(self, sock: socket.socket) -> None:
        """Say that we are about to close a connection: a task waiting for it is told."""
        wait = self._waiting.pop(sock.fileno(), None)
        if wait is not None:
            wait.is_closed = True
            trio.lowlevel.reschedule(wait.task)

    async def run(self) -> None:
        """Wake the tables whose clients have spoken, and write what was kept, until cancelled."""
        with self._epoll or contextlib.nullcontext():
            await self._listen()

    async def _listen(self) -> None:
        while True:
            oldest = next(iter(self._kept.values()), None)
            until = self._next if oldest is None else min(self._next, oldest[0] + _SOONEST_S)
            with trio.CancelScope(deadline=until) as self._asleep:
                while True:
                    await self._until_something_is_ready()
                    self._serve()
            self._serve()

    def _serve(self) -> None:
        ready = [] if self._epoll is None else self._epoll.poll(0, _AT_ONCE)
        for number, _ in ready:
            wait = self._waiting.pop(number, None)
            if wait is not None:
                trio.lowlevel.reschedule(wait.task)
        now = self._ran_at = trio.current_time()
        if now >= self._next:
            self._wake_the_late(now)
        if self._kept:
            self._write_some(now, _AT_ONCE - len(ready))

    async def _until_something_is_ready(self) -> None:
        if self._epoll is None:
            await trio.sleep_forever()
        else:
            await trio.lowlevel.wait_readable(self._epoll.fileno())

    def _wake_the_late(self, now: float) -> None:
        """Wake those whose time is up, and find the next deadline."""
        for number, wait in list(self._waiting.items()):
            if wait.deadline <= now:
                del self._waiting[number]
                wait.is_over = True
                trio.lowlevel.reschedule(wait.task)
        self._next = min([wait.deadline for wait in self._waiting.values()], default=math.inf)

    # --- writing ---------------------------------------------------------------------------------------

    def keep(self, whom: object, write: Callable[[], object]) -> None:
        """Have something written to somebody who is not to act, when there is time."""
        if whom not in self._kept:
            now = trio.current_time()
            self._kept[whom] = now, write
            self._wake_by(now + _SOONEST_S)

    def _wake_by(self, deadline: float) -> None:
        if deadline < self._asleep.deadline:
            self._asleep.deadline = deadline

    def _write_some(self, now: float, most: int) -> None:
        """Write what was kept longest, for at most `most` clients, and everything kept for too long."""
        for whom, (since, write) in list(itertools.islice(self._kept.items(), _AT_ONCE)):
            if now < since + (_SOONEST_S if most > 0 else _LATEST_S):
                return
            most -= 1
            del self._kept[whom]
            write()


_HERE: Final = trio.lowlevel.RunVar[Turns]("turns")


def here() -> Turns:
    """Those of this run of trio; they listen from the first call on, until the run ends."""
    try:
        return _HERE.get()
    except LookupError:
        turns = Turns()
        _HERE.set(turns)
        trio.lowlevel.spawn_system_task(turns.run)
        return turns
