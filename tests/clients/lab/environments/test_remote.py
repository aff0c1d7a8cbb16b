"""Opponents in other processes: they play as they do at the dealer's table, and their loss is never a
hang.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clients.bots.baselines import AlwaysCall, Random
from clients.core.arena import Arena
from clients.lab.environments import Patience, SeatLost, holdem_v0
from clients.lab.environments.single import HoldemEnv
from clients.lab.seats.remote import RemoteSeat, command_seat, opponent_names
from engine.poker.rules import load_game
from protocol import PlayerConnection, Reply, TurnToAct, Version
from protocol.connection import NEED_DATA
from server.records.verification.log_checker import verify_log

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
    children = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "args="], capture_output=True, text=True
    )
    assert "bot random" not in children.stdout
