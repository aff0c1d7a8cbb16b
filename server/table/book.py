"""The book of a match: what its hands have come to, and whether another is played (``match --until``).

Every hand is recorded and counted by the `MatchBook` of its table, which tells the `Onlooker` about it.  The
claims of `engine.evidence.verdict` hold no matter when they are looked at, so a match at one table may stop
after any hand.  If it is played at several tables, as the passes of a duplicate match are, a deal counts when
all of them have played it: every now and then the tables pause, on nobody's clock, until all have got as far,
and `CommonDecision` decides for all of them.
"""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

import attrs
import trio

from protocol.records import format_score
from server.support.console import Console
from server.support.errors import MatchAborted
from server.table.config import MatchConfig
from server.table.outcome import EarlierSittings, MatchOutcome, SeatOutcome
from server.table.records import MatchRecords
from server.table.replay import ENDED

_FIRST_REST: Final = 10
_GROWTH: Final = 1.02
# The fraction by which a match at several tables may be longer than necessary.


class Onlooker(Protocol):
    """Follows the hands of a match at one table."""

    def hand_finished(self, chips_by_seat: Sequence[float]) -> bool:
        """Note that a hand is over; returns whether the table pauses and asks `continues`."""

    async def continues(self) -> bool:
        """Whether the table plays another hand."""


@attrs.frozen
class Following:
    """An `Onlooker` made of two functions."""

    hand_finished: Callable[[Sequence[float]], bool]
    continues: Callable[[], Coroutine[Any, Any, bool]]


@attrs.frozen
class FinishedHand:
    """A hand as one table passes it to another that keeps the records."""

    line: str
    """The hand's line of the log."""
    chips_by_seat: tuple[float, ...]
    notes: str = ""
    """What happened to seats meanwhile, as comment lines of the log."""
    told: str = ""
    """What clients have said about their strategies, as the house keeps it."""
    comments: str = ""
    """What they have said in comment lines, likewise."""
    usage: str = ""
    """What their decisions have cost, likewise."""


