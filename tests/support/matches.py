"""Matches between launched programs, at our dealer or at the ACPC's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from tests.support.dealer_process import PATIENCE_S, dealer_process, players_environment, program, run_to_end

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
dealer = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rwb")
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


def run_match(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``riverboat match``, run in `folder` to its end."""
    return run_to_end(program("match", *words), folder, timeout=90)


def result_of(folder: Path, *words: str, status: int = 0) -> dict[str, Any]:
    """The object that a match prints with ``--json``; it must end with `status`."""
    done = run_match(folder, *words, "--json")
    assert done.returncode == status, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def raw_bot(folder: Path, name: str, misbehave: str = "pass") -> str:
    """Write a program that always calls; returns the command that runs it in `folder`.

    Args:
        folder: the folder in which it is written.
        name: the name of its file, without the suffix.
        misbehave: a statement that it executes at each line that arrives; `number` counts lines from 0.
    """
    (folder / f"{name}.py").write_text(_RAW_BOT.format(misbehave=misbehave))
    return f"{sys.executable} {name}.py"
