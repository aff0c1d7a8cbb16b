"""Versions of players: ``path@commit``, ``bot@commit``, and what tells a version from another.

::

    bots/ann@HEAD~1        the folder bots/ann, with its bot.toml, at a commit of its repository
    formula@v0.2.0         a bot of Riverboat itself, at a commit of the tree that it is installed from

A commit is exported to a folder of its own and built there; it runs in a process of its own.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import attrs

from engine.support.files.cache import cache_directory
from engine.support.files.lock import FileIsLocked, FileLock
from engine.support.plugins import declared
from engine.support.user_input import did_you_mean, printable, told_as
from server.league.course.building import Built, build, version_of
from server.match.launching.players import OURS, Player, PlayerError, installed_bots, own_place, parse_players

_LETTERS: Final = 10
"""Of the numbers of commits."""


@attrs.frozen
class Side:
    """A version, or an opponent."""

    text: str
    """As the user named it, with the commit's number."""
    player: Player
    identity: str
    """What tells its version from another of the same text; empty if nothing is known."""
    weight: float = 1.0
    """Of an opponent, in the field."""


def sides_of(texts: Sequence[str], folder: Path) -> list[Side]:
    """The players of some PLAYER texts, with distinct names.

    Args:
        texts: as in ``riverboat match``, or with a commit behind ``@``.
        folder: takes what is checked out.

    Raises:
        PlayerError: in one line.
    """
    bots = installed_bots()
    there = [_at_commit(text, bots, folder) for text in texts]
    sides = []
    players = parse_players([text for text, _ in there], bots)
    for player, (_, shown) in zip(players, there, strict=True):
        if player.command is None:
            raise PlayerError(f"{shown!r}: nobody can be waited for in a comparison: name a bot or a program")
        if player.problem() is not None:
            raise PlayerError(f"{shown!r}: {player.problem()}{did_you_mean(shown.rpartition('=')[2], bots)}")
        sides.append(Side(shown, player, _identity(player)))
    return sides


def _identity(player: Player) -> str:
    """See `Side.identity`."""
    if player.is_bot:
        spec = find_spec(declared("riverboat.bots")[player.bot].module)
        return f"{version('riverboat')} {_content(Path(spec.origin)) if spec and spec.origin else ''}".strip()
    folder, file = own_place(player)
    if player.folder is not None:
        return version_of(player.folder)
    return _content(file) if folder is not None and file is not None else ""


def _content(file: Path) -> str:
    """A hash of a module's or a program's own bytes; for one of a package of its own, of the package."""
    if file.suffix == ".py" and (file.parent / "__init__.py").exists():
        return version_of(file.parent)
    return sha256(file.read_bytes()).hexdigest()[:_LETTERS]


def _at_commit(text: str, bots: set[str], folder: Path) -> tuple[str, str]:
    """A player's text with what is behind ``@`` checked out; and the text to show, with its number."""
    name, equals, rest = text.partition("=") if "=" in text.partition(":")[0] else ("", "", text)
    what, at, commit = rest.rpartition("@")
    bot, _, settings = what.partition(":")
    if not at or not (bot in bots or os.path.isdir(what)):
        return text, text
    here = OURS if bot in bots else Path(what)
    wanted = "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}"
    number = _git(here, text, "rev-parse", *wanted).decode().strip()[:_LETTERS]
    key = sha256(str(here.resolve()).encode()).hexdigest()[:_LETTERS]
    # What our own tree compiles serves other comparisons, too.
    tree = (cache_directory() / "versions" if bot in bots else folder.absolute()) / f"{number}-{key}"
    with _alone(tree):
        if not tree.with_suffix(".ready").exists():
            shutil.rmtree(tree, ignore_errors=True)  # of a call that was killed
            archive = io.BytesIO(_git(here, text, "archive", "--format=tar", number))
            with tarfile.open(fileobj=archive) as files:
                files.extractall(tree, filter="data")
            built = None if bot in bots else build(tree, tree.parent, in_sandbox=False)
            if isinstance(built, Built):
                raise PlayerError(f"{text!r}: {built.words}")
            if bot in bots:
                what = f"{text!r}: its pyproject.toml: "
                with told_as(PlayerError, OSError, tomllib.TOMLDecodeError, KeyError, what=what):
                    _declare(tree)
            tree.with_suffix(".ready").touch()
    shown = f"{name}{equals}{what}@{number}"
    if bot not in bots:
        return f"{name or Path(what).resolve().name}={tree}", shown
    words = ["env", f"PYTHONPATH={tree}", f"RIVERBOAT_CACHE_DIR={tree}/.riverboat", sys.executable, "-P"]
    options = [f"--set={each}" for each in settings.split(",") if each]
    return f"{name or bot}={shlex.join([*words, '-m', 'server', 'bot', bot, *options])}", shown


def _declare(tree: Path) -> None:
    """Have a commit of ours find its own commands and bots, which may lie elsewhere today.

    Python takes what is declared from the first folder of ``PYTHONPATH`` that tells of the project.
    """
    project = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["project"]
    told = tree / f"riverboat-{project['version']}.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: riverboat\nVersion: {project['version']}\n")
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in entries.items())]
    (told / "entry_points.txt").write_text("\n".join(lines) + "\n")


@contextlib.contextmanager
def _alone(tree: Path) -> Iterator[None]:
    """Wait for other comparisons that check the same commit out; they share what is there afterwards."""
    tree.parent.mkdir(parents=True, exist_ok=True)
    lock: FileLock | None = None
    while lock is None:
        try:
            lock = FileLock(tree)
        except FileIsLocked:
            time.sleep(0.2)
    try:
        yield
    finally:
        lock.release()


def _git(here: Path, text: str, *words: str) -> bytes:
    """The answer of git."""
    with told_as(PlayerError, OSError, what=f"{text!r}: git cannot be run: "):
        done = subprocess.run(["git", "-C", str(here), *words], capture_output=True, check=False)
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"{here} has no such commit"]
        raise PlayerError(f"{text!r}: {printable(lines[-1])}")
    return done.stdout
