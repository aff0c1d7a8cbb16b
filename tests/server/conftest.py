"""Fixtures of the server's tests."""

from __future__ import annotations

import pytest
from trio.testing import MockClock


@pytest.fixture
def virtual_clock() -> MockClock:
    """Time that jumps to the next deadline when nothing has happened for a moment.

    The moment lets bytes on their way through the loopback device arrive, on a busy machine too.
    """
    return MockClock(autojump_threshold=0.02)
