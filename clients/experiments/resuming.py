"""Tasks whose results are kept in files, so that an experiment that was stopped can go on."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

import attrs
import numpy as np

from clients.experiments.findings import Say
from clients.tasks import run_tasks
from engine.files import write_whole
from engine.files.formats import format_arrays, parse_arrays

__all__ = ["TASKS", "Experiment", "KeptTask", "Work", "found_in", "keep"]

TASKS: Final = "tasks"
"""The folder of what tasks have found, within that of the results."""


class KeptTask(Protocol):
    """A piece of an experiment, known by the file of its result."""

    def report(self) -> Path:
        """Where what was found is kept: numbers as JSON, or arrays if its name ends in ``.npz``."""

    def played(self) -> dict[str, Any]:
        """What its results depend on, besides the name of its file; JSON."""


Task = TypeVar("Task", bound=KeptTask)
Settings = TypeVar("Settings")


def keep(task: KeptTask, result: Mapping[str, Any]) -> None:
    """Write what a task has found, in one step.

    Raises:
        OSError: the file cannot be written.
    """
    file, played = task.report(), task.played()
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".npz":
        write_whole(file, format_arrays({"played": np.array(json.dumps(played)), **result}))
    else:
        write_whole(file, json.dumps({"played": played, "result": result}) + "\n")


def found_in(task: KeptTask) -> dict[str, Any] | None:
    """What a task has found before; None if it was not done, or with other settings."""
    try:
        data = task.report().read_bytes()
        if task.report().suffix == ".npz":
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
    """How the tasks of an experiment are done."""

    folder: Path
    """Gets what each task has found."""
    jobs: int = 1
    """Processes; the results do not depend on it."""
    progress: Say = lambda line: None
    """Takes a line about each task that is done, with the time that is left."""
    resume: bool = False
    """Take what is in the folder for done, where it was done with the same settings."""

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
            function: does a task and keeps its result.
            tasks: with different files.
            before: says what a task has found before.
            in_short: says what a task has found, for somebody who waits.

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
    """An experiment made of tasks: called with its settings, it does them all and sums up what they found."""

    tasks: Callable[[Settings, Path], Sequence[Task]]
    """From the settings, and the folder that gets what each task has found."""
    do: Callable[[Task], dict[str, Any]]
    """Does a task and keeps its result."""
    summary: Callable[[Settings, Sequence[Task], Sequence[dict[str, Any]]], dict[str, Any]]
    """Of all results, as it stands in ``results.json``."""
    before: Callable[[Task], dict[str, Any] | None] = found_in
    """What a task has found before."""
    in_short: Callable[[dict[str, Any]], str] = _in_no_words
    """What a task has found, for somebody who waits."""

    def __call__(
        self,
        settings: Settings,
        folder: Path,
        jobs: int = 1,
        progress: Say = lambda line: None,
        *,
        resume: bool = False,
    ) -> dict[str, Any]:
        """The summary.

        Args:
            settings: what the tasks are made of.
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
