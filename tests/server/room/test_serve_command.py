"""``riverboat serve`` as a process: opened, killed, opened again, closed."""

from __future__ import annotations

import contextlib
import functools
import json
import random
import resource
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.room.ledger.ledger import Ledger
from tests.support.commands import run_here
from tests.support.dealer_process import environment, program

ROOM = """
[room]
guest_chips = 100000000

[[table]]
name = "a"
game = "nolimit-6p-100bb"
fill = ["random"]
alone = true
"""


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A room that is open, and its address."""
    words = program("serve", "room.toml", "--port", "0", "--http", "off", *options)
    with subprocess.Popen(
        words, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("players 127.0.0.1:")
            yield process, line.split()[1]
        finally:
            process.kill()


def wait_for_hands(folder: Path, hands: int) -> None:
    while True:
        with Ledger(folder / "room", read_only=True) as ledger:
            if ledger.check().hands >= hands:
                return


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_room_that_is_killed_again_and_again_loses_no_hand_and_no_chip(tmp_path: Path) -> None:
    (tmp_path / "room.toml").write_text(ROOM)
    dice = random.Random(3)
    hands = 0
    for _ in range(200):
        with serving(tmp_path) as (process, _):
            wait_for_hands(tmp_path, hands + dice.randint(1, 40))
            process.send_signal(signal.SIGKILL)
            process.wait()
        with Ledger(tmp_path / "room", read_only=True) as ledger:
            check = ledger.check()
        assert check.faults == ()
        assert check.hands > hands
        hands = check.hands
    with serving(tmp_path) as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    log = (tmp_path / "room" / "tables" / "a.log").read_text()
    assert log.count("STATE:") >= hands
    checked = run_here("verify", str(tmp_path / "room" / "tables" / "a.log"), "--json")
    assert json.loads(checked.stdout)["valid"] is True


@pytest.mark.slow
def test_a_bot_finds_its_table_and_an_operator_sees_it(tmp_path: Path) -> None:
    (tmp_path / "room.toml").write_text(ROOM)
    with serving(tmp_path) as (process, address):
        bot = subprocess.Popen(
            program("bot", "always-call", f"{address}/a", "--name", "Ann"),
            env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        seats: list[str] = []
        while "Ann" not in seats:
            listed = run_here("room", "list", "--data", str(tmp_path / "room"), "--json")
            (table,) = json.loads(listed.stdout)["tables"]
            seats = [seat["player"] for seat in table["seats"] if seat is not None]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        _, said = bot.communicate(timeout=60)
    assert bot.returncode == 0
    assert "the room closes" in said


@pytest.mark.slow
def test_people_are_told_where_the_pages_are_and_whoever_reads_nothing_holds_nothing_up(
    tmp_path: Path,
) -> None:
    (tmp_path / "room.toml").write_text(ROOM)
    with serving(tmp_path, "--http", "0") as (process, _):
        assert process.stdout is not None
        word, address = process.stdout.readline().split()
        assert word == "people"
        host, port = address.removeprefix("http://").rstrip("/").split(":")
        with urllib.request.urlopen(address) as page:
            assert b"<h1>The tables</h1>" in page.read()
        with socket.create_connection((host, int(port))) as deaf:
            deaf.sendall(b"GET /tables/a/events HTTP/1.1\r\nhost: localhost\r\n\r\n")
            wait_for_hands(tmp_path, 50)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0


@pytest.mark.slow
def test_connections_leave_descriptors_for_everything_else(tmp_path: Path) -> None:
    (tmp_path / "room.toml").write_text(ROOM)
    hard = 400
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_NOFILE, (200, hard))
    with subprocess.Popen(
        program("serve", "room.toml", "--port", "0", "--http", "off"),
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=limit,
    ) as process, contextlib.ExitStack() as connections:  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            host, port = process.stdout.readline().split()[1].split(":")
            said = process.stderr.readline()
            assert "the system allows 400 open files, enough for 68 connections, 13 from one address" in said
            for number in range(100):
                source = (f"127.0.0.{2 + number % 9}", 0)
                connections.enter_context(socket.create_connection((host, int(port)), source_address=source))
            assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE) == (hard, hard)
            with Ledger(tmp_path / "room", read_only=True) as ledger:
                hands = ledger.check().hands
            wait_for_hands(tmp_path, hands + 3)
            process.terminate()
            assert "cannot accept" not in process.stderr.read()
        finally:
            process.kill()


def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from server.room.web import serving

    assert serving.what_is_missing() is None
    monkeypatch.setattr(serving, "find_spec", lambda name: None if name == "starlette" else name)
    assert serving.what_is_missing() == (
        "there are no pages for browsers: they need starlette: pip install 'riverboat[web]'"
    )


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from server.commands.operate.serve import serve

    (tmp_path / "room.toml").write_text(ROOM.replace("fill", "fil"))
    for arguments, why in (
        ([str(tmp_path / "room.toml")], "room.toml:8:1: [[table]] has no key 'fil' (did you mean fill?)"),
        ([str(tmp_path / "none.toml")], "No such file"),
    ):
        result = CliRunner().invoke(serve, arguments)
        assert result.exit_code == 1
        assert why in result.output
        assert "Traceback" not in result.output
