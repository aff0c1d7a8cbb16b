"""``riverboat match`` launches players and ends them, announces seats, makes folders, refuses mistakes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import pytest

from engine.poker.rules import game_path
from server.match.sittings.sitting import new_folder
from tests.support.dealer_process import PATIENCE_S, environment, program
from tests.support.matches import raw_bot, result_of, run_match, start_match, wait_for_hand


def test_a_program_that_is_not_there_ends_the_match_before_it_begins(tmp_path: Path) -> None:
    result = result_of(tmp_path, "limit-2p", "random", "bin/fromula", status=3)

    assert result["hands"] == 0
    assert result["players"][1]["failure"] == "not-found"
    assert "fromula" in result["players"][1]["failure_detail"]


def test_no_hand_is_played_against_a_program_that_never_joins(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise SystemExit('no model file')")
    result = result_of(
        tmp_path, "limit-2p", f"{sys.executable} broken.py", "random", "--hands", "5", status=3
    )

    assert result["players"][0]["failure"] == "crashed"
    detail = result["players"][0]["failure_detail"]
    assert detail.startswith("did not join: ended with exit status 1: no model file; its output: ")
    assert (tmp_path / detail.rpartition(": ")[2]).read_text() == "no model file\n"
    assert result["hands"] == 0


@pytest.mark.parametrize(
    ("player", "words", "options"),
    [
        pytest.param("formula:tightness=7", "tightness", (), marks=pytest.mark.slow),
        pytest.param("street-learner:knowledge=junk.npz", "junk.npz", (), marks=pytest.mark.slow),
        pytest.param("random:foo=1", "foo", (), marks=pytest.mark.slow),
        pytest.param("random:foo=1", "foo", ("--duplicate",), marks=pytest.mark.slow),
        ("random:foo=1", "foo", ("--duplicate", "--jobs", "2")),
    ],
)
def test_a_bot_with_a_wrong_option_or_file_plays_no_hand(
    player: str, words: str, options: Sequence[str], tmp_path: Path
) -> None:
    (tmp_path / "junk.npz").write_bytes(b"junk")
    result = result_of(tmp_path, "limit-2p", player, "always-call", "--hands", "30", *options, status=3)

    assert result["hands"] == 0
    assert result["players"][0]["failure"] == "crashed"
    assert words in result["players"][0]["failure_detail"]
    assert "failure" not in result["players"][1]


def test_somebody_from_outside_takes_the_seat_whose_port_is_printed(tmp_path: Path) -> None:
    house = start_match(tmp_path, "kuhn-2p", "Ann=wait", "always-call", "--hands", "4", "--out", "m")
    assert house.stdout is not None
    line = house.stdout.readline()
    assert line.startswith("seat 1 (Ann): waiting for a player on 127.0.0.1 port ")
    player = subprocess.run(
        program("bot", "always-call", "127.0.0.1", line.split()[-1]), env=environment(), timeout=PATIENCE_S
    )
    house.communicate(timeout=PATIENCE_S)

    assert (player.returncode, house.returncode) == (0, 0)


@contextlib.contextmanager
def announcing(folder: Path, *words: str, **options: Any) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A match and what it announces."""
    read_end, write_end = os.pipe()
    words += ("--out", "m", "--announce", str(write_end))
    house = start_match(folder, *words, stdout=subprocess.DEVNULL, pass_fds=(write_end,), **options)
    os.close(write_end)
    with open(read_end) as lines:
        yield house, lines


def announced(folder: Path, *words: str) -> tuple[list[dict[str, Any]], str]:
    """All that a match announces, and its stderr."""
    with announcing(folder, *words) as (house, lines):
        messages = [json.loads(line) for line in lines]
    return messages, house.communicate(timeout=PATIENCE_S)[1]


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.slow
def test_a_launching_program_learns_where_the_seats_are(tmp_path: Path, passes: int) -> None:
    words = ["limit-2p", "A=random", "always-call", "--hands", "2", *["--duplicate"] * (passes - 1)]
    messages, _ = announced(tmp_path, *words)

    assert [message["pass"] for message in messages] == list(range(passes))
    for number, message in enumerate(messages):
        assert [seat["seat"] for seat in message["seats"]] == [0, 1]
        assert message["seats"][number]["name"] == "A"
        for seat in message["seats"]:
            assert seat["host"] == "127.0.0.1"
            assert 0 < seat["port"] < 65536
            assert seat["awaited"] is False


