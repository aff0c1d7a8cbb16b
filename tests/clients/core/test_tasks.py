"""Tasks over processes."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from clients.core.tasks import run_tasks


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


def test_a_caller_that_stops_early_leaves_no_process_behind() -> None:
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
        "from clients.core.tasks import run_tasks\n"
        "from tests.clients.core.test_tasks import works_for_ever\n"
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
