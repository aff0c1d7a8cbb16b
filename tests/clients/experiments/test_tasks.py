"""What experiments share: tables, files, tasks over processes."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.experiments.findings import markdown_table, write_results
from clients.experiments.tasks import run_tasks
from clients.reports.plots import Curve, draw_curves


def square(number: int) -> int:
    return number * number


def process_of(_: int) -> int:
    return os.getpid()


def works_for_ever(_: int) -> None:
    os.write(1, b"begun\n")  # in one piece: two processes do so
    threading.Event().wait()


def fails_at_three(number: int) -> int:
    if number == 3:
        raise ArithmeticError("three")
    return number


def test_a_table_has_as_many_bars_in_each_line() -> None:
    lines = markdown_table(["what", "won"], [["a|b", 1], ["c", 2.5]]).splitlines()

    assert lines == ["| what | won |", "| --- | --- |", "| a\\|b | 1 |", "| c | 2.5 |"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_come_back_in_order_however_many_work_on_them(jobs: int) -> None:
    assert list(run_tasks(square, range(12), jobs)) == [n * n for n in range(12)]


def test_one_job_is_done_in_this_process_and_two_are_not() -> None:
    assert set(run_tasks(process_of, range(3), 1)) == {os.getpid()}
    assert os.getpid() not in set(run_tasks(process_of, range(3), 2))


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_error_of_a_task_arrives_after_the_results_before_it(jobs: int) -> None:
    results = run_tasks(fails_at_three, range(100), jobs)

    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ArithmeticError, match="three"):
        next(results)
    assert_no_child_is_left()


def test_who_has_enough_leaves_no_process_behind() -> None:
    def endless() -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    results = run_tasks(square, endless(), 2)
    assert next(results) == 0
    results.close()

    assert_no_child_is_left()


def test_processes_end_with_the_one_that_is_killed() -> None:
    """They hold its standard output, which is at its end when they are."""
    program = (
        "from clients.experiments.tasks import run_tasks\n"
        "from tests.clients.experiments.test_tasks import works_for_ever\n"
        "list(run_tasks(works_for_ever, range(2), 2))"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert [parent.stdout.readline() for _ in range(2)] == [b"begun\n"] * 2
        parent.kill()
        rest, _ = parent.communicate(timeout=60)

    assert rest == b""


def assert_no_child_is_left() -> None:
    for child in multiprocessing.active_children():
        child.join(20)
        assert not child.is_alive()


def test_results_are_written_whole(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"

    write_results(folder, {"won": 0.5}, "# Report\n")
    write_results(folder, {"won": 0.25}, "# Report 2\n")

    assert json.loads((folder / "results.json").read_text()) == {"won": 0.25}
    assert (folder / "results.md").read_text() == "# Report 2\n"
    assert sorted(path.name for path in folder.iterdir()) == ["results.json", "results.md"]


def test_a_number_that_json_does_not_know_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_results(tmp_path, {"won": math.nan}, "")

    assert list(tmp_path.iterdir()) == []


def test_curves_become_two_pictures_that_are_the_same_each_time(tmp_path: Path) -> None:
    curves = [
        Curve("one", [1, 10, 100], [0.1, 0.2, 0.3], [0.05, 0.04, 0.03]),
        Curve("two", [1, 10], [0.2, 0.1]),
    ]
    for name in ("a", "b"):
        files = draw_curves(
            tmp_path / name, curves, title="t", x_label="x", y_label="y", log_x=True, levels=[("level", 0.25)]
        )

    assert [file.name for file in files] == ["b.png", "b.svg"]
    for kind in ("png", "svg"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")
