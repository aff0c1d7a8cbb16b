"""`riverboat check-bot` as a program, with players in processes of their own."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine.poker.rules import packaged_games
from tests.support.dealer_process import PATIENCE_S, ROOT, environment, program

PLANTED = ROOT / "tests" / "misbehaving_bots" / "planted.py"
ACPC_PLAYER = ROOT / "tests" / "support" / "acpc_player.py"
BOTS = sorted(entry.name for entry in entry_points(group="riverboat.bots"))


def check(folder: Path, *words: str, patience_s: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        program("check-bot", *words), cwd=folder, env=environment(), capture_output=True, text=True,
        timeout=patience_s, check=False,
    )  # fmt: skip


def assert_nothing_wrong(folder: Path, *words: str, patience_s: float = 500) -> None:
    result = check(folder, "--json", *words, patience_s=patience_s)

    said = json.loads(result.stdout)
    assert [each for each in said["checks"] if not each["passed"]] == []
    assert (result.returncode, said["passed"]) == (0, True)


def planted(fault: str, *words: str) -> str:
    return shlex.join([sys.executable, str(PLANTED), fault, "{game}"])


def test_a_player_that_writes_twice_is_found_and_a_build_server_can_read_it(tmp_path: Path) -> None:
    result = check(
        tmp_path, "--json", "--junit", "out.xml", "--game", "leduc", "--hands", "12", planted("two-writes")
    )

    said = json.loads(result.stdout)
    failed = [each for each in said["checks"] if not each["passed"] and each["tried"]]
    assert (result.returncode, said["passed"], [each["name"] for each in failed]) == (3, False, ["one-write"])
    assert "in one write" in failed[0]["detail"]
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()[0]
    assert (suite.tag, suite.get("failures")) == ("testsuite", "1")
    assert int(suite.get("tests", 0)) == len(said["checks"])
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["one-write"]


FAULTS = {
    "late": "time",
    "crlf": "split-line-end",
    "echo": "echo",
    "raise-by": "legal-actions",
    "out-of-turn": "turn",
    "comments": "comments",
    "walk": "walk",
    "short-all-in": "short-all-in",
    "side-pot": "side-pots",
    "six": "seats-6",
    "no-exit": "close",
    "two-writes": "one-write",
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found_in_processes_too(fault: str, tmp_path: Path) -> None:
    games = ["--game", "nolimit-3p", "--game", "nolimit-6p"]
    result = check(tmp_path, "--json", "--hands", "30", *games, planted(fault), patience_s=500)

    said = json.loads(result.stdout)
    assert result.returncode == 3
    assert FAULTS[fault] in [each["name"] for each in said["checks"] if not each["passed"]]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("bot", BOTS)
def test_no_bot_in_the_box_is_complained_of(bot: str, tmp_path: Path) -> None:
    assert_nothing_wrong(tmp_path, "--hands", "42", bot, patience_s=1100)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_player_like_the_acpcs_does_nothing_wrong_in_any_game(tmp_path: Path) -> None:
    player = shlex.join([sys.executable, str(ACPC_PLAYER), "{game}"])
    games = [word for name in packaged_games() for word in ("--game", name)]
    assert_nothing_wrong(tmp_path, *games, player)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("page", "start", "games"),
    [
        ("README.md", "from clients import", []),
        ("clients/README.md", "import socket", ["--game", "limit-2p"]),
    ],
)
def test_the_bots_of_our_pages_do_nothing_wrong(
    page: str, start: str, games: list[str], tmp_path: Path
) -> None:
    found = re.search(rf"```python\n({start}.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    assert found is not None
    (tmp_path / "my_bot.py").write_text(found.group(1))
    assert_nothing_wrong(tmp_path, *games, "python my_bot.py")
