"""Who is at the other end of a connection from this machine, according to Linux's ``/proc``.

Its port leads to the socket's inode (``/proc/net/tcp``, ``tcp6``), and that to the processes that have it
open (``/proc/PID/fd``).  Processes of other users cannot be inspected.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

_TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@attrs.frozen
class ProcessInfo:
    """What everybody may know about a process."""

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
    for name in os.listdir("/proc"):
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
    members = {number for number, info in everybody.items() if info.session == first} | {first}
    while True:
        more = {number for number, info in everybody.items() if info.parent in members} - members
        if not more:
            return members
        members |= more


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
