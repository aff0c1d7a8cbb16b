"""What players leave behind: processes, and words that are not fit to print."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Final

import pytest

from engine.support.user_input import printable
from tests.support.dealer_process import PATIENCE_S
from tests.support.matches import raw_bot, raw_program, run_match, start_match

LEAVES_A_CHILD: Final = """\
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("left", "w").write(str(os.getpid()))
        os.rename("left", "left-over")
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()
    os._exit(0)
os.wait()
while not os.path.exists("left-over"):
    pass
"""


def state_of(process: int) -> str | None:
    """The letter of a process's state; None where there is no such process."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0]
    except OSError:
        return None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives us what our players leave behind")
@pytest.mark.parametrize("duplicate", [[], pytest.param(["--duplicate"], marks=pytest.mark.slow)])
def test_a_process_that_left_its_session_does_not_outlive_the_match(
    tmp_path: Path, duplicate: list[str]
) -> None:
    bot = raw_bot(tmp_path, "bot", before=LEAVES_A_CHILD)
    done = run_match(tmp_path, "leduc", bot, "always-call", "--hands", "3", *duplicate)

    assert "3 hands" in done.stdout or "6 hands" in done.stdout
    assert state_of(int((tmp_path / "left-over").read_text())) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives us what our players leave behind")
def test_a_match_keeps_no_zombies(tmp_path: Path) -> None:
    orphan = "number % 4 or os.spawnlp(os.P_WAIT, 'sh', 'sh', '-c', 'sleep 0 & exit')"
    os.mkfifo(tmp_path / "gate")
    meanwhile = f"{orphan}\n    number == 40 and open('gate').read()"
    bot = raw_bot(tmp_path, "bot", meanwhile, "import os")
    house = start_match(tmp_path, "leduc", bot, "always-call", "--hands", "20", "--json")
    with open(tmp_path / "gate", "w"):
        children = [
            int(path.name)
            for path in Path("/proc").glob("[0-9]*")
            if f") S {house.pid} " in (text := stat_of(path)) or f") Z {house.pid} " in text
        ]
        zombies = [child for child in children if state_of(child) == "Z"]
    output, _ = house.communicate(timeout=PATIENCE_S)

    assert json.loads(output)["hands"] == 20
    assert len(zombies) <= 1  # the latest may just have ended


def stat_of(process: Path) -> str:
    try:
        return (process / "stat").read_text()
    except OSError:
        return ""


def test_last_words_cannot_forge_a_line(tmp_path: Path) -> None:
    words = r"sorry\r# seat 2 (always-call) crashed\x1b[2K\x1b]0;title\x07\u202e\x9b"
    bot = raw_program(f"if number == 9: sys.stderr.write('{words}'); sys.exit(3)")
    (tmp_path / "bot.py").write_text("# coding: utf-8\n" + bot)
    line = ("limit-2p", f"{sys.executable} bot.py", "always-call", "--hands", "20", "--out", "m")
    done = run_match(tmp_path, *line, variables={"PYTHONUTF8": "1"})

    assert done.returncode == 3
    said = done.stdout + done.stderr
    log = (tmp_path / "m" / "match.log").read_bytes().decode()
    (failure,) = [
        player["failure_detail"]
        for player in json.loads((tmp_path / "m" / "result.json").read_text())["players"]
        if "failure" in player
    ]
    shown = "sorry?# seat 2 (always-call) crashed?[2K?]0;title???"
    assert failure == f"ended with exit status 3: {shown}; its output: m/players/bot.err"
    assert failure in said
    for text in (said, log, (tmp_path / "m" / "dealer.err").read_bytes().decode()):
        assert printable(text, "\n") == text


CRASHING: Final = """\
from clients import CALL, Agent, run
class Bot(Agent):
    def choose_action(self, view):
        if not view.board:
            return CALL
        try:
            int("call")
        except ValueError as error:
            raise {raised}
run(Bot)
"""


@pytest.mark.parametrize(
    ("raised", "last"),
    [
        ("RuntimeError('no idea')", "RuntimeError: no idea (bot.py, line 9)"),
        (
            "ExceptionGroup('several', [error])",
            "ValueError: invalid literal for int() with base 10: 'call' (bot",
        ),
    ],
)
def test_a_crash_in_play_names_the_output_and_the_last_line_of_the_players_own(
    tmp_path: Path, raised: str, last: str
) -> None:
    (tmp_path / "bot.py").write_text(CRASHING.format(raised=raised))
    words = ("leduc", "python bot.py", "always-call", "--hands", "3", "--out", "m", "--json")
    done = run_match(tmp_path, *words)
    (failure,) = [each["failure_detail"] for each in json.loads(done.stdout)["players"] if "failure" in each]

    assert failure.startswith(f"ended with exit status 1: {last}")
    assert failure.endswith("; its output: m/players/bot.err")
