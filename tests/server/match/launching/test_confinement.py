"""What players may use, and players in sandboxes: bots that look around find nothing but their table."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from server.match.launching import entry
from server.match.launching.confinement import ProcessLimits, Sandbox, parse_limits, why_there_are_none
from server.match.launching.launcher import Terms
from server.match.launching.players import parse_players
from tests.server.match.launching.test_players import bot_folder
from tests.support.matches import raw_program, result_of, run_match
from tests.support.tables import free_ports

NO_SANDBOX: Final = why_there_are_none()
needs_bwrap = pytest.mark.skipif(NO_SANDBOX is not None, reason=f"{NO_SANDBOX}")
CALLER: Final = raw_program()


def play(folder: Path, *words: str, **expected: Any) -> dict[str, Any]:
    return result_of(folder, *words, "--sandbox", "--out", "m", **expected)


@pytest.mark.slow
@needs_bwrap
def test_our_bots_play_in_sandboxes_as_outside(tmp_path: Path) -> None:
    words = ("limit-2p", "random", "always-call", "--hands", "20", "--seed", "7")
    program_of_ours = f"random={sys.executable} -P -m server bot random"
    result = play(tmp_path, words[0], program_of_ours, *words[2:])
    inside = (tmp_path / "m" / "match.log").read_bytes()
    result_of(tmp_path, *words, "--out", "outside")

    assert result["hands"] == 20
    assert Terms(sandbox=Sandbox(())).sandbox_of(parse_players(["random"], ["random"])[0]) is None
    assert inside == (tmp_path / "outside" / "match.log").read_bytes()


@needs_bwrap
def test_a_bot_reads_the_cache_and_writes_to_one_of_its_own(tmp_path: Path) -> None:
    """What lies in the cache of kernels is run by whoever loads it."""
    kernels = tmp_path / "cache" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "kernel").write_text("compiled")
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "bot.py").write_text(
        "import os, sys\n"
        "kernel = os.environ['RIVERBOAT_CACHE_DIR'] + '/kernels/kernel'\n"
        "print(open(kernel).read(), file=sys.stderr)\n"
        "open(kernel + '.new', 'w').write('poison')\n"
        "os.replace(kernel + '.new', kernel)\n"
        "print(open(kernel).read(), file=sys.stderr)\n" + CALLER
    )
    words = ("leduc", f"{sys.executable} bots/bot.py", "always-call", "--hands", "2")
    play(tmp_path, *words, variables={"RIVERBOAT_CACHE_DIR": str(tmp_path / "cache")})

    assert (tmp_path / "m" / "players" / "bot.err").read_text() == "compiled\npoison\n"
    assert [(path.name, path.read_text()) for path in kernels.iterdir()] == [("kernel", "compiled")]


@pytest.mark.slow
@needs_bwrap
def test_a_bot_in_a_sandbox_can_join_again(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    again = raw_program("if number == 5: break")
    (tmp_path / "bots" / "bot.py").write_text(again + "dealer.close()\n" + CALLER)
    result = play(
        tmp_path, "leduc", f"{sys.executable} bots/bot.py", "always-call", "--hands", "40", status=3
    )

    assert result["players"][0]["failure"] == "disconnected"
    assert " is taken again" in (tmp_path / "m" / "match.log").read_text()


@needs_bwrap
def test_nothing_of_a_sandbox_outlives_the_match(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    marker = f"left-by-{os.getpid()}"
    leaves = (
        "import os, signal\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        f"    os.execlp('sh', 'sh', '-c', 'trap \"\" TERM; while :; do sleep 1000; done', '{marker}')\n"
    )
    (tmp_path / "bots" / "bot.py").write_text(leaves + CALLER)
    play(tmp_path, "leduc", f"{sys.executable} bots/bot.py", "always-call", "--hands", "3")

    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if marker in _read(path)]


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def test_where_there_are_no_sandboxes_the_match_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions\nat all' >&2; exit 1\n")
    (tmp_path / "bin" / "bwrap").chmod(0o755)
    complaints = []
    for path in (
        str(tmp_path / "nothing"),
        f"{tmp_path / 'bin'}:{os.path.dirname(shutil.which('sh') or '')}",
    ):
        done = run_match(tmp_path, "leduc", "random", "random", "--sandbox", variables={"PATH": path})
        assert done.returncode == 2
        complaints.append(done.stderr.splitlines()[-1])

    assert complaints[0].endswith("--sandbox: there is no program bwrap (bubblewrap)")
    assert complaints[1].endswith("--sandbox: bwrap does not work: bwrap: No permissions at all")
    assert not (tmp_path / "matches").exists()


def test_a_sandbox_for_a_folder_shows_that_folder_and_not_its_neighbours(tmp_path: Path) -> None:
    (player,) = parse_players([str(bot_folder(tmp_path / "ann", "python bot.py"))], [])
    bot_folder(tmp_path / "bob", "python bot.py")
    words = Sandbox((tmp_path / "match",)).command_line(player, ["x"], 1, 3)

    assert words[words.index("--chdir") + 1] == str(tmp_path / "ann")
    shown = [words[at + 1] for at, word in enumerate(words) if word.startswith("--ro-bind")]
    assert str(tmp_path / "ann") in shown
    assert not [path for path in shown if tmp_path.is_relative_to(path) or "bob" in path]


def test_a_sandboxs_first_program_passes_its_port_out_and_becomes_the_player(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "kernel").write_text("compiled")
    (port,) = free_ports(1)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        words = [
            "ports",
            str(theirs.fileno()),
            f"127.0.0.1:{port}",
            str(tmp_path / "kept"),
            str(tmp_path / "cache"),
        ]
        done = subprocess.run(
            [sys.executable, "-I", "-S", entry.__file__, *words, "echo", "it plays"],
            pass_fds=(theirs.fileno(),), capture_output=True, text=True, check=True,
        )  # fmt: skip
        _, (descriptor,), _, _ = socket.recv_fds(ours, 1, 1)
    with socket.socket(fileno=descriptor) as listener:
        assert listener.getsockname() == ("127.0.0.1", port)

    assert done.stdout == "it plays\n"
    assert (tmp_path / "cache" / "kernel").read_text() == "compiled"


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
