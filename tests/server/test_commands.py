"""How the `riverboat` program starts, is completed, and ends."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from server.commands import program as commands
from tests.support.cases import cases
from tests.support.dealer_process import ROOT, program, run_to_end

# --- How the `riverboat` program ends -----------------------------------------------------------------------

FULL = Path("/dev/full")
needs_full_device = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


def run(words: Sequence[str], folder: Path, redirections: str = "") -> subprocess.CompletedProcess[str]:
    """The program, in a shell that redirects as it is told."""
    return run_to_end(["sh", "-c", f'"$@" {redirections}', "sh", *program(*words)], folder)


def raising(error: BaseException) -> click.Command:
    def command() -> None:
        raise error

    return click.Command("odds", callback=command)


@pytest.mark.parametrize("while_loading", [True, False])
def test_an_interrupted_command_is_130_and_silent(
    while_loading: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(entry: EntryPoint) -> click.Command:
        if while_loading:
            raise KeyboardInterrupt
        return raising(KeyboardInterrupt())

    monkeypatch.setattr(commands, "_load", load)

    result = CliRunner().invoke(commands.riverboat, ["odds"])

    assert (result.exit_code, result.output) == (130, "")


MANY_FILES = OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (OSError(errno.EMFILE, "Too many open files", "some/file"), 1,
         "Error: some/file: Too many open files\n"),
        (BaseExceptionGroup("tasks", [MANY_FILES]), 1, "Error: Too many open files\n"),
        (BaseExceptionGroup("tasks", [MANY_FILES, KeyboardInterrupt()]), 130, ""),
        (BaseExceptionGroup("tasks", [BaseExceptionGroup("inner", [KeyboardInterrupt()])]), 130, ""),
    ],
)  # fmt: skip
def test_what_the_system_refuses_a_command_or_its_tasks_is_one_line(
    error: BaseException, status: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_load", lambda _: raising(error))

    result = CliRunner().invoke(commands.riverboat, ["odds"])

    assert (result.exit_code, result.output) == (status, said)


def test_a_bug_in_a_task_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    group = ExceptionGroup("tasks", [OSError(errno.EMFILE, "Too many open files"), ValueError("a bug")])
    monkeypatch.setattr(commands, "_load", lambda _: raising(group))

    assert CliRunner().invoke(commands.riverboat, ["odds"]).exception is group


@needs_full_device
@pytest.mark.parametrize(
    "words",
    [
        ["games"],
        ["--help"],
        *[pytest.param(words, marks=pytest.mark.slow) for words in (["bots", "--json"], ["odds", "--help"])],
    ],
)
def test_output_that_cannot_be_written_is_one_line_and_status_1(words: list[str], tmp_path: Path) -> None:
    result = run(words, tmp_path, ">/dev/full")

    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "No space left on device" in result.stderr


def test_a_pipe_that_nobody_reads_is_no_error(tmp_path: Path) -> None:
    result = run(["games"], tmp_path, "| true")

    assert (result.returncode, result.stderr) == (0, "")  # the shell's status is that of `true`


@pytest.mark.parametrize("closed", [">&-", "<&- >&-", "<&- >&- 2>&-"])
@pytest.mark.slow
def test_nothing_is_written_to_descriptors_that_the_caller_closed(closed: str, tmp_path: Path) -> None:
    """A log that is opened on the number of stdout would be written to as if it were stdout."""
    players = ["always-call", "always-call"]

    played = run(["match", "leduc", *players, "--hands", "3", "--seed", "1", "--out", "open"], tmp_path)
    result = run(
        ["match", "leduc", *players, "--hands", "3", "--seed", "1", "--out", "closed"], tmp_path, closed
    )

    for each in (played, result):
        assert each.returncode == 0
        assert all(" of 3 hands" in line or line[0] == "±" for line in each.stderr.splitlines())
    assert (tmp_path / "closed/match.log").read_bytes() == (tmp_path / "open/match.log").read_bytes()


def test_a_dealer_without_a_terminal_writes_its_ports_nowhere_else(tmp_path: Path) -> None:
    words = ["dealer", "m", "leduc", "3", "1", "a", "b", "-q", "--start_timeout", "1"]

    result = run(words, tmp_path, "<&- >&- 2>&-")

    assert result.returncode == 1
    assert (tmp_path / "m.log").read_text().startswith("# name/game/hands/seed m leduc 3 1\n")


# --- What a shell offers when somebody presses the tabulator ------------------------------------------------


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


# --- What a dealer loads before it says its ports -----------------------------------------------------------

HEAVY = ("numpy", "numba", "click", "rich", "scipy", "importlib.metadata", "asyncio")


def test_a_dealer_loads_no_heavy_package() -> None:
    code = "import server, protocol, engine.poker.rules, server.commands.play.dealer"
    done = run_to_end([sys.executable, "-X", "importtime", "-c", code], ROOT, check=True)

    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "server.table.match" in loaded
    assert not loaded & {*HEAVY}


@pytest.mark.parametrize("words", [["--help"], ["doctor"], ["dealer", "--help"]])
def test_what_everybody_sees_first_fits_into_eighty_columns(words: list[str]) -> None:
    text = CliRunner().invoke(commands.riverboat, words).stdout

    assert [line for line in text.splitlines() if len(line) > 80] == []
