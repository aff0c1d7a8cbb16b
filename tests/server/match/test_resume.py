"""``riverboat match --resume DIR``: what was finished when a match was cut short stands.

With a seed it comes out as if it had not been cut short; without one the rest is dealt from new keys.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from server.match.sittings.sitting import NoPlan, Sitting
from server.records.verification.log_checker import verify_log
from tests.support.dealer_process import PATIENCE_S
from tests.support.limits import run_with_small_disk
from tests.support.matches import run_match, start_match, wait_for_hand

COUNTER: Final = """\
import socket, sys
dealer = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rwb")
dealer.write(b"VERSION:2.0.0\\n"); dealer.flush()
seen = 0
for line in dealer:
    seen = (seen * 31 + sum(line)) % 1000003
    dealer.write(line.rstrip() + (b":r\\n" if seen % 3 else b":c\\n")); dealer.flush()
"""
"""A player whose every action depends on all that it has seen before."""


def cut_short(folder: Path, words: Sequence[str], hands: int, number: signal.Signals) -> tuple[int, str, str]:
    """Run a match in ``m`` until its log has some hands, send it a signal: exit status, stdout, stderr."""
    process = start_match(folder, *words)
    wait_for_hand(folder / "m" / "match.log", hands)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    return process.returncode, stdout, stderr


def logs_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("match.log"))}


def what_follows_from_the_cards(result: dict[str, Any]) -> dict[str, Any]:
    """A result without its times."""
    words = ("game", "hands", "deals", "seed", "duplicate", "logs", "rake")
    kept = {key: result[key] for key in words if key in result}
    players = [
        {key: value for key, value in player.items() if key != "decision_seconds"}
        for player in result["players"]
    ]
    return kept | {"players": players}


def resumed(folder: Path, *words: str, status: int = 0) -> dict[str, Any]:
    """The result of the match in ``m``, played on to its end."""
    done = run_match(folder, "--resume", "m", "--json", *words)
    assert done.returncode == status, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def unbroken(folder: Path, *words: str) -> dict[str, Any]:
    """The same match again, in ``again/m``, without interruption; without sockets where it can be."""
    again = folder / "again"
    again.mkdir()
    own = [path.name for path in folder.glob("*.py")]
    for name in own:
        (again / name).write_bytes((folder / name).read_bytes())
    done = run_match(again, *words, "--json", *(() if own else ("--in-process",)))
    assert done.returncode == 0, done.stderr
    whole: dict[str, Any] = json.loads(done.stdout)
    return whole


def hands_of(folder: Path) -> dict[str, list[str]]:
    """The lines of finished hands, by log."""
    return {
        name: [line for line in data.decode().splitlines() if line.startswith("STATE:")]
        for name, data in logs_of(folder).items()
    }


MATCHES: Final = {
    "secret cards": ("kuhn-2p", "random", "always-call", "--hands", "250", "--out", "m"),
    "duplicate": ("leduc", "random", "random", "--hands", "100", "--duplicate", "--out", "m"),
    "in process": ("leduc", "random", "random", "--hands", "9000", "--duplicate", "--in-process",
                   "--out", "m"),
    "a seed": ("nolimit-3p", "random", "random", "random", "--hands", "200", "--seed", "3", "--out", "m"),
    "a seed, duplicate": ("leduc", "random", "random", "--hands", "100", "--duplicate", "--seed", "3",
                          "--out", "m"),
    "a key": ("kuhn-2p", "random", "always-call", "--hands", "250", "--seed", f"deals:{7:064x}",
              "--out", "m"),
    "a rake": ("limit-2p", "random", "random", "--hands", "150", "--seed", "3", "--rake", "5%,3",
               "--out", "m"),
    "until": ("kuhn-2p", "random", "always-fold", "--hands", "600", "--until", "300", "--seed", "3",
              "--out", "m"),
}  # fmt: skip


def check_killed_and_resumed(folder: Path, words: Sequence[str], kills: Sequence[float]) -> None:
    """Kill a match some seconds after each start, and play it to its end.

    Every deal that was finished in all passes stands, logs are true, and chips add up; with a seed the logs
    are those of an unbroken match.
    """
    command: Sequence[str] = words
    finished: dict[str, list[str]] = {}
    for seconds in kills:
        process = start_match(folder, *command)
        try:
            process.wait(seconds)  # any moment will do
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate(timeout=PATIENCE_S)
        if (folder / "m" / "plan.json").exists():  # else it had not begun
            command = ("--resume", "m")
        finished = check_finished(folder / "m", finished)
    result = (
        resumed(folder) if command is not words else json.loads(run_match(folder, *words, "--json").stdout)
    )

    hands = check_finished(folder / "m", finished)
    assert result["hands"] == sum(map(len, hands.values()))
    taken = result.get("rake", {}).get("taken", 0)
    assert sum(player["chips"] for player in result["players"]) == pytest.approx(-taken)
    for log in (folder / "m").rglob("match.log"):
        checked = verify_log(log)
        assert checked.problem is None
        assert (checked.is_complete, checked.cards is None) == (True, False)
    if "--seed" in words:
        whole = unbroken(folder, *words)
        assert what_follows_from_the_cards(result) == what_follows_from_the_cards(whole)
        assert logs_of(folder / "m") == logs_of(folder / "again" / "m")
    left = {path.name for path in (folder / "m").iterdir() if path.is_file()}
    assert left <= {"plan.json", "result.json", "match.log", "dealer.err"}


def check_finished(match: Path, before: dict[str, list[str]]) -> dict[str, list[str]]:
    """The finished hands; those of deals that all passes had finished before are still there."""
    hands = hands_of(match)
    for name, earlier in before.items():
        common = min(map(len, before.values()))
        assert hands[name][:common] == earlier[:common]
    return hands


@pytest.mark.slow
@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("seed", range(5))
def test_what_was_finished_before_many_kills_stands(tmp_path: Path, match: str, seed: int) -> None:
    generator = random.Random(f"{match} {seed}")

    check_killed_and_resumed(tmp_path, MATCHES[match], [generator.uniform(0.2, 1.5) for _ in range(6)])


def test_deals_that_not_all_passes_have_played_are_dropped_and_counted(tmp_path: Path) -> None:
    words = ("leduc", "random", "random", "--hands", "40", "--duplicate", "--in-process", "--out", "m")
    assert run_match(tmp_path, *words).returncode == 0
    (tmp_path / "m/result.json").unlink()
    for number, hands in enumerate((30, 27)):
        log = tmp_path / f"m/pass-{number}/match.log"
        lines = log.read_text().splitlines(keepends=True)
        end = next(place for place, line in enumerate(lines) if line.startswith(f"STATE:{hands}:"))
        log.write_text("".join(lines[:end]))  # with the key of a hand that is not there
    before = {name: lines[:27] for name, lines in hands_of(tmp_path / "m").items()}
    (tmp_path / "m/.0123456789abcdef.new").touch()

    done = run_match(tmp_path, "--resume", "m", "--json")

    assert "3 hands of deals that not all passes had played: dropped, dealt anew" in done.stderr.splitlines()
    result = json.loads(done.stdout)
    assert (result["hands"], result["dropped_hands"]) == (80, 3)
    assert not (tmp_path / "m/.0123456789abcdef.new").exists()
    assert {name: lines[:27] for name, lines in hands_of(tmp_path / "m").items()} == before
    logs = sorted((tmp_path / "m").rglob("match.log"))
    assert [verify_log(log).problem for log in logs] == [None, None]
    assert [log.read_text().count("# cards: sha256 ") for log in logs] == [2, 2]


def test_ctrl_c_leaves_a_result_and_says_how_to_go_on(tmp_path: Path) -> None:
    words = ("kuhn-2p", "random", "always-call", "--hands", "100000", "--out", "m")

    status, stdout, stderr = cut_short(tmp_path, words, 100, signal.SIGINT)

    assert status == 130
    assert stderr.splitlines()[-1] == "to go on with it: riverboat match --resume m"
    assert "cut short, 100000 planned" in stdout
    log = (tmp_path / "m" / "match.log").read_text()
    result = json.loads((tmp_path / "m" / "result.json").read_text())
    assert result["hands"] == log.count("STATE:") >= 101
    assert result["cut_short"]["resume"] == "riverboat match --resume m"
    assert (result["seed"], "key" in result, "player_seeds" in result["players"][0]) == (None, False, False)
    assert log.count("# key") == result["hands"]
    assert {path.name for path in (tmp_path / "m").glob("*.json")} == {
        "plan.json", "progress.json", "result.json"
    }  # fmt: skip


@pytest.mark.slow
def test_players_who_may_have_learned_are_shown_what_they_saw(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER)
    words = ("leduc", f"{sys.executable} counter.py", "always-call", "--hands", "40", "--seed", "5",
             "--out", "m")  # fmt: skip
    cut_short(tmp_path, words, 15, signal.SIGKILL)

    result = resumed(tmp_path)

    assert "shown the hands of the earlier sittings again; 0 of" in (tmp_path / "m/dealer.err").read_text()
    assert logs_of(tmp_path / "m") != {}
    unbroken(tmp_path, *words)
    assert logs_of(tmp_path / "m") == logs_of(tmp_path / "again" / "m")
    assert result["players"][0]["decision_seconds"] is not None


@pytest.mark.slow
def test_bots_that_learn_know_again_what_they_knew(tmp_path: Path) -> None:
    """To the last digit of the chances that they tell the house."""
    words = ("limit-2p", "formula", "simple", "--hands", "60", "--luck", "aivat", "--seed", "5", "--out", "m")
    cut_short(tmp_path, words, 25, signal.SIGKILL)

    resumed(tmp_path)

    unbroken(tmp_path, *words)
    told, again = ((tmp_path / where / "policies").read_text() for where in ("m", "again/m"))
    assert sorted(told.splitlines()) == sorted(again.splitlines())
    assert logs_of(tmp_path / "m") == logs_of(tmp_path / "again" / "m")
    assert (tmp_path / "m/dealer.err").read_text().count("; 0 of") == 2


def test_torn_files_are_mended(tmp_path: Path) -> None:
    words = ("kuhn-2p", "random", "always-call", "--hands", "30", "--seed", "5", "--in-process", "--out", "m")
    whole = run_match(tmp_path, *words)
    log = tmp_path / "m" / "match.log"
    data = log.read_bytes()
    for cut in (30, len(data) - 1):
        log.write_bytes(data[:cut])
        (tmp_path / "m/result.json").unlink()
        (tmp_path / "m/progress.json").write_text('{"passes": {"0": {"seconds": 1.5, "sea')

        resumed(tmp_path)

        assert log.read_bytes() == data
    assert whole.returncode == 0


def test_a_match_that_is_over_says_so(tmp_path: Path) -> None:
    run_match(tmp_path, "kuhn-2p", "random", "always-call", "--hands", "5", "--in-process", "--out", "m")
    before = {path: path.read_bytes() for path in (tmp_path / "m").rglob("*") if path.is_file()}

    done = run_match(tmp_path, "--resume", "m")

    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "the match in m is over; its result is in m/result.json\n",
        "",
    )
    assert resumed(tmp_path) == json.loads((tmp_path / "m" / "result.json").read_text())
    assert {path: path.read_bytes() for path in (tmp_path / "m").rglob("*") if path.is_file()} == before


def test_what_is_not_a_match_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "old").mkdir()
    (tmp_path / "old/match.log").write_text("# name/game/hands/seed match leduc 1 1\n")
    for name, text in (("newer", '{"schema": 9, "version": "3.1"}'), ("torn", '{"schema": 1, "ver')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "plan.json").write_text(text)
    faults = {
        "nowhere": "there is no folder nowhere",
        "empty": "empty is no match folder: there is no plan.json",
        "old": "old cannot be resumed: it has no plan.json, which earlier versions did not write",
        "newer": "newer/plan.json was written by riverboat 3.1, with schema 9; this one understands schema 1",
        "torn": "torn/plan.json is damaged: it is no JSON object",
    }
    for name, fault in faults.items():
        with pytest.raises(NoPlan) as refusal:
            Sitting.resumed(tmp_path / name)
        assert str(refusal.value).replace(f"{tmp_path}/", "") == fault
        assert [path.name for path in tmp_path.glob(f"{name}/*.lock")] == []
    done = run_match(tmp_path, "--resume", "empty")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"Error: {faults['empty']}\n")


def test_a_match_that_is_being_played_is_left_alone(tmp_path: Path) -> None:
    words = ("kuhn-2p", "random", "Ann=wait", "--hands", "5", "--out", "m")
    process = start_match(tmp_path, *words)
    assert process.stdout is not None
    process.stdout.readline()  # it waits for Ann
    try:
        resumption, another = run_match(tmp_path, "--resume", "m"), run_match(tmp_path, *words)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)

    assert resumption.returncode == another.returncode == 2
    assert resumption.stderr == "Error: the match in m is being played: it has not been cut short\n"
    assert another.stderr.splitlines()[-1] == "Error: another match is being played in m"
    assert process.returncode == 143


@pytest.mark.slow
def test_a_match_whose_disk_was_full_goes_on_when_there_is_room(tmp_path: Path) -> None:
    words = ("leduc", "always-call", "random", "--hands", "100", "--seed", "5", "--out", "m")
    done = run_with_small_disk(["match", *words], tmp_path, 1900)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1,
        "to go on with it: riverboat match --resume m",
    )

    resumed(tmp_path)

    unbroken(tmp_path, *words)
    assert logs_of(tmp_path / "m") == logs_of(tmp_path / "again" / "m")


def test_a_log_that_was_changed_is_found_out(tmp_path: Path) -> None:
    words = ("kuhn-2p", "random", "always-call", "--hands", "20", "--seed", "5", "--in-process", "--out", "m")
    run_match(tmp_path, *words)
    (tmp_path / "m/result.json").unlink()
    log = tmp_path / "m" / "match.log"
    lines = log.read_text().splitlines(keepends=True)[:-5]
    lines[9] = (
        lines[9].replace("|-1:", "|-7:").replace("|1:", "|7:").replace("|-2:", "|-7:").replace("|2:", "|7:")
    )
    log.write_text("".join(lines))

    done = run_match(tmp_path, "--resume", "m")

    assert done.returncode == 1
    assert "m/match.log, line 10: " in done.stderr
    assert log.read_text() == "".join(lines)


def test_a_match_that_an_earlier_version_dealt_from_one_key_is_refused_by_name(tmp_path: Path) -> None:
    words = ("kuhn-2p", "random", "always-call", "--hands", "30", "--in-process", "--out", "m")
    assert run_match(tmp_path, *words).returncode == 0
    (tmp_path / "m/result.json").unlink()
    plan = tmp_path / "m/plan.json"
    plan.write_text(json.dumps(json.loads(plan.read_text()) | {"commitment": "0" * 64, "version": "0.2.0"}))

    done = run_match(tmp_path, "--resume", "m")

    assert (done.returncode, done.stderr) == (
        2,
        "Error: m cannot be resumed: riverboat 0.2.0 began it, and dealt all its cards from one secret key, "
        "which is no longer kept\n",
    )


@pytest.mark.slow
@pytest.mark.parametrize("match", ["secret cards", "duplicate", "a seed, duplicate", "a key"])
def test_what_was_finished_before_a_kill_stands(tmp_path: Path, match: str) -> None:
    generator = random.Random(match)

    check_killed_and_resumed(tmp_path, MATCHES[match], [generator.uniform(0.8, 1.5)])


@pytest.mark.parametrize("places", [(3072, 4096), pytest.param((3071, 3500, 4095), marks=pytest.mark.slow)])
def test_who_goes_on_near_the_end_of_a_chain_of_keys_commits_to_the_next_one(
    places: tuple[int, ...], tmp_path: Path
) -> None:
    words = ("kuhn-2p", "random", "always-call", "--hands", "4200", "--in-process", "--out", "m")
    assert run_match(tmp_path, *words).returncode == 0
    (tmp_path / "m/result.json").unlink()
    for hands in places:
        shutil.copytree(tmp_path / "m", tmp_path / f"{hands}/m")
        log = tmp_path / f"{hands}/m/match.log"
        head, line, _ = log.read_text().partition(f"# key {hands} ")
        log.write_text(head)

        result = resumed(tmp_path / str(hands))

        checked = verify_log(log)
        assert (line != "", result["hands"], checked.problem, checked.is_complete) == (True, 4200, None, True)
        assert log.read_text().startswith(head)
