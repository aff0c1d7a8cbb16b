"""A sit-and-go over sockets, for any program that can follow chips which carry over from hand to hand.

It feeds a table (`server.table.table`), but before each hand everybody who is dealt in is told what is
played: ``#game``, ``#names``, ``#stacks`` and ``#seat``, as in a room.  So a client must have asked for
``game`` and ``stacks``; a client that has not is out before the first hand.  A player with no chips left
stays connected until the end, and is shown nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import trio

from engine.poker.rules import GameDefinition
from engine.support.user_input import printable
from protocol import NEED_DATA, ConnectionClosed, Greeting, RemoteProtocolError
from protocol.extension import NEEDED_FOR_CHIPS, hand_introductions
from protocol.records import format_hand
from server.league.sit_and_go import log
from server.support import turns
from server.support.console import Console
from server.support.errors import Failure, FailureKind
from server.table.config import MatchConfig
from server.table.lobby import welcome
from server.table.match import MatchServer
from server.table.records import MatchRecords
from server.table.rules.sit_and_go import SitAndGoTable
from server.table.seat import Client, Seat, Situation

_GREETING_S: Final = 2.0
# Time for a client that has said its version to say what else it wants.
_NOT_TOLD: Final = (
    "does not ask for 'game' and 'stacks' (#riverboat/1 game stacks), so that nobody can tell it the chips "
    "and the blinds of a hand"
)


class SitAndGoHands:
    """Feeds a table with the hands of a sit-and-go, from wherever it was to its end.

    Args:
        config: its ``names`` are those of the players who are still in, in seat order.
        console: where it is reported.
        standing: in the state that the log describes.
        failing_is_leaving: a player that fails is out, with its chips; otherwise the house checks or folds
            for it.
    """

    def __init__(
        self, config: MatchConfig, console: Console, standing: SitAndGoTable, *, failing_is_leaving: bool
    ) -> None:
        self._config = config
        self._console = console
        self._standing = standing
        self._failing_is_leaving = failing_is_leaving
        self._log = _Log(config, console, standing)
        self.server: Final = MatchServer(config, console, records=self._log, feed=self._play)
        """The table, over sockets."""
        self._table = self.server.table
        self._noted = dict.fromkeys(config.names, 0)  # failures that are in the log
        self._by_name = {seat.name: seat for seat in self._table.seats}
        self._game: GameDefinition | None = None  # of the hand in progress
        self._notes: dict[str, dict[str, str]] = {}  # on that hand, by name
        self._introduced: dict[int, Client] = {}  # clients by seat
        self._table.seating.on_change = self._introduce_newcomers

    def crash_lines(self, crashes: Mapping[int, str]) -> str:
        """What the log is to say about connections lost because a player's process ended.

        Args:
            crashes: by seat, how it ended.
        """
        ended = [(self._table.seats[number], how) for number, how in sorted(crashes.items())]
        return "".join(
            [
                log.format_crash(seat.name, how)
                for seat, how in ended
                if any(failure.kind is FailureKind.DISCONNECTED for failure in seat.failures)
            ]
        )

    async def _play(self) -> None:
        await self._admit_to_table()
        self.server.book.start_clock()
        with turns.here().one_more_table():
            while not self._standing.is_over:
                await self._play_next()

    # --- who can play ----------------------------------------------------------------------------------

    async def _admit_to_table(self) -> None:
        """Dismiss clients that cannot be told what is played; players who have not come are out, too."""
        async with trio.open_nursery() as nursery:
            for seat in self._table.seats:
                if seat.client is not None and not seat.client.is_greeted:
                    nursery.start_soon(self._await_greeting, seat, seat.client)
        for seat in self._table.seats:
            client = seat.client
            if client is not None and not client.capabilities >= NEEDED_FOR_CHIPS:
                seat.has_failed(Failure(FailureKind.NONSENSE, _NOT_TOLD))
                self._table.seating.cut_off(seat)
                self._table.seating.expect_nobody(seat.number)
            elif client is not None:
                continue
            elif not seat.failures:
                seat.has_failed(Failure(FailureKind.DISCONNECTED, "left before the first hand"))
            self._note([log.format_out(seat.name, seat.failures[0])], seat)

    async def _await_greeting(self, seat: Seat, client: Client) -> None:
        """Read what a client says after its version, for a while."""
        deadline = trio.current_time() + _GREETING_S
        connection = client.connection
        try:
            while not client.is_greeted:
                event = connection.next_event()
                if isinstance(event, Greeting):
                    welcome(seat, client, event.words, self._config)
                elif isinstance(event, ConnectionClosed):
                    return
                elif event is NEED_DATA:
                    data = await client.channel.receive(deadline)
                    if data is None:
                        return
                    connection.receive_data(data)
        except (RemoteProtocolError, trio.ClosedResourceError):
            pass  # it will not be told anything

    # --- a hand ----------------------------------------------------------------------------------------

    async def _play_next(self) -> None:
        """Play a hand, and put it on record before its end is shown."""
        standing, table = self._standing, self._table
        names, game, number = standing.seating(), standing.game(), standing.hands
        by_position = [self._by_name[name] for name in names]
        chips = len(standing.players) * standing.terms.stack
        self._game = game
        self._notes = dict(zip(names, hand_introductions(game, number, names, chips), strict=True))
        for seat in by_position:
            self._introduce(seat)
        await trio.lowlevel.checkpoint()
        deal = log.hand_cards(self._config.cards, number).dealer(game).deal()
        end = await table.play(game, number, deal, by_position, is_passing=True)
        self._finish(end, by_position)
        table.show_end(end, by_position)
        table.flush()
        self._game = table.seating.situation = None

    def _introduce_newcomers(self) -> None:
        """Tell clients that have sat down in the middle of a hand what is played."""
        for seat in self._table.seats:
            if seat.client is not self._introduced.get(seat.number):
                self._introduce(seat)

    def _introduce(self, seat: Seat) -> None:
        """Tell a seat's client what is new about the hand, if it is dealt in."""
        client = seat.client
        if client is not None and self._game is not None and seat.name in self._notes:
            self._introduced[seat.number] = client
            self._table.introduce(seat, client, self._game, self._notes[seat.name])

    def _finish(self, end: Situation, by_position: Sequence[Seat]) -> None:
        """Record a hand, with what happened to its players, and carry the chips over."""
        final, hand = end
        names = [seat.name for seat in by_position]
        line = format_hand(final, final.chips_won(), names, hand.messages.all_cards(final))
        key = log.format_before(line, self._config.cards, final.hand_number, final.betting.game)
        failed = [seat for seat in by_position if len(seat.failures) > self._noted[seat.name]]
        before = [log.format_absence(seat.name) for seat in self._table.absent]
        log.take_line(line, self._standing)
        after: list[str] = []
        for seat in failed:
            news = seat.failures[self._noted[seat.name] :]
            if self._failing_is_leaving and seat.name in self._standing.left:
                after.append(log.format_out(seat.name, news[0]))
            else:
                before += [log.format_failure(seat.name, failure) for failure in news]
            self._noted[seat.name] = len(seat.failures)
        self._log.write("".join([*before, key, line, *after]))
        for text in after:
            log.take_line(text, self._standing)
        self._console.hand_finished(final.hand_number)

    def _note(self, lines: Sequence[str], seat: Seat) -> None:
        """Record what happened between two hands, and act on it."""
        self._log.write("".join(lines))
        for line in lines:
            log.take_line(line, self._standing)
        self._noted[seat.name] = len(seat.failures)


class _Log(MatchRecords):
    """The log of a sit-and-go."""

    def __init__(self, config: MatchConfig, console: Console, standing: SitAndGoTable) -> None:
        super().__init__(config, console)
        self._standing = standing

    def is_complete(self) -> bool:
        """Whether it is over."""
        return self._standing.is_over

    def write_header(self) -> None:
        """Begin the log, or go on with it."""
        if self.log is not None:
            self.write(log.format_begin(self._standing, self.config.cards, is_new=self.log.is_empty))

    def write_key(self) -> None:
        """Do nothing: every hand has its own, or they follow from the tournament's seed."""

    def note(self, text: str) -> None:
        """Tell the operator; the log gets it with the hand."""
        self.console.err(f"riverboat: {printable(text)}\n")
