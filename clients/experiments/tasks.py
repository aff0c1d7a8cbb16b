"""What experiments share: tasks over processes, tables, files.

An experiment is cut into tasks, functions of their arguments alone, so that its results depend neither on how
many processes work on them nor on which of them is done first.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from engine.files import write_whole

__all__ = ["markdown_table", "run_tasks", "write_results"]

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD: Final = 2
# Tasks handed out beyond those being worked on: nobody waits, and little is done in vain when we stop early.


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a line end; bars within cells are escaped."""

    def line(cells: Sequence[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"

    return line(header) + line(["---"] * len(header)) + "".join(map(line, rows))


def write_results(folder: Path, results: Mapping[str, Any], report: str) -> None:
    """``results.json`` and ``results.md`` of an experiment, each whole or not at all.

    Raises:
        OSError: the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "results.json", json.dumps(results, indent=2, allow_nan=False) + "\n")
    write_whole(folder / "results.md", report)


def run_tasks(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int = 1
) -> Generator[Result, None, None]:
    """The results of tasks in their order.

    Args:
        function: of a module, and with results that can be sent from process to process.
        tasks: taken as they are needed.
        jobs: processes that work on them; 1 works in this one.

    *Resource handling*: closing the iterator, Ctrl-C, or an error in a task ends the processes at once; so
    does whatever kills this one.
    """
    if jobs == 1:
        for task in tasks:
            yield function(task)
        return
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of others half
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
            if waiting:  # the pool then finds itself broken, and lets go
                for process in set(multiprocessing.active_children()) - before:
                    process.terminate()


def _live_with_the_parent() -> None:
    """In a process of the pool: interrupts are the parent's business, and when it is killed, all is over."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
