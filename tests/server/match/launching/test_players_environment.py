"""Launched bots find the Python that has the package, our packages, and their own modules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.match.launching.environment import players_environment
from tests.support.dealer_process import environment, program

BOT = """
from clients import CALL, Agent, run
from helper import WORD

class Mine(Agent):
    def choose_action(self, view):
        return CALL

print(WORD, flush=True)
run(Mine)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot with a helper module, and beside them things that are named like our packages."""
    (tmp_path / "my_bot.py").write_text(BOT)
    (tmp_path / "helper.py").write_text("WORD = 'helped'")
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text("raise SystemExit('the wrong engine')")
    (tmp_path / "clients.py").write_text("raise SystemExit('the wrong clients')")
    (tmp_path / "server.py").write_text("raise SystemExit('the wrong server')")
    return tmp_path


def play(folder: Path, command: str, path: str) -> subprocess.CompletedProcess[str]:
    words = ("--hands", "5", "--out", "m")
    return subprocess.run(
        # -P, as for the program `riverboat`: the user's folder is not searched for the house's packages
        [sys.executable, "-P", *program("match", "limit-2p", command, "always-call", *words)[1:]],
        cwd=folder,
        env=environment() | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.parametrize("command", ["python my_bot.py", "python -u ./my_bot.py", "python -X utf8 my_bot.py"])
def test_the_readmes_bot_plays_beside_folders_named_like_ours(folder: Path, command: str) -> None:
    """On a PATH that has no `python` at all: `riverboat` was run by its full path."""
    done = play(folder, command, os.defpath)

    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "m/players/my_bot.out").read_text() == "helped\n"


def test_a_bot_of_another_kind_keeps_its_own_modules(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("WORD = 'my own engine'")
    (tmp_path / "other.py").write_text("import engine\nraise SystemExit(engine.WORD)")

    done = play(tmp_path, "python other.py", os.environ["PATH"])

    assert "did not join: ended with exit status 1: my own engine" in done.stdout


def test_what_the_user_has_set_stays() -> None:
    environment = players_environment(["./bot", "-x"], {"PATH": "/bin", "PYTHONPATH": "/mine", "X": "1"})

    own = os.path.dirname(sys.executable)
    assert environment == {"PATH": f"{own}{os.pathsep}/bin", "PYTHONPATH": "/mine", "X": "1"}
