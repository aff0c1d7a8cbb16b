"""The hands of a pass, divided among several tables: ``riverboat match --jobs N``.

The first table keeps the records: it plays its share of the hands, and takes in those that side tables have
played, in order (`server.match.shards`).  Our own players say when they sit down that they carry nothing from
hand to hand (`protocol.extension.UNREHEARSED`); for other programs the user may say it (``--stateless``).  So
players of side tables are launched once those of the first table have sat down.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Final

import attrs
import trio

from protocol.extension import UNREHEARSED
from server.match.launching.launcher import Launcher
from server.match.plan import PassOrder
from server.match.shards import Division, Share, not_divided
from server.match.sharing.staffed_table import House, StaffedTable
from server.records.results import Pass
from server.support import turns
from server.support.console import Console
from server.support.errors import MatchAborted
from server.table.book import FinishedHand, Onlooker
from server.table.config import MatchConfig
from server.table.match import MatchHands, MatchServer
from server.table.outcome import MatchOutcome
from server.table.records import MatchRecords
from server.table.seat import Seat

_CHUNK: Final = 16
# Hands that a table plays before the next one's turn: players sit at all tables from then on.
_MOST_AHEAD: Final = 64
# Hands that a side table has played and the first has not yet taken over.
_AT_ONCE: Final = 16
_AT_LATEST_S: Final = 0.2
# How many hands are sent together, and for how long one is held back.


@attrs.define(eq=False)
class _Side:
    """A side table in the house, a member of the division."""

    table: StaffedTable[_SideTable]
    nursery: trio.Nursery
    scope: trio.CancelScope = attrs.Factory(trio.CancelScope)
    has_begun: bool = False

    async def play(self, share: Share) -> None:
        """Begin to play some hands."""
        self.has_begun = True
        self.table.server.share = share
        self.nursery.start_soon(self._run)

    async def _run(self) -> None:
        try:
            with self.scope:
                await self.table.run()
        finally:
            self.table.server.end()

    async def hand(self) -> FinishedHand:
        """The next of them, once it is over.

        Raises:
            MatchAborted: the table cannot go on.
        """
        try:
            return await self.table.server.played.receive()
        except trio.EndOfChannel:
            raise self.table.server.fault() from None


class SharedPass:
    """A pass that is played at one table or several.

    Args:
        house: where the tables are.
        order: who plays what.
        console: where it is reported.
        onlooker: told about every hand, in order.

    *Resource handling*: `run` closes everything when it ends, however it ends.
    """

    def __init__(self, house: House, order: PassOrder, console: Console, onlooker: Onlooker) -> None:
        self._house = house
        self._order = order
        self._console = console
        self._sides: list[_Side] = []
        self._division: Division | None = None
        others = self if order.most_shares > 1 else None

        def first_table(config: MatchConfig) -> MatchServer:
            return MatchServer(config, console, onlooker, order.earlier, others)

        self._first = StaffedTable(house, order, first_table)

    def _open(self, nursery: trio.Nursery) -> None:
        """Open the tables."""
        self._first.open()
        if self._first.server.needs_players:
            make = partial(_SideTable, console=self._console, tables=self._order.most_shares)
            for number in range(1, self._order.most_shares):
                table = StaffedTable(self._house, self._order, make, number)
                table.open()
                self._sides.append(_Side(table, nursery))

    async def run(self) -> None:
        """Play the pass.

        Raises:
            MatchAborted: with the line that says which file or port cannot be opened.
        """
        try:
            async with trio.open_nursery() as nursery:
                self._open(nursery)
                await self._first.run()
                for side in self._sides:
                    side.scope.cancel()
        finally:
            self._first.server.close()
            for side in self._sides:
                if not side.has_begun:
                    side.table.server.close()

    async def hand(self, number: int, seats: Sequence[Seat]) -> FinishedHand | None:
        """See `server.table.match.OtherTables`."""
        if self._division is None:
            stateful = [seat for seat in seats if not self._is_stateless(seat)]
            if stateful:
                programs = any(not self._order.seated[seat.number].is_bot for seat in stateful)
                help_ = " (--stateless says that programs do not)" if programs else ""
                self._house.say(not_divided([seat.name for seat in stateful]) + help_)
                while self._sides:
                    self._sides.pop().table.server.close()
            members = [None, *self._sides]
            self._division = await Division.begin(members, number, self._order.config.hands, _CHUNK)
        return await self._division.hand(number)

    def _is_stateless(self, seat: Seat) -> bool:
        client = seat.client
        if client is not None and UNREHEARSED in client.capabilities:
            return True
        return self._order.trusts_programs and not self._order.seated[seat.number].is_bot

    @property
    def was_in_vain(self) -> bool:
        """Whether a player could not be started, or never joined."""
        return any(launcher.was_in_vain for launcher in self._launchers())

    def result(self) -> Pass:
        """The result of the pass so far."""
        replaced: dict[int, str] = {}
        for launcher in reversed(self._launchers()):
            replaced |= launcher.replaced()
        return Pass(self.outcome(), self._order.players, replaced)

    def outcome(self) -> MatchOutcome:
        """The outcome of the pass so far."""
        outcome = self._first.server.outcome()
        for side in self._sides:
            seats = zip(outcome.seats, side.table.server.outcome().seats, strict=True)
            outcome = attrs.evolve(outcome, seats=tuple([one + other for one, other in seats]))
        played, earlier = list(outcome.seats), self._order.earlier
        for launcher in self._launchers():  # the first one's word stands
            for seat, how in launcher.crashes().items():
                played[seat] = played[seat].crashed(how, len(earlier.seats[seat].failures) if earlier else 0)
        return attrs.evolve(outcome, seats=tuple(played))

    def _launchers(self) -> list[Launcher]:
        return [self._first.launcher, *[side.table.launcher for side in self._sides]]


class _SideTable(MatchServer):
    """A table that plays its `share` of the hands, and passes them on as they are `played`.

    Args:
        config: the match of the table that keeps the records.
        console: where warnings go.
        tables: that share its hands, and with them each player's time for the match.
    """

    def __init__(self, config: MatchConfig, console: Console, tables: int) -> None:
        own = attrs.evolve(
            config,
            limits=attrs.evolve(config.limits, per_hand=config.limits.per_hand / tables),
            log_path=None,
            append=False,
            is_resumable=False,
            resumes=False,
            rehearses=frozenset(),
            keeps_hands=False,
        )
        self._channel, self.played = trio.open_memory_channel[FinishedHand](_MOST_AHEAD)
        self._outbox = _Outbox(own, console, self._channel)
        super().__init__(own, console, self._outbox, records=self._outbox, feed=self._play_share)
        self.share = Share(0, 0, 1)

    async def run(self) -> MatchOutcome:
        """Run like any table; even if a failure ends it, finished hands are passed on."""
        outcome = await super().run()
        await self._outbox.continues()
        self.end()
        return outcome

    def end(self) -> None:
        """End the table: no more hands will come; calling it again does nothing."""
        self._channel.close()

    def fault(self) -> MatchAborted:
        """Why there are no more hands."""
        return self.book.aborted or MatchAborted("ERROR: a table that shared the hands has ended\n")

    async def _play_share(self) -> None:
        hands = MatchHands(self)
        dealer = self.config.cards.dealer(self.config.game)
        at = 0
        with turns.here().one_more_table():
            for chunk in self.share.chunks():
                dealer.skip(chunk.start - at)
                at = chunk.stop
                for hand_number in chunk:
                    await hands.play_hand(hand_number, dealer)
                    if self.book.pauses:
                        await hands.continues()
            hands.flush()


class _Outbox(MatchRecords):
    """Records of a side table, which pass on finished hands several at a time.

    They wait if the first table, which writes them, is far behind.
    """

    def __init__(
        self, config: MatchConfig, console: Console, channel: trio.MemorySendChannel[FinishedHand]
    ) -> None:
        super().__init__(config, console)
        self._channel = channel
        self._hands: list[FinishedHand] = []
        self._since = trio.current_time()
        self._line = ""
        self._said = defaultdict[str, str](str)  # since the hand before, by field of a finished hand

    def hand_finished(self, chips_by_seat: Sequence[float]) -> bool:
        """See `Onlooker`."""
        self._hands.append(FinishedHand(self._line, tuple(chips_by_seat), **self._said))
        self._said.clear()
        return len(self._hands) == _AT_ONCE or trio.current_time() > self._since + _AT_LATEST_S

    async def continues(self) -> bool:
        """See `Onlooker`."""
        for hand in self._hands:
            await self._channel.send(hand)
        self._hands.clear()
        self._since = trio.current_time()
        return True

    def open(self) -> None:
        """Do nothing: there is nothing to open."""

    def write_header(self) -> None:
        """Do nothing: the first table has written it."""

    def write_key(self) -> None:
        """Do nothing: the first table writes it."""

    def write(self, text: str) -> None:
        """Keep lines for the log."""
        self._said["notes"] += text

    def write_hand(self, number: int, line: str) -> None:
        """Keep the line of a finished hand."""
        self._line = line

    def write_comments(self, lines: str) -> None:
        """Keep comment lines."""
        self._said["comments"] += lines

    def write_usage(self, lines: str) -> None:
        """Keep what decisions have cost."""
        self._said["usage"] += lines

    def write_told(self, text: str) -> None:
        """Keep what was said about strategies."""
        self._said["told"] += text
