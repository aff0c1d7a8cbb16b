"""Seats are for the players they were launched for: bots that try to sit down elsewhere, bots that may."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from pathlib import Path
from typing import Final

import pytest
import trio

from protocol.records import parse_hand
from server.match.launching import processes
from server.match.launching.doorman import Doorman
from server.match.launching.players import parse_players
from server.table.config import Admission
from tests.support.matches import raw_bot, raw_program, result_of, run_match
from tests.support.tables import folding_config, free_ports, table_of

needs_proc = pytest.mark.skipif(
    not processes.can_be_traced(), reason="the system does not tell whose a connection is"
)
CALLER: Final = raw_program()
THIEF: Final = """\
import socket, sys, threading
host, own, other = sys.argv[2], int(sys.argv[3]), int(sys.argv[1])
stolen = socket.create_connection((host, other))
stolen.sendall(b"VERSION:2.0.0\\n")
seat = socket.create_connection((host, own)).makefile("rwb")
seat.write(b"VERSION:2.0.0\\n"); seat.flush()
stolen.settimeout(1)
try:
    stolen.recv(1000)
except OSError:
    pass
def play(dealer, action):
    try:
        for line in dealer:
            if not line.startswith(b"#"):
                dealer.write(line.rstrip() + action); dealer.flush()
    except OSError:
        pass
open("gate", "w").close()  # now the other may start
stolen.settimeout(None)
threading.Thread(target=play, args=(stolen.makefile("rwb"), b":f\\n")).start()
play(seat, b":c\\n")
"""
TOKEN_THIEF: Final = """\
import os, sys
victim, house = None, os.getppid()
victims_end = b"\\0".join([b"caller.py", b"127.0.0.1", sys.argv[1].encode()])
while victim is None:
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if victims_end in open(f"/proc/{name}/cmdline", "rb").read():
                variables = open(f"/proc/{name}/environ").read().split("\\0")
                victim = [each for each in variables if each.startswith("RIVERBOAT_TOKEN=")][0]
        except OSError:
            pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while os.getppid() != house:
            pass
        environment = dict(os.environ, RIVERBOAT_TOKEN=victim.partition("=")[2])
        os.execve(sys.executable, [sys.executable, "always.py", "127.0.0.1", sys.argv[1]], environment)
    os._exit(0)
os.wait()
"""
BEHIND_A_WRAPPER: Final = """\
import os, subprocess, sys
bot = [sys.executable, "caller.py", *sys.argv[1:]]
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.set_inheritable(write, True)
        os.execv(bot[0], bot)
    os._exit(0)
os.close(write)
os.read(read, 1)  # until the bot has ended, as `docker run` waits for its container
"""


@needs_proc
def test_a_bot_that_connects_first_does_not_get_its_opponents_seat(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    (tmp_path / "thief.py").write_text(THIEF)
    (tmp_path / "caller.py").write_text("open('gate').read()\n" + CALLER)
    ports = free_ports(2)
    words = ("limit-2p", f"{sys.executable} thief.py {ports[1]}", f"{sys.executable} caller.py")
    done = run_match(
        tmp_path, *words, "--hands", "10", "--ports", f"{ports[0]},{ports[1]}", "--out", "m", "--json"
    )

    log = (tmp_path / "m" / "match.log").read_text().splitlines()
    hands = [record for line in log if (record := parse_hand(line))]
    assert len(hands) == 10
    assert not [record for record in hands if "f" in record.betting]
    assert not [player for player in json.loads(done.stdout)["players"] if "failure" in player]
    assert "a process of thief tried to sit down for caller and was turned away" in done.stderr
    assert "a client was turned away: it is a process of thief" in (tmp_path / "m/dealer.err").read_text()


@needs_proc
def test_a_seat_that_was_taken_with_a_stolen_token_is_reported(tmp_path: Path) -> None:
    """A process of the same user can read a player's environment: only a sandbox prevents that."""
    os.mkfifo(tmp_path / "gate")
    raw_bot(tmp_path, "always", "gate = 'gate' in globals() or open('gate', 'w')")
    (tmp_path / "thief.py").write_text(TOKEN_THIEF + CALLER)
    (tmp_path / "caller.py").write_text("open('gate').read()\n" + CALLER)
    ports = free_ports(2)
    words = ("limit-2p", f"{sys.executable} thief.py {ports[1]}", f"{sys.executable} caller.py")
    options = ("--hands", "100", "--ports", f"{ports[0]},{ports[1]}")
    result = result_of(tmp_path, *words, *options, status=3)

    assert result["players"][1]["failure"] == "crashed"
    assert result["players"][1]["failure_detail"].startswith("somebody else plays in its seat, and its own")


@needs_proc
@pytest.mark.parametrize(
    "command",
    [
        pytest.param("sh -c 'exec {python} caller.py $0 $1'", marks=pytest.mark.slow),
        "sh -c '{python} caller.py $0 $1; true'",
        "setsid --wait {python} caller.py",
        pytest.param("{python} wrapper.py", marks=pytest.mark.slow),
        pytest.param("env -i {python} caller.py", marks=pytest.mark.slow),
    ],
)
def test_a_bot_behind_a_wrapper_gets_its_seat(tmp_path: Path, command: str) -> None:
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "wrapper.py").write_text(BEHIND_A_WRAPPER)
    bot = "Bot=" + command.format(python=sys.executable)
    result = result_of(tmp_path, "leduc", bot, "always-call", "--hands", "5")

    assert result["hands"] == 5


