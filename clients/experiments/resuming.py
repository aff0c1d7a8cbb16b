"""Tasks whose results are kept in files, so that an experiment that was stopped can go on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import attrs

from clients.experiments.findings import Say
from clients.tasks import run_tasks
from engine.files import write_whole

__all__ = ["Experiment", "KeptTask", "do_all", "found_in", "keep"]


class KeptTask(Protocol):
    """A piece of an experiment, known by the file of its result."""

    def report(self) -> Path:
        """Where what was found is kept."""

    def played(self) -> dict[str, Any]:
        """What its results depend on, besides the name of its file; JSON."""


Task = TypeVar("Task", bound=KeptTask)
Settings = TypeVar("Settings")


def keep(task: KeptTask, result: Mapping[str, Any]) -> None:
    """Write what a task has found, in one step.

    Raises:
        OSError: the file cannot be written.
    """
    task.report().parent.mkdir(parents=True, exist_ok=True)
    write_whole(task.report(), json.dumps({"played": task.played(), "result": result}) + "\n")


def found_in(task: KeptTask) -> dict[str, Any] | None:
    """What a task has found before; None if it was not done, or with other settings."""
    try:
        report = json.loads(task.report().read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(report, dict) or report.get("played") != task.played():
        return None
    result = report.get("result")
    return result if isinstance(result, dict) else None


def do_all(
    function: Callable[[Task], dict[str, Any]],
    tasks: Sequence[Task],
    jobs: int,
    progress: Say,
    *,
    resume: bool,
    before: Callable[[Task], dict[str, Any] | None] = found_in,
    in_short: Callable[[dict[str, Any]], str] = lambda result: "",
) -> list[dict[str, Any]]:
    """The results of all tasks in their order.

    Args:
        function: does a task and keeps its result.
        tasks: with different files.
        jobs: processes.
        progress: takes a line about each task that is done, with the time that is left.
        resume: take what was found before for done.
        before: says what a task has found before.
        in_short: says what a task has found, for somebody who waits.
    """
    found = [before(task) if resume else None for task in tasks]
    missing = [task for task, result in zip(tasks, found, strict=True) if result is None]
    start = time.perf_counter()
    done = _with_progress(run_tasks(function, missing, jobs), missing, progress, start, in_short)
    return [next(done) if result is None else result for result in found]


def _with_progress(
    results: Iterator[dict[str, Any]],
    tasks: Sequence[KeptTask],
    progress: Say,
    start: float,
    in_short: Callable[[dict[str, Any]], str],
) -> Iterator[dict[str, Any]]:
    for number, (task, result) in enumerate(zip(tasks, results, strict=True), 1):
        seconds = time.perf_counter() - start
        left = seconds / number * (len(tasks) - number)
        so_far = f"{number} of {len(tasks)} in {seconds:.0f} s, about {left:.0f} s left"
        progress(": ".join(filter(None, (so_far, str(task), in_short(result)))))
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
    in_short: Callable[[dict[str, Any]], str] = lambda result: ""
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
            folder: gets what each task has found.
            jobs: processes; the results do not depend on it.
            progress: takes a line about each task that is done.
            resume: take what is in the folder for done, where it was done with the same settings.

        Raises:
            OSError: the folder cannot be written.
        """
        tasks = self.tasks(settings, folder)
        found = do_all(
            self.do, tasks, jobs, progress, resume=resume, before=self.before, in_short=self.in_short
        )
        return self.summary(settings, tasks, found)
