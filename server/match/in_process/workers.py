"""Processes that play the hands of a match between installed bots.

The house does not know the bots: it runs ``riverboat arena-worker``, which the players' package declares, and
receives finished hands (`server.match.shards`).  A worker that is ahead waits because nobody reads from it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import IO, Final

import attrs
import trio

from engine.poker.rules import format_game
from server.match.launching.players import players_environment
from server.match.launching.processes import Orphanage
from server.match.plan import PassOrder
from server.match.shards import Division, Frame, Readiness, ShardFailure, ShardOrder, Share
from server.support.errors import MatchAborted
from server.support.private_files import open_private
from server.table.book import FinishedHand

_COMMAND: Final = ("-P", "-m", "server", "arena-worker")
# -P: a folder in the user's folder that is named like one of our packages must not get in the way
_CHUNK: Final = 64
# Hands that a worker plays before the next one's turn: the fastest bots play them in milliseconds.
_READ: Final = 1 << 16


@attrs.frozen
class Workplace:
    """The places where workers run."""

    output: Path
    """Takes what the bots write."""
    orphanage: Orphanage
    variables: Mapping[str, str] = attrs.Factory(dict)
    """For the environment of the bots, in addition to the house's own."""


def shard_order(order: PassOrder) -> ShardOrder:
    """The order that tells workers what to play in a pass between installed bots."""
    config = order.config
    return ShardOrder(
        definition=format_game(config.game),
        bots=tuple((player.bot, player.settings) for player in order.seated),
        names=config.names,
        seeds=order.seeds,
        cards=config.cards.text,
        fixed_seats=config.fixed_seats,
        discloses=config.policy_path is not None,
    )


def _opened(place: Workplace) -> IO[bytes]:
    """The file for the bots' output."""
    return open(place.output, "ab", opener=open_private)


class BotFailed(Exception):
    """A bot could not go on."""

    def __init__(self, failure: ShardFailure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


class Worker:
    """A worker that has been started.

    *Resource handling*: `end` on every way out.
    """

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self._buffer = bytearray()
        self._hands: deque[FinishedHand] = deque()
        self._failure: ShardFailure | None = None

    @classmethod
    async def start(cls, place: Workplace) -> Worker:
        """Start one.

        Raises:
            OSError: there can be no further process.
        """
        with _opened(place) as output:
            process = await place.orphanage.start(
                [sys.executable, *_COMMAND],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env={**players_environment((sys.executable,), os.environ), **place.variables},
            )
        return cls(process)

    async def engage(self, order: ShardOrder) -> Readiness:
        """Give it a match, after its share of an earlier one; returns whether its bots are ready.

        Raises:
            MatchAborted: it has ended.
        """
        await self._send(order.line())
        return Readiness.parse(await self._line())

    async def play(self, share: Share) -> None:
        """Begin to play.

        Raises:
            MatchAborted: it has ended.
        """
        await self._send(share.line())

    async def hand(self) -> FinishedHand:
        """The next of its hands, once it is over.

        Raises:
            BotFailed: a bot could not play it.
            MatchAborted: it has ended.
        """
        while not self._hands:
            if self._failure is not None:
                raise BotFailed(self._failure)
            frame = Frame.parse(await self._line())
            told = ["".join(frame.told), *[""] * len(frame.lines)]
            for line, chips, words in zip(frame.lines, frame.chips, told, strict=False):
                self._hands.append(FinishedHand(line, tuple(chips), told=words))
            self._failure = frame.failure
        return self._hands.popleft()

    async def end(self) -> None:
        """Kill it."""
        with trio.CancelScope(shield=True):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    await stream.aclose()

    async def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None  # it was asked for
        try:
            await self._process.stdin.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise await self._has_ended() from None

    async def _line(self) -> bytes:
        assert self._process.stdout is not None  # it was asked for
        while (end := self._buffer.find(b"\n")) < 0:
            data = await self._process.stdout.receive_some(_READ)
            if not data:
                raise await self._has_ended()
            self._buffer += data
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return line

    async def _has_ended(self) -> MatchAborted:
        status = await self._process.wait()
        how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        return MatchAborted(f"ERROR: the process that plays the match has ended: {how}\n")


class Workforce:
    """The workers of one pass.

    Args:
        order: what they play.
        hire: starts a worker.
        most: how many there may be.

    *Resource handling*: `end` on every way out.
    """

    def __init__(self, order: ShardOrder, hire: Callable[[], Awaitable[Worker]], most: int = 1) -> None:
        self._order = order
        self._hire = hire
        self._most = most
        self._workers: list[Worker] = []
        self.stateful: tuple[str, ...] = ()
        """The names of players who carry something from hand to hand, if there are any."""

    async def start(self) -> ShardFailure | None:
        """Start as many workers as the bots allow; returns why a bot cannot play.

        Raises:
            MatchAborted: a worker has ended.
        """
        readiness = await self._start_one()
        if readiness.failure is None:
            paired = zip(self._order.names, readiness.stateless, strict=True)
            self.stateful = tuple(name for name, is_stateless in paired if not is_stateless)
            while not self.stateful and len(self._workers) < self._most:
                await self._start_one()
        return readiness.failure

    async def _start_one(self) -> Readiness:
        worker = await self._hire()
        self._workers.append(worker)
        return await worker.engage(self._order)

    async def divide(self, first: int, end: int) -> Division:
        """Have the hands from `first` to `end` played.

        Raises:
            MatchAborted: a worker has ended.
        """
        return await Division.begin(self._workers, first, end, _CHUNK)

    async def end(self) -> None:
        """Kill them."""
        for worker in self._workers:
            await worker.end()
