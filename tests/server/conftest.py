"""Fixtures of the server's tests."""

import math
import os
from typing import Any

import pytest
import trio
from trio.testing import MockClock


@pytest.fixture
def virtual_clock(monkeypatch: pytest.MonkeyPatch) -> MockClock:
    """Time that jumps to the next deadline when nothing has happened for a moment, and no thread works.

    The moment lets bytes on their way through the loopback device arrive: the busier the machine, the longer
    they take.  What a thread does, such as hashing a token, takes no time at all.
    """
    moment = 0.005 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    clock = MockClock(autojump_threshold=moment)
    run_sync, working = trio.to_thread.run_sync, set[trio.lowlevel.Task]()

    async def without_time(*arguments: Any, **options: Any) -> Any:
        working.add(trio.lowlevel.current_task())
        clock.autojump_threshold = math.inf
        try:
            return await run_sync(*arguments, **options)
        finally:
            working.remove(trio.lowlevel.current_task())
            if not working:
                clock.autojump_threshold = moment

    monkeypatch.setattr(trio.to_thread, "run_sync", without_time)
    return clock
