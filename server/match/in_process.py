"""A table without sockets: processes play the hands of installed bots, the house records and counts them.

The house does not know the bots: it runs ``riverboat arena-worker``, which the players' package declares, and
receives finished hands (`server.match.shards`).  A worker that is ahead waits because nobody reads from it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

import attrs
import trio

from engine.poker.match_key import DealKeys
from engine.poker.rules import HandState, format_game, play_hand
from protocol import variables
from protocol.records import format_hand
from server.match.launching.players import own_command, players_environment
from server.match.launching.processes import Orphanage, signal_group
from server.match.plan import PassOrder
from server.match.shards import Division, Frame, Readiness, ShardFailure, ShardOrder, Share, not_divided
from server.match.sharing.staffed_table import House
from server.records.results import Pass
from server.support.console import Console
from server.support.errors import Failure, FailureKind, MatchAborted
from server.support.private_files import FOLDER_MODE, appended_to
from server.table.book import FinishedHand, MatchBook, Onlooker
from server.table.config import MatchConfig
from server.table.outcome import EarlierSittings, MatchOutcome, SeatOutcome
from server.table.records import MatchRecords

_CHUNK: Final = 64
# Hands that a worker plays before the next one's turn: the fastest bots play them in milliseconds.
_READ: Final = 1 << 16
_CHECKPOINT_EVERY: Final = 32
# Hands of an earlier sitting, which take a tenth of a millisecond each.


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
        explains=bool(order.variables.get(variables.EXPLAIN)),
    )


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
        with appended_to(place.output) as output:
            process = await place.orphanage.start(
                own_command("arena-worker"),
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
            said = [frame.comments, *[""] * len(frame.lines)]
            for line, chips, words, why in zip(frame.lines, frame.chips, told, said, strict=False):
                self._hands.append(FinishedHand(line, tuple(chips), told=words, comments=why))
            self._failure = frame.failure
        return self._hands.popleft()

    async def end(self) -> None:
        """Kill it."""
        with trio.CancelScope(shield=True):
            signal_group(self._process.pid, signal.SIGKILL)
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


class WorkersTable:
    """One match: `open`, `run`.

    Args:
        config: what is played.
        console: where it is reported.
        workers: that play it.
        onlooker: told about every hand, and asked whether to continue; without one all hands are played.
        earlier: what the log does not tell about its hands, if the match is resumed from it.

    *Resource handling*: `run` closes everything when it ends, however it ends.
    """

    def __init__(
        self,
        config: MatchConfig,
        console: Console,
        workers: Workforce,
        onlooker: Onlooker | None = None,
        earlier: EarlierSittings | None = None,
    ) -> None:
        self._config = config
        self._workers = workers
        self._records = MatchRecords(config, console)
        self._book = MatchBook(config, console, self._records, onlooker, earlier)
        self._book.is_live = True  # a bot that cannot play now cannot play later
        self._failures: dict[int, Failure] = {}

    @property
    def begins_anew(self) -> bool:
        """Whether nobody can play the hands of earlier sittings again: their keys ended with those."""
        cards = self._config.cards
        return self._config.resumes and isinstance(cards, DealKeys) and cards.is_drawn

    async def run(self) -> MatchOutcome:
        """Play the match."""
        records = self._records
        try:
            records.open()
            is_complete = records.is_complete()
            records.write_header()
            records.begin_replay()
            failure = None if is_complete else await self._workers.start()
            if failure is not None:
                raise self._ends_match(failure)
            with self._book.adding_up_time():
                await self._play(is_complete=is_complete)
        except MatchAborted as error:
            self._book.aborted = error
            self._book.report_abort()
        finally:
            records.close()
        return self.outcome()

    def outcome(self) -> MatchOutcome:
        """The outcome of the match so far."""
        failures = self._failures
        return self._book.outcome(
            SeatOutcome(name, [failures[seat]] if seat in failures else [])
            for seat, name in enumerate(self._config.names)
        )

    async def _play(self, *, is_complete: bool) -> None:
        config, book = self._config, self._book
        goes_on = True
        if is_complete or self.begins_anew or not self._workers.stateful:  # else they have to see those hands
            goes_on = await self._take_over()
        if goes_on and not self._records.was_ended and book.hands < config.hands:
            await self._take_in(await self._workers.divide(book.hands, config.hands))
        book.finish()

    async def _take_over(self) -> bool:
        """Count the hands of earlier sittings; returns whether the match continues after them."""
        config, records, book = self._config, self._records, self._book
        dealer = config.cards.dealer(config.game)
        while records.is_replaying:
            number = book.hands
            if number % _CHECKPOINT_EVERY == 0:
                await trio.lowlevel.checkpoint()
            hand = play_hand(config.game, number, records.deal(dealer))
            try:
                state = next(hand)
                while True:
                    state = hand.send(records.replayed(state).action)
            except StopIteration as end:
                final: HandState = end.value
            chips, shift = final.chips_won(), config.shift(number)
            names = config.names[shift:] + config.names[:shift]
            book.add(format_hand(final, chips, names), chips[-shift:] + chips[:-shift])
            if book.pauses and not await book.continues():
                return False
        return True

    async def _take_in(self, division: Division) -> None:
        """Record and count what the workers play."""
        book = self._book
        while book.hands < self._config.hands and not self._records.was_ended:
            book.start_clock()
            try:
                hand = await division.hand(book.hands)
            except BotFailed as error:
                raise self._ends_match(error.failure) from None
            assert hand is not None  # all of them are played by workers
            book.take_in(hand)
            if book.pauses and not await book.continues():
                break

    def _ends_match(self, failure: ShardFailure) -> MatchAborted:
        """Record that a bot cannot continue."""
        detail = Failure(FailureKind.CRASHED, failure.detail, failure.hand_number)
        self._failures[failure.seat] = detail
        where = "" if failure.hand_number is None else f" (hand {failure.hand_number})"
        name = self._config.names[failure.seat]
        with contextlib.suppress(MatchAborted):  # the match ends in any case
            self._records.write(f"# seat {failure.seat + 1} ({name}) crashed: {detail.detail}{where}\n")
        return MatchAborted(f"ERROR: {name} crashed: {detail.detail}\n", [failure.seat])


class WorkersPass:
    """A pass between installed bots, in processes of its own: `run`.

    Args:
        house: where they run.
        order: who plays what.
        console: where it is reported.
        onlooker: told about every hand, in order.
    """

    was_in_vain = False

    def __init__(self, house: House, order: PassOrder, console: Console, onlooker: Onlooker) -> None:
        self._house = house
        self._order = order
        order.output.mkdir(mode=FOLDER_MODE, exist_ok=True)
        place = Workplace(order.output / "in-process.err", house.orphanage, order.variables)
        hire = functools.partial(Worker.start, place)
        self._workers = Workforce(shard_order(order), hire, order.most_shares)
        self._table = WorkersTable(order.config, console, self._workers, onlooker, order.earlier)

    async def run(self) -> None:
        """Play the pass."""
        try:
            await self._table.run()
        finally:
            await self._workers.end()
        if self._workers.stateful and self._order.most_shares > 1:
            self._house.say(not_divided(self._workers.stateful))
        if self._workers.stateful and self._table.begins_anew:
            names = " and ".join(self._workers.stateful)
            self._house.say(f"{names} begin anew: without a seed, finished hands cannot be played again")

    def outcome(self) -> MatchOutcome:
        """The outcome of the pass so far."""
        return self._table.outcome()

    def result(self) -> Pass:
        """The result of the pass so far."""
        return Pass(self.outcome(), self._order.players)
