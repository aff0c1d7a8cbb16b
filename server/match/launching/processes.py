"""Processes as Linux shows and keeps them: who owns a connection, and whom players leave behind.

A connection's port leads to the socket's inode (``/proc/net/tcp``, ``tcp6``), and that to the processes that
have it open (``/proc/PID/fd``).  Processes of other users cannot be inspected.

Processes that have left their session and lost their parent become our children once we have asked for them
(`adopt_orphans`).  Those that end are reaped at once, so that no zombies accumulate in a long match; those
left at the end of a match are killed.  Other children of this process are left alone: those it had from the
beginning, and those that our code waits for.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from engine.support.interruption import as_ctrl_c

_TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_SET_DUMPABLE: Final = 4  # PR_SET_DUMPABLE of <linux/prctl.h>
_SET_CHILD_SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER
_MOST_ROUNDS: Final = 100
# Rounds of killing: a process may start others while we look.


def keep_others_out() -> None:
    """Close this process's memory and descriptors to other processes of the same user, but not to root's.

    Like `adopt_orphans` it does nothing where the system is not Linux, or refuses.
    """
    _control(_SET_DUMPABLE, 0)


def adopt_orphans() -> None:
    """Become the parent of processes that our descendants leave behind, instead of process 1."""
    _control(_SET_CHILD_SUBREAPER, 1)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes  # loads libffi: only for those who launch others

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


@attrs.frozen
class ProcessInfo:
    """Public facts about a process."""

    parent: int
    session: int


def can_be_traced() -> bool:
    """Whether this system tells who owns a connection."""
    return all(os.access(table, os.R_OK) for table in _TABLES[:1])


def client_inode(connection: socket.socket) -> int | None:
    """The inode of a connection's other end; None if that is not on this machine, or closed."""
    try:
        theirs, ours = connection.getpeername(), connection.getsockname()
    except OSError:
        return None
    wanted = (_address(theirs[0]), theirs[1]), (_address(ours[0]), ours[1])
    for table in _TABLES:
        with contextlib.suppress(OSError), open(table) as lines:
            next(lines, None)
            for line in lines:
                words = line.split()
                if (_end(words[1]), _end(words[2])) == wanted:
                    return int(words[9]) or None
    return None


def processes() -> dict[int, ProcessInfo]:
    """All processes, by number."""
    found: dict[int, ProcessInfo] = {}
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        if name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
                stat = Path("/proc", name, "stat").read_bytes()
                words = stat[stat.rindex(b")") + 1 :].split()  # a program's name may hold anything before it
                found[int(name)] = ProcessInfo(parent=int(words[1]), session=int(words[3]))
    return found


def family(first: int, everybody: dict[int, ProcessInfo]) -> set[int]:
    """The processes of a session, and those that descend from them.

    Args:
        first: the process that leads the session, which may have ended.
        everybody: `processes`.
    """
    session = {number for number, info in everybody.items() if info.session == first} | {first}
    return _with_descendants(session, everybody)


def owners(inode: int, among: set[int]) -> Iterator[int]:
    """The processes that have a socket open, as far as they can be inspected."""
    wanted = f"socket:[{inode}]"
    for number in among:
        folder = f"/proc/{number}/fd"
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                with contextlib.suppress(OSError):
                    if os.readlink(f"{folder}/{name}") == wanted:
                        yield number
                        break


def variable_of(process: int, name: str) -> str | None:
    """A variable of the environment that a process was started with; None if it cannot be read."""
    prefix = os.fsencode(name) + b"="
    with contextlib.suppress(OSError):
        for item in Path("/proc", str(process), "environ").read_bytes().split(b"\0"):
            if item.startswith(prefix):
                return os.fsdecode(item.removeprefix(prefix))
    return None


def _address(text: str) -> _Address:
    address = ipaddress.ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


def _end(text: str) -> tuple[_Address, int]:
    """``0100007F:1F90`` as address and port: words of 32 bits in this machine's order."""
    words, _, port = text.partition(":")
    data = b"".join(
        int(words[first : first + 8], 16).to_bytes(4, sys.byteorder) for first in range(0, len(words), 8)
    )
    return _address(str(ipaddress.ip_address(data))), int(port, 16)


class Orphanage:
    """The adopted children of this process, which is about to launch others."""

    def __init__(self) -> None:
        self._awaited = _children(processes())
        self._being_started = 0

    async def start(self, line: Sequence[str], **options: Any) -> trio.Process:
        """Start a child that leads a session, and leave it to the code that waits for it.

        Nothing is reaped until it is known whom somebody waits for, which is to learn how it ended.

        Raises:
            OSError: it cannot be started.
        """
        self._being_started += 1
        try:
            with trio.CancelScope(shield=True):
                process = await trio.lowlevel.open_process(line, start_new_session=True, **options)
            self._awaited.add(process.pid)
        finally:
            self._being_started -= 1
        return process

    def reap(self) -> None:
        """Reap adopted children that have ended."""
        if not self._being_started:
            for child in _children(processes()) - self._awaited:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)

    def empty(self) -> None:
        """Kill the adopted children with all their descendants; no child may be starting meanwhile."""
        for _ in range(_MOST_ROUNDS):
            everybody = processes()
            adopted = _children(everybody) - self._awaited
            if not adopted:
                return
            for number in _with_descendants(adopted, everybody):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for child in adopted:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, 0)  # it has been killed: this is a matter of microseconds

    async def keep_reaping(self) -> None:
        """`reap` whenever a child has ended, until cancelled."""
        with trio.open_signal_receiver(signal.SIGCHLD) as ended:
            async for _ in ended:
                self.reap()


def _children(everybody: dict[int, ProcessInfo]) -> set[int]:
    ours = os.getpid()
    return {number for number, info in everybody.items() if info.parent == ours}


def _with_descendants(members: set[int], everybody: dict[int, ProcessInfo]) -> set[int]:
    while True:
        more = {number for number, info in everybody.items() if info.parent in members} | members
        if more == members:
            return members
        members = more


def run_alone(line: Sequence[str], seconds: float, **options: Any) -> int | None:
    """Run a program whose processes, wherever they have gone, end with it.

    In its session it can neither signal ours, as it could out of a sandbox, too, nor reach our terminal.

    Args:
        line: to be executed.
        seconds: that it may take.
        options: of `subprocess.Popen`.

    Returns:
        Its exit status; None if it took longer.

    Raises:
        OSError: it cannot be started.
    """
    adopt_orphans()
    orphanage = Orphanage()
    with as_ctrl_c():
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, start_new_session=True, **options)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            signal_group(process.pid, signal.SIGKILL)
            process.wait()
            orphanage.empty()


def signal_group(group: int, number: signal.Signals) -> None:
    """Signal all processes of a group, if there are any."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # on some systems only zombies are left
        os.killpg(group, number)
