"""Players as processes: started each in a process group of its own, watched, and gone at the end.

What a player writes is kept in the match folder.  Nothing of a match outlives it: on every way out the
groups are asked to end and then killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

import attrs
import trio

from server.errors import Failure, FailureKind
from server.launching.players import Player
from server.table.match import MatchServer

_GRACE_S: Final = 3.0
# For players to end by themselves when the match is over, and again after they were asked to.
_SAY_AFTER_S: Final = 3.0
# After which people hear which player keeps the match waiting, and the last line that it wrote.
_LAST_WORDS: Final = 4096
# Bytes at the end of a player's stderr searched for the line that says why it ended.


@attrs.define(eq=False)
class _Process:
    seat: int
    process: trio.Process
    stderr: Path
    returncode: int | None = None
    """How it ended by itself; None while it runs, or when we ended it."""


class Launcher:
    """Starts and ends the players of one match.

    Args:
        folder: for what the players write.
        start_s: seconds a player has to join.
        say: takes lines for people.
        variables: of the players' environment, beside ours.

    *Resource handling*: `end` must run on every way out.
    """

    def __init__(
        self, folder: Path, start_s: float, say: Callable[[str], None], variables: Mapping[str, str]
    ) -> None:
        self._folder = folder
        self._start_s = start_s
        self._say = say
        self._variables = variables
        self._processes: list[_Process] = []
        self._is_ending = False

    async def start(
        self,
        players: Sequence[Player],
        seeds: Sequence[int],
        host: str,
        game: str,
        server: MatchServer,
        nursery: trio.Nursery,
    ) -> None:
        """Start all players that are programs, and watch them.

        One that ends, or that has not joined in time, is given up by the server.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, **self._variables, "RIVERBOAT_GAME": game}
        for seat, (player, seed) in enumerate(zip(players, seeds, strict=True)):
            line = player.command_line(host, server.ports[seat], seed)
            if line is None:
                continue
            stdout, stderr = self._output_files(player.name)
            with stdout, stderr, trio.CancelScope(shield=True):  # a process that has started must be known
                try:
                    process = await trio.lowlevel.open_process(
                        line,
                        stdin=subprocess.DEVNULL,
                        stdout=stdout,
                        stderr=stderr,
                        env=environment | {"RIVERBOAT_SEED": str(seed)},
                        start_new_session=True,
                    )
                except OSError as error:
                    detail = f"cannot be started: {error.strerror or error}"
                    server.give_up(seat, Failure(FailureKind.NOT_FOUND, detail))
                    continue
            entry = _Process(seat, process, Path(stderr.name))
            self._processes.append(entry)
            nursery.start_soon(self._watch, entry, server)
            nursery.start_soon(self._await_joining, entry, server)

    def _output_files(self, name: str) -> tuple[IO[bytes], IO[bytes]]:
        """Where a player's stdout and stderr go."""
        return open(self._folder / f"{name}.out", "wb"), open(self._folder / f"{name}.err", "wb")

    async def _watch(self, entry: _Process, server: MatchServer) -> None:
        returncode = await entry.process.wait()
        if not self._is_ending:
            entry.returncode = returncode
            failure = Failure(FailureKind.CRASHED, f"did not join: {_describe_end(entry)}")
            server.give_up(entry.seat, failure)

    async def _await_joining(self, entry: _Process, server: MatchServer) -> None:
        first = min(_SAY_AFTER_S, self._start_s)
        await trio.sleep(first)
        seat = server.seats[entry.seat]
        if seat.client is None and entry.process.returncode is None:
            last = _last_line(entry.stderr)
            self._say(f"waiting for {seat.name} to join" + (f": {last}" if last else ""))
        await trio.sleep(self._start_s - first)
        server.give_up(
            entry.seat, Failure(FailureKind.STALLED, f"did not join within {self._start_s:g} s of its start")
        )

    async def settle(self) -> None:
        """Give players time to end by themselves now that the match is over."""
        with trio.move_on_after(_GRACE_S):
            for entry in self._processes:
                await entry.process.wait()
            for entry in self._processes:
                entry.returncode = entry.process.returncode

    def crashes(self) -> dict[int, str]:
        """By seat, how a process ended that ended by itself, with an error."""
        return {entry.seat: _describe_end(entry) for entry in self._processes if entry.returncode}

    async def end(self) -> None:
        """End every process group: ask, then kill."""
        self._is_ending = True
        with trio.CancelScope(shield=True):
            for entry in self._processes:
                _signal_group(entry.process.pid, signal.SIGTERM)
            with trio.move_on_after(_GRACE_S):
                for entry in self._processes:
                    await entry.process.wait()
            for entry in self._processes:
                _signal_group(entry.process.pid, signal.SIGKILL)  # also what a player left behind
            for entry in self._processes:
                await entry.process.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass  # everybody in it has ended
    except PermissionError:
        pass  # only zombies are left in it, on some systems


def _describe_end(entry: _Process) -> str:
    code = entry.returncode or 0
    if code < 0:
        try:
            how = f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            how = f"was killed by signal {-code}"
    else:
        how = f"ended with exit status {code}"
    last = _last_line(entry.stderr)
    return f"{how}: {last}" if last else how


def _last_line(path: Path) -> str:
    """The last line of text in a file, to quote."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _LAST_WORDS))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    words = [line.strip() for line in lines if line.strip()]
    return words[-1][:200] if words else ""
