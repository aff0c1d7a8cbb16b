"""``riverboat experiment``: finding experiments of installed packages."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

from clients.commands.lab import experiment as experiment_command
from clients.commands.lab.experiment import experiment


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path))
def coin_flips(out: Path) -> None:
    """Flip coins."""
    click.echo(f"flipped into {out}")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages with experiments, one of them broken, and one that is not a command."""
    good = ModuleType("package_with_an_experiment")
    good.__dict__.update(command=coin_flips, number=7)
    monkeypatch.setitem(sys.modules, good.__name__, good)
    entries = [
        EntryPoint("coin-flips", "package_with_an_experiment:command", experiment_command.GROUP),
        EntryPoint("number", "package_with_an_experiment:number", experiment_command.GROUP),
        EntryPoint("broken", "no_such_package:command", experiment_command.GROUP),
    ]
    monkeypatch.setattr(
        experiment_command, "installed_experiments", lambda: {entry.name: entry for entry in entries}
    )


@pytest.mark.usefixtures("installed")
def test_an_experiment_of_an_installed_package_runs() -> None:
    result = CliRunner().invoke(experiment, ["coin-flips", "--out", "here"])

    assert result.exit_code == 0
    assert result.output == "flipped into here\n"


@pytest.mark.usefixtures("installed")
def test_broken_experiments_do_not_hide_the_others() -> None:
    result = CliRunner().invoke(experiment, ["--help"])

    assert result.exit_code == 0
    assert "Flip coins." in result.output
    assert "no_such_package" in result.output
    assert "not a click command" in " ".join(result.output.split())


@pytest.mark.usefixtures("installed")
def test_a_broken_experiment_says_why_in_one_line() -> None:
    result = CliRunner().invoke(experiment, ["broken", "--out", "here"])

    assert result.exit_code == 1
    assert "no_such_package" in result.output
    assert result.output.count("\n") == 1


@pytest.mark.usefixtures("installed")
def test_an_unknown_name_is_a_usage_error_in_one_line() -> None:
    result = CliRunner().invoke(experiment, ["coin-flip", "--out", "here"])

    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert "coin-flip'" in result.output
    assert "coin-flips" in result.output
