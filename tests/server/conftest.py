"""Fixtures of the server's tests."""

from __future__ import annotations

import os

import pytest
from trio.testing import MockClock


@pytest.fixture
def virtual_clock() -> MockClock:
    """Time that jumps to the next deadline when nothing has happened for a moment.

    The moment lets bytes on their way through the loopback device arrive: the busier the machine, the longer
    they take.
    """
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    return MockClock(autojump_threshold=0.02 * max(1.0, waiting))
