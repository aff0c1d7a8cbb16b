"""What a player's processes may use and see: resource limits, and a sandbox.

**Limits** of processor time, memory, processes and file sizes are set with ``setrlimit`` in a program of ours
that then becomes the player (`entry`), so that there is no moment without them; core files are never left.
They apply to each process separately, except the number of processes, which Linux counts for the whole user
(in a sandbox: for the user there), and does not limit for root.

**A sandbox** shows a player neither others' processes nor their files, and it reaches only its table.
`bwrap` (bubblewrap) makes it from Linux's namespaces, without any privilege.  Inside there are

* the system's programs and libraries, this Python and its packages, the files that the player's command names
  and the folder of its script or program, all of it read-only; not the match folder, not the user's home;
* a ``/tmp``, and the current folder if it is none of those: both are empty and vanish with the player; and a
  cache that only this player writes to, since code compiled there is run by whatever loads it;
* no other process, and no network but a loopback of its own.

Before the player starts, `entry` opens a port on that loopback and passes the listening socket out to us: a
socket stays in the namespace where it was made, so we accept from outside the clients that connect inside,
without a relay, and a decision takes no longer than without a sandbox.

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
from engine.support.user_input import did_you_mean, parse_whole
from server.match.launching.players import Player, script_of

HOST: Final = "127.0.0.1"
"""Where a player in a sandbox finds its table."""
_ENTRY: Final = (sys.executable, "-I", "-S", str(Path(__file__).with_name("entry.py")))
# -I -S: nothing from the environment, and no packages, so that it takes a hundredth of a second.
_MEGABYTE: Final = 2**20
_OURS: Final = Path(__file__).resolve().parents[3]
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


@attrs.frozen
class ProcessLimits:
    """The limits of a process; None for no limit."""

    cpu: int | None = None
    """Seconds of processor time, over its whole life."""
    memory: int | None = None
    """Megabytes of its own memory: data, heap, private mappings; not programs or memory only reserved."""
    processes: int | None = None
    """Processes and threads of the user."""
    file_size: int | None = None
    """Megabytes of a file that it writes."""

    def as_argument(self) -> str:
        """The text that `parse_limits` reads back."""
        known = attrs.asdict(self).items()
        return ",".join(f"{name.replace('_', '-')}={value}" for name, value in known if value is not None)

    def command_line(self, line: Sequence[str]) -> list[str]:
        """The command line to execute in place of another."""
        items = [
            f"{name}={value * (_MEGABYTE if name in ('memory', 'file_size') else 1)}"
            for name, value in attrs.asdict(self).items()
            if value is not None
        ]
        return [*_ENTRY, "limits", ",".join(items), *line]


_NAMES: Final = {field.name.replace("_", "-"): field.name for field in attrs.fields(ProcessLimits)}


def parse_limits(text: str) -> ProcessLimits:
    """The limits of a text such as ``cpu=600,memory=1024,processes=64,file-size=100``.

    Raises:
        ValueError: it means none; the message is part of a line for people.
    """
    found: dict[str, int] = {}
    for item in text.split(","):
        name, equals, value = (part.strip() for part in item.partition("="))
        if name not in _NAMES or not equals:
            known = ", ".join(f"{each}=N" for each in _NAMES)
            raise ValueError(f"expected {known}, got {item!r}{did_you_mean(name, _NAMES)}")
        number = parse_whole(value)
        if number == 0:
            raise ValueError(f"expected a number above 0, got {item!r}")
        found[_NAMES[name]] = number
    return ProcessLimits(**found)


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
        kept = str(cache_directory().absolute())
        return [*words, "--", *_ENTRY, "port", str(descriptor), str(port), kept, _CACHE, *line]


def _visible(player: Player) -> Iterator[str]:
    """Paths that a player's process may read."""
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
