"""How Ctrl-C, SIGTERM and SIGHUP end a program: always with 128 and the signal's number, never a traceback.

======================  ==============================================================================
`end_at_once`           the rule: nothing needs tidying while modules load and kernels compile
`even_in_kernels`       the same where compiled code runs for long
`die_of`                for a program that dies of a signal as a C program does
`held_back`             for work that is brought to an end first
`as_ctrl_c`             for programs that tidy up as a KeyboardInterrupt passes through them
`stopped_by_a_signal`   for programs of trio that start others: until the last of them has ended
`ignore_signals`        when all is done
`first_of`              what went wrong, out of the groups that nurseries raise
======================  ==============================================================================
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from engine.support.at_once import end_at_once as end_at_once, leave

if TYPE_CHECKING:
    import trio


SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_INSISTS_S: Final = 2.0
"""Somebody who sends a signal again so much later does not want to wait; sooner they pressed a key twice."""
_AGAIN_S: Final = 0.02
"""After which a KeyboardInterrupt that was lost comes again."""


def die_of(*numbers: int) -> None:
    """Let these signals kill this process from now on, as they kill a C program, unless they are ignored."""
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def ignore_signals() -> None:
    """Ignore signals from now on: nothing disturbs the interpreter's end or changes the exit status."""
    for number in _handlers():
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def even_in_kernels() -> Iterator[None]:
    """Within this, what `end_at_once` has begun holds though compiled code keeps Python from seeing signals.

    Not for programs of trio, which wants to be woken itself; a kernel must have let go of the interpreter's
    lock.
    """
    if signal.getsignal(signal.SIGINT) is not leave:
        yield
        return
    ours, pythons = os.pipe()
    os.set_blocking(pythons, False)
    threading.Thread(target=_watch, args=(ours,), daemon=True).start()
    before = signal.set_wakeup_fd(pythons)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(pythons)  # ends the thread


def _watch(wakeups: int) -> None:
    """Leave when one of our signals arrives; the interpreter writes its number as a byte."""
    while received := os.read(wakeups, 1):
        if received[0] in SIGNALS:
            leave(received[0])
    os.close(wakeups)


@contextlib.contextmanager
def held_back() -> Iterator[list[int]]:
    """A context in which signals are noted in the list that it yields; a second one ends us."""
    noted: list[int] = []
    since = 0.0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal since
        if not noted:
            since = time.monotonic()
        elif time.monotonic() - since > _INSISTS_S:
            leave(noted[0])
        noted.append(number)

    before = _handlers()
    for number in before:
        signal.signal(number, note)
    try:
        yield noted
    finally:
        _restore(before)


class _CtrlC:
    """The signal that has interrupted us, or will."""

    status = 128 + signal.SIGINT
    """The exit status that says so."""
    was_sent = False
    """A signal has come; under trio, one other than Ctrl-C."""
    was_raised = False

    def send(self, number: int, frame: FrameType | None) -> None:
        """A handler: the signal is Ctrl-C, with its own status."""
        if not self.was_sent:
            self.was_sent = True
            self.status = 128 + number
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background
            self.raise_once(number, frame)
        handler = signal.getsignal(signal.SIGINT)
        assert callable(handler)
        handler(signal.SIGINT, frame)

    def raise_again(
        self, otherwise: Callable[[sys.UnraisableHookArgs], Any], lost: sys.UnraisableHookArgs
    ) -> None:
        """A hook: a KeyboardInterrupt that nobody could catch comes again a moment later.

        Python drops what is raised in a callback from C, such as the compiler's when a kernel is ready.
        """
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            otherwise(lost)
            return
        self.was_raised = False
        is_over = threading.Event()
        threading.Thread(target=self._send_again, args=(is_over,), daemon=True).start()
        is_over.set()

    def _send_again(self, hook_is_over: threading.Event) -> None:
        """Not while the hook runs, however long it takes on a loaded machine: it would be lost there, too."""
        hook_is_over.wait()
        time.sleep(_AGAIN_S)
        os.kill(os.getpid(), self.status - 128)

    def raise_once(self, number: int, frame: FrameType | None) -> None:
        """A handler: a KeyboardInterrupt, and no second one to disturb the tidying up."""
        if not self.was_raised:
            self.was_raised = self.was_sent = True
            raise KeyboardInterrupt


