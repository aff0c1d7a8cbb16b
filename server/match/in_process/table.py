"""A table in workers: the hands of one pass, recorded and counted like those of a table over sockets."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Sequence

import trio

from engine.poker.rules import HandState, play_hand
from engine.support.files.shards import Frame, ShardFailure
from protocol.records import format_hand, format_score
from server.match.in_process.workers import Workforce
from server.support.console import Console
from server.support.errors import Failure, FailureKind, MatchAborted
from server.table.config import MatchConfig
from server.table.outcome import EarlierSittings, MatchOutcome, SeatOutcome
from server.table.records import MatchRecords
from server.table.stopping import Onlooker

_CHECKPOINT_EVERY = 32
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
        self._console = console
        self._workers = workers
        self._onlooker = onlooker
        self._records = MatchRecords(config, console)
        self._num_seats = len(config.names)
        self._totals = [0.0] * self._num_seats
        self._squares = [0.0] * self._num_seats
        self._hand_chips = tuple(array("d") for _ in config.names) if config.keeps_hands else ()
        self._hands_done = 0
        self._seconds = 0.0 if earlier is None else earlier.seconds
        self._plays_since: float | None = None
        self._failures: dict[int, Failure] = {}
        self._aborted: MatchAborted | None = None
        self._is_finished = False

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
            await self._play(is_complete=is_complete)
        except MatchAborted as error:
            self._aborted = error
            self._console.err(error.lines)
            if not self.outcome().can_go_on:
                with contextlib.suppress(MatchAborted):  # it may be the log that cannot be written
                    records.write_key()
        finally:
            self._seconds += self._since()
            self._plays_since = None
            records.close()
        return self.outcome()

    def outcome(self) -> MatchOutcome:
        """The outcome of the match so far."""
        seats = tuple(
            SeatOutcome(name, [self._failures[seat]] if seat in self._failures else [])
            for seat, name in enumerate(self._config.names)
        )
        return MatchOutcome(
            hands=self._hands_done,
            chips_by_seat=tuple(self._totals),
            squares_by_seat=tuple(self._squares),
            hand_chips_by_seat=self._hand_chips,
            seats=seats,
            seconds=self._seconds + self._since(),
            error=None if self._aborted is None else self._aborted.lines,
            can_go_on=self._config.is_resumable and not self._is_finished and not self._failures,
        )

    def _since(self) -> float:
        return 0.0 if self._plays_since is None else trio.current_time() - self._plays_since

    async def _play(self, *, is_complete: bool) -> None:
        config, records = self._config, self._records
        goes_on = True
        if is_complete or not self._workers.stateful:  # else the players have to see those hands, too
            goes_on = await self._take_over()
        if goes_on and not records.was_ended and self._hands_done < config.hands:
            self._plays_since = trio.current_time()
            async with contextlib.aclosing(self._workers.frames(self._hands_done, config.hands)) as frames:
                async for frame in frames:
                    if not await self._count_frame(frame):
                        break
        if self._hands_done < config.hands and not records.was_ended:
            records.write(f"# ended after {self._hands_done} of {config.hands} hands\n")
        records.write_taken(self._totals)
        records.write_key()
        score = format_score(self._totals, config.names)
        self._console.out(score)
        self._console.err(score)
        records.write_score(score)
        self._is_finished = True

    async def _take_over(self) -> bool:
        """Count the hands of earlier sittings; returns whether the match continues after them."""
        config, records = self._config, self._records
        dealer = config.cards.dealer(config.game)
        while records.is_replaying:
            number = self._hands_done
            if number % _CHECKPOINT_EVERY == 0:
                await trio.lowlevel.checkpoint()
            hand = play_hand(config.game, number, dealer.deal())
            try:
                state = next(hand)
                while True:
                    state = hand.send(records.replayed(state).action)
            except StopIteration as end:
                final: HandState = end.value
            chips = final.chips_won()
            shift = self._shift(number)
            names = [config.names[(position + shift) % self._num_seats] for position in range(len(chips))]
            by_seat = [chips[(seat - shift) % self._num_seats] for seat in range(self._num_seats)]
            if not await self._count(format_hand(final, chips, names), by_seat):
                return False
        return True

    def _shift(self, hand_number: int) -> int:
        """How far the button has moved (docs/acpc-dealer.md 5.4)."""
        return 0 if self._config.fixed_seats else hand_number % self._num_seats

    async def _count_frame(self, frame: Frame) -> bool:
        """Record and count some hands; returns whether the match continues."""
        n = self._num_seats
        if frame.told:
            self._records.write_told("".join(frame.told))
        for number, line in enumerate(frame.lines):
            if self._records.was_ended or not await self._count(
                line, frame.chips[number * n : (number + 1) * n]
            ):
                return False
        if frame.failure is not None:
            raise self._ends_match(frame.failure)
        return True

    async def _count(self, line: str, by_seat: Sequence[float]) -> bool:
        """Record and count a hand; returns whether the match continues."""
        self._records.write_hand(line)
        for seat, won in enumerate(by_seat):
            self._totals[seat] += won
            self._squares[seat] += won * won
            if self._hand_chips:
                self._hand_chips[seat].append(won)
        self._hands_done += 1
        self._console.hand_finished(self._hands_done - 1)
        onlooker = self._onlooker
        if onlooker is None or not onlooker.hand_finished(by_seat) or self._hands_done == self._config.hands:
            return True
        self._seconds += self._since()
        self._plays_since = None
        try:
            return await onlooker.continues()
        finally:
            self._plays_since = trio.current_time()

    def _ends_match(self, failure: ShardFailure) -> MatchAborted:
        """Record that a bot cannot continue."""
        detail = Failure(FailureKind.CRASHED, failure.detail, failure.hand_number)
        self._failures[failure.seat] = detail
        where = "" if failure.hand_number is None else f" (hand {failure.hand_number})"
        name = self._config.names[failure.seat]
        with contextlib.suppress(MatchAborted):  # the match ends in any case
            self._records.write(f"# seat {failure.seat + 1} ({name}) crashed: {detail.detail}{where}\n")
        return MatchAborted(f"ERROR: {name} crashed: {detail.detail}\n", [failure.seat])