def test_a_launching_program_learns_for_whom_a_seat_waits(tmp_path: Path) -> None:
    bots = raw_bot(tmp_path, "early", "sys.exit()")
    words = ("kuhn-2p", "Ann=wait", f"{bots}", "--hands", "1", "--end-with-stdin")
    with announcing(tmp_path, *words, stdin=subprocess.PIPE) as (house, lines):
        seats = json.loads(lines.readline())["seats"]
    house.communicate(timeout=PATIENCE_S)

    assert [(seat["name"], seat["awaited"]) for seat in seats] == [("Ann", True), ("early", False)]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("no-such-game", "random", "random"), "there is no game 'no-such-game'"),
        (("limit-2p", "random", "fromula"), "there is neither a bot nor a program 'fromula' (did"),
        (("limit-2p", "random", "random", "--host", "192.0.2.1"), "could not create listen socket"),
    ],
)
def test_a_launching_program_learns_why_there_is_no_table(
    tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    (message,), stderr = announced(tmp_path, *words)

    assert list(message) == ["error"]
    assert message["error"].startswith(why)
    assert "\n" not in message["error"]
    assert "Traceback" not in stderr


@pytest.mark.slow
def test_an_earlier_match_in_the_folder_is_moved_aside(tmp_path: Path) -> None:
    words = ("kuhn-2p", "always-call", "always-call", "--hands", "2", "--out", "m", "--seed")
    result_of(tmp_path, *words, "1")
    first = (tmp_path / "m" / "match.log").read_bytes()
    result_of(tmp_path, *words, "2")

    assert (tmp_path / "m" / "earlier-1" / "match.log").read_bytes() == first
    assert (tmp_path / "m" / "match.log").read_bytes() != first


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
def test_an_interrupted_match_leaves_whole_files_and_no_process(
    tmp_path: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = f"riverboat-test-{os.getpid()}-{number}"
    raw_bot(tmp_path, "thinker", "import time; time.sleep(0.01)")
    bot = f"{sys.executable} thinker.py"
    monkeypatch.setenv("MARKER", marker)
    house = start_match(tmp_path, "limit-2p", f"A={bot}", f"B={bot}", "--hands", "100000", "--out", "m")
    monkeypatch.delenv("MARKER")
    log = tmp_path / "m" / "match.log"
    wait_for_hand(log, 2)
    house.send_signal(number)
    _, stderr = house.communicate(timeout=PATIENCE_S)

    assert house.returncode == (130 if number == signal.SIGINT else 143)
    first, last = stderr.splitlines()
    assert (first[:11], last) == ("no sandbox:", "to go on with it: riverboat match --resume m")
    assert "Traceback" not in stderr
    assert log.read_bytes().endswith(b"\n")
    assert not processes_with(marker)


def processes_with(marker: str) -> list[str]:
    """Processes whose environment holds a marker (Linux)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if marker.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue  # ended meanwhile, or not ours
    return found


def test_a_player_who_does_not_join_is_named_with_its_output_and_then_given_up(tmp_path: Path) -> None:
    (tmp_path / "sleeper.sh").write_text("echo 'still waking up' >&2\nsleep 1000\n")
    words = ("limit-2p", "sleeper=sh sleeper.sh", "always-call", "--hands", "5", "--start-time", "1.5")
    done = run_match(tmp_path, *words)

    assert done.returncode == 3
    assert "waiting for sleeper to join (1 s of 1.5): still waking up" in done.stdout
    assert "sleeper stalled: did not join within 1.5 s of its start" in done.stdout


def test_lines_of_a_game_file_that_mean_nothing_are_refused_and_the_dealer_warns(tmp_path: Path) -> None:
    text = game_path("kuhn-2p").read_text().replace("maxRaises", "maxRaise")
    (tmp_path / "my.game").write_text("# mine\n" + text)
    done = run_match(tmp_path, "my.game", "random", "random", "--hands", "2")

    assert done.returncode == 2
    (refusal,) = [line for line in done.stderr.splitlines() if "my.game:" in line]
    assert "means nothing (did you mean maxRaises?)" in refusal
    assert "maxRaise" in text.splitlines()[int(refusal.split("my.game:")[1].split(":")[0]) - 2]
    words = ["dealer", "m", "my.game", "1", "0", "a", "b", "--start_timeout", "1"]
    options: dict[str, Any] = {"cwd": tmp_path, "env": environment(), "capture_output": True, "text": True}
    dealt = subprocess.run([sys.executable, "-m", "server", *words], check=False, **options)
    assert "riverboat: my.game:" in dealt.stderr


def test_matches_that_begin_in_the_same_second_have_folders_of_their_own(tmp_path: Path) -> None:
    with ThreadPoolExecutor(24) as threads:
        folders = list(threads.map(lambda _: new_folder(tmp_path / "matches", "kuhn-2p"), range(24)))

    assert len(set(folders)) == 24
    assert all(folder.is_dir() for folder in folders)


CRASHES_EVERY_TEN_HANDS = """
import os, sys
from clients import CALL, Agent, run

class Crashes(Agent):
    def hand_finished(self, view):
        if view.hand_number % 10 == 9:
            print("hand", view.hand_number, "was too much", file=sys.stderr, flush=True)
            os._exit(5)

    def choose_action(self, view):
        return CALL

run(Crashes)
"""


@pytest.mark.parametrize(
    ("recover", "played"),
    [pytest.param(0, 10, marks=pytest.mark.slow), (1, 20), pytest.param(9, 30, marks=pytest.mark.slow)],
)
def test_a_player_that_crashes_is_started_again_as_often_as_asked(
    recover: int, played: int, tmp_path: Path
) -> None:
    """It is waited for meanwhile: it misses no hand until it has crashed once too often."""
    (tmp_path / "crashes.py").write_text(CRASHES_EVERY_TEN_HANDS)
    options = ("--hands", "30", "--recover", str(recover), "--grace", "60", "--seed", "3", "--out", "m")
    result = result_of(tmp_path, "limit-2p", "python crashes.py", "always-call", *options, status=3)

    crashing, other = result["players"]
    assert result["hands"] == 30
    assert crashing["failure"] == "crashed"
    assert "hand 9 was too much" in crashing["failure_detail"]
    assert crashing.get("hands_by_default", 0) == 30 - played
    assert "hands_by_default" not in other
    assert (tmp_path / "m/players/crashes.err").read_text().count("was too much") == min(recover + 1, 3)
