"""The search, what it learns and what it suspects, held to what they were on recorded deals."""

from __future__ import annotations

import re

import pytest

from tests.engine.solving.miximax.recorded import FILE, decisions


def test_limit_holdem_is_played_as_before() -> None:
    """Values of all actions at some 280 decisions, while 240 hands are learnt from, recorded before the
    search knew raises of several sizes.
    """
    found, recorded = list(decisions()), FILE.read_text("ascii").splitlines()

    assert len(found) == len(recorded)
    for ours, theirs in zip(found, recorded, strict=True):
        assert _words(ours) == _words(theirs)
        assert _numbers(ours) == pytest.approx(_numbers(theirs), abs=2e-6)


def _words(line: str) -> str:
    return re.sub(r"[+-]?\d+\.\d+", "#", line)


def _numbers(line: str) -> list[float]:
    return [float(number) for number in re.findall(r"[+-]?\d+\.\d+", line)]
