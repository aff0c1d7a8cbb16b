"""A player in a sandbox: it sees neither others' processes nor their files, and reaches only its table.

`bwrap` (bubblewrap) makes it from Linux's namespaces, without any privilege.  Inside there are

* the system's programs and libraries, this Python and its packages, the files that the player's command names
  and the folder of its script or program, all of it read-only; not the match folder, not the user's home;
* a ``/tmp``, and the current folder if it is none of those: both are empty and vanish with the player; and a
  cache that only this player writes to, since code compiled there is run by whatever loads it;
* no other process, and no network but a loopback of its own.

**The table.**  Before the player starts, `server.match.launching.sandbox.entry` opens a port on that
loopback and passes the listening socket out to us: a socket stays in the namespace where it was made, so we
accept from outside the clients that connect inside, without a relay, and a decision takes no longer than
without a sandbox.

What a sandbox does not stop is in ``server/README.md``.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs
import trio

from engine.support.files.cache import CACHE_VARIABLE, cache_directory
from server.match.launching.environment import script_of
from server.match.launching.players import Player

HOST: Final = "127.0.0.1"
"""Where a player in a sandbox finds its table."""
_OURS: Final = Path(__file__).resolve().parents[4]
_OUR_PACKAGES: Final = ("engine", "protocol", "server", "clients")
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix/store")
_ALONE: Final = (
    "--unshare-all",
    "--cap-drop",
    "ALL",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
)
_CACHE: Final = "/tmp/riverboat-cache"
# Not --die-with-parent: the parent is a thread, which ends long before the match.
_TRIAL_S: Final = 10.0


def why_there_are_none() -> str | None:
    """Why there can be no sandboxes here, in one line; None if they work."""
    program = shutil.which("bwrap")
    if program is None:
        return "there is no program bwrap (bubblewrap)"
    try:
        trial = subprocess.run(
            [program, *_ALONE, "--ro-bind", "/", "/", sys.executable, "-c", ""],
            capture_output=True, text=True, errors="replace", timeout=_TRIAL_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap does not work: {error}"
    complaint = " ".join(trial.stderr.split())
    return None if trial.returncode == 0 else f"bwrap does not work: {complaint or trial.returncode}"


@attrs.frozen
class Sandbox:
    """How the players of a match are confined."""

    hidden: Path
    """The match folder."""

    def command_line(self, player: Player, line: Sequence[str], port: int, descriptor: int) -> list[str]:
        """What to execute.

        Args:
            player: whose command the line is.
            line: to be executed inside.
            port: to be opened inside.
            descriptor: the unix socket that the listening socket is sent through, inherited.
        """
        here = os.getcwd() if player.folder is None else str(player.folder)
        paths = {os.path.normpath(path) for path in _visible(player)}
        visible = sorted(path for path in paths if paths.isdisjoint(map(str, Path(path).parents)))
        words = ["bwrap", *_ALONE, "--tmpfs", "/tmp", "--dir", here]
        for path in visible:
            words += ["--ro-bind-try", path, path]
        for hidden in {self.hidden.resolve(), Path.cwd() / "matches"}:
            if hidden.is_dir() and any(hidden.is_relative_to(path) for path in visible):
                words += ["--tmpfs", str(hidden)]
        words += ["--setenv", "HOME", "/tmp", "--setenv", CACHE_VARIABLE, _CACHE, "--chdir", here]
        entry = [sys.executable, "-P", "-m", "server.match.launching.sandbox.entry"]
        kept = str(cache_directory().absolute())
        return [*words, "--", *entry, str(descriptor), str(port), kept, _CACHE, *line]


def _visible(player: Player) -> Iterator[str]:
    """What a player's process may read."""
    yield from _SYSTEM
    yield from (sys.base_prefix, sys.prefix)
    here = {os.getcwd(), str(_OURS)}  # which may hold anything
    yield from (path for path in sys.path if os.path.isabs(path) and path not in here)
    yield from (str(_OURS / package) for package in _OUR_PACKAGES)
    yield str(cache_directory().absolute())
    if player.folder is not None:
        yield str(player.folder)
    command = player.command or ()
    program = shutil.which(command[0]) if command else None
    for file in (script_of(command) if command else None, program):
        if file is not None:
            yield from _with_its_folder(Path(file))
    for word in (*command, *player.settings):
        path = Path(word.partition("=")[2] or word)
        if path.exists():
            yield str(path.absolute())


def _with_its_folder(file: Path) -> Iterator[str]:
    """A program, and its folder for its other modules, unless that is the user's home or above it."""
    for each in {file.absolute(), file.resolve()}:
        yield str(each)
        if not Path.home().is_relative_to(each.parent):
            yield str(each.parent)


async def receive_listener(connection: socket.socket) -> socket.socket:
    """The listening socket that a sandbox passes out.

    Raises:
        OSError: the sandbox ended before it did so.
    """
    await trio.lowlevel.wait_readable(connection)
    _, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
    if not descriptors:
        raise OSError("its sandbox could not be made")
    listener = socket.socket(fileno=descriptors[0])
    listener.setblocking(False)
    return listener
