"""Tasks whose results are kept in files, so that a stopped experiment can be resumed."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

import attrs
import numpy as np

from clients.core.tasks import run_tasks
from clients.lab.experiments.findings import Say
from engine.support.files import write_whole
from engine.support.files.formats import format_arrays, parse_arrays

__all__ = ["TASKS", "Experiment", "KeptTask", "Work", "found_in", "keep"]

TASKS: Final = "tasks"
"""The folder for the tasks' results, within that of the experiment's results."""


class KeptTask(Protocol):
    """A piece of an experiment whose result is kept in a file."""

    def result_file(self) -> Path:
        """The file of its result: numbers as JSON, or arrays if its name ends in ``.npz``."""

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends, besides the name of its file; JSON."""


Task = TypeVar("Task", bound=KeptTask)
Settings = TypeVar("Settings")


def keep(task: KeptTask, result: Mapping[str, Any]) -> None:
    """Write the result of a task, in one step.

    Raises:
        OSError: the file cannot be written.
    """
    file, played = task.result_file(), task.played()
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".npz":
        write_whole(file, format_arrays({"played": np.array(json.dumps(played)), **result}))
    else:
        write_whole(file, json.dumps({"played": played, "result": result}) + "\n")


def found_in(task: KeptTask) -> dict[str, Any] | None:
    """The kept result of a task; None if there is none, or one with other settings."""
    try:
        data = task.result_file().read_bytes()
        if task.result_file().suffix == ".npz":
            result: Any = parse_arrays(data)
            played = json.loads(str(result.pop("played")))
        else:
            report = json.loads(data)
            played, result = report["played"], report["result"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return result if isinstance(result, dict) and played == task.played() else None


def _in_no_words(result: dict[str, Any]) -> str:
    return ""


@attrs.frozen
class Work:
    """How to do the tasks of an experiment."""

    folder: Path
    """The folder for the tasks' results."""
    jobs: int = 1
    """The number of processes; the results do not depend on it."""
    progress: Say = lambda line: None
    """Receives a line about each finished task, with the time that is left."""
    resume: bool = False
    """Use results in the folder that were made with the same settings."""

    def each(
        self,
        function: Callable[[Task], dict[str, Any]],
        tasks: Sequence[Task],
        *,
        before: Callable[[Task], dict[str, Any] | None] = found_in,
        in_short: Callable[[dict[str, Any]], str] = _in_no_words,
    ) -> Generator[dict[str, Any], None, None]:
        """The results of tasks in their order, each as soon as it is known.

        Args:
            function: does a task, keeps its result and returns it.
            tasks: the tasks, each with its own file.
            before: returns the kept result of a task, if there is one.
            in_short: puts a result in a few words, for the progress.

        Raises:
            OSError: the folder cannot be written.

        *Resource handling*: closing the iterator ends the work.
        """
        found = [before(task) if self.resume else None for task in tasks]
        missing = [task for task, result in zip(tasks, found, strict=True) if result is None]
        start = time.perf_counter()
        with contextlib.closing(run_tasks(function, missing, self.jobs)) as results:
            done = self._with_progress(results, missing, start, in_short)
            for result in found:
                yield next(done) if result is None else result

    def _with_progress(
        self,
        results: Iterator[dict[str, Any]],
        tasks: Sequence[KeptTask],
        start: float,
        in_short: Callable[[dict[str, Any]], str],
    ) -> Iterator[dict[str, Any]]:
        for number, (task, result) in enumerate(zip(tasks, results, strict=True), 1):
            seconds = time.perf_counter() - start
            left = seconds / number * (len(tasks) - number)
            so_far = f"{number} of {len(tasks)} in {seconds:.0f} s, about {left:.0f} s left"
            self.progress(": ".join(filter(None, (so_far, str(task), in_short(result)))))
            yield result


@attrs.frozen
class Experiment(Generic[Settings, Task]):
    """An experiment made of tasks: called with its settings, it does them and summarises their results."""

    tasks: Callable[[Settings, Path], Sequence[Task]]
    """Makes the tasks from the settings and the folder for their results."""
    do: Callable[[Task], dict[str, Any]]
    """Does a task, keeps its result and returns it."""
    summary: Callable[[Settings, Sequence[Task], Sequence[dict[str, Any]]], dict[str, Any]]
    """Summarises all results, for ``results.json``."""
    before: Callable[[Task], dict[str, Any] | None] = found_in
    """Returns the kept result of a task, if there is one."""
    in_short: Callable[[dict[str, Any]], str] = _in_no_words
    """Puts a result in a few words, for the progress."""

    def __call__(
        self,
        settings: Settings,
        folder: Path,
        jobs: int = 1,
        progress: Say = lambda line: None,
        *,
        resume: bool = False,
    ) -> dict[str, Any]:
        """The summary of the experiment.

        Args:
            settings: the experiment's settings.
            folder: as in `Work`.
            jobs: as in `Work`.
            progress: as in `Work`.
            resume: as in `Work`.

        Raises:
            OSError: the folder cannot be written.
        """
        work = Work(folder, jobs, progress, resume)
        tasks = self.tasks(settings, folder)
        found = work.each(self.do, tasks, before=self.before, in_short=self.in_short)
        return self.summary(settings, tasks, list(found))
