"""The hands of a pass, divided among several tables: ``riverboat match --jobs N``.

The first table keeps the records: it plays its share of the hands, and takes over those that side tables have
played, in order.  Log and result are those of one table if no player carries anything from hand to hand, and
hands are divided only in that case.  Our own players say so when they sit down
(`protocol.extension.UNREHEARSED`); for other programs the user may say it (``--stateless``).  So players of
side tables are launched once those of the first table have sat down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import trio

from engine.support.files.shards import Share
from protocol.extension import UNREHEARSED
from server.match.sharing.staffed_table import House, PassOrder, StaffedTable
from server.support.console import Console
from server.support.errors import MatchAborted
from server.table.book import FinishedHand, Onlooker
from server.table.config import MatchConfig
from server.table.match import MatchHands, MatchServer
from server.table.outcome import EarlierSittings, MatchOutcome, SeatOutcome
from server.table.records import MatchRecords
from server.table.reply import TABLES_PLAYING
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
    """A side table in the house."""

    table: StaffedTable
    server: _SideTable
    scope: trio.CancelScope = attrs.Factory(trio.CancelScope)
    has_begun: bool = False
    has_ended: bool = False


class SharedPass:
    """A pass that is played at one table or several: `open`, `run`.

    Args:
        house: where the tables are.
        order: who plays what.
        console: where it is reported.
        onlooker: told about every hand, in order.
        earlier: what the log does not tell about its hands, if the match is resumed from it.
        tables: how many there may be.
        trusts_programs: programs that are not installed bots carry nothing from hand to hand.

    *Resource handling*: `run` closes everything when it ends, however it ends.
    """

    def __init__(
        self,
        house: House,
        order: PassOrder,
        console: Console,
        onlooker: Onlooker,
        earlier: EarlierSittings | None,
        tables: int = 1,
        *,
        trusts_programs: bool = False,
    ) -> None:
        self._house = house
        self._order = order
        self._console = console
        self._trusts_programs = trusts_programs
        self._sides: list[_Side] = []
        self._nursery: trio.Nursery | None = None
        self._share: Share | None = None
        """That of the first table; None before it is known."""
        others = self if tables > 1 else None

        def first_table(config: MatchConfig) -> MatchServer:
            return MatchServer(config, console, onlooker, earlier, others)

        self._first = StaffedTable(house, order, first_table)
        self._most_sides = tables - 1

    def open(self) -> None:
        """Open the tables.

        Raises:
            MatchAborted: with the line that says which file or port cannot be opened.
        """
        try:
            self._first.open()
            while self._first.server.needs_players and len(self._sides) < self._most_sides:
                side = self._new_side(len(self._sides) + 1)
                side.table.open()
                self._sides.append(side)
        except BaseException:
            self._close()
            raise

    def _new_side(self, number: int) -> _Side:
        servers: list[_SideTable] = []
        tables = self._most_sides + 1

        def side_table(config: MatchConfig) -> MatchServer:
            servers.append(_SideTable(config, self._console, tables))
            return servers[0]

        return _Side(StaffedTable(self._house, self._order, side_table, number), servers[0])

    def _close(self) -> None:
        self._first.close()
        for side in self._sides:
            if not side.has_begun:
                side.table.close()

    async def run(self) -> None:
        """Play the pass."""
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                await self._first.run()
                for side in self._sides:
                    if not side.has_ended:  # else its players are still given time to end
                        side.scope.cancel()
        finally:
            self._close()

    async def hand(self, number: int, seats: Sequence[Seat]) -> FinishedHand | None:
        """See `server.table.match.OtherTables`."""
        if self._share is None:
            self._share_out(number, seats)
        assert self._share is not None  # from here on
        offset = self._share.offset_of(number)
        if not offset:
            return None
        side = self._sides[offset - 1]
        try:
            return await side.server.played.receive()
        except trio.EndOfChannel:
            raise side.server.fault() from None

    def _share_out(self, first: int, seats: Sequence[Seat]) -> None:
        """Have the side tables play their shares of the hands from `first` on, if the players allow it."""
        hands = self._order.config.hands
        stateful = [seat for seat in seats if not self._is_stateless(seat)]
        if stateful:
            may = f"{' and '.join(seat.name for seat in stateful)} may carry something from hand to hand"
            programs = any(not self._order.seated[seat.number].is_bot for seat in stateful)
            help_ = " (--stateless says that programs do not)" if programs else ""
            self._house.say(f"{may}: the hands of a pass are not shared out{help_}")
            self._close_sides()
        stride = len(self._sides) + 1
        shares = [Share(first, hands, _CHUNK, stride, offset) for offset in range(stride)]
        self._share = shares[0]
        assert self._nursery is not None  # the first table runs in it
        for side, share in zip(self._sides, shares[1:], strict=True):
            side.has_begun = True
            side.server.share = share
            self._nursery.start_soon(self._run_side, side)

    def _is_stateless(self, seat: Seat) -> bool:
        client = seat.client
        if client is not None and UNREHEARSED in client.capabilities:
            return True
        return self._trusts_programs and not self._order.seated[seat.number].is_bot

    def _close_sides(self) -> None:
        for side in self._sides:
            side.table.close()
        self._sides.clear()

    async def _run_side(self, side: _Side) -> None:
        try:
            with side.scope:
                await side.table.run()
        finally:
            side.server.end()

    # --- the outcome -------------------------------------------------------------------------------------

    @property
    def was_in_vain(self) -> bool:
        """Whether a player could not be started, or never joined."""
        return any(table.was_in_vain for table in self._tables())

    def crashes(self) -> dict[int, str]:
        """By seat, how processes ended by themselves, with an error."""
        return {seat: how for table in reversed(self._tables()) for seat, how in table.crashes().items()}

    def replaced(self) -> dict[int, str]:
        """By seat, how processes ended while a client not recognised as theirs played on in their seat."""
        return {seat: how for table in reversed(self._tables()) for seat, how in table.replaced().items()}

    def outcome(self) -> MatchOutcome:
        """The outcome of the pass so far."""
        outcome = self._first.server.outcome()
        for side in self._sides:
            seats = zip(outcome.seats, side.server.outcome().seats, strict=True)
            outcome = attrs.evolve(outcome, seats=tuple([_together(*both) for both in seats]))
        return outcome

    def _tables(self) -> list[StaffedTable]:
        return [self._first, *[side.table for side in self._sides]]


def _together(one: SeatOutcome, other: SeatOutcome) -> SeatOutcome:
    """What is known about a player that plays at two tables."""
    return SeatOutcome(
        one.name,
        [*one.failures, *other.failures],
        one.more_failures + other.more_failures,
        one.decision_times + other.decision_times,
        one.warnings + other.warnings,
        one.hands_by_default + other.hands_by_default,
        one.seconds_used + other.seconds_used,
    )


# --- side tables -------------------------------------------------------------------------------------


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
        with TABLES_PLAYING.one_more():
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
        self._line = self._notes = self._told = ""  # since the hand before

    def hand_finished(self, chips_by_seat: Sequence[float]) -> bool:
        """See `Onlooker`."""
        self._hands.append(FinishedHand(self._line, tuple(chips_by_seat), self._notes, self._told))
        self._notes = self._told = ""
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
        self._notes += text

    def write_hand(self, line: str) -> None:
        """Keep the line of a finished hand."""
        self._line = line

    def write_told(self, text: str) -> None:
        """Keep what was said about strategies."""
        self._told += text