@contextlib.contextmanager
def as_ctrl_c(*, under_trio: bool = False) -> Iterator[None]:
    """A context in which the signals are KeyboardInterrupts; one that leaves it ends the program.

    After an interruption they are ignored: a key that was pressed twice must not disturb the end.  Where the
    block ends otherwise, the signals are what they were.

    Args:
        under_trio: trio is to choose the moment, for which it needs Python's own handler.

    Raises:
        SystemExit: in place of a KeyboardInterrupt, with the exit status.
    """
    with _sigint_blocked_where_ignored() if under_trio else contextlib.nullcontext():
        yield from _as_ctrl_c(under_trio)


def _as_ctrl_c(under_trio: bool) -> Iterator[None]:
    interruption = _CtrlC()
    before = _handlers()
    for number in before:
        signal.signal(number, interruption.send)
    hook = sys.unraisablehook
    sys.unraisablehook = functools.partial(interruption.raise_again, hook)
    if signal.SIGINT in before:
        signal.signal(signal.SIGINT, signal.default_int_handler if under_trio else interruption.raise_once)
    try:
        yield
    except (KeyboardInterrupt, BaseExceptionGroup) as error:
        if under_trio or interruption.was_sent:
            ignore_signals()
        else:
            _restore(before)
        if isinstance(error, BaseExceptionGroup) and error.split(KeyboardInterrupt)[1] is not None:
            raise  # there is more to it
        raise SystemExit(interruption.status) from None
    except BaseException:
        _restore(before)
        raise
    else:
        _restore(before)
    finally:
        sys.unraisablehook = hook


class Stop:
    """What stops a program, or may.

    Args:
        nursery: for tasks that go on until all is tidied up.
        scope: around what is stopped.
        say: takes the number of the signal that stops it.
    """

    def __init__(
        self, nursery: trio.Nursery, scope: trio.CancelScope, say: Callable[[int], None] | None
    ) -> None:
        self.nursery = nursery
        self.status = 0
        """The exit status, once it has been stopped."""
        self.scope = scope
        self._say = say

    def by(self, number: int) -> None:
        """Stop, because of a signal or as if there had been one."""
        if not self.status:
            self.status = 128 + number
            if self._say is not None:
                self._say(number)
        self.scope.cancel()

    async def listen(self, noted: Sequence[int], *, task_status: trio.TaskStatus[None]) -> None:
        """Stop for each signal that comes or has been noted, until cancelled."""
        import trio

        with trio.open_signal_receiver(*SIGNALS) as received:
            for number in noted:
                self.by(number)
            task_status.started()
            async for number in received:
                self.by(number)


@contextlib.asynccontextmanager
async def stopped_by_a_signal(
    noted: Sequence[int] = (), say: Callable[[int], None] | None = None
) -> AsyncIterator[Stop]:
    """A context that a signal cancels; further ones do not cut short how it tidies up.

    Args:
        noted: signals that have come before, and were `held_back`.
        say: takes the number of the signal that stops it.
    """
    import trio

    async with trio.open_nursery() as nursery:
        stop = Stop(nursery, trio.CancelScope(), say)
        await nursery.start(stop.listen, noted)
        with stop.scope:
            yield stop
        nursery.cancel_scope.cancel()


@contextlib.contextmanager
def _sigint_blocked_where_ignored() -> Iterator[None]:
    """In the background, where Ctrl-C is ignored, it is kept away instead: trio has a handler for it alone.

    Without one of its own a KeyboardInterrupt for another signal would break into trio's work.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        yield
        return
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # which drops what has come meanwhile
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _handlers() -> dict[signal.Signals, Any]:
    """The handlers that we may replace: not those by which our caller wants a signal ignored."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    return {number: each for number, each in handlers.items() if each not in (None, signal.SIG_IGN)}


def _restore(handlers: Mapping[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def first_of(error: BaseException) -> BaseException:
    """The first error of a group, however deep, which a nursery raises; else the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
