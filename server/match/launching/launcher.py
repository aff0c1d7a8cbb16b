"""Players as processes: each started in a process group of its own, watched, and gone at the end.

A player that crashes during play can be restarted (`match --recover`).
What a player writes is kept in the match folder.  No process outlives its match: on every way out the groups
are asked to end and then killed, and processes that have left their group end in the `Orphanage`.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

import attrs
import trio

from engine.support.user_input import printable
from protocol import variables
from server.match.launching import confinement
from server.match.launching.doorman import Doorman
from server.match.launching.players import Player, players_environment
from server.match.launching.processes import Orphanage, signal_group
from server.support.errors import Failure, FailureKind
from server.support.private_files import FOLDER_MODE, appended_to, tail_of

_GRACE_S: Final = 3.0
# Time for players to end by themselves when the match is over, and again after they were asked to.
_SAY_AFTER_S: Final = 3.0
_SAY_EVERY_S: Final = 10.0
# After which people are told which player keeps the match waiting, and the last line that it wrote.
_LAST_WORDS: Final = 2**16
# Bytes at the end of a player's stderr searched for the line that says why it ended.
_TRACED: Final = re.compile(r'File "([^"\n]+)", line ([0-9]+)')
# As Python says where an exception was raised.


@attrs.define(eq=False)
class _Process:
    """A seat's player, and how its process ended: the latest, if it was restarted."""

    seat: int
    name: str
    player: Player
    line: Sequence[str]
    """What is executed, in a sandbox if there is one."""
    port: int
    environment: Mapping[str, str]
    returncode: int | None = None
    """How it ended by itself; None while it runs, or when we ended it."""
    crash: str | None = None
    """How it ended when it first ended by itself with an error."""
    restarts: int = 0
    is_replaced: bool = False
    """It ended, and somebody else played on in its seat."""


class Host(Protocol):
    """The table with open ports for which players are launched."""

    @property
    def ports(self) -> Sequence[int]:
        """Ports in seat order."""

    @property
    def is_over(self) -> bool:
        """Whether no more hands will come: clients may leave."""

    def has_joined(self, number: int) -> bool:
        """Whether somebody has taken a seat."""

    def give_up(self, number: int, failure: Failure) -> bool:
        """Stop waiting for a seat's first player; returns whether nobody had ever come."""

    def expect_nobody(self, number: int) -> None:
        """Do not wait for anybody to come back to a seat."""


@attrs.frozen
class Terms:
    """The terms of launched players."""

    start_s: float = 600.0
    """Seconds to join."""
    recover: int = 0
    """How often a player that crashes during play is restarted."""
    limits: confinement.ProcessLimits | None = None
    """Limits for each of its processes."""
    sandbox: confinement.Sandbox | None = None
    """Confines the players that are programs."""
    grants: confinement.Grants = confinement.NO_GRANTS

    def sandbox_of(self, player: Player) -> confinement.Sandbox | None:
        """The sandbox of a player; none of an installed bot, which is ours."""
        return self.sandbox if player.is_program else None


