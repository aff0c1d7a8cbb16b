"""Experiments as commands, run in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
from click.testing import CliRunner, Result

from clients.commands.lab.experiment import experiment


@attrs.frozen
class Run:
    """A whole run."""

    out: Path
    printed: str
    results: dict[str, Any]


def run(name: str, out: Path, *options: str) -> Result:
    """Options may be several words with blanks between them."""
    return CliRunner().invoke(experiment, [name, "--out", str(out), *" ".join(options).split()])


def whole_run(name: str, out: Path, *options: str) -> Run:
    """A run that comes to its end; the report is printed and kept."""
    result = run(name, out, *options)
    assert result.exit_code == 0, result.output
    assert result.stdout.rstrip() == (out / "results.md").read_text().rstrip()
    return Run(out, result.stdout, json.loads((out / "results.json").read_text()))


def refused(name: str, out: Path, *options: str) -> str:
    """The line with which it refuses to begin."""
    result = run(name, out, *options)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    return result.output


def tasks_done(result: Result) -> list[str]:
    """The lines about tasks, each with the time that is left."""
    return [line for line in result.stderr.splitlines() if " s left: " in line]
