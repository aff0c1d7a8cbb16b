"""``riverboat match`` as users run it: real processes from the command line to the match folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.rules import game_path
from protocol.records import parse_hand, parse_score
from server.launching.match_folder import new_folder
from tests.support.dealer_process import PATIENCE_S, environment, program

RAW_BOT = """\
import socket, sys
dealer = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rwb")
dealer.write(b"VERSION:2.0.0\\n"); dealer.flush()
for number, line in enumerate(dealer):
    {misbehave}
    if not line.startswith(b"#"):
        dealer.write(line.rstrip() + b":c\\n"); dealer.flush()
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        program("match", *words), cwd=folder, env=environment(), capture_output=True, text=True, timeout=90
    )


def result_of(folder: Path, *words: str, status: int = 0) -> dict[str, Any]:
    done = run(folder, *words, "--json")
    assert done.returncode == status, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def raw_bot(folder: Path, name: str, misbehave: str = "pass") -> str:
    (folder / f"{name}.py").write_text(RAW_BOT.format(misbehave=misbehave))
    return f"{sys.executable} {name}.py"


def test_the_same_seed_gives_the_same_match(tmp_path: Path) -> None:
    words = ("nolimit-3p", "random", "random", "always-call", "--hands", "60", "--seed", "7")
    first, second = (result_of(tmp_path, *words, "--out", name) for name in ("one", "two"))

    logs = [(tmp_path / name / "match.log").read_bytes() for name in ("one", "two")]
    assert logs[0] == logs[1]
    assert [player["chips"] for player in first["players"]] == [
        player["chips"] for player in second["players"]
    ]


def test_the_result_agrees_with_the_log(tmp_path: Path) -> None:
    result = result_of(
        tmp_path, "limit-2p", "A=random", "B=always-raise", "--hands", "40", "--seed", "3", "--out", "m"
    )

    lines = (tmp_path / "m" / "match.log").read_text().splitlines()
    assert lines[0] == "# name/game/hands/seed match limit-2p 40 3"
    hands = [record for line in lines if (record := parse_hand(line))]
    score = parse_score(lines[-1])
    assert score is not None
    assert len(hands) == result["hands"] == result["deals"] == 40
    assert score[1] == ("A", "B")
    for seat, player in enumerate(result["players"]):
        assert (player["name"], player["seat"]) == (score[1][seat], seat)
        chips = [record.chips[record.names.index(player["name"])] for record in hands]
        assert player["chips"] == pytest.approx(sum(chips)) == pytest.approx(score[0][seat])
        assert player["mbb_per_hand"] == pytest.approx(sum(chips) / 40 / 10 * 1000)
        assert player["sb_per_hand"] == pytest.approx(sum(chips) / 40 / 10)
        assert player["ci95"] > 0
        assert set(player["decision_seconds"]) == {"median", "p99", "max"}
        assert "failure" not in player
    assert result["logs"] == ["m/match.log"]
    stored = json.loads((tmp_path / "m" / "result.json").read_text())
    assert {key: stored[key] for key in result} == result
    assert stored["commands"] == ["A=random", "B=always-raise"]
    assert sorted(path.name for path in (tmp_path / "m" / "players").iterdir()) == [
        "A.err",
        "A.out",
        "B.err",
        "B.out",
    ]


def test_people_get_a_table_with_intervals(tmp_path: Path) -> None:
    done = run(tmp_path, "kuhn-2p", "always-call", "always-fold", "--hands", "20", "--seed", "1")

    assert done.returncode == 0
    assert "kuhn-2p: 20 hands, seed 1" in done.stdout
    assert "mbb/h (95 %)" in done.stdout
    assert "sb/h (95 %)" in done.stdout
    assert "±" in done.stdout
    assert list((tmp_path / "matches").glob("*-kuhn-2p/match.log"))


def test_a_random_seed_is_reported(tmp_path: Path) -> None:
    result = result_of(tmp_path, "kuhn-2p", "random", "random", "--hands", "2", "--out", "m")
    again = result_of(
        tmp_path, "kuhn-2p", "random", "random", "--hands", "2", "--out", "n", "--seed", str(result["seed"])
    )

    assert [player["chips"] for player in again["players"]] == [
        player["chips"] for player in result["players"]
    ]


def test_a_program_that_is_not_there_ends_the_match_before_it_begins(tmp_path: Path) -> None:
    result = result_of(tmp_path, "limit-2p", "random", "bin/fromula", status=3)

    assert result["hands"] == 0
    assert result["players"][1]["failure"] == "not-found"
    assert "fromula" in result["players"][1]["failure_detail"]


