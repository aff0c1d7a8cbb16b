"""`riverboat new-bot`: what it writes can be built, sits down and does nothing wrong."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.league.course.new_bot import LANGUAGES, new_bot
from tests.support.dealer_process import PATIENCE_S, completed


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_bot_has_all_its_files_and_says_how_it_is_built(language: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(new_bot, ["--language", language, str(tmp_path / "ann")])

    known = LANGUAGES[language]
    folder = tmp_path / "ann"
    said = tomllib.loads((folder / "bot.toml").read_text())
    assert result.exit_code == 0
    assert said == {"name": "ann", "build": known.build, "command": known.command}
    sources = [word for word in shlex.split(known.build) if Path(word).suffix in (".c", ".java", ".rs")]
    assert all((folder / each).is_file() for each in [known.mine, *sources, "README.md"])
    written = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    assert not any(re.search("@[A-Z]+@", text) for text in written)


def test_nothing_is_overwritten_unless_one_insists(tmp_path: Path) -> None:
    (tmp_path / "my_bot.c").write_text("mine")
    words = ["--language", "c", str(tmp_path), "--name", "ann"]

    refused = CliRunner().invoke(new_bot, words)
    assert (refused.exit_code, (tmp_path / "my_bot.c").read_text()) == (2, "mine")
    assert "is there already; --force replaces it" in refused.output

    assert CliRunner().invoke(new_bot, [*words, "--force"]).exit_code == 0
    assert "decide" in (tmp_path / "my_bot.c").read_text()


def test_a_name_that_no_table_would_take_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(new_bot, [str(tmp_path / "my bot")])

    assert result.exit_code == 2
    assert "got 'my bot': --name NAME" in result.output


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_bot_is_built_plays_and_does_nothing_wrong(language: str, tmp_path: Path) -> None:
    known = LANGUAGES[language]
    if shutil.which(known.tool) is None:
        pytest.skip(f"there is no {known.tool} here")
    assert CliRunner().invoke(new_bot, ["--language", language, str(tmp_path)]).exit_code == 0
    if known.build:
        subprocess.run(shlex.split(known.build), cwd=tmp_path, check=True, timeout=PATIENCE_S)

    words = (
        "match",
        "nolimit-3p",
        known.command,
        "random",
        "random",
        "--hands",
        "60",
        "--seed",
        "7",
        "--json",
    )
    done = completed(*words, folder=tmp_path, seconds=PATIENCE_S)
    assert (done.returncode, json.loads(done.stdout)["hands"]) == (0, 60)
    checked = completed("check-bot", "--json", "--hands", "280", known.command, folder=tmp_path)
    said = json.loads(checked.stdout)
    assert [each for each in said["checks"] if not each["passed"]] == []
    assert (checked.returncode, said["notes"]) == (0, [])
