"""Learners at a dealer's table: they keep what they learn, however they end, unless deals are repeated."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from clients.bots.baselines import AlwaysCall, Random
from clients.commands.play.bot import bot
from clients.core.arena import Arena
from clients.learners.knowledge_file import read_knowledge
from clients.learners.preflop.knowledge import read_base
from clients.learners.preflop.learners import NameLearner, PokerLearner
from engine.poker.rules import load_game
from tests.support.dealer_process import environment, program


def match(folder: Path, *words: str) -> dict[str, Any]:
    done = subprocess.run(
        program("match", *words, "--json"),
        cwd=folder, env=environment(), capture_output=True, text=True, timeout=90,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr  # 3 where a player failed
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def learnt_at_home(path: Path, hands: int) -> bytes:
    """A knowledge file with what some hands of no-limit have taught a poker-learner, in this process."""
    learner = PokerLearner(path)
    Arena(load_game("nolimit-2p"), [learner, AlwaysCall()], 1).play(hands)
    learner.close_knowledge()
    return path.read_bytes()


@pytest.mark.slow
def test_what_is_learnt_in_a_match_is_in_the_file_after_it(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.npz"
    for hands in (60, 120):
        match(tmp_path, "nolimit-2p", f"name-learner:knowledge={path}", "Bob=always-call", "--hands", "60")

        assert read_knowledge(path).meta["hands"] == hands
        assert sorted(p.name for p in tmp_path.glob("knowledge*")) == [path.name]
    assert "Bob" in read_knowledge(path, "name-learner", "no-limit Texas hold'em").meta["names"]


@pytest.mark.slow
def test_a_duplicate_match_teaches_nothing(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.npz"
    before = learnt_at_home(path, 40)

    words = ("nolimit-2p", f"poker-learner:knowledge={path}", "always-call", "--hands", "40", "--duplicate")
    result = match(tmp_path, *words, "--jobs", "2")

    assert result["hands"] == 80
    assert path.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "nolimit-6p poker hole-cards winning-hand name always-call always-all-in",
        "limit-3p poker hole-cards name",
    ],
)
def test_learners_play_at_one_table(words: str, tmp_path: Path) -> None:
    game, *names = words.split()
    players = [name if name.startswith("always") else f"{name}-learner" for name in names]

    assert match(tmp_path, game, *players, "--hands", "60")["hands"] == 60


# --- kill -9 -----------------------------------------------------------------------------------------------

_LOOP = """
import sys, pathlib
from clients.core.arena import Arena
from clients.bots.baselines import AlwaysCall, Random
from clients.learners.preflop.learners import NameLearner
from engine.poker.rules import load_game
learner = NameLearner(knowledge=pathlib.Path(sys.argv[1]))
before = learner.learnt.hands
arena = Arena(load_game("nolimit-3p"), [learner, AlwaysCall(), Random()], int(sys.argv[2]))
for hands in range(1, 1_000_000):
    arena.play(1)
    sys.stdout.write(f"{before + hands}\\n")
    sys.stdout.flush()
"""


def killed_while_playing(path: Path, seed: int, hands: int) -> int:
    """Let a learner play, kill it some time after a number of hands; how many it said it had played in all.

    What it says comes through a pipe, so that it cannot be far ahead of what is read.
    """
    player = subprocess.Popen(
        [program("match")[0], "-c", _LOOP, str(path), str(seed)], env=environment(), stdout=subprocess.PIPE
    )
    with player:
        assert player.stdout is not None
        said = b"0"
        for _ in range(hands):
            said = player.stdout.readline()
        player.send_signal(signal.SIGKILL)
        rest = player.stdout.read()
    whole = rest[: rest.rfind(b"\n") + 1].split()
    return int(whole[-1] if whole else said)


@pytest.mark.parametrize("times", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_a_learner_that_is_killed_loses_the_hand_it_was_in(
    tmp_path: Path, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "knowledge.npz"
    rng = random.Random(times)
    for seed in range(times):
        played = killed_while_playing(path, seed, rng.randint(1, 400))

        kept = read_knowledge(path, "name-learner", "no-limit Texas hold'em")
        hands = json.loads(kept.records[-1])[0] if kept.records else kept.meta["hands"]
        assert played <= hands <= played + 1  # killed between the journal and the word of it


def test_a_killed_learners_knowledge_is_that_of_one_that_went_on(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.npz"
    killed_while_playing(path, 5, 150)
    kept = read_knowledge(path)
    hands = json.loads(kept.records[-1])[0]

    same = NameLearner()
    Arena(load_game("nolimit-3p"), [same, AlwaysCall(), Random()], 5).play(hands)

    base, _ = read_base(kept, path)
    assert base.states == same.learnt.states
    assert base.names == same.learnt.names


# --- mistakes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["learn=off"], "there is no such file"),
        (["learn=maybe"], "expected true or false"),
        (["choose=best"], "expected one of greedy, proportional"),
        (["classifier=printed"], "expected one of as-printed, as-meant"),
    ],
)
def test_mistakes_are_one_line_and_exit_status_2(tmp_path: Path, settings: list[str], message: str) -> None:
    words = [f"knowledge={tmp_path / 'none.npz'}", *settings]
    options = [word for setting in words for word in ("--set", setting)]
    done = CliRunner().invoke(bot, ["poker-learner", "127.0.0.1", "1", "--seed", "1", *options])

    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def test_a_file_of_another_game_ends_the_bot_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.npz"
    before = learnt_at_home(path, 10)
    words = ["limit-2p", f"poker-learner:knowledge={path}", "always-call", "--hands", "10", "--json"]
    done = subprocess.run(
        program("match", *words), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60
    )

    player = json.loads(done.stdout)["players"][0]
    assert (done.returncode, player["failure"]) == (3, "crashed")
    assert "was learnt in no-limit Texas hold'em, expected limit Texas hold'em" in json.dumps(player)
    assert path.read_bytes() == before
