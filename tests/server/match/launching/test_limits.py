"""What a player's process may use, and players that are folders with a ``bot.toml``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from server.match.launching.bot_file import BotFileError, format_bot_file, read_bot_file
from server.match.launching.limits import ProcessLimits, parse_limits
from server.match.launching.players import PlayerError, parse_players
from server.match.launching.sandbox import Sandbox

TELL = """
import resource as r
names = ("CPU", "DATA", "FSIZE", "CORE")
print([r.getrlimit(getattr(r, "RLIMIT_" + name)) for name in names])
"""


def test_a_process_has_the_limits_it_was_given_and_leaves_no_core() -> None:
    line = parse_limits("cpu=100,memory=512,file-size=3").command_line(
        [sys.executable, "-I", "-S", "-c", TELL]
    )
    done = subprocess.run(line, capture_output=True, text=True, check=True)

    expected = [(100, 100), (512 * 2**20, 512 * 2**20), (3 * 2**20, 3 * 2**20), (0, 0)]
    assert done.stdout.strip() == repr(expected)


def test_a_process_does_not_get_more_memory_than_its_limit() -> None:
    line = ProcessLimits(memory=200).command_line(
        [sys.executable, "-I", "-S", "-c", "bytearray(400 * 2**20)"]
    )
    done = subprocess.run(line, capture_output=True, text=True, check=False)

    assert (done.returncode, "MemoryError" in done.stderr) == (1, True)


def test_limits_as_text_and_back() -> None:
    limits = parse_limits("cpu=600, memory=1024,processes=64,file-size=100")

    assert limits == ProcessLimits(600, 1024, 64, 100)
    assert parse_limits(limits.as_argument()) == limits


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cpus=3", "got 'cpus=3' (did you mean cpu?)"),
        ("cpu", "expected cpu=N, memory=N, processes=N, file-size=N, got 'cpu'"),
        ("cpu=0", "expected a number above 0"),
        ("memory=1G", "expected a whole number"),
    ],
)
def test_limits_that_mean_nothing_are_one_line(text: str, words: str) -> None:
    with pytest.raises(ValueError, match="expected") as raised:
        parse_limits(text)

    assert words in str(raised.value)


def bot(folder: Path, command: str) -> Path:
    folder.mkdir()
    (folder / "bot.py").touch()
    (folder / "bot.toml").write_text(format_bot_file("ann's", "", command))
    return folder


def test_a_player_can_be_a_folder(tmp_path: Path) -> None:
    folder = bot(tmp_path / "ann", "python -u bot.py --fast")
    first, second = parse_players([str(folder), f"Bob={folder}"], [])

    assert (first.name, second.name) == ("ann's", "Bob")
    assert first.folder == folder
    assert first.command_line("h", 1) == ["python", "-u", str(folder / "bot.py"), "--fast", "h", "1"]


def test_a_sandbox_for_a_folder_shows_that_folder_and_not_its_neighbours(tmp_path: Path) -> None:
    (player,) = parse_players([str(bot(tmp_path / "ann", "python bot.py"))], [])
    bot(tmp_path / "bob", "python bot.py")
    words = Sandbox(tmp_path / "match").command_line(player, ["x"], 1, 3)

    assert words[words.index("--chdir") + 1] == str(tmp_path / "ann")
    shown = [words[at + 1] for at, word in enumerate(words) if word == "--ro-bind-try"]
    assert str(tmp_path / "ann") in shown
    assert not [path for path in shown if tmp_path.is_relative_to(path) or "bob" in path]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('command = "x"\nbuld = "y"', "got 'buld' (did you mean build?)"),
        ("command = 3", "command: expected a text in quotes, got 3"),
        ('name = "x"', 'expected command = "..."'),
        ('command = "\'"', "cannot be split into words"),
        ("command = ", "bot.toml: "),
    ],
)
def test_a_bot_file_that_means_nothing_is_one_line(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(text)

    with pytest.raises(BotFileError) as raised:
        read_bot_file(tmp_path)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
    with pytest.raises(PlayerError):
        parse_players([str(tmp_path)], [])