@pytest.mark.parametrize(
    ("misbehave", "word"),
    [
        ("if number == 9: sys.exit('out of ideas')", "crashed"),
        ("if number == 9: import os; os.kill(os.getpid(), 9)", "crashed"),
        ("if number == 9: sys.exit()", "disconnected"),
    ],
)
def test_a_player_that_leaves_is_folded_for(tmp_path: Path, misbehave: str, word: str) -> None:
    bot = raw_bot(tmp_path, "quitter", misbehave)
    result = result_of(
        tmp_path, "limit-2p", bot, "always-call", "--hands", "30", "--seed", "1", "--out", "m", status=3
    )

    assert result["hands"] == 30
    quitter, other = result["players"]
    assert quitter["failure"] == word
    assert "failure" not in other
    if "ideas" in misbehave:
        assert quitter["failure_detail"] == "ended with exit status 1: out of ideas"
    log = (tmp_path / "m" / "match.log").read_text().splitlines()
    assert sum(line.startswith("STATE:") for line in log) == 30
    assert any(line.startswith("# seat 1 (quitter) disconnected: ") for line in log)


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


@pytest.mark.parametrize("options", [(), ("--duplicate",), ("--duplicate", "--jobs", "2")])
@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("formula:tightness=7", "tightness"),
        ("random:foo=1", "foo"),
        ("street-learner:knowledge=junk.npz", "junk.npz"),
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


def test_nonsense_and_silence_have_their_words(tmp_path: Path) -> None:
    junk = raw_bot(tmp_path, "junk", "dealer.write(b'what?\\n' * 5); dealer.flush(); continue")
    mute = raw_bot(tmp_path, "mute", "continue")
    options = ("--hands", "10", "--response-time", "0.3", "--first-response-time", "0.3", "--out", "m")
    result = result_of(tmp_path, "limit-3p", junk, mute, "always-call", *options, status=3)

    assert result["hands"] == 10
    assert [player.get("failure") for player in result["players"]] == ["nonsense", "stalled", None]


COMES_BACK = """\
import socket, sys
lines = 0
while True:  # it leaves after every third line, and comes back at once
    try:
        connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
        dealer = connection.makefile("rwb")
        dealer.write(b"VERSION:2.0.0\\n"); dealer.flush()
        for number, line in enumerate(dealer):
            lines += 1
            dealer.write(line.rstrip() + b":c\\n"); dealer.flush()
            if number == 2: break
        connection.shutdown(socket.SHUT_RDWR)
    except ConnectionError:
        if lines > 100: break
"""


def test_a_player_that_comes_back_at_once_misses_no_hand(tmp_path: Path) -> None:
    (tmp_path / "fickle.py").write_text(COMES_BACK)
    words = ("kuhn-2p", f"{sys.executable} fickle.py", "always-call", "--hands", "40", "--out", "m")
    result = result_of(tmp_path, *words, status=3)

    assert result["hands"] == 40
    assert result["players"][0]["failure"] == "disconnected"
    assert "hands_by_default" not in result["players"][0]
    assert json.loads((tmp_path / "m" / "result.json").read_text())["options"]["grace"] == 2.0


def test_the_abort_policy_ends_the_match_with_the_first_failure(tmp_path: Path) -> None:
    bot = raw_bot(tmp_path, "quitter", "if number == 9: sys.exit()")
    result = result_of(
        tmp_path,
        "limit-2p",
        bot,
        "always-call",
        "--hands",
        "30",
        "--on-failure",
        "abort",
        "--out",
        "m",
        status=3,
    )

    assert result["hands"] < 30
    log = (tmp_path / "m" / "match.log").read_text()
    assert "# seat 1 (quitter) disconnected: " in log
    assert "SCORE" not in log


def test_somebody_from_outside_takes_the_seat_whose_port_is_printed(tmp_path: Path) -> None:
    house = subprocess.Popen(
        program("match", "kuhn-2p", "Ann=wait", "always-call", "--hands", "4", "--out", "m"),
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert house.stdout is not None
    line = house.stdout.readline()
    assert line.startswith("seat 1 (Ann): waiting for a player on 127.0.0.1 port ")
    player = subprocess.run(
        program("bot", "always-call", "127.0.0.1", line.split()[-1]), env=environment(), timeout=PATIENCE_S
    )
    house.communicate(timeout=PATIENCE_S)

    assert (player.returncode, house.returncode) == (0, 0)


def announced(folder: Path, *words: str) -> tuple[list[dict[str, Any]], str]:
    """What a match announces to the program that launches it, line by line, and what it says on stderr."""
    read_end, write_end = os.pipe()
    house = subprocess.Popen(
        program("match", *words, "--out", "m", "--announce", str(write_end)),
        cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        pass_fds=(write_end,),
    )  # fmt: skip
    os.close(write_end)
    with open(read_end) as lines:
        messages = [json.loads(line) for line in lines]
    return messages, house.communicate(timeout=PATIENCE_S)[1]


@pytest.mark.parametrize("passes", [1, 2])
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
    read_end, write_end = os.pipe()
    house = subprocess.Popen(
        program("match", *words, "--out", "m", "--announce", str(write_end)),
        cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL, pass_fds=(write_end,),
    )  # fmt: skip
    os.close(write_end)
    with open(read_end) as lines:
        seats = json.loads(lines.readline())["seats"]
    house.communicate(timeout=PATIENCE_S)

    assert [(seat["name"], seat["awaited"]) for seat in seats] == [("Ann", True), ("early", False)]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("no-such-game", "random", "random"), "there is no game 'no-such-game'"),
        (("limit-2p", "random", "fromula"), "there is neither a bot nor a program 'fromula' (did"),
        (("limit-2p", "random", "random", "--host", "192.0.2.1"), "ERROR: could not create listen socket"),
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


