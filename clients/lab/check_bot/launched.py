"""The bot as a process that the house's launcher starts, at a port of ours."""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import attrs
import trio

from clients.lab.check_bot.client import Client, End, NotStarted, Order
from engine.poker.rules import game_path
from protocol import variables
from server.match.launching.confinement import NO_GRANTS, Grants, ProcessLimits, Sandbox
from server.match.launching.doorman import Doorman
from server.match.launching.launcher import Launcher, Terms
from server.match.launching.players import Player
from server.match.launching.processes import Orphanage, can_be_traced, family, processes
from server.support.errors import Failure, FailureKind
from server.table.lobby import open_listener

_HOST: Final = "127.0.0.1"
GAME_PLACE: Final = "{game}"
"""In a command line: where the path of the game file goes."""
_QUICK_ACK: Final = getattr(socket, "TCP_QUICKACK", None)
_MOST_WAITS: Final = 6
_PEAK: Final = re.compile(r"^VmHWM:\s*(\d+) kB", re.MULTILINE)


@attrs.define(eq=False)
class _Host:
    """The one seat that a bot is launched for."""

    ports: tuple[int, ...]
    is_over: bool = False
    joined: bool = False
    failure: Failure | None = None
    has_ended: trio.Event = attrs.Factory(trio.Event)
    gave_up: trio.CancelScope = attrs.Factory(trio.CancelScope)

    def has_joined(self, number: int) -> bool:
        return self.joined

    def give_up(self, number: int, failure: Failure) -> bool:
        if self.joined or self.failure is not None:
            return False
        self.failure = failure
        self.gave_up.cancel()
        return True

    def expect_nobody(self, number: int) -> None:
        self.has_ended.set()


class _Process(Client):
    """A bot in a process of its own."""

    def __init__(self, stream: trio.SocketStream, launcher: Launcher, host: _Host) -> None:
        self.stream = self._socket = stream
        self._launcher = launcher
        self._host = host

    def acknowledge(self, *, at_once: bool) -> None:
        if _QUICK_ACK is not None:
            self._socket.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, int(at_once))

    async def ended(self, within_s: float) -> End | None:
        for _ in range(_MOST_WAITS):
            used = self._ticks()
            with trio.move_on_after(within_s):
                await self._host.has_ended.wait()
            if self._host.has_ended.is_set() or self._ticks() == used:
                break  # otherwise it is busy ending, on a busy machine
        words, returncode = self._launcher.end_of(0), self._launcher.returncode(0)
        return None if words is None or returncode is None else End(returncode, words)

    def _ticks(self) -> int:
        """Processor time that its processes have used so far."""
        return sum(map(_ticks_of, self._processes()))

    def memory_bytes(self) -> int | None:
        return sum(map(_peak_bytes, self._processes())) or None

    def _processes(self) -> Iterable[int]:
        """Its processes; none where they cannot be told."""
        process = self._launcher.process_of(0)
        return () if process is None or not can_be_traced() else family(process, processes())


def _ticks_of(process: int) -> int:
    return sum(map(int, _read(process, "stat").rpartition(")")[2].split()[11:13]))


def _peak_bytes(process: int) -> int:
    found = _PEAK.search(_read(process, "status"))
    return 1024 * int(found.group(1)) if found else 0


def _read(process: int, name: str) -> str:
    """A file about a process; empty if it has ended meanwhile."""
    try:
        return Path(f"/proc/{process}/{name}").read_text("utf-8", "replace")
    except OSError:
        return ""


@attrs.define(eq=False)
class Launching:
    """Launches one player, as often as needed.

    Args:
        player: to be launched.
        folder: keeps what it writes.
        say: takes lines for people.
        in_sandbox: in a sandbox.
        limits: of each of its processes.
        grants: what it has beyond what is its own.
    """

    player: Player
    folder: Path
    say: Callable[[str], None]
    in_sandbox: bool = False
    limits: ProcessLimits | None = None
    grants: Grants = NO_GRANTS
    _number: int = 0
    _orphanage: Orphanage = attrs.field(factory=Orphanage, init=False)

    @asynccontextmanager
    async def __call__(self, order: Order) -> AsyncIterator[Client]:
        """The bot, connected; its processes end with the block.

        Raises:
            NotStarted: it did not come.
        """
        self._number += 1
        path = str(game_path(order.game_text).absolute())
        label = f"{self._number:03}-{order.label}"  # begins the names of the files with what it writes
        player = attrs.evolve(self.player, name=label)
        if player.command is not None and not player.is_bot:
            command = tuple(word.replace(GAME_PLACE, path) for word in player.command)
            player = attrs.evolve(player, command=command)
        sandbox = Sandbox.of([player], [self.folder], self.grants) if self.in_sandbox else None

        def say(line: str) -> None:
            self.say(line.replace(label, self.player.name))

        listener = open_listener(_HOST, 0)
        host = _Host((listener.getsockname()[1],))
        doorman = Doorman([player], (), say, has_sandboxes=self.in_sandbox)
        # Every deal of an examination comes again: a learner must keep nothing from it.
        extra = {variables.DUPLICATE: "0"}
        terms = Terms(order.start_s, 0, self.limits, sandbox, self.grants)
        launcher = Launcher(self.folder, terms, say, extra, doorman, self._orphanage)
        try:
            async with trio.open_nursery() as nursery:
                stream = None
                with host.gave_up:
                    await launcher.start([player], [order.seed], _HOST, path, host, nursery)
                    inside = await doorman.listener(0)
                    stream = await _accept(listener if inside is None else inside)
                if stream is None:
                    nursery.cancel_scope.cancel()
                else:
                    host.joined = True
                    try:
                        yield _Process(stream, launcher, host)
                    finally:
                        with trio.CancelScope(shield=True):
                            await trio.aclose_forcefully(stream)
                            nursery.cancel_scope.cancel()
            if stream is None:
                raise NotStarted(self._why(host, launcher, order), launcher.returncode(0))
        finally:
            listener.close()
            await launcher.end()
            self._orphanage.empty()

    def _why(self, host: _Host, launcher: Launcher, order: Order) -> str:
        failure = host.failure
        assert failure is not None  # otherwise it would have come
        ended = launcher.end_of(0)
        if failure.kind is FailureKind.STALLED:
            return (
                f"did not connect within {order.start_s:g} s of its start: it is run as COMMAND HOST PORT, "
                f"and is to connect there; its last line on stderr: {launcher.last_words(0) or 'none'}"
            )
        if ended is None:
            return failure.detail
        return f"{ended}, and had not connected: it is run as COMMAND HOST PORT, and is to connect there"


async def _accept(listener: socket.socket) -> trio.SocketStream:
    connection, _ = await trio.socket.from_stdlib_socket(listener).accept()
    return trio.SocketStream(connection)