@needs_proc
def test_a_client_that_speaks_ipv6_to_ipv4_gets_its_seat(tmp_path: Path) -> None:
    """Java's sockets do."""
    with socket.socket(socket.AF_INET6) as tried:
        try:
            tried.bind(("::ffff:127.0.0.1", 0))
        except OSError:
            pytest.skip("no IPv6 here")
    caller = CALLER.replace("socket.create_connection((sys.argv[-2], int(sys.argv[-1])))", "sock")
    head = (
        "import socket, sys\nsock = socket.socket(socket.AF_INET6)\n"
        "sock.connect(('::ffff:127.0.0.1', int(sys.argv[-1])))\n"
    )
    (tmp_path / "caller.py").write_text(head + caller)
    result = result_of(tmp_path, "leduc", f"{sys.executable} caller.py", "always-call", "--hands", "5")

    assert result["hands"] == 5


def test_players_get_their_own_token_and_nothing_of_the_house(tmp_path: Path) -> None:
    bot = CALLER + "import os\nopen(sys.argv[1], 'w').write(repr(dict(os.environ)))\n"
    (tmp_path / "dumper.py").write_text(bot)
    players = [f"{sys.executable} dumper.py {name}" for name in ("one", "two")]
    given = {
        "RIVERBOAT_TOKEN": "of-the-house", "RIVERBOAT_SEED": "4711", "RIVERBOAT_SEAT_TOKEN_3": "third",
        "RIVERBOAT_DUPLICATE": "9",
    }  # fmt: skip
    result_of(tmp_path, "leduc", *players, "--hands", "2", variables=given)

    found: list[dict[str, str]] = [eval((tmp_path / name).read_text()) for name in ("one", "two")]
    for variables in found:
        assert not set(given.values()) & set(variables.values())
        assert "RIVERBOAT_SEAT_TOKEN_3" not in variables
        assert "RIVERBOAT_DUPLICATE" not in variables
    assert len({variables["RIVERBOAT_TOKEN"] for variables in found}) == 2


def test_a_launched_bot_says_the_token_that_was_chosen_for_its_seat(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("s3cret\n")
    words = ("leduc", "random", "always-call", "--hands", "3", "--seat-token-file", f"1={tmp_path / 'word'}")
    result = result_of(tmp_path, *words, variables={"RIVERBOAT_SEAT_TOKEN_2": "other"})

    assert result["hands"] == 3


async def connected(port: int) -> trio.SocketStream:
    """A connection to a port that may be closed for a moment, while somebody else is dealt with."""
    while True:
        with contextlib.suppress(OSError):
            return await trio.open_tcp_stream("127.0.0.1", port)
        await trio.lowlevel.checkpoint()


class WordForTheFirst:
    """A door where the first seat's player must say a word."""

    async def listener(self, seat: int) -> socket.socket | None:
        return None

    async def judge(self, seat: int, connection: socket.socket) -> Admission:
        return Admission("word" if seat == 0 else None)


async def test_a_client_without_the_required_token_is_nobodys_failure() -> None:
    async with table_of(folding_config("leduc", door=WordForTheFirst())) as table:
        ports = table.server.ports
        async with await connected(ports[0]) as stranger:
            await stranger.send_all(b"nonsense\n")
            assert (await stranger.receive_some()).startswith(b"# this port speaks the ACPC protocol")
        async with await connected(ports[0]) as owner, await connected(ports[1]) as other:
            await owner.send_all(b"VERSION:2.0.0\n#riverboat/1 token=word seat\n")
            await other.send_all(b"VERSION:2.0.0\n")
            assert (await owner.receive_some()).startswith(b"#riverboat/1 seat")
            assert table.server.seats[0].failures == []


@pytest.fixture
def doorman() -> Doorman:
    players = parse_players(["random", "./bot", "Ann=wait"], {"random"})
    doorman = Doorman(players, (None, None, "chosen"), lambda line: None)
    for seat in range(3):
        doorman.is_launched(seat, None)
    return doorman


async def test_clients_from_elsewhere_must_say_the_token(doorman: Doorman) -> None:
    with socket.socket() as unconnected:
        entries = [await doorman.judge(seat, unconnected) for seat in range(3)]

    if processes.can_be_traced():
        assert entries == [Admission(doorman.token(0)), Admission(doorman.token(1)), Admission("chosen")]


async def test_where_nothing_is_known_about_connections_those_must_say_the_token_that_can(
    doorman: Doorman, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "can_be_traced", lambda: False)
    with socket.socket() as unconnected:
        entries = [await doorman.judge(seat, unconnected) for seat in range(3)]

    assert entries == [Admission(doorman.token(0)), Admission(None), Admission("chosen")]
