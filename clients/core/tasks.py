"""Runs tasks, such as those of an experiment, one after another or in several processes.

Tasks are functions of their arguments alone: results depend neither on how many processes work on them
nor on which task is done first.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Final, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD: Final = 2
# Tasks queued beyond those in progress: no process waits, and little work is wasted when we stop early.


def run_tasks(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int = 1
) -> Generator[Result, None, None]:
    """The results of tasks in their order.

    Args:
        function: defined in a module, with results that can be sent from process to process.
        tasks: taken as they are needed.
        jobs: processes that work on them; 1 works in this one.

    *Resource handling*: closing the iterator, Ctrl-C, an error in a task, or the death of this process ends
    the processes at once.
    """
    if jobs == 1:
        for task in tasks:
            yield function(task)
        return
    context = multiprocessing.get_context("spawn")  # a fork would copy other threads only halfway
    before = set(multiprocessing.active_children())
    with ProcessPoolExecutor(jobs, context, initializer=_live_with_the_parent) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(function, task))
                if len(waiting) >= jobs + _AHEAD:
                    yield waiting[0].result()
                    waiting.popleft()
            while waiting:
                yield waiting[0].result()
                waiting.popleft()
        finally:
            if waiting:  # the pool then finds itself broken, and gives up
                for process in set(multiprocessing.active_children()) - before:
                    process.terminate()


def _live_with_the_parent() -> None:
    """Prepare a process of the pool: the parent handles interrupts, and its end is ours."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
