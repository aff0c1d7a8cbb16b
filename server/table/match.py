"""One match over sockets, from open ports to the score (docs/acpc-dealer.md sections 5 and 6).

`MatchServer` opens a table, seats the players, and has it fed with hands: those of a match by `MatchHands`.
The table itself is in `server.table.table`, the files are in `server.table.records`, and `server.table.book`
counts the hands and may end the match.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import trio

from engine.poker.rules import Action, CardDealer, HandState, KeyedDealer
from protocol.records import format_hand, format_stamp
from server.support import turns
from server.support.console import Console, now_us
from server.support.errors import MatchAborted
from server.table.book import FinishedHand, MatchBook, Onlooker
from server.table.config import MatchConfig, OnFailure
from server.table.outcome import EarlierSittings, MatchOutcome
from server.table.records import MatchRecords
from server.table.replay import Rehearsal, needs_rehearsal
from server.table.seat import HandOnTable, Seat
from server.table.table import Table

_SECONDS_EVERY: Final = 100
# Hands between the trace's "Seconds cumulatively spent" lines.


class OtherTables(Protocol):
    """Tables that play some of a match's hands."""

    async def hand(self, number: int, seats: Sequence[Seat]) -> FinishedHand | None:
        """A hand that another table plays, once it is over; None for a hand that no other table plays.

        Args:
            number: of the hand; asked for in order.
            seats: of the table that asks.

        Raises:
            MatchAborted: the table that plays it cannot go on.
        """