class MatchBook:
    """Counts the hands of a match, and says how it ended.

    Args:
        config: the match.
        console: gets the score.
        records: of the hands.
        onlooker: told about every hand, and asked whether to continue; without one all hands are played.
        earlier: what the log does not tell about its hands, if the match is resumed from it.
    """

    def __init__(
        self,
        config: MatchConfig,
        console: Console,
        records: MatchRecords,
        onlooker: Onlooker | None = None,
        earlier: EarlierSittings | None = None,
    ) -> None:
        self._config = config
        self._console = console
        self._records = records
        self._onlooker = onlooker
        self._totals = [0.0] * len(config.names)
        self._squares = [0.0] * len(config.names)
        self._hand_chips = tuple(array("d") for _ in config.names) if config.keeps_hands else ()
        self._seconds = 0.0 if earlier is None else earlier.seconds
        self._plays_since: float | None = None  # on trio's clock, while hands are played
        self._wants_to_be_asked = False
        self._is_finished = False
        self.hands = 0
        """Hands that are over."""
        self.is_live = not config.resumes
        """Whether a hand has been played in this sitting, or none had been played before it."""
        self.aborted: MatchAborted | None = None
        """Why the match ended before its last hand."""

    # --- hands -------------------------------------------------------------------------------------------

    def add(self, line: str, chips_by_seat: Sequence[float]) -> None:
        """Record and count a hand."""
        self._records.write_hand(self.hands, line)
        for seat, won in enumerate(chips_by_seat):
            self._totals[seat] += won
            self._squares[seat] += won * won
            if self._hand_chips:
                self._hand_chips[seat].append(won)
        self.hands += 1
        self._console.hand_finished(self.hands - 1)
        if self._onlooker is not None:
            self._wants_to_be_asked = self._onlooker.hand_finished(chips_by_seat)

    def take_in(self, hand: FinishedHand) -> None:
        """Record and count a hand that another table has played."""
        if hand.notes:
            self._records.write(hand.notes)
        if hand.told:
            self._records.write_told(hand.told)
        if hand.comments:
            self._records.write_comments(hand.comments)
        if hand.usage:
            self._records.write_usage(hand.usage)
        self.add(hand.line, hand.chips_by_seat)

    @property
    def pauses(self) -> bool:
        """Whether to ask `continues` before another hand."""
        return self._wants_to_be_asked and self.hands < self._config.hands

    async def continues(self) -> bool:
        """Whether another hand is played; waiting for the answer is on nobody's clock."""
        assert self._onlooker is not None  # it wants to be asked
        self._stop_clock()
        return await self._onlooker.continues()

    # --- time --------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def adding_up_time(self) -> Iterator[None]:
        """Surrounds the playing of hands; `start_clock` with each that is played in this sitting."""
        try:
            yield
        finally:
            self._stop_clock()

    def start_clock(self) -> None:
        """Note that hands are being played."""
        if self._plays_since is None:
            self._plays_since = trio.current_time()

    def _stop_clock(self) -> None:
        self._seconds += self._since()
        self._plays_since = None

    def _since(self) -> float:
        """Seconds of play since they were last added up."""
        return 0.0 if self._plays_since is None else trio.current_time() - self._plays_since

    # --- the end -----------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Write the last lines of log and console."""
        config, records = self._config, self._records
        if self.hands < config.hands and not records.was_ended:
            records.write(f"{ENDED}{self.hands} of {config.hands} hands\n")
        records.write_taken(self._totals)
        records.write_key()
        score = format_score(self._totals, config.names)
        self._console.out(score)
        self._console.err(score)
        records.write_score(score)
        self._is_finished = True

    def report_abort(self) -> None:
        """Say why the match has ended, if it did not reach its end."""
        if self.aborted is not None:
            self._records.flush_trace()
            self._console.err(self.aborted.lines)
            if not self._can_go_on():
                with contextlib.suppress(MatchAborted):  # it may be the log that cannot be written
                    self._records.write_key()

    def outcome(self, seats: Iterable[SeatOutcome]) -> MatchOutcome:
        """The outcome of the match so far."""
        return MatchOutcome(
            hands=self.hands,
            chips_by_seat=tuple(self._totals),
            squares_by_seat=tuple(self._squares),
            hand_chips_by_seat=self._hand_chips,
            seats=tuple(seats),
            seconds=self._seconds + self._since(),
            error=None if self.aborted is None else self.aborted.lines,
            can_go_on=self._can_go_on(),
        )

    def _can_go_on(self) -> bool:
        """Whether a later sitting may play more hands: not if a player's failure ended the match."""
        if self._is_finished or not self._config.is_resumable:
            return False
        return self.aborted is None or not (self.aborted.seats and self.is_live)


def rests(hands: int) -> frozenset[int]:
    """The numbers of hands after which tables that play the same deals wait for each other."""
    after = []
    upcoming = _FIRST_REST
    while upcoming < hands:
        after.append(upcoming)
        upcoming = max(upcoming + _FIRST_REST, round(upcoming * _GROWTH))
    return frozenset(after)


class CommonDecision:
    """Whether some tables continue: one decision each time all of them have paused.

    Args:
        tables: how many there are.
        is_settled: whether the match may end.
        ends_together: when one of them has ended, the others end, too; else they play on.
    """

    def __init__(self, tables: int, is_settled: Callable[[], bool], *, ends_together: bool = True) -> None:
        self._tables = tables
        self._ends_together = ends_together
        self._is_settled = is_settled
        self._resting = 0
        self._has_ended = False
        self._continues = True
        self._decided = trio.Event()

    async def continues(self) -> bool:
        """Pause until every table has played as many hands; returns whether they all continue."""
        self._resting += 1
        if self._has_ended:
            self._decide(continues=False)
        elif self._resting >= self._tables:
            self._decide(continues=not self._is_settled())
        else:
            await self._decided.wait()
        return self._continues

    def end(self) -> None:
        """Note that a table has ended.  If others still play, it was cut short, and nobody waits for it."""
        self._tables -= 1
        self._has_ended = self._ends_together
        if self._resting and (self._has_ended or self._resting == self._tables):
            self._decide(continues=not self._has_ended)

    def _decide(self, *, continues: bool) -> None:
        self._continues = continues
        self._resting = 0
        self._decided.set()
        self._decided = trio.Event()
