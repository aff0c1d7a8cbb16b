"""Processes that play the hands of a match between installed bots.

The house does not know the bots: it runs ``riverboat arena-worker``, which the players' package declares, and
receives finished hands (`engine.support.files.shards`).  If no bot carries anything from hand to hand,
several workers share the hands, chunk by chunk in turn; their output is read in the order of the hands, and
a worker that is ahead waits because nobody reads from it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

import attrs
import trio

from engine.poker.match_key import MatchKey
from engine.poker.rules import format_game
from engine.support.files.shards import Frame, FrameHeader, Readiness, ShardFailure, ShardOrder, Share
from server.match.launching.orphanage import Orphanage
from server.match.launching.players import Player
from server.support.errors import MatchAborted
from server.support.private_files import PrivateFiles
from server.table.config import MatchConfig

_COMMAND: Final = ("-P", "-m", "server", "arena-worker")
# -P: a folder in the user's folder that is named like one of our packages must not get in the way
_CHUNK: Final = 64
# Hands that a worker plays before the next one's turn: the fastest bots play them in milliseconds.
_READ: Final = 1 << 16
_FLOAT_BYTES: Final = 8


@attrs.frozen
class Workplace:
    """Where workers run."""

    output: Path
    """Takes what the bots write."""
    files: PrivateFiles
    orphanage: Orphanage
    environment: Mapping[str, str]


def order_for(config: MatchConfig, seated: Sequence[Player], players: Sequence[int]) -> ShardOrder:
    """The order that tells workers what to play.

    Args:
        config: the match of a pass.
        seated: installed bots, by seat.
        players: by seat, the numbers of those who sit there.
    """
    cards = config.cards
    return ShardOrder(
        definition=format_game(config.game),
        bots=tuple((player.bot, player.settings) for player in seated),
        names=config.names,
        seeds=cards.player_seeds(players),
        cards=cards.text if isinstance(cards, MatchKey) else str(cards.number),
        fixed_seats=config.fixed_seats,
        discloses=config.policy_path is not None,
    )


def _opened(place: Workplace) -> IO[bytes]:
    """The file for the bots' output."""
    return open(place.output, "ab", opener=place.files.open)


class Worker:
    """A worker that has been started.

    *Resource handling*: `end` on every way out.
    """

    def __init__(self, process: trio.Process, order: ShardOrder) -> None:
        self._process = process
        self._order = order
        self._buffer = bytearray()

    @classmethod
    async def start(cls, order: ShardOrder, place: Workplace) -> Worker:
        """Start one.

        Raises:
            OSError: there can be no further process.
        """
        with _opened(place) as output, trio.CancelScope(shield=True), place.orphanage.starting():
            process = await trio.lowlevel.open_process(
                [sys.executable, *_COMMAND],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env=place.environment,
                start_new_session=True,
            )
            place.orphanage.awaits(process.pid)
        return cls(process, order)

    async def engage(self, order: ShardOrder) -> Readiness:
        """Give it another match, after it has played its share; returns the readiness of its bots.

        Raises:
            MatchAborted: it has ended.
        """
        self._order = order
        return await self.readiness()

    async def readiness(self) -> Readiness:
        """The readiness of its bots.

        Raises:
            MatchAborted: it has ended.
        """
        await self._send(self._order.line())
        return Readiness.parse(await self._line())

    async def play(self, share: Share) -> None:
        """Begin to play.

        Raises:
            MatchAborted: it has ended.
        """
        await self._send(share.line())

    async def frame(self) -> Frame:
        """The next hands.

        Raises:
            MatchAborted: it has ended.
        """
        header = FrameHeader.parse(await self._line())
        size = header.text_bytes + header.hands * len(self._order.names) * _FLOAT_BYTES
        while len(self._buffer) < size:
            await self._receive()
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return Frame.decode(header, data)

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
        while (end := self._buffer.find(b"\n")) < 0:
            await self._receive()
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return line

    async def _receive(self) -> None:
        assert self._process.stdout is not None  # it was asked for
        data = await self._process.stdout.receive_some(_READ)
        if not data:
            raise await self._has_ended()
        self._buffer += data

    async def _has_ended(self) -> MatchAborted:
        status = await self._process.wait()
        how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        return MatchAborted(f"ERROR: the process that plays the match has ended: {how}\n")


class Workforce:
    """The workers of one pass.

    Args:
        order: what they play.
        place: where.
        most: how many there may be.

    *Resource handling*: `end` on every way out.
    """

    def __init__(self, order: ShardOrder, place: Workplace, most: int) -> None:
        self._order = order
        self._place = place
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
        worker = await Worker.start(self._order, self._place)
        self._workers.append(worker)
        return await worker.readiness()

    async def frames(self, first: int, end: int) -> AsyncGenerator[Frame, None]:
        """The hands from `first` to `end`, in order; a frame that reports a failure is the last.

        Raises:
            MatchAborted: a worker has ended.
        """
        stride = len(self._workers)
        shares = [Share(first, end, _CHUNK, stride, offset) for offset in range(stride)]
        for worker, share in zip(self._workers, shares, strict=True):
            await worker.play(share)
        chunks = [share.chunks() for share in shares]
        number = 0
        while (chunk := next(chunks[number], None)) is not None:
            hands = 0
            while hands < len(chunk):
                frame = await self._workers[number].frame()
                hands += len(frame.lines)
                yield frame
                if frame.failure is not None:
                    return
            number = (number + 1) % stride

    async def end(self) -> None:
        """Kill them."""
        for worker in self._workers:
            await worker.end()
