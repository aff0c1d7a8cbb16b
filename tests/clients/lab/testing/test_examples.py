"""What the docstrings of the kit show is what happens."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

import clients.lab.testing
import engine.poker.situations


@pytest.mark.parametrize("module", [clients.lab.testing, engine.poker.situations])
def test_examples_do_as_they_say(module: ModuleType) -> None:
    result = doctest.testmod(module)

    assert result.attempted > 0
    assert result.failed == 0
