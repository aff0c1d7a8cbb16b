"""Matches between launched programs, at our dealer or at the ACPC's own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from tests.support.commands import run_here
from tests.support.dealer_process import PATIENCE_S, dealer_process, environment, players_environment, program

ACPC_DEALER: Final = os.environ.get("ACPC_DEALER")
"""The path of the ACPC's dealer program, if there is one."""

DEALERS: Final = [
    pytest.param(None, id="riverboat"),
    pytest.param(
        ACPC_DEALER, id="acpc", marks=pytest.mark.skipif(not ACPC_DEALER, reason="ACPC_DEALER is not set")
    ),
]
"""For `play_match`: our dealer, and the original."""

_RAW_BOT: Final = """\
import socket, sys
{before}
dealer = socket.create_connection((sys.argv[-2], int(sys.argv[-1]))).makefile("rwb")
dealer.write(b"VERSION:2.0.0\\n"); dealer.flush()
for number, line in enumerate(dealer):
    {misbehave}
    if not line.startswith(b"#"):
        dealer.write(line.rstrip() + b":c\\n"); dealer.flush()
"""


@attrs.frozen
class Played:
    """The results of a match between programs."""

    status: int
    """The dealer's exit status."""
    log: list[str]
    """Log lines without the header."""
    statuses: list[int]
    """The players' exit statuses, by seat."""
    errors: list[str]
    """What the players wrote to stderr, by seat."""


def bot(name: str, *options: str) -> list[str]:
    """The command line of a built-in bot, less host and port."""
    return [sys.executable, "-m", "clients", *options, name]


def play_match(
    arguments: Sequence[str],
    players: Sequence[Sequence[str]],
    folder: Path,
    dealer: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> Played:
    """Let programs play a match.

    Args:
        arguments: the dealer's arguments: name of the match, game, hands, seed, names, options.
        players: command lines by seat, to which host and port are added.
        folder: the folder in which everything runs.
        dealer: the ACPC's dealer program, to use instead of ours.
        variables: more environment variables for the players.
    """
    env = players_environment() | dict(variables or {})
    with dealer_process(arguments, folder, [dealer] if dealer else None) as process:
        running = [
            subprocess.Popen(
                [*command, "127.0.0.1", str(port)], cwd=folder, env=env, stderr=subprocess.PIPE, text=True
            )
            for command, port in zip(players, process.ports, strict=True)
        ]
        try:
            status, _ = process.finish()
            errors = [player.communicate(timeout=PATIENCE_S)[1] for player in running]
        finally:
            for player in running:
                player.kill()
                player.wait()
    log = (folder / f"{arguments[0]}.log").read_text().splitlines()
    return Played(
        status,
        [line for line in log if not line.startswith("#")],
        [player.returncode for player in running],
        errors,
    )


def run_match(
    folder: Path, *words: str, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """``riverboat match`` in a folder, to its end: in this process, which launches the players."""
    done = run_here(*program("match", *words)[3:], folder=folder, **variables or {})
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def start_program(folder: Path, *words: str, **options: Any) -> subprocess.Popen[str]:
    """A command of riverboat in a folder, which is running."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen(program(*words), cwd=folder, env=environment(), text=True, **options)


def start_match(folder: Path, *words: str, **options: Any) -> subprocess.Popen[str]:
    """``riverboat match`` in a folder, which is being played."""
    return start_program(folder, "match", *words, **options)


def wait_for_hand(log: Path, number: int) -> None:
    """Wait until a match has come as far as a hand."""
    deadline = time.monotonic() + PATIENCE_S
    while not (log.exists() and f"STATE:{number}:".encode() in log.read_bytes()):
        assert time.monotonic() < deadline
        time.sleep(0.005)  # until another process has come so far


def result_of(
    folder: Path, *words: str, status: int = 0, variables: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The JSON result of a match that ends with a status."""
    done = run_match(folder, *words, "--json", variables=variables)
    assert done.returncode == status, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def raw_program(misbehave: str = "pass", before: str = "") -> str:
    """A program that calls, in Python without any of our modules.

    Args:
        misbehave: a statement that is executed before each answer.
        before: statements that are executed first.
    """
    return _RAW_BOT.format(misbehave=misbehave, before=before)


def raw_bot(folder: Path, name: str, misbehave: str = "pass", before: str = "") -> str:
    """The command line of a `raw_program` in a folder; in what misbehaves `number` counts lines from 0."""
    (folder / f"{name}.py").write_text(raw_program(misbehave, before))
    return f"{sys.executable} {name}.py"
