"""The pytest plug-in, in a pytest of its own that found it by itself."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.interpreter import imported_by
from tests.support.pytest_process import run_pytest

OURS = ("engine", "protocol", "server", "clients", "numpy", "numba", "trio")


def test_fixtures_are_there_without_being_asked_for(tmp_path: Path) -> None:
    text = run_pytest(
        tmp_path,
        test_bot="""
from clients import CALL, FOLD, Agent, raise_to

class Tight(Agent):
    def choose_action(self, view):
        return FOLD

def test_right(check_agent):
    assert check_agent("random", "leduc", hands=3).hands > 0

def test_wrong(check_agent, riverboat_game):
    check_agent(Tight, riverboat_game("leduc"), hands=3)

def test_table(arena, scripted, recorder):
    follower = recorder(scripted([raise_to(300), FOLD]))
    assert arena("nolimit-2p", follower, "always-raise", seed=7).play(1) == (-300, 300)
    assert len(follower.decisions) == 2
""",
    )

    assert "1 failed, 2 passed" in text
    assert "FaultyAgentError: Tight in leduc, seed 0: 1 fault" in text
    assert "report.py" not in text  # what failed is shown, and not how the kit says so


def test_pytest_loads_nothing_for_it(tmp_path: Path) -> None:
    """Neither is anything of ours imported, nor does it stand in the way of packages of the same names."""
    (tmp_path / "clients").mkdir()
    (tmp_path / "clients" / "__init__.py").write_text("MINE = True\n")
    (tmp_path / "engine.py").write_text("MINE = True\n")

    text = run_pytest(
        tmp_path,
        conftest=f"import sys\nLOADED = {set(OURS)} & set(sys.modules)\n",
        test_mine="""
import clients, conftest, engine

def test_mine():
    assert clients.MINE
    assert engine.MINE

def test_loaded():
    assert conftest.LOADED <= {"trio", "numpy"}, conftest.LOADED  # other plug-ins bring these
""",
    )

    assert re.search(r"^2 passed", text, re.MULTILINE), text


def test_the_plug_in_itself_imports_nothing_but_pytest() -> None:
    assert not imported_by("import pytest, pytest_riverboat") & set(OURS)
