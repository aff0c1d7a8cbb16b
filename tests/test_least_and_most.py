"""Every command at the smallest and the largest values that its parser takes: no traceback, at either end."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Final

import click
import pytest

from server.commands.program import riverboat
from tests.support.dealer_process import environment, program
from tests.test_command_lines import commands

_HUGE: Final = 10**18
"""For an option without a largest value."""
_PATIENCE_S: Final = 20.0
"""A command that still works after so long is told to stop: what it refuses, or cannot show, comes early."""
WORDS: Final = {
    "ask": "random --hole AhKd",
    "bot": "random 127.0.0.1 1",
    "check-bot": "-- riverboat bot always-call",
    "compare": "always-call always-fold --against always-call --game leduc --out out",
    "counter": "always-call --game leduc --save out.npz",
    "course build": "course --out out",
    "exploitability": "always-call --game leduc",
    "kernels": "",
    "knowledge": "none.knowledge",
    "league place": "ladder always-call --out out",
    "match": "limit-2p always-call always-call --out out",
    "mcp": "127.0.0.1 1",
    "odds": "AhKd",
    "play": "always-call --game leduc",
    "preflop": "",
    "replay": "none.log",
    "review": "none.log",
    "room add-player": "Ann --data room",
    "serve": "--http off",
    "serve-benchmark": "",
    "solve": "kuhn-2p --save out.npz",
    "telnet": "127.0.0.1 1 --listen 0",
    "tournament": "none.toml",
    "train": "street-learner --save out.knowledge",
    "weights": "limit-2p rc",
}
"""What else a command needs; experiments need a folder alone."""


def numbers_of(command: click.Command) -> list[tuple[str, float, float]]:
    """The options of a command that are numbers in a range: name, least, most."""
    return [
        (parameter.opts[-1], parameter.type.min or 0, parameter.type.max or _HUGE)
        for parameter in command.params
        if isinstance(parameter, click.Option)
        if isinstance(parameter.type, click.IntRange | click.FloatRange)
    ]


COMMANDS: Final = {
    name.removeprefix("riverboat "): numbers
    for name, command in commands(riverboat, "riverboat")
    if (numbers := numbers_of(command))
}
LARGEST: Final = [(name, option) for name, numbers in COMMANDS.items() for option, _, _ in numbers]


def run(name: str, changed: str | None, folder: Path) -> tuple[int, str]:
    """Exit status and output of a command with its smallest values, but for one option."""
    least = {option: most if option == changed else least for option, least, most in COMMANDS[name]}
    values = [word for option, value in least.items() for word in (option, f"{value:.15g}" if
              isinstance(value, float) else str(value))]  # fmt: skip
    first, *rest = WORDS.get(name, "--out out --no-plots").partition("--")
    words = [*name.split(), *first.split(), *values, *"".join(rest).split()]
    with subprocess.Popen(
        program(*words), cwd=folder, env=environment(), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            said, _ = process.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                said, _ = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    return process.returncode, said


def assert_no_traceback(status: int, said: str) -> None:
    assert "Traceback" not in said, said[-3000:]
    assert status in (0, 1, 2, 3, 130, -signal.SIGINT), said[-3000:]


def test_every_command_is_here() -> None:
    assert {name for name in COMMANDS if not name.startswith("experiment ")} == set(WORDS)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_at_its_smallest_values_leaves_no_traceback(tmp_path: Path, name: str) -> None:
    assert_no_traceback(*run(name, None, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option"), LARGEST)
def test_a_command_at_its_largest_values_leaves_no_traceback(tmp_path: Path, name: str, option: str) -> None:
    assert_no_traceback(*run(name, option, tmp_path))
