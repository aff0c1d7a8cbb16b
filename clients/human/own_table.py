"""A table of one's own: ``riverboat match`` as a child process, with one seat left for us.

The house is another program and stays one: the players' half of this project does not import the
house's.  It hangs on a pipe, so that it ends with us on every way out, a kill without warning included.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from clients.program import ProgramError

_WAITING: Final = re.compile(r"seat (\d+) \(.*\): waiting for a player on (\S+) port (\d+)")
_NO_CLOCK: Final = "1e9"
"""Seconds: thirty years."""
_GRACE_S: Final = 10.0
"""For the house to end its players and itself."""
_LAST_LINES: Final = 5


@attrs.frozen
class HouseOptions:
    """What is played at a table of one's own."""

    game: str
    name: str
    """Ours."""
    opponents: tuple[str, ...]
    """PLAYER texts, in seat order after us."""
    hands: int
    seed: str
    folder: Path
    """Of the match: log, result, what the bots have to say."""

    def command(self) -> list[str]:
        """The command line of the house."""
        return [
            # -P: a folder named like one of our packages in the user's folder must not get in the way
            sys.executable, "-P", "-m", "server", "match", self.game, f"{self.name}=wait", *self.opponents,
            "--hands", str(self.hands), "--seed", self.seed, "--out", str(self.folder), "--json",
            "--on-failure", "fold", "--response-time", _NO_CLOCK, "--hand-time", _NO_CLOCK,
            "--match-time", _NO_CLOCK, "--end-with-stdin",
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
        self._last_lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._output = bytearray()
        self._seat: tuple[str, int] | None = None
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
            raise ProgramError(self._complaint(), 2 if status == 2 else 1)
        return self._seat

    async def result(self) -> dict[str, Any] | None:
        """What the house reports at the end of the match; None where it does not."""
        with trio.move_on_after(_GRACE_S):
            await self._has_ended.wait()
        try:
            result = json.loads(self._output)
        except ValueError:
            return None
        return result if isinstance(result, dict) else None

    def _complaint(self) -> str:
        """Why there is no table, in the house's own words."""
        with contextlib.suppress(ValueError):
            for player in json.loads(self._output)["players"]:
                if player.get("failure"):
                    return f"{player['name']}: {player['failure_detail']}"
        lines = [line for line in self._last_lines if line.strip()]
        return lines[-1].removeprefix("Error: ") if lines else "the table could not be opened"

    async def read_stderr(self) -> None:
        """Look for our port; keep the last lines, and out of the person's sight."""
        assert self._process.stderr is not None
        rest = b""
        async for data in self._process.stderr:
            *lines, rest = (rest + bytes(data)).split(b"\n")
            for line in lines:
                text = line.decode("utf-8", "replace")
                self._last_lines.append(text)
                found = _WAITING.fullmatch(text.strip())
                if found is not None and self._seat is None:
                    self._seat = (found[2], int(found[3]))
                    self._has_news.set()
                elif found is not None:
                    self._say(f"S{text.strip()[1:]}.")

    async def read_stdout(self) -> None:
        """Keep the result."""
        assert self._process.stdout is not None
        async for data in self._process.stdout:
            self._output += data

    async def watch(self) -> None:
        """Read everything it says, and note its end."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.read_stderr)
            nursery.start_soon(self.read_stdout)
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
        try:
            process = await trio.lowlevel.open_process(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramError(f"cannot start the table: {error.strerror or error}") from error
    house = House(process, say)
    fault: Exception | None = None  # kept out of the nursery, which would wrap it into a group
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.watch)
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
