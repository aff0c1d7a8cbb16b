"""Commands in this process, as a shell would call them."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner, Result

from server.commands.program import riverboat
from tests.support.dealer_process import environment


def run_here(*words: object, folder: Path | None = None, **variables: str) -> Result:
    """``riverboat`` with these words, in a folder: what it does and says without a process of its own."""
    runner = CliRunner(catch_exceptions=False, env=environment() | variables)
    with contextlib.chdir(folder or Path()):
        return runner.invoke(riverboat, [str(word) for word in words])


def runs(command: click.Command) -> Callable[..., Result]:
    """A function that calls a command with its arguments."""
    return lambda *arguments: CliRunner().invoke(command, [str(argument) for argument in arguments])


def reports(command: click.Command) -> Callable[..., dict[str, Any]]:
    """The same for the object that it prints with ``--json``; it must succeed."""

    def report(*arguments: object) -> dict[str, Any]:
        result = runs(command)(*arguments, "--json")
        assert result.exit_code == 0, result.output
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    return report