@attrs.define(eq=False)
class Launcher:
    """Starts and ends the players of one match.

    *Resource handling*: `end` must run on every way out.
    """

    _folder: Path
    """For what the players write."""
    _terms: Terms
    """What the players are granted."""
    _say: Callable[[str], None]
    """Takes lines for people."""
    _variables: Mapping[str, str]
    """For the players' environment, in addition to those of their seats."""
    _doorman: Doorman
    """Lets the players in."""
    _orphanage: Orphanage
    """Knows whom we wait for."""
    _processes: dict[_Process, trio.Process] = attrs.field(factory=dict, init=False)
    _is_settling: bool = attrs.field(default=False, init=False)
    _is_ending: bool = attrs.field(default=False, init=False)
    was_in_vain: bool = attrs.field(default=False, init=False)
    """Whether a player could not be started, or never joined: no hand has been played."""

    async def start(
        self,
        players: Sequence[Player],
        seeds: Sequence[int],
        host: str,
        game: str,
        server: Host,
        nursery: trio.Nursery,
    ) -> None:
        """Start all players that are programs, and watch them.

        The server gives up a player that ends, or that has not joined in time.
        """
        self._folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        for seat, (player, seed) in enumerate(zip(players, seeds, strict=True)):
            sandbox, passed = self._terms.sandbox_of(player), self._terms.grants.to(player).pass_env
            line = player.command_line(host if sandbox is None else confinement.HOST, server.ports[seat])
            if line is None or player.command is None:
                continue
            environment = {
                **players_environment(player.command, os.environ, passed),
                **self._variables,
                variables.GAME: game,
                variables.SEED: str(seed),
                variables.TOKEN: self._doorman.token(seat),
                variables.SIDE: str((self._folder / player.name).absolute()),
            }
            if sandbox is not None:
                environment = confinement.sandboxed(environment, passed)
            entry = _Process(seat, player.name, player, line, server.ports[seat], environment)
            try:
                process = await self._execute(entry, nursery)
            except OSError as error:
                self._doorman.is_launched(seat, None)
                detail = f"cannot be started: {error.strerror or error}"
                self._give_up(server, seat, Failure(FailureKind.NOT_FOUND, detail))
                continue
            nursery.start_soon(self._watch, entry, process, server, nursery)
            nursery.start_soon(self._await_joining, entry, process, server)

    async def _execute(self, entry: _Process, nursery: trio.Nursery) -> trio.Process:
        """Start or restart a seat's process.

        Raises:
            OSError: it cannot be started.
        """
        stdout, stderr = (appended_to(self._output(entry, stream)) for stream in ("out", "err"))
        with stdout, stderr, trio.CancelScope(shield=True):  # a process that has started must be registered
            ours, theirs = socket.socketpair()
            with ours, theirs:
                limits, sandbox = self._terms.limits, self._terms.sandbox_of(entry.player)
                line = entry.line if limits is None else limits.command_line(entry.line)
                if sandbox is not None:
                    game, hosts = entry.environment[variables.GAME], self._output(entry, "hosts")
                    line = sandbox.command_line(entry.player, line, entry.port, theirs.fileno(), game, hosts)
                process = await self._orphanage.start(
                    line,
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    env=entry.environment,
                    cwd=entry.player.folder,
                    pass_fds=() if sandbox is None else (theirs.fileno(),),
                )
                self._processes[entry] = process
                theirs.close()
                listeners = [] if sandbox is None else await confinement.receive_listeners(ours)
            reached = [] if sandbox is None else sandbox.reached(entry.player)
            for other, (_, name, port) in zip(listeners[1:], reached, strict=False):
                nursery.start_soon(confinement.relay, other, name, port)
            self._doorman.is_launched(entry.seat, process.pid, listeners[0] if listeners else None)
        return process

    def _output(self, entry: _Process, stream: str) -> Path:
        """The file of a player's stdout or stderr."""
        return self._folder / f"{entry.name}.{stream}"

    def _give_up(self, server: Host, seat: int, failure: Failure) -> None:
        if server.give_up(seat, failure):
            self.was_in_vain = True

    async def _watch(
        self, entry: _Process, process: trio.Process, server: Host, nursery: trio.Nursery
    ) -> None:
        """Wait for a process to end: before it has joined this ends the match, later it may be restarted."""
        while True:
            returncode = await process.wait()
            if self._is_ending:
                return
            self._note_end(entry, returncode)
            detail = f"did not join: {self._describe_end(entry)}; its output: {self._output(entry, 'err')}"
            self._give_up(server, entry.seat, Failure(FailureKind.CRASHED, detail))
            if not server.is_over and not self._doorman.knows(entry.seat):
                entry.is_replaced = True
            if returncode == 0 or entry.restarts == self._terms.recover or self._is_settling:
                server.expect_nobody(entry.seat)
                return
            entry.restarts += 1
            self._say(
                f"{entry.name} {self._describe_end(entry)}: started again, "
                f"{entry.restarts} of {self._terms.recover} times"
            )
            signal_group(process.pid, signal.SIGKILL)  # what the crashed player left behind
            try:
                process = await self._execute(entry, nursery)
            except OSError as error:
                self._say(f"{entry.name} cannot be started again: {error.strerror or error}")
                server.expect_nobody(entry.seat)
                return

    async def _await_joining(self, entry: _Process, process: trio.Process, server: Host) -> None:
        """Name the players the match is waiting for, and give up one that has not joined in time."""
        began = trio.current_time()
        with trio.move_on_after(self._terms.start_s):
            for pause in itertools.chain(
                [min(_SAY_AFTER_S, self._terms.start_s / 2)], itertools.repeat(_SAY_EVERY_S)
            ):
                await trio.sleep(pause)
                if server.has_joined(entry.seat) or process.returncode is not None:
                    return
                last = self._last_line(entry)
                waited = f"{trio.current_time() - began:.0f} s of {self._terms.start_s:g}"
                self._say(f"waiting for {entry.name} to join ({waited})" + (f": {last}" if last else ""))
        detail = (
            f"did not join within {self._terms.start_s:g} s of its start; "
            f"its output: {self._output(entry, 'err')}"
        )
        self._give_up(server, entry.seat, Failure(FailureKind.STALLED, detail))

    async def settle(self) -> None:
        """Give players time to end by themselves now that the match is over."""
        self._is_settling = True
        with trio.move_on_after(_GRACE_S):
            for process in self._processes.values():
                await process.wait()
            for entry, process in self._processes.items():
                self._note_end(entry, process.returncode)

    def crashes(self) -> dict[int, str]:
        """Ends of processes that failed by themselves, by seat."""
        return {entry.seat: entry.crash for entry in self._processes if entry.crash is not None}

    def end_of(self, seat: int) -> str | None:
        """How the process of a seat ended by itself, with its last output; None while it runs."""
        ended = [entry for entry in self._processes if entry.seat == seat and entry.returncode is not None]
        return self._describe_end(ended[0]) if ended else None

    def returncode(self, seat: int) -> int | None:
        """The exit status of a seat's process that ended by itself; None while it runs."""
        return next((entry.returncode for entry in self._processes if entry.seat == seat), None)

    def process_of(self, seat: int) -> int | None:
        """The number of a seat's process, which leads a session; None if none was started."""
        return next((process.pid for entry, process in self._processes.items() if entry.seat == seat), None)

    def last_words(self, seat: int) -> str:
        """The last line of text that a seat's player wrote to stderr."""
        return next((self._last_line(entry) for entry in self._processes if entry.seat == seat), "")

    def replaced(self) -> dict[int, str]:
        """Ends of processes while a client not recognised as theirs played on, by seat."""
        return {entry.seat: self._describe_end(entry) for entry in self._processes if entry.is_replaced}

    async def end(self) -> None:
        """End every process group: ask, then kill."""
        self._is_ending = True
        with trio.CancelScope(shield=True):
            for process in self._processes.values():
                signal_group(process.pid, signal.SIGTERM)
            with trio.move_on_after(_GRACE_S):
                for process in self._processes.values():
                    await process.wait()
            for process in self._processes.values():
                signal_group(process.pid, signal.SIGKILL)  # also what a player left behind
            for process in self._processes.values():
                await process.wait()
        self._doorman.close()

    def _note_end(self, entry: _Process, returncode: int | None) -> None:
        entry.returncode = returncode
        if returncode and entry.crash is None:
            entry.crash = f"{self._describe_end(entry)}; its output: {self._output(entry, 'err')}"

    def _describe_end(self, entry: _Process) -> str:
        """How a process ended, with its last output."""
        code = entry.returncode or 0
        number = {-each: each.name for each in signal.Signals}.get(code, f"signal {-code}")
        how = f"was killed by {number}" if code < 0 else f"ended with exit status {code}"
        last = self._last_line(entry)
        lines = [
            line for line in _TRACED.findall(self._last_words(entry)) if not confinement.is_ours(line[0])
        ]
        at = f" ({os.path.basename(lines[-1][0])[:99]}, line {lines[-1][1]})" if lines else ""
        return printable(f"{how}: {last}{at}") if last else how

    def _last_line(self, entry: _Process) -> str:
        """The last line of text that a player wrote to stderr, to quote."""
        words = [line.strip() for line in self._last_words(entry).split("\n") if line.strip(" \r\t|+-")]
        return printable(words[-1].lstrip("| ")[:200]) if words else ""

    def _last_words(self, entry: _Process) -> str:
        return tail_of(self._output(entry, "err"), _LAST_WORDS).decode("utf-8", "replace")
