"""``riverboat match --jobs N`` over sockets: hands that are shared out come to the match of one table."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.match.sittings.test_resume import (
    COUNTER,
    cut_short,
    logs_of,
    resumed,
    what_follows_from_the_cards,
)
from tests.support.dealer_process import environment, program
from tests.support.matches import raw_bot, result_of, run_match


def played(folder: Path, name: str, *words: str, status: int = 0) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The logs of a match in a folder of its own, and its result without times."""
    (folder / name).mkdir()
    for program_file in folder.glob("*.py"):
        (folder / name / program_file.name).write_bytes(program_file.read_bytes())
    result = result_of(folder / name, *words, "--out", "m", status=status)
    return logs_of(folder / name), what_follows_from_the_cards(result)


@pytest.mark.slow
def test_the_match_is_that_of_one_table(tmp_path: Path) -> None:
    words = ("leduc", "random", raw_bot(tmp_path, "caller"), "--hands", "60", "--seed", "7")

    one = played(tmp_path, "one", *words)
    three = played(tmp_path, "three", *words, "--jobs", "3", "--stateless")

    assert three == one
    assert {each.name for each in (tmp_path / "three/m/players").iterdir() if each.is_dir()} == {
        "table-2",
        "table-3",
    }


@pytest.mark.slow  # three matches of the command for each
@pytest.mark.parametrize(
    "words",
    [
        ("nolimit-3p", "random", "always-call", "random:raise=0.2", "--hands", "100"),
        ("kuhn-2p", "random", "random", "--hands", "200", "--duplicate", "--until", "400"),
        ("kuhn-2p", "always-call", "always-raise", "--until", "decided", "--hands", "3000"),
        ("limit-2p", "hand-strength", "formula:model=generic", "--hands", "40", "--luck", "aivat"),
    ],
)
def test_with_bots_that_declare_themselves_stateless_the_match_is_that_of_one_table(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    seed = ("--seed", str(result_of(tmp_path, *words, "--out", "key", "--in-process")["key"]))

    alone = played(tmp_path, "alone", *words, *seed, "--in-process")
    shared = played(tmp_path, "shared", *words, *seed, "--jobs", "4")

    assert shared == alone
    told = [sorted(path.read_text().splitlines()) for path in sorted(tmp_path.glob("*/m/policies"))]
    assert not told or told[0] == told[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("player", "told"),
    [
        ("simple", "simple may carry something from hand to hand: the hands of a pass are not shared out\n"),
        ("hole-cards-learner:knowledge=hc.npz", "hole-cards-learner may learn as the match goes on"),
        ("COUNTER", "counter may carry something from hand to hand: the hands of a pass are not shared out "),
    ],
)
def test_a_bot_that_remembers_plays_all_hands_at_one_table(tmp_path: Path, player: str, told: str) -> None:
    (tmp_path / "counter.py").write_text(COUNTER)
    player = f"{sys.executable} counter.py" if player == "COUNTER" else player
    words = ("nolimit-2p", player, "random", "--hands", "30", "--seed", "3")

    done = run_match(tmp_path, *words, "--jobs", "2", "--out", "m", "--json")

    assert done.returncode == 0, done.stderr
    assert told in done.stderr
    assert ("--stateless" in done.stderr) == player.endswith("counter.py")
    assert not list(tmp_path.glob("m/players/table-*"))
    assert (tmp_path / "m/match.log").read_text().count("STATE:") == 30


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["fold", "abort"])
def test_a_bot_that_fails_at_a_side_table_has_failed_in_the_match(tmp_path: Path, policy: str) -> None:
    # Only the copies of side tables see hand 16, the first of the second share.
    dying = raw_bot(tmp_path, "dying", "assert b':16:' not in line, 'no such hand'")
    words = ("leduc", "random", dying, "--hands", "64", "--seed", "5", "--on-failure", policy)

    done = run_match(tmp_path, *words, "--jobs", "2", "--stateless", "--grace", "0", "--out", "m", "--json")

    result = json.loads(done.stdout)
    assert done.returncode == 3, done.stderr
    assert result["players"][1]["failure"] == "crashed"
    assert "no such hand" in result["players"][1]["failure_detail"]
    log = (tmp_path / "m/match.log").read_text()
    hands = [int(line.split(":")[1]) for line in log.splitlines() if line.startswith("STATE:")]
    if policy == "fold":
        assert hands == list(range(64))
        assert result["players"][1]["hands_by_default"] == 32
        assert "# seat 2 (dying) disconnected" in log
    else:
        assert hands == list(range(16))
        assert "cut_short" not in result


@pytest.mark.slow
def test_a_bot_that_cannot_sit_down_at_a_side_table_ends_the_match(tmp_path: Path) -> None:
    (tmp_path / "once.py").write_text(
        "import os, sys\nos.open('here', os.O_CREAT | os.O_EXCL)\nimport caller\n"
    )
    raw_bot(tmp_path, "caller")
    words = ("leduc", f"{sys.executable} once.py", "random", "--hands", "64", "--jobs", "2", "--stateless")

    done = run_match(tmp_path, *words, "--out", "m", "--json")

    failed = json.loads(done.stdout)["players"][0]
    assert done.returncode == 3
    assert failed["failure"] == "crashed"
    assert "FileExistsError" in failed["failure_detail"]
    assert "table-2" in failed["failure_detail"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_what_was_cut_short_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    words = ("leduc", "random", "random", "--hands", "6000", "--jobs", "3", "--out", "m")
    cut_short(tmp_path, words, 500, number)
    log = tmp_path / "m/match.log"
    hands = [line.split(":")[1] for line in log.read_text().splitlines() if line.startswith("STATE:")]
    assert hands == list(map(str, range(len(hands))))
    assert len(hands) < 6000

    result = resumed(tmp_path)

    (tmp_path / "again").mkdir()
    whole = result_of(tmp_path / "again", *words[:5], "--seed", result["key"], "--out", "m", "--in-process")
    assert what_follows_from_the_cards(whole) == what_follows_from_the_cards(result)
    assert log.read_bytes() == (tmp_path / "again/m/match.log").read_bytes()


@pytest.mark.slow
def test_somebody_from_outside_has_a_seat_at_every_table(tmp_path: Path) -> None:
    match = subprocess.Popen(
        program("match", "leduc", "Ann=wait", "random", "--hands", "60", "--jobs", "2", "--seed", "1"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert match.stdout is not None
    ports = []
    for table in ("", " at table 2"):
        said = match.stdout.readline()
        assert said.startswith(f"seat 1 (Ann){table}: waiting for a player on 127.0.0.1 port ")
        ports.append(said.split()[-1])
    bots = [
        subprocess.Popen([*program("bot", "random"), "127.0.0.1", port, "--seed", "5"], env=environment())
        for port in ports
    ]
    rest, _ = match.communicate(timeout=60)

    assert match.returncode == 0, rest
    assert [each.wait(timeout=60) for each in bots] == [0, 0]
    assert "leduc: 60 hands" in rest
