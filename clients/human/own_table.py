"""A table of one's own: ``riverboat match`` as a child process, with one seat left for us.

The house is another program and stays one: the players' half of this project does not import the
house's.  It hangs on a pipe, so that it ends with us on every way out, a kill without warning included; and
on another it announces where our seat is, or why there is none (`riverboat match --announce`).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from clients.core.program import ProgramError

_NO_CLOCK: Final = "1e9"
"""Seconds: thirty years."""
_GRACE_S: Final = 10.0
"""For the house to end its players and itself."""


@attrs.frozen
class HouseOptions:
    """The match at a table of one's own."""

    game: str
    name: str
    """Ours."""
    opponents: tuple[str, ...]
    """PLAYER texts, in seat order after us."""
    hands: int
    seed: str
    folder: Path
    """The match folder: log, result, what the bots have written."""

    def command(self) -> list[str]:
        """The command line of the house."""
        return [
            # -P: a folder named like one of our packages in the user's folder must not get in the way
            sys.executable, "-P", "-m", "server", "match", self.game, f"{self.name}=wait", *self.opponents,
            "--hands", str(self.hands), "--seed", self.seed, "--out", str(self.folder), "--json",
            "--on-failure", "fold", "--response-time", _NO_CLOCK, "--first-response-time", _NO_CLOCK,
            "--hand-time", _NO_CLOCK, "--match-time", _NO_CLOCK, "--end-with-stdin",
        ]  # fmt: skip


class House:
    """The child process, and what it has said.

    Args:
        process: that runs it.
        say: takes lines the person should see: where the others may connect who come from outside.
    """

    def __init__(self, process: trio.Process, say: Callable[[str], None]) -> None:
        self._process = process
        self._say = say
        self._last_line = ""
        self._output = bytearray()
        self._seat: tuple[str, int] | None = None
        self._complaint = ""
        self._has_news = trio.Event()
        self._has_ended = trio.Event()

    async def find_seat(self) -> tuple[str, int]:
        """Host and port of our seat, as soon as the table is open.

        Raises:
            ProgramError: the house has ended instead.
        """
        await self._has_news.wait()
        if self._seat is None:
            await self._has_ended.wait()
            status = self._process.returncode
            why = self._complaint or self._last_line or "the table could not be opened"
            raise ProgramError(why, 2 if status == 2 else 1)
        return self._seat

    async def result(self) -> dict[str, Any] | None:
        """The house's report at the end of the match; None if there is none."""
        with trio.move_on_after(_GRACE_S):
            await self._has_ended.wait()
        try:
            result = json.loads(self._output)
        except ValueError:
            return None
        return result if isinstance(result, dict) else None

    async def read_announcements(self, stream: trio.lowlevel.FdStream) -> None:
        """Learn from the house where the seats are, or why there is no table."""
        rest = b""
        async with stream:
            async for data in stream:
                *lines, rest = (rest + bytes(data)).split(b"\n")
                for line in lines:
                    self._hear(json.loads(line))

    def _hear(self, announcement: Mapping[str, Any]) -> None:
        self._complaint = announcement.get("error", "")
        awaited = [seat for seat in announcement.get("seats", ()) if seat["awaited"]]
        if awaited:
            ours, *others = awaited
            self._seat = (ours["host"], ours["port"])
            for seat in others:
                who = f"Seat {seat['seat'] + 1} ({seat['name']})"
                self._say(f"{who}: waiting for a player on {seat['host']} port {seat['port']}.")
        self._has_news.set()

    async def read_stderr(self) -> None:
        """Keep the last line that says something, and all out of the person's sight."""
        assert self._process.stderr is not None
        rest = b""
        async for data in self._process.stderr:
            *lines, rest = (rest + bytes(data)).split(b"\n")
            texts = [line.decode("utf-8", "replace").strip() for line in lines]
            self._last_line = next((text for text in reversed(texts) if text), self._last_line)

    async def read_stdout(self) -> None:
        """Keep the result."""
        assert self._process.stdout is not None
        async for data in self._process.stdout:
            self._output += data

    async def watch(self, announcements: trio.lowlevel.FdStream) -> None:
        """Read everything it says, and note its end."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.read_stderr)
            nursery.start_soon(self.read_stdout)
            nursery.start_soon(self.read_announcements, announcements)
            nursery.start_soon(self._process.wait)
        self._has_ended.set()
        self._has_news.set()

    async def end(self) -> None:
        """Close the house: by its stdin, then by request, then by force."""
        process = self._process
        with trio.CancelScope(shield=True):
            if process.stdin is not None:
                await process.stdin.aclose()
            with trio.move_on_after(_GRACE_S):
                await process.wait()
            for number in (signal.SIGTERM, signal.SIGKILL):
                if process.returncode is None:
                    process.send_signal(number)
                    with trio.move_on_after(_GRACE_S):
                        await process.wait()


@contextlib.asynccontextmanager
async def open_house(command: Sequence[str], say: Callable[[str], None]) -> AsyncIterator[House]:
    """A house that runs as long as the context; its own session, so Ctrl-C in our terminal is ours.

    Raises:
        ProgramError: it cannot be started.
    """
    with trio.CancelScope(shield=True):  # a process that has started must be known
        read_end, write_end = os.pipe()
        try:
            process = await trio.lowlevel.open_process(
                [*command, "--announce", str(write_end)], start_new_session=True, pass_fds=(write_end,),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        except OSError as error:
            os.close(read_end)
            raise ProgramError(f"cannot start the table: {error.strerror or error}") from error
        finally:
            os.close(write_end)
    house = House(process, say)
    fault: Exception | None = None  # kept out of the nursery, which would wrap it into a group
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.watch, trio.lowlevel.FdStream(read_end))
            try:
                yield house
            except Exception as raised:  # raised again below
                fault = raised
            await house.end()
            nursery.cancel_scope.cancel()
    finally:
        await house.end()
    if fault is not None:
        raise fault
