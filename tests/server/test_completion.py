"""What a shell offers when somebody presses the tabulator."""

from __future__ import annotations

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from server.commands import program as commands
from tests.support.cases import cases


def offered(*words: str) -> list[str]:
    """For the last word, which is not yet finished."""
    shell = ShellComplete(commands.riverboat, {}, "riverboat", "_RIVERBOAT_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize(("words", "wanted"), cases(__file__, "typed words"))
def test_names_are_completed(words: list[str], wanted: list[str]) -> None:
    assert offered(*words) == wanted


def test_where_no_name_fits_files_are_offered() -> None:
    shell = ShellComplete(commands.riverboat, {}, "riverboat", "_RIVERBOAT_COMPLETE")

    (item,) = shell.get_completions(["match"], "./my.ga")

    assert (item.value, item.type) == ("./my.ga", "file")


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_the_script_of_a_shell_is_printed(shell: str) -> None:
    result = CliRunner().invoke(commands.riverboat, ["--completion", shell])

    assert result.exit_code == 0
    assert "_RIVERBOAT_COMPLETE" in result.output
    assert f"{shell}_complete" in result.output


def test_a_command_that_cannot_be_loaded_is_offered_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(entry: object) -> click.Command:
        raise click.ClickException("broken")

    monkeypatch.setattr(commands, "_load", load)

    assert offered("mat") == ["match"]
