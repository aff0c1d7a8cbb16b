"""The keeper: a process that outlives the house and then saves what nobody may read while hands are to come.

The key of a match's cards, the tokens of its seats and the files of a duplicate match must not be where a
launched player, who runs as the same user, could read them; nor may they be lost when the house is killed
without a chance to act.  So they are in the memory of a second process, closed to others like the house's
memory, in a session of its own.  It does nothing until the house has ended:

* If the house has said that all is well, nothing is left to do.
* If the house is gone, the keeper kills the players, so that no player is left to read, and then writes what
  it was given into the match folder.

If both die at once, for example in a power cut, this is lost.  Players in sandboxes cannot see the match
folder, so their matches keep these secrets on disk from the beginning.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs

from engine.support.files.lock import FileIsLocked, FileLock
from server.match.launching.processes import keep_others_out
from server.support.private_files import give_name

KEEPER_LOCK: Final = "keeper"
"""Locked, in the match folder, as long as there is a keeper."""
_READY: Final = b"."
_ALL_IS_WELL: Final = "end"
_PLAYER: Final = "player"
_FILE: Final = "file"
_MOST_MESSAGE: Final = 1 << 16
_MOST_DESCRIPTORS: Final = 16
_DYING_S: Final = 5.0
# Time for killed players to be gone.
_PATIENCE_S: Final = 15.0
# Time for a keeper to save everything.


class Keeper:
    """The house's end of its keeper.

    Args:
        folder: of the match.
        save: writes the secrets; called by the keeper, if the house is killed.

    Raises:
        OSError: there can be no further process.

    *Resource handling*: `let_go` at the end; without it the keeper saves what it holds when we end.
    """

    def __init__(self, folder: Path, save: Callable[[], None]) -> None:
        self._socket, theirs = socket.socketpair()
        self._process = os.fork()
        if self._process == 0:
            _serve(theirs, folder, save)
        theirs.close()
        self._socket.recv(len(_READY))  # from now on the folder is locked by the keeper

    def hold(self, path: str, descriptor: int) -> None:
        """Hold a file without a name: if we are killed, it is given its name."""
        self._tell(f"{_FILE} {os.path.abspath(path)}", [descriptor])

    def watch(self, process: int) -> None:
        """Watch a player's process, which leads a session: if we are killed, it is killed first."""
        self._tell(f"{_PLAYER} {process}")

    def let_go(self) -> None:
        """Say that all is well: the keeper ends without having done anything."""
        self._tell(_ALL_IS_WELL)
        self._socket.close()
        with contextlib.suppress(ChildProcessError):  # reaped together with the players
            os.waitpid(self._process, 0)

    def _tell(self, line: str, descriptors: Sequence[int] = ()) -> None:
        # A keeper that somebody has killed keeps nothing; the match continues.
        with contextlib.suppress(OSError):
            message = line.encode("utf-8", "surrogateescape") + b"\0"
            socket.send_fds(self._socket, [message], descriptors, socket.MSG_NOSIGNAL)


def wait_for_keeper(folder: Path) -> bool:
    """Whether no keeper is at work in a match folder any more, after waiting for a while."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            FileLock(folder / KEEPER_LOCK).release()
        except FileIsLocked:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)  # until another process has got this far
        else:
            return True


@attrs.define(eq=False)
class _Held:
    """The files that a keeper has been given."""

    files: list[tuple[str, int]] = attrs.Factory(list)
    players: list[tuple[int, int]] = attrs.Factory(list)
    """Processes with descriptors of them."""


def _serve(connection: socket.socket, folder: Path, save: Callable[[], None]) -> None:
    """The keeper's whole life; does not return."""
    status = 1
    try:
        keep_others_out()
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        _keep_only(connection)
        lock = FileLock(folder / KEEPER_LOCK)
        try:
            connection.sendall(_READY)
            held = _Held()
            if not _listen(connection, held):
                _kill(held.players)
                for path, descriptor in held.files:
                    with contextlib.suppress(OSError):  # the others are still worth saving
                        give_name(descriptor, path)
                save()
            status = 0
        finally:
            lock.release()
    finally:
        os._exit(status)


def _keep_only(connection: socket.socket) -> None:
    """Close everything but our connection: what the house has open must end with the house."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    ours = connection.fileno()
    os.closerange(3, ours)
    os.closerange(ours + 1, os.sysconf("SC_OPEN_MAX"))


def _listen(connection: socket.socket, held: _Held) -> bool:
    """Take what the house sends until it ends; returns whether it says that all is well."""
    text = b""
    descriptors: list[int] = []
    while True:
        try:
            data, found, _, _ = socket.recv_fds(connection, _MOST_MESSAGE, _MOST_DESCRIPTORS)
        except ConnectionError:
            return False
        if not data:
            return False
        descriptors += found
        *lines, text = (text + data).split(b"\0")
        for line in lines:
            word, _, rest = line.decode("utf-8", "surrogateescape").partition(" ")
            if word == _ALL_IS_WELL:
                return True
            if word == _FILE:
                held.files.append((rest, descriptors.pop(0)))
            elif hasattr(os, "pidfd_open"):
                with contextlib.suppress(OSError):  # it has ended already
                    held.players.append((int(rest), os.pidfd_open(int(rest))))


def _kill(players: Sequence[tuple[int, int]]) -> None:
    """Kill the players' process groups, and wait until their leaders are gone."""
    dying: list[int] = []
    for group, descriptor in players:
        with contextlib.suppress(OSError):  # its leader has ended, and its number may be another's by now
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            dying.append(descriptor)
            os.killpg(group, signal.SIGKILL)
    deadline = time.monotonic() + _DYING_S
    for descriptor in dying:
        death = select.poll()
        death.register(descriptor, select.POLLIN)
        death.poll(max(0.0, deadline - time.monotonic()) * 1000)
