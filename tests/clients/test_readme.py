"""What the READMEs show is run, and is what a person sees."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

import clients
import clients.human
from protocol.records import parse_hand
from tests.support.dealer_process import program, run_to_end
from tests.support.documents import public_names
from tests.support.doubles import python_blocks
from tests.support.matches import DEALERS, play_match
from tests.support.pytest_process import run_pytest

# --- What the READMEs show is run ---------------------------------------------------------------------------

CLIENTS = Path(clients.__file__).parent
(WITH_OUR_PACKAGE,) = python_blocks(CLIENTS.parent / "README.md")
WITH_SOCKETS, TESTS, ARENA = python_blocks(CLIENTS / "README.md")


def test_the_bots_have_at_most_fifteen_lines() -> None:
    assert len(WITH_OUR_PACKAGE.splitlines()) <= 15
    assert len(WITH_SOCKETS.splitlines()) <= 15


def test_the_plain_bot_needs_nothing_of_ours() -> None:
    imported = [line for line in WITH_SOCKETS.splitlines() if "import" in line]

    assert imported == ["import socket", "import sys"]


@pytest.mark.parametrize("dealer", DEALERS)
def test_the_two_bots_play_each_other(dealer: str | None, tmp_path: Path) -> None:
    (tmp_path / "ours.py").write_text(WITH_OUR_PACKAGE)
    (tmp_path / "plain.py").write_text(WITH_SOCKETS)
    players = [[sys.executable, "ours.py"], [sys.executable, "plain.py"]]

    arguments = ["m", "holdem.limit.2p.reverse_blinds.game", "60", "7", "ours", "plain"]
    played = play_match(arguments, players, tmp_path, dealer)

    assert (played.status, played.statuses) == (0, [0, 0])
    hands = [record for line in played.log if (record := parse_hand(line)) is not None]
    assert len(hands) == 60
    assert any("f" in hand.betting for hand in hands)
    assert any("r" in hand.betting for hand in hands)
    assert any(hand.betting.count("/") == 3 for hand in hands)
    assert "Traceback" not in "".join(played.errors)
    if dealer is None:
        assert played.errors == ["", ""]  # our dealer says what is being played: nothing to guess
        stderr = (tmp_path / "stderr").read_text()
        assert "un-requested" not in stderr  # neither bot ever talks out of turn
        assert "bad" not in stderr


def test_the_tests_of_the_bot_pass(tmp_path: Path) -> None:
    guarded = WITH_OUR_PACKAGE.replace("\nrun(MyBot)", '\nif __name__ == "__main__":\n    run(MyBot)')

    text = run_pytest(tmp_path, my_bot=guarded, test_my_bot=TESTS)

    assert "2 passed" in text, text


def test_the_arena_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(ARENA, "README.md", "exec"), {})

    first, second = capsys.readouterr().out.strip("()\n").split(", ")
    assert float(first) == -float(second) != 0


def test_every_module_and_package_is_in_the_map() -> None:
    text = (CLIENTS / "README.md").read_text()

    for name in public_names(clients):
        assert f"`{name}.py`" in text or f"`{name}/`" in text, name


# --- What clients/human/README.md shows is what a person sees -----------------------------------------------

README = Path(clients.human.__file__).with_name("README.md").read_text("utf-8")


def test_the_hand_is_played_as_it_is_shown(tmp_path: Path) -> None:
    command = re.search(r"This is what `riverboat ([^`]+)` shows", README)
    hand = re.search(r"^```\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert command is not None
    assert hand is not None
    typed = re.findall(r"^> (.+)$", hand[1], re.MULTILINE)

    played = run_to_end(program(*shlex.split(command[1])), tmp_path, input="\n".join([*typed, "quit", ""]))

    assert len(typed) == 4
    assert played.returncode == 0
    assert hand[1] in played.stdout
