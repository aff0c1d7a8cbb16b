"""``riverboat telnet``: a match played by somebody with a socket, held against a bot that does the same."""

from __future__ import annotations

import json
import random
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from engine.poker.rules import load_game, parse_betting
from protocol.records import parse_hand
from tests.support.dealer_process import PATIENCE_S, environment, program

MATCH = ("limit-2p", "--hands", "20", "--seed", "77", "--response-time", "60", "--match-time", "60", "--json")
BOT = """\
import json, sys
from clients import Agent, CALL, FOLD, LIMIT_RAISE, run

ACTIONS = {"c": CALL, "f": FOLD, "r": LIMIT_RAISE}

class Replaying(Agent):
    def __init__(self):
        self.actions = iter(json.loads(ACTIONS_OF_THE_PERSON))

    def choose_action(self, view):
        return ACTIONS[next(self.actions)]

run(Replaying)
"""
NONSENSE = [
    "hello",
    "r 1",
    "r +7",
    "raise pot",
    "c c",
    "\x1b[A",
    "f" * 500,
    "",
    "?",
    "table",
    "last",
    "\xff\xfb",
]


@pytest.mark.slow
def test_a_person_by_telnet_leaves_the_log_of_a_bot_with_the_same_actions(tmp_path: Path) -> None:
    """20 hands of random correct and incorrect input; each line is sent when a question is asked."""
    house = start("match", *MATCH[:1], "person=wait", "random", *MATCH[1:], "--out", "typed", folder=tmp_path)
    try:
        dealer = read_port(house, r"on 127.0.0.1 port (\d+)")
        bridge = start("telnet", "--listen", "0", "127.0.0.1", str(dealer), folder=tmp_path)
        try:
            text = play_randomly(read_port(bridge, r"open on 127.0.0.1 port (\d+)"), random.Random(5))
            assert bridge.wait(PATIENCE_S) == 0
        finally:
            end(bridge)
        assert house.wait(PATIENCE_S) == 0
    finally:
        end(house)
    typed = (tmp_path / "typed" / "match.log").read_text()

    (tmp_path / "bot.py").write_text(BOT.replace("ACTIONS_OF_THE_PERSON", repr(actions_of(typed, "person"))))
    words = (f"person={sys.executable} bot.py", "random", *MATCH[1:], "--out", "replayed")
    done = subprocess.run(
        program("match", *MATCH[:1], *words), cwd=tmp_path, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "replayed" / "match.log").read_text() == typed
    assert typed.count("STATE:") == 20
    assert "after 20 hands." in text
    assert "The dealer has closed the table." in text


def start(*words: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        program(*words), cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def read_port(process: subprocess.Popen[str], pattern: str) -> int:
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(pattern, line):
            return int(found[1])
    raise AssertionError("no port was named")


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()


def play_randomly(port: int, rng: random.Random) -> str:
    """Answer every question with something, right or wrong, until the other side closes."""
    shown = b""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
        while data := connection.recv(65536):
            shown += data
            if shown.endswith(b"> "):
                line = rng.choice(["c", "c", "r", "f", "call", "raise", *NONSENSE])
                connection.sendall(line.encode("latin-1") + b"\r\n")
    return shown.decode("utf-8", "replace")


def actions_of(log: str, name: str) -> str:
    """What a player did in a match, as a JSON list of letters, hand after hand."""
    letters: list[str] = []
    for line in log.splitlines():
        if line.startswith("STATE:"):
            record = parse_hand(line)
            assert record is not None
            position = record.names.index(name)
            letters += actions_of_hand(record.betting, position)
    return json.dumps(letters)


def actions_of_hand(betting: str, position: int) -> list[str]:
    steps = parse_betting(load_game("limit-2p"), betting).steps()
    return [str(action) for _, actor, action in steps if actor == position]


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = subprocess.run(
            program("telnet", "--listen", str(port), "127.0.0.1", "4000"), cwd=tmp_path, env=environment(),
            capture_output=True, text=True, timeout=PATIENCE_S,
        )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr == f"telnet: cannot listen on 127.0.0.1 port {port}: Address already in use\n"
