"""Environments with opponents in other processes, and the worked example."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clients.lab.environments
from clients.bots.baselines import AlwaysCall, Random
from clients.core.arena import Arena
from clients.lab.environments import Patience, PolicyAgent, SeatLost, example_learner, holdem_v0
from clients.lab.environments.example_learner import LinearLearner
from clients.lab.environments.observations import Encoder
from clients.lab.environments.single import HoldemEnv
from clients.lab.seats.remote import RemoteSeat, command_seat, opponent_names
from clients.lab.testing import play_over_wire
from engine.poker.rules import load_game
from protocol import PlayerConnection, Reply, TurnToAct, Version
from protocol.connection import NEED_DATA
from server.records.verification.log_checker import verify_log
from tests.support.dealer_process import ROOT, completed, run_to_end
from tests.support.doubles import python_blocks

# --- Opponents in other processes ---------------------------------------------------------------------------

RANDOM = f"{sys.executable} -m clients random"


@contextmanager
def player(port: int, misbehaves: Any = None, game: str = "limit-2p") -> Iterator[threading.Thread]:
    """A player in a thread, who calls, or does something else after some turns."""

    def play() -> None:
        line = socket.create_connection(("127.0.0.1", port))
        connection = PlayerConnection(load_game(game))
        turns = 0
        with line:
            line.sendall(connection.send(Version()))
            while data := line.recv(4096):
                connection.receive_data(data)
                while (event := connection.next_event()) is not NEED_DATA:
                    if isinstance(event, TurnToAct):
                        turns += 1
                        if misbehaves is not None and misbehaves(line, turns):
                            return
                        line.sendall(connection.send(Reply(event.view.legal_actions().raising_to())))

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    yield thread
    thread.join(5)
    assert not thread.is_alive()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def steps(env: HoldemEnv, hands: int, seed: int) -> list[dict[str, Any]]:
    """Call in every hand; the infos at the ends of the episodes."""
    ends = []
    for number in range(hands):
        env.reset(seed=seed if number == 0 else None)
        ended = False
        while not ended:
            _, _, terminated, truncated, info = env.step(1)
            ended = terminated or truncated
        ends.append(info)
        if truncated:
            break
    return ends


def test_a_program_plays_as_it_would_in_the_arena(tmp_path: Path) -> None:
    """A bot of ours in a process of its own, with the seed it would have had: the same chips."""
    env = HoldemEnv("limit-2p", [RANDOM], log=tmp_path / "log")
    infos = steps(env, 15, seed=9)
    hands, chips = env.table.hand_number + 1, env.table.chips
    env.close()

    arena = Arena(load_game("limit-2p"), [AlwaysCall(), Random()], 9)
    assert arena.play(hands) == chips
    assert not any("failure" in info for info in infos)
    found = verify_log(tmp_path / "log")
    assert found.is_valid, found.problem
    assert found.hands == hands


def test_a_player_may_connect_from_outside_and_stays_when_a_match_begins_anew() -> None:
    port = free_port()
    env = HoldemEnv("limit-2p", [f"tcp://127.0.0.1:{port}"])
    with player(port):
        steps(env, 5, seed=1)
        seat = env.table._agents[1]
        steps(env, 5, seed=2)
        assert env.table._agents[1] is seat
        assert env.table.seed == 2
        env.close()


def leave(line: socket.socket, turn: int) -> bool:
    return turn == 3


def chatter(line: socket.socket, turn: int) -> bool:
    if turn == 2:
        line.sendall(b"nonsense\r\n" * 200)
    return False


def fall_silent(line: socket.socket, turn: int) -> bool:
    if turn == 2:
        line.recv(1)  # until the table has given up
        return True
    return False


@pytest.mark.parametrize(
    ("misbehaves", "kind"), [(leave, "disconnected"), (chatter, "nonsense"), (fall_silent, "stalled")]
)
def test_a_lost_opponent_truncates_the_episode_and_says_why(
    misbehaves: Any, kind: str, tmp_path: Path
) -> None:
    """The hand is void: it stands in no log, and nobody has won or lost a chip in it."""
    port = free_port()
    log = tmp_path / "log"
    env = HoldemEnv(
        "limit-2p", [f"tcp://127.0.0.1:{port}"], log=log, patience=Patience(response_s=0.2, start_s=5)
    )
    with player(port, misbehaves):
        *_, last = steps(env, 20, seed=1)

    assert last["failure"]["kind"] == kind
    assert (last["failure"]["seat"], last["failure"]["name"]) == (1, "remote")
    assert not env.table.is_open
    with player(port):
        assert "failure" not in steps(env, 3, seed=5)[-1]
        env.close()
    found = verify_log(log)
    assert found.is_valid, found.problem


def test_agents_of_pettingzoo_are_all_truncated() -> None:
    port = free_port()
    env = holdem_v0.env("limit-3p", bots={1: f"tcp://127.0.0.1:{port}"}, patience=Patience(1, 5))

    truncated_agents = []
    with player(port, leave, "limit-3p"):
        for number in range(10):
            env.reset(seed=1 if number == 0 else None)
            for agent in env.agent_iter():
                _, reward, terminated, truncated, info = env.last()
                if truncated:
                    assert info["failure"]["name"] == "remote"
                    assert reward == 0
                    truncated_agents.append(agent)
                env.step(None if terminated or truncated else 1)
            if truncated_agents:
                break
    env.close()

    assert truncated_agents == ["player_0", "player_2"]


def test_programs_that_do_not_come_are_told_apart(tmp_path: Path) -> None:
    patience = Patience(start_s=0.3)
    fails = tmp_path / "fails.py"
    fails.write_text("raise SystemExit('no model')")
    (tmp_path / "sleeps.py").write_text("import time\ntime.sleep(100)")
    for command, kind, detail in [
        (f"{tmp_path}/nothing here", "not-found", "No such file"),
        (f"{sys.executable} {fails}", "crashed", "no model"),
        (f"{sys.executable} {tmp_path}/sleeps.py", "stalled", "within 0.3 s"),
    ]:
        kept = patience if kind == "stalled" else Patience()
        env = HoldemEnv("limit-2p", [command], patience=kept)
        with pytest.raises(SeatLost, match=detail) as caught:
            env.reset()
        assert caught.value.kind == kind
        env.close()


def test_nobody_is_left_behind() -> None:
    """Programs end with the environment, also one that is forgotten."""
    env = HoldemEnv("limit-2p", [f"{sys.executable} -c 'import time,sys; time.sleep(100)'"])
    seat = command_seat([sys.executable, "-c", "import time; time.sleep(100)"])()
    seat.open(load_game("limit-2p"), None, 0, ("a", "b"), Patience())
    process = seat._process
    assert process is not None
    assert process.poll() is None
    del seat
    assert process.wait(5) == -signal.SIGTERM
    env.close()
    env.close()


def test_players_are_named_after_their_programs() -> None:
    opponents = ["formula:model=none", "formula", "./my bots/one.py", "tcp://h:1", RANDOM]
    assert opponent_names([*opponents, Random]) == [
        "formula", "formula-2", "one", "remote", "random", "Random",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_thousand_episodes_against_two_processes_one_killed_at_random(tmp_path: Path) -> None:
    """No hang, no chip lost: every episode ends, every log line is true, chips add up to nothing."""
    log = tmp_path / "log"
    env = HoldemEnv("limit-3p", [RANDOM, RANDOM], log=log, patience=Patience(response_s=10))
    rng = random.Random(1)
    truncated_episodes = kills = 0
    won = reward_of_void = 0.0
    for number in range(10_000):
        seen, info = env.reset(seed=1 if number == 0 else None)
        won += info["passed_reward"]
        kill = rng.random() < 1 / 400
        ended = False
        while not ended:
            if kill and rng.random() < 0.4:
                kill = False
                kills += 1
                seat = rng.choice([a for a in env.table._agents if isinstance(a, RemoteSeat)])
                assert seat._process is not None
                os.kill(seat._process.pid, signal.SIGKILL)
            legal = [a for a, mask in enumerate(seen["action_mask"]) if mask]
            seen, reward, terminated, truncated, info = env.step(rng.choice(legal))
            ended = terminated or truncated
            won += reward
            if truncated:
                truncated_episodes += 1
                reward_of_void += reward
                assert info["failure"]["kind"] in ("crashed", "disconnected")
    env.close()

    found = verify_log(log)
    assert found.is_valid, found.problem
    assert kills > 5
    assert 0 < truncated_episodes <= kills
    assert reward_of_void == 0
    scores = [line.split(":")[1] for line in log.read_text().splitlines() if line.startswith("SCORE:")]
    totals = [[float(chips) for chips in score.split("|")] for score in scores]
    assert sum(map(sum, totals)) == pytest.approx(0, abs=1e-3)
    assert won == pytest.approx(sum(total[0] for total in totals) / 10)
    children = run_to_end(["ps", "--ppid", str(os.getpid()), "-o", "args="])
    assert "bot random" not in children.stdout


# --- The worked example learns, and sits down unchanged -----------------------------------------------------


def trained(hands: int) -> LinearLearner:
    learner, env, rng = LinearLearner(), HoldemEnv("limit-2p", ["always-call"]), np.random.default_rng(1)
    env.reset(seed=1)
    for _ in range(hands):
        learner.play_hand(env, rng)
    return learner


def test_it_has_sixty_lines() -> None:
    assert len(Path(example_learner.__file__).read_text("utf-8").splitlines()) <= 60


async def test_it_learns_and_plays_over_the_protocol_what_it_plays_in_the_arena() -> None:
    learner = trained(1000)
    arena = Arena(load_game("limit-2p"), [PolicyAgent(learner), AlwaysCall()], 3)

    played = await play_over_wire([PolicyAgent(learner), AlwaysCall()], "limit-2p", 200, seed=3)

    assert (played.chips, played.complaints) == (arena.play(200), ())
    assert arena.play(600)[0] / 600 / 10 > 0.2


@pytest.mark.slow
def test_after_minutes_it_beats_always_call_by_more_than_eight_tenths_of_a_small_bet() -> None:
    """40,000 hands, some ten seconds of the five minutes; the interval is 0.1 small bets a hand."""
    learner = trained(40_000)
    arena = Arena(load_game("limit-2p"), [PolicyAgent(learner), AlwaysCall()], 99)

    assert arena.play(12_000)[0] / 12_000 / 10 > 0.9


@pytest.mark.slow
def test_it_sits_down_at_a_table_over_tcp(tmp_path: Path) -> None:
    np.save(tmp_path / "example-learner.npy", trained(3000).values)
    bot = f"Learner={sys.executable} -m clients.lab.environments.example_learner"

    words = ("match", "limit-2p", bot, "always-call", "--hands", "500", "--seed", "3", "--json")
    run = completed(*words, folder=tmp_path)

    assert run.returncode == 0, run.stderr
    learner, other = json.loads(run.stdout)["players"]
    assert learner["chips"] == -other["chips"] > 1000


# --- docs/environments.md -----------------------------------------------------------------------------------

GUIDE = ROOT / "docs" / "environments.md"


def test_its_blocks_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}

    for block in python_blocks(GUIDE):
        exec(compile(block, "environments.md", "exec"), names)

    first, second = capsys.readouterr().out.splitlines()
    assert re.match(r"[+-]\d+\.\d big blinds; MATCHSTATE:", first)
    assert second.startswith("(")
    assert (tmp_path / "episodes.log").read_text().count("STATE:") == 1


def test_its_tables_are_complete() -> None:
    text = GUIDE.read_text("utf-8")

    for field in (*Encoder(load_game("leduc")).layout.fields, "action_mask"):
        assert f"| `{field}` |" in text
    for name, game in clients.lab.environments.GAMES.items():
        assert f'| `{name}` | `game="{game}"` |' in text
