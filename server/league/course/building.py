"""Students' bots: built, checked, and put into a tournament if they passed."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import attrs

from engine.support.files.whole import write_whole
from engine.support.user_input import how_many, printable
from server.match.launching.confinement import ProcessLimits, sandboxed, shut_in
from server.match.launching.players import (
    BotFile,
    PlayerError,
    own_command,
    players_environment,
    read_bot_file,
)
from server.match.launching.processes import run_alone
from server.support.private_files import open_itself

_BUILD_S: Final = 300.0
_BUILD_LIMITS: Final = ProcessLimits(cpu=240, memory=4096, processes=4096, file_size=1024)
_MOST_SAID: Final = 2**20
# Bytes of a build's output, the last, that are kept.
_MOST_HASHED: Final = 2**26
# Bytes of a file, which may be as long as its student likes.
_LAST_LINES: Final = 3
_PRODUCTS: Final = frozenset({"__pycache__", "node_modules", "target", ".class", ".o", ".pyc"})
_PROGRAM: Final = b"\x7fELF"
_VERSION_LETTERS: Final = 10


@attrs.frozen
class Built:
    """The result of building and checking a student's bot."""

    folder: Path
    name: str
    passed: bool
    words: str
    """What happened, in one line."""
    version: str = ""
    """The version of the folder's contents."""


def build(folder: Path, out: Path, *, in_sandbox: bool) -> Built | BotFile:
    """Build a bot; returns what is known about it, or why it cannot play.

    Args:
        folder: of the student.
        out: takes ``NAME.build.txt``, what the build has said.
        in_sandbox: nothing but the folder can be written to, and there is no network.
    """
    try:
        file = read_bot_file(folder)
    except PlayerError as error:
        return Built(folder, folder.name, False, str(error))
    if not file.build:
        return file
    line = _BUILD_LIMITS.command_line(file.build)
    environment = players_environment(file.build, os.environ)
    if in_sandbox:
        here = os.path.realpath(file.folder)
        line = [*shut_in(str(file.folder), _tools(), write=[here]), "--", *line]
        rust = {"RUSTUP_HOME": str(Path.home() / ".rustup")}
        environment = sandboxed({**environment, **rust}, rust)
    with tempfile.TemporaryFile(dir=out) as said:
        status = run_alone(line, _BUILD_S, stdout=said, stderr=said, cwd=file.folder, env=environment)
        said.seek(max(0, said.seek(0, os.SEEK_END) - _MOST_SAID))
        text = said.read().decode("utf-8", "replace")
    write_whole(out / f"{folder.name}.build.txt", text)
    if status == 0:
        return file
    how = f"took more than {_BUILD_S:g} s" if status is None else f"ended with exit status {status}"
    last = " / ".join(line.strip() for line in text.strip().splitlines()[-_LAST_LINES:])
    return Built(folder, file.name, False, printable(f"the build {how}: {last or 'no output'}"))


def _tools() -> list[str]:
    """Programs that users have installed for themselves, such as Rust's; not what lies beside them."""
    known = [Path.home() / name for name in (".cargo/bin", ".rustup")]
    return [str(path) for path in known if path.is_dir()]


def check(file: BotFile, out: Path, games: Sequence[str], hands: int, options: Sequence[str]) -> Built:
    """Check a bot that was built: ``NAME.check.json`` and ``NAME.check.xml``.

    Args:
        file: its ``bot.toml``.
        out: takes the files.
        games: that it must play.
        hands: random ones.
        options: further ones for ``riverboat check-bot``.
    """
    student = file.folder.name
    options = [*(word for game in games for word in ("--game", game)), *options]
    command = ("check-bot", "--json", "--hands", str(hands), "--junit", str(out / f"{student}.check.xml"))
    done = subprocess.run(
        own_command(*command, *options, f"{student}={file.folder}"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    try:
        said = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no output"])[-1]
        return Built(file.folder, file.name, False, printable(f"it cannot be checked: {last}"))
    write_whole(out / f"{student}.check.json", json.dumps(said, indent=1) + "\n")
    failed = [each for each in said["checks"] if each["tried"] and not each["passed"]]
    if said["passed"]:
        return Built(file.folder, file.name, True, f"passed {len(said['checks'])} checks")
    first = failed[0] if failed else said["checks"][0]
    words = f"{how_many(len(failed), 'check')} failed, first {first['name']}: {first['detail']}"
    return Built(file.folder, file.name, False, words)


def version_of(folder: Path) -> str:
    """Distinguishes a bot from earlier ones in the same folder: a hash of its files.

    Hidden files are left out, and those that builds and interpreters leave behind.
    """
    found = sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        is_hidden = any(part.startswith(".") or part in _PRODUCTS for part in inside.parts)
        if is_hidden or not path.is_file() or path.is_symlink():
            continue
        with open(path, "rb", opener=open_itself) as file:
            data, size = file.read(_MOST_HASHED), os.fstat(file.fileno()).st_size
        if path.suffix not in _PRODUCTS and not data.startswith(_PROGRAM):
            found.update(f"{inside}\0{size}\0".encode("utf-8", "surrogateescape") + data)
    return found.hexdigest()[:_VERSION_LETTERS]


def with_players(text: str, built: Sequence[Built]) -> str:
    """A tournament file with a section for each bot that passed."""
    sections = [
        f"\n[[players]]\nname = {json.dumps(each.folder.name)}\nplayer = {json.dumps(str(each.folder))}\n"
        + (f"version = {json.dumps(each.version)}\n" if each.version else "")
        for each in built
        if each.passed
    ]
    return text.rstrip("\n") + "\n" + "".join(sections)