def test_a_descriptor_that_is_not_open_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "limit-2p", "random", "random", "--announce", "77")

    assert done.returncode == 2
    assert "--announce 77: Bad file descriptor" in done.stderr


def test_an_earlier_match_in_the_folder_is_moved_aside(tmp_path: Path) -> None:
    words = ("kuhn-2p", "always-call", "always-call", "--hands", "2", "--out", "m", "--seed")
    result_of(tmp_path, *words, "1")
    first = (tmp_path / "m" / "match.log").read_bytes()
    result_of(tmp_path, *words, "2")

    assert (tmp_path / "m" / "earlier-1" / "match.log").read_bytes() == first
    assert (tmp_path / "m" / "match.log").read_bytes() != first


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no-such-game", "random", "random"), "there is no game 'no-such-game'"),
        (("limit-2p", "random"), "the game is for 2 players, got 1"),
        (("limit-2p", "a|b=random", "random"), "there is"),
        (("limit-2p", "", "random"), "names no bot"),
        (("limit-2p", "random", "random", "--seed", "x"), "expected a seed"),
        (("limit-2p", "random", "random", "--ports", "99999"), "expected ports"),
        (("limit-2p", "random", "random", "--host", ""), "expected an address, got nothing"),
        (("limit-2p", "random", "random", "--grace", "-1"), "--grace"),
        (("limit-2p", "random", "random", "--seat-token", "3=x"), "expected --seat-token"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused_in_one_line(
    tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    done = run(tmp_path, *words)

    assert done.returncode in (2, 3)
    assert message in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match_leaves_whole_files_and_no_process(
    tmp_path: Path, number: signal.Signals
) -> None:
    marker = f"riverboat-test-{os.getpid()}-{number}"
    raw_bot(tmp_path, "thinker", "import time; time.sleep(0.01)")
    bot = f"{sys.executable} thinker.py"
    house = subprocess.Popen(
        program("match", "limit-2p", f"A={bot}", f"B={bot}", "--hands", "100000", "--out", "m"),
        cwd=tmp_path, env=environment() | {"MARKER": marker}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    log = tmp_path / "m" / "match.log"
    deadline = time.monotonic() + PATIENCE_S
    while not (log.exists() and b"STATE:2:" in log.read_bytes()):
        assert time.monotonic() < deadline
        time.sleep(0.02)  # until another process has come so far
    house.send_signal(number)
    _, stderr = house.communicate(timeout=PATIENCE_S)

    assert house.returncode == (130 if number == signal.SIGINT else 143)
    assert "interrupted: " in stderr
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


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bot_against_itself_wins_nothing_in_a_duplicate_match(tmp_path: Path, jobs: str) -> None:
    words = ("limit-2p", "A=random", "B=random", "--hands", "25", "--seed", "5", "--duplicate", "--out", "m")
    result = result_of(tmp_path, *words, "--jobs", jobs)

    assert (result["hands"], result["deals"], result["duplicate"]) == (50, 25, True)
    assert [(player["chips"], player["ci95"]) for player in result["players"]] == [(0, 0), (0, 0)]
    assert result["logs"] == ["m/pass-0/match.log", "m/pass-1/match.log"]
    logs = [(tmp_path / log).read_text() for log in result["logs"]]
    assert [line.rsplit(":", 1)[0] for line in logs[0].splitlines()[4:]] == [
        line.rsplit(":", 1)[0] for line in logs[1].splitlines()[4:]
    ]


def test_the_table_of_a_duplicate_match_shows_both_intervals(tmp_path: Path) -> None:
    done = run(tmp_path, "limit-2p", "random", "always-call", "--hands", "30", "--seed", "2", "--duplicate")

    assert done.returncode == 0
    assert "limit-2p: 60 hands (30 deals, duplicate), seed 2" in done.stdout
    assert "plain 95 %" in done.stdout
    assert "the pairing saved" in done.stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_match_ends_when_its_intervals_are_narrow_enough(tmp_path: Path, jobs: str) -> None:
    """A bot against itself on the same cards is known exactly at the first look."""
    words = ("kuhn-2p", "A=always-call", "B=always-call", "--duplicate", "--until", "1", "--seed", "5")
    result = result_of(tmp_path, *words, "--jobs", jobs, "--hands", "2000", "--out", "m")

    assert (result["hands"], result["deals"]) == (500, 250)
    assert result["until"]["reached"] is True
    assert (result["until"]["looks"][0], result["until"]["looks"][-1]) == (250, 2000)
    assert [(player["chips"], player["ci95"]) for player in result["players"]] == [(0, 0), (0, 0)]
    for log in result["logs"]:
        lines = (tmp_path / log).read_text().splitlines()
        assert lines[-2] == "# ended after 250 of 2000 hands"
        assert parse_score(lines[-1]) is not None


def test_intervals_of_a_match_that_may_stop_early_are_wider(tmp_path: Path) -> None:
    words = ("kuhn-2p", "random", "always-call", "--hands", "300", "--seed", "3", "--out")
    plain = result_of(tmp_path, *words, "plain")
    looked = result_of(tmp_path, *words, "looked", "--until", "0.5")

    assert "until" not in plain
    assert looked["until"]["reached"] is False
    assert looked["hands"] == plain["hands"] == 300
    assert looked["until"]["looks"] == [250, 300]
    for before, after in zip(plain["players"], looked["players"], strict=True):
        assert before["chips"] == after["chips"]
        widening = looked["until"]["critical_value"] / 1.959964
        assert widening > 1.01
        assert after["ci95"] == pytest.approx(before["ci95"] * widening, rel=1e-6)


def test_a_pass_that_is_cut_short_keeps_no_other_waiting(tmp_path: Path) -> None:
    leaver = raw_bot(tmp_path, "leaver", "if number > 40: sys.exit(1)")
    words = ("limit-2p", "always-call", leaver, "--on-failure", "abort", "--duplicate", "--until", "1")
    result = result_of(tmp_path, *words, "--hands", "1000", "--out", "m", status=3)

    assert result["players"][1]["failure"] == "crashed"
    assert result["until"]["reached"] is False


def test_who_does_not_join_is_named_with_what_he_says_and_then_given_up(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text(
        "import sys, time\nprint('still waking up', file=sys.stderr, flush=True)\ntime.sleep(1000)\n"
    )
    words = ("limit-2p", "always-call", f"{sys.executable} sleeper.py", "--hands", "5", "--start-time", "1.5")
    done = run(tmp_path, *words)

    assert done.returncode == 3
    assert "waiting for sleeper to join (1 s of 1.5): still waking up" in done.stdout
    assert "sleeper stalled: did not join within 1.5 s of its start" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("limit-2p", "random", "fromula"),
            "there is neither a bot nor a program 'fromula' (did you mean formula?)",
        ),
        (("limit-2p", "random", "me=rnadom"), "'rnadom' (did you mean random?)"),
        (("limit-22p", "random", "random"), "(did you mean limit-2p"),
        (("limit-2p", "random", "random", "--hans", "3"), "--hands"),
        (("limit-2p", "random", "random", "--jobs", "2"), "--jobs is for the passes of a --duplicate match"),
        (("limit-2p", "random", "random", "--ports", "0,0,0"), "the game has 2 seats, got 3 ports: 0,0,0"),
        (("limit-2p", "random", "random", "--seed", "4294967296"), "4294967296"),
    ],
)
def test_a_command_line_with_a_mistake_says_what_was_meant(
    words: Sequence[str], told: str, tmp_path: Path
) -> None:
    done = run(tmp_path, *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "matches").exists() or "--" in " ".join(words)


def test_lines_of_a_game_file_that_mean_nothing_are_warned_of(tmp_path: Path) -> None:
    text = game_path("kuhn-2p").read_text().replace("maxRaises", "maxRaise")
    (tmp_path / "my.game").write_text("# mine\n" + text)
    done = run(tmp_path, "my.game", "random", "random", "--hands", "2")

    assert done.returncode == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if line.startswith("my.game:")]
    assert "is passed over (did you mean maxRaises?)" in warning
    assert "maxRaise" in text.splitlines()[int(warning.split(":")[1]) - 2]


def test_matches_that_begin_in_the_same_second_have_folders_of_their_own(tmp_path: Path) -> None:
    with ThreadPoolExecutor(24) as threads:
        folders = list(threads.map(lambda _: new_folder(tmp_path / "matches", "kuhn-2p"), range(24)))

    assert len(set(folders)) == 24
    assert all(folder.is_dir() for folder in folders)
