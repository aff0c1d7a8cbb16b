"""What the operator's stderr does to a room: nothing, whatever it is, and whatever clients do."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
import trio

from server.room.reporting import LINES_AT_ONCE, OperatorConsole, Unhurried, operator_console
from server.support.console import Console
from tests.support.dealer_process import environment, program
from tests.support.rooms import Guest

ROOM = """
[room]
http = false
port = 0

[[table]]
name = "a"
game = "nolimit-6p-100bb"
seconds = 5
"""


def _closed_pipe() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def _full_pipe() -> int:
    """A pipe that nobody reads, and that is full; the end to read from stays open."""
    _, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, bytes(4096))
    except BlockingIOError:
        os.set_blocking(writing, True)
    return writing


STREAMS = [
    pytest.param(lambda: os.open("/dev/full", os.O_WRONLY), id="full disk"),
    pytest.param(_closed_pipe, id="closed pipe"),
    pytest.param(_full_pipe, id="unread pipe"),
]


@pytest.mark.parametrize("open_stream", STREAMS)
async def test_a_room_plays_on_whatever_becomes_of_its_stderr(tmp_path: Path, open_stream: object) -> None:
    assert callable(open_stream)
    (tmp_path / "room.toml").write_text(ROOM)
    stderr = open_stream()
    with subprocess.Popen(  # noqa: ASYNC220 - as short as a test's set-up
        program("serve", "room.toml"),
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=stderr, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            host, port = process.stdout.readline().split()[1].rsplit(":", 1)
            with trio.fail_after(60):
                ann, bob = [Guest(await trio.open_tcp_stream(host, int(port))) for _ in range(2)]
                for number, guest in enumerate((ann, bob)):
                    await guest.sit_down("a", f"name=P{number}")
                async with trio.open_nursery() as playing:  # each action is wrong, and is reported
                    for guest in (ann, bob):
                        playing.start_soon(guest.play_hands, 6, lambda betting: "r1")
                for guest in (ann, bob):
                    await guest.leave()
            process.terminate()
            assert process.wait(30) == 0
        finally:
            process.kill()
    os.close(stderr)


def test_what_cannot_be_written_is_counted_and_told_later() -> None:
    reading, writing = os.pipe()
    stderr = open(writing, "w", encoding="utf-8")  # noqa: SIM115 - closed below
    said = Unhurried(stderr)
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b" " * 4096)
    except BlockingIOError:
        os.set_blocking(writing, True)
    console = OperatorConsole(None, said)
    began = time.monotonic()
    for number in range(3000):
        console.of_table(f"t{number}").err(f"riverboat: line {number}\n")
    assert time.monotonic() - began < 2
    assert said.dropped > 1000
    with open(reading, encoding="utf-8") as heard:
        text = ""
        while "line 500\n" not in text:
            text += os.read(heard.fileno(), 65536).decode()
        console.err("riverboat: it reads again\n")
        while "it reads again\n" not in text:
            text += os.read(heard.fileno(), 65536).decode()
        assert sum(map(int, re.findall(r"riverboat: (\d+) lines were not written\n", text))) == said.dropped
        assert said.untold() == 0
        said.close()
        stderr.close()


@pytest.mark.parametrize(
    "line",
    [
        "riverboat: seat 2 (Bob{}) has gone\n",
        "WARNING: raise of {} increased to 40\n",
        "Traceback (most recent call last):\n{}\n",
    ],
)
def test_nobody_makes_a_room_say_much(line: str) -> None:
    said = io.StringIO()
    console: Console = operator_console(said).of_table("a")
    for number in range(10_000):
        console.err(line.format(number))
    console.err("riverboat: seat 3 (Eve) has gone\n")
    lines = [json.loads(each)["event"] for each in said.getvalue().splitlines()]
    assert len(lines) <= LINES_AT_ONCE + 3
    assert lines[-1] == "seat 3 (Eve) has gone"
    assert any(each.endswith("lines were not written") for each in lines)