class MatchServer:
    """One match: `open`, tell the players the `ports`, `run`.

    Args:
        config: what is played.
        console: where it is reported.
        onlooker: told about every hand, and asked whether to continue; without one all hands are played.
        earlier: what the log does not tell about its hands, if the match is resumed from it.
        others: tables that play some of the hands; without them all are played here.
        records: of the hands; None for those that `config` names.
        feed: plays the hands at the table; None for those of a match.

    *Resource handling*: `run` closes everything when it ends, however it ends; call `close` if it is
    never run.
    """

    def __init__(
        self,
        config: MatchConfig,
        console: Console,
        onlooker: Onlooker | None = None,
        earlier: EarlierSittings | None = None,
        others: OtherTables | None = None,
        *,
        records: MatchRecords | None = None,
        feed: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.config: Final = config
        self.console: Final = console
        self.records: Final = records or MatchRecords(config, console)
        self.table: Final = Table(config, console, self.records, self._abort)
        self.seats: Final = self.table.seats
        """Seats in seat order."""
        self.book: Final = MatchBook(config, console, self.records, onlooker, earlier)
        self._feed = feed or MatchHands(self, others).play
        self._main_scope = trio.CancelScope()  # around everything up to the score
        self.needs_players = True
        """Whether more hands are to come; known once the files are `open`."""
        if earlier is not None:
            for seat, before in zip(self.seats, earlier.seats, strict=True):
                seat.take_over(before)

    @property
    def ports(self) -> tuple[int, ...]:
        """Ports in seat order."""
        return self.table.seating.ports

    def open(self) -> None:
        """Open the files, then the ports (docs/acpc-dealer.md 5.1).

        Raises:
            MatchAborted: with the line that says which file or port it is.
        """
        try:
            self.records.open()
            self.needs_players = not self.records.is_complete()
            self.table.seating.open()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release files, ports and clients."""
        self.table.seating.close()
        self.records.close()

    async def run(self) -> MatchOutcome:
        """Seat the players, play the match, say goodbye."""
        seating = self.table.seating
        self.table.start()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(seating.run)
                with self._main_scope:
                    try:
                        self.records.write_header()
                        if self.needs_players:
                            await seating.wait_for_players()
                        with self.book.adding_up_time():
                            await self._feed()
                    except MatchAborted as error:
                        self._abort(error)
                self.book.report_abort()
                seating.end()
        finally:
            self.close()
        return self.outcome()

    def outcome(self) -> MatchOutcome:
        """The outcome of the match so far."""
        return self.book.outcome([seat.outcome() for seat in self.seats])

    def _abort(self, error: MatchAborted) -> None:
        """End the match; callable from any task."""
        if self.config.carries_chips and error.seats:
            return  # a player who never comes is out before the first hand
        if self.book.aborted is None:
            self.book.aborted = error
        self._main_scope.cancel()


class MatchHands:
    """Feeds a table with the hands of a match, beginning with those of an interrupted match.

    Args:
        server: of the match.
        others: tables that play some of its hands.
    """

    def __init__(self, server: MatchServer, others: OtherTables | None = None) -> None:
        self._config = server.config
        self._console = server.console
        self._records = server.records
        self._table = server.table
        self._book = server.book
        self._others = others
        self._rehearsal: Rehearsal | None = None

    async def play(self) -> None:
        """Play all hands, and write the score."""
        config, records, book, table = self._config, self._records, self._book, self._table
        if not config.quiet:
            table.asking.last_send_us = now_us()  # until a state is sent
            self._console.err(f"STARTED at {format_stamp(table.asking.last_send_us)}\n")
        records.begin_replay()
        if config.rehearses and records.is_replaying:
            rehearsing = [seat for seat in table.seats if needs_rehearsal(seat, config)]
            self._rehearsal = Rehearsal(rehearsing, config)
        dealer = config.cards.dealer(config.game)
        with turns.here().one_more_table():
            for hand_number in range(config.hands):
                if records.was_ended:
                    break
                played = None
                if self._others is not None and not records.is_replaying:
                    played = await self._others.hand(hand_number, table.seats)
                if played is None:
                    await self.play_hand(hand_number, dealer)
                else:
                    dealer.skip(1)
                    book.take_in(played)
                if book.pauses and not await self.continues():
                    break
            self.flush()
        self._end_rehearsal()
        if not config.quiet:
            self._console.err(f"FINISHED at {format_stamp(table.asking.last_send_us)}\n")
        book.finish()

    async def continues(self) -> bool:
        """Whether another hand is played, after a hand in which the book `pauses`."""
        self.flush()
        return await self._book.continues()

    def flush(self) -> None:
        """Write what has been said to the players, and the trace."""
        self._table.flush()
        self._records.flush_trace()

    async def play_hand(self, hand_number: int, dealer: CardDealer | KeyedDealer) -> None:
        """Play a hand, or replay it from the records."""
        config, records, table = self._config, self._records, self._table
        seats = table.seats
        shift = config.shift(hand_number)
        by_position = seats[shift:] + seats[:shift]
        is_live = not records.is_replaying
        if is_live:
            self._book.is_live = True
            self._book.start_clock()
            self._end_rehearsal()
        await table.asking.turns.let_others_run(table.asking.now())  # the one place in a fast match
        replay = None if is_live else self._replayed_action
        end = await table.play(config.game, hand_number, records.deal(dealer), by_position, replay=replay)
        final, hand = end
        chips = final.chips_won()
        for seat in by_position:
            if not records.is_replaying:  # else it has been written
                records.write_said(seat, hand_number)
            seat.policies, seat.usage, seat.comments = {}, {}, []
        cards = hand.messages.all_cards(final)
        line = format_hand(final, chips, [seat.name for seat in by_position], cards)
        self._book.add(line, chips[-shift:] + chips[:-shift])
        audience = seats if table.was_live else () if self._rehearsal is None else self._rehearsal.seats
        table.show_end(end, audience)  # written together with the next hand's first state
        if table.was_live and not config.quiet and hand_number % _SECONDS_EVERY == 0:
            for seat in seats:
                spent = int(seat.clock.in_match)
                records.trace(f"Seconds cumulatively spent in match for seat {seat.number}: {spent}\n")

    async def _replayed_action(self, seat: Seat, state: HandState, hand: HandOnTable) -> Action:
        """The next action on record, charged to its seat's clock (docs/acpc-dealer.md 6.4).

        Players who may have learned from an earlier sitting's hand are shown it again.  A player's answer is
        compared with what was done; what was done stands.
        """
        entry = self._records.replayed(state)
        if seat.clock.charge(entry.seconds) and self._config.on_failure is OnFailure.ACPC:
            raise MatchAborted(f"ERROR: seat {seat.number + 1} ran out of time in transaction file\n")
        rehearsal = self._rehearsal
        if rehearsal is not None:
            self._table.seating.situation = state, hand
            answer, _ = await self._table.asking.ask(rehearsal.seats, seat, state)
            if seat in rehearsal.seats:
                rehearsal.has_answered(seat, answer, entry.action)
        return entry.action

    def _end_rehearsal(self) -> None:
        """End the rehearsal: from now on answers count."""
        if self._rehearsal is not None:
            for line in self._rehearsal.end():
                self._console.err(f"riverboat: {line}\n")
            self._rehearsal = None
