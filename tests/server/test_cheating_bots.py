"""A launched bot that reads everything it can read knows no cards that it has not been dealt."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

import pytest

from engine.poker.rules import load_game
from server.league.checking import check_tournament
from server.league.plan import Match
from server.records.verification.log_checker import verify_log
from tests.support.cheater import Cheater
from tests.support.commands import run_here

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks into /proc")

_CUP: Final = """\
[tournament]
name = "cup"
format = "{format}"
[game]
matches = 2
{game}
[limits]
sandbox = false
[[players]]
name = "cheater"
player = "{cheater}"
[[players]]
name = "honest"
player = "always-call"
"""
_LEVELS: Final = """\
game = "nolimit-2p"
[sit_and_go]
stack = 100
[[sit_and_go.levels]]
hands = 3
small = 5
[[sit_and_go.levels]]
small = 50
"""


def cup(cheater: str, hands: int = 6, duplicate: str = "false") -> str:
    """A round-robin of limit hold'em between a program and an honest player."""
    game = f'game = "limit-2p"\nhands = {hands}\nduplicate = {duplicate}'
    return _CUP.format(format="round-robin", game=game, cheater=cheater)


@pytest.fixture
def cheater(tmp_path: Path) -> Cheater:
    (tmp_path / "here").mkdir()
    return Cheater(tmp_path / "here", tmp_path / "seen")


def play(folder: Path, *words: str) -> None:
    done = run_here(*words, folder=folder)
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--duplicate",),
        pytest.param((), marks=pytest.mark.slow),
        pytest.param(("--duplicate", "--jobs", "2"), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_in_a_match(cheater: Cheater, words: tuple[str, ...]) -> None:
    play(cheater.folder, "match", "limit-2p", f"cheater={cheater.command}", "always-call",
         "--hands", "20", "--out", "m", *words)  # fmt: skip

    logs = sorted((cheater.folder / "m").rglob("match.log"))
    assert cheater.could_have_known(logs, load_game("limit-2p")) == set()
    assert [verify_log(log).problem for log in logs] == [None] * (2 if words else 1)
    assert {verify_log(log).cards for log in logs} == {"the keys of the hands"}


@pytest.mark.slow
def test_in_a_duplicate_match_whose_passes_take_too_many_processes_to_be_side_by_side(
    cheater: Cheater, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.match.plan._MOST_PROCESSES", 8)
    words = [f"cheater={cheater.command}", "b=always-call", "c=always-call"]
    play(cheater.folder, "match", "limit-3p", *words, "--hands", "4", "--duplicate", "--out", "m")

    logs = sorted((cheater.folder / "m").rglob("match.log"))
    assert len(logs) == 3
    assert cheater.could_have_known(logs, load_game("limit-3p")) == set()


def test_in_a_course(cheater: Cheater) -> None:
    play(cheater.folder, "course", "init", ".", "--game", "limit-2p")
    plan = (
        (cheater.folder / "tournament.toml")
        .read_text()
        .partition('[[players]]\nname = "yardstick-simple"')[0]
    )
    for setting in ("hands = 4", "sandbox = false", "response_time = 60"):  # it looks for seconds if need be
        plan = re.sub(f"(?m)^{setting.split()[0]} = \\S+", setting, plan)
    student = f'[[players]]\nname = "cheater"\nplayer = "{cheater.command}"\n'
    (cheater.folder / "night.toml").write_text(plan + student)
    play(cheater.folder, "tournament", "night.toml", "--out", "night", "--workers", "1")

    logs = sorted((cheater.folder / "night").rglob("cheater*/**/match.log"))
    assert len(logs) == 2
    match = Match(0, 1, ("cheater", "yardstick-call"))
    assert cheater.could_have_known(logs, load_game("limit-2p"), match) == set()
    assert check_tournament(cheater.folder / "night").problem is None


@pytest.mark.parametrize("duplicate", ["true", pytest.param("false", marks=pytest.mark.slow)])
def test_in_a_tournament(cheater: Cheater, duplicate: str) -> None:
    (cheater.folder / "cup.toml").write_text(cup(cheater.command, duplicate=duplicate))
    play(cheater.folder, "tournament", "cup.toml", "--out", "cup", "--workers", "1")

    check_blind_tournament(cheater, "limit-2p")


def test_in_a_sit_and_go(cheater: Cheater) -> None:
    (cheater.folder / "cup.toml").write_text(
        _CUP.format(format="sit-and-go", game=_LEVELS, cheater=cheater.command)
    )
    play(cheater.folder, "tournament", "cup.toml", "--out", "cup", "--workers", "1")

    check_blind_tournament(cheater, "nolimit-2p")


_STOPPER: Final = """\
import os, pathlib, signal, socket, sys
dealer = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rwb")
dealer.write(b"VERSION:2.0.0\\n"); dealer.flush()
stats = [path.read_text() for path in pathlib.Path("/proc").glob("[0-9]*/stat")]
parents = {int(stat.split()[0]): int(stat.rpartition(")")[2].split()[1]) for stat in stats}
siblings = [each for each, parent in parents.items() if parent == os.getppid() and each != os.getpid()]
open("siblings", "a").write(f"{len(siblings)} ")
for line in dealer:
    if line.startswith(b"MATCHSTATE:"):
        if EVERY_TIME or line.split(b":")[2] == b"2":
            os.kill(os.getppid(), signal.SIGSTOP)
        dealer.write(line.rstrip() + b":c\\n"); dealer.flush()
"""
"""A bot that stops the process of its match."""


@pytest.mark.parametrize("every_time", [False, True])
def test_a_match_of_a_tournament_that_a_player_stops_goes_on_or_ends(
    tmp_path: Path, every_time: bool
) -> None:
    (tmp_path / "stopper.py").write_text(_STOPPER.replace("EVERY_TIME", str(every_time)))
    (tmp_path / "cup.toml").write_text(cup(f"{sys.executable} stopper.py", 600 if every_time else 6))

    done = run_here("tournament", "cup.toml", "--out", "cup", "--workers", "1", folder=tmp_path)

    said = done.stderr.splitlines()
    fault = "cheater v honest, match 1: it was stopped 100 times by another process"
    assert (done.exit_code, fault in said) == ((1, True) if every_time else (0, False)), said
    assert set((tmp_path / "siblings").read_text().split()) == {"1"}  # the opponent: nobody keeps anything


def check_blind_tournament(cheater: Cheater, game: str) -> None:
    folder = cheater.folder / "cup"
    logs = sorted(folder.rglob("match.log"))
    for number in (1, 2):
        match = Match(0, number, ("cheater", "honest"))
        assert cheater.could_have_known(logs, load_game(game), match) == set()
    assert check_tournament(folder).problem is None
