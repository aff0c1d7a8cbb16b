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
from server.match.sharing.side_table import SideTable
from server.match.sharing.staffed_table import House, PassOrder, StaffedTable
from server.support.console import Console
from server.table.config import MatchConfig
from server.table.hand import PlayedHand
from server.table.match import MatchServer
from server.table.outcome import EarlierSittings, MatchOutcome, SeatOutcome
from server.table.seat import Seat
from server.table.stopping import Onlooker

_CHUNK: Final = 16
# Hands that a table plays before the next one's turn: players sit at all tables from then on.


@attrs.define(eq=False)
class _Side:
    """A side table in the house."""

    table: StaffedTable
    server: SideTable
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
        servers: list[SideTable] = []
        tables = self._most_sides + 1

        def side_table(config: MatchConfig) -> MatchServer:
            servers.append(SideTable(config, self._console, tables))
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

    async def hand(self, number: int, seats: Sequence[Seat]) -> PlayedHand | None:
        """See `server.table.hand.OtherTables`."""
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
