"""A table in workers: the hands of one pass, recorded and counted like those of a table over sockets."""

from __future__ import annotations

import contextlib
import functools
from typing import Final

import trio

from engine.poker.match_key import DealKeys
from engine.poker.rules import HandState, play_hand
from protocol.records import format_hand
from server.match.in_process.workers import BotFailed, Worker, Workforce, Workplace, shard_order
from server.match.plan import PassOrder
from server.match.shards import Division, ShardFailure, not_divided
from server.match.sharing.staffed_table import House
from server.records.results import Pass
from server.support.console import Console
from server.support.errors import Failure, FailureKind, MatchAborted
from server.support.private_files import FOLDER_MODE
from server.table.book import MatchBook, Onlooker
from server.table.config import MatchConfig
from server.table.outcome import EarlierSittings, MatchOutcome, SeatOutcome
from server.table.records import MatchRecords

_CHECKPOINT_EVERY: Final = 32
# Hands of an earlier sitting, which take a tenth of a millisecond each.


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
        seconds = 0.0 if earlier is None else earlier.seconds
        self._book = MatchBook(config, console, self._records, onlooker, seconds)
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
