"""Bots of earlier versions still import what the documentation told them to."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import clients.core.arena
import engine.poker.cards
from engine.support.moved import MOVED
from tests.support.asserting import refuses


@pytest.mark.parametrize(("former", "today"), MOVED.items())
def test_a_former_name_is_todays_module(former: str, today: str) -> None:
    sys.modules.pop(former, None)
    with pytest.warns(FutureWarning) as warned:
        module = importlib.import_module(former)

    assert f"{former} is {today} now: import that" in [str(each.message) for each in warned]

    assert module is importlib.import_module(today)
    assert module.__name__ == today


def test_modules_below_a_former_name_are_found() -> None:
    sys.modules.pop("engine.evaluation.hand_strength", None)
    with pytest.warns(FutureWarning):
        from engine.evaluation.hand_strength import hand_strength  # type: ignore[import-not-found]

    assert hand_strength.__module__ == "engine.hands.hand_strength"


def test_a_bot_of_an_earlier_version_runs_and_is_warned_once_a_module() -> None:
    script = "from engine.cards import rank_of; from clients.arena import Arena; print(rank_of(51), Arena)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.split()[0] == "12"
    assert done.stderr.count("FutureWarning") == 2
    assert engine.poker.cards.rank_of(51) == 12
    assert clients.core.arena.Arena.__module__ == "clients.core.arena"


def test_a_misspelt_name_is_still_an_error() -> None:
    refuses(ModuleNotFoundError, r"engine\.card", importlib.import_module, "engine.card")
