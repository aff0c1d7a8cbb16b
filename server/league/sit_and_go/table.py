"""A sit-and-go over sockets, for any program that can follow chips which carry over from hand to hand.

Its table is that of a match (`server.table.match`), but before each hand everybody who is dealt in is told
what is played: ``#game``, ``#names``, ``#stacks`` and ``#seat``, as in a room.  So a client must have asked
for ``game`` and ``stacks``; a client that has not is out before the first hand.  A player with no chips left
stays connected until the end, and is shown nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import attrs
import trio

from engine.poker.match_key import MatchKey, MatchSeed
from engine.poker.rules import CALL, FOLD, GameDefinition, HandState, format_game, play_hand
from engine.support.user_input import printable
from protocol import NEED_DATA, ConnectionClosed, Greeting, LocalProtocolError, Note, RemoteProtocolError
from protocol.extension import NEEDED_FOR_CHIPS
from protocol.match_state import HandMessages
from protocol.records import format_hand
from server.league.sit_and_go.log import (
    format_absence,
    format_crash,
    format_failure,
    format_head,
    format_out,
    hand_cards,
    take_line,
)
from server.support.console import Console
from server.support.errors import Failure, FailureKind, MatchAborted
from server.table.config import MatchConfig
from server.table.hand import HandOnTable
from server.table.lobby import welcome
from server.table.match import MatchServer
from server.table.records import MatchRecords
from server.table.reply import TABLES_PLAYING
from server.table.rules.sit_and_go import SitAndGoTable
from server.table.seat import Client, Seat

__all__ = ["SitAndGoServer"]

_GREETING_S: Final = 2.0
# Time for a client that has said its version to say what else it wants.
_NOT_TOLD: Final = (
    "does not ask for 'game' and 'stacks' (#riverboat/1 game stacks), so that nobody can tell it the chips "
    "and the blinds of a hand"
)


@attrs.define(eq=False)
class _Told:
    """What a client was told last, by name: it is repeated only when it changes."""

    client: Client
    notes: dict[str, str] = attrs.Factory(dict)


@attrs.frozen
class _Hand:
    """The hand in progress."""

    game: GameDefinition
    positions: dict[str, int]
    """By name, of those who are dealt in."""
    notes: dict[str, str]
    """For all of them."""

    def notes_for(self, name: str, number: int) -> dict[str, str]:
        """What a player is told before it."""
        return {**self.notes, "seat": str((self.positions[name] + number) % len(self.positions))}


class SitAndGoServer(MatchServer):
    """Plays a sit-and-go to its end, from wherever it was.

    Args:
        config: its ``names`` are those of the players who are still in, in seat order.
        console: where it is reported.
        table: in the state that the log describes.
        failing_is_leaving: a player that fails is out, with its chips; otherwise the house checks or folds
            for it.
    """

    def __init__(
        self, config: MatchConfig, console: Console, table: SitAndGoTable, *, failing_is_leaving: bool
    ) -> None:
        super().__init__(config, console, records=_Records(config, console, table))
        self._table = table
        self._failing_is_leaving = failing_is_leaving
        self._hand: _Hand | None = None
        self._told: dict[int, _Told] = {}
        self._noted = dict.fromkeys(config.names, 0)  # failures that are in the log
        self._by_name = {seat.name: seat for seat in self._seats}
        self._seating.on_change = self._introduce_newcomers

    @property
    def cards(self) -> MatchSeed | MatchKey:
        """The seed or key of the cards."""
        return self._config.cards

    def crash_lines(self, crashes: Mapping[int, str]) -> str:
        """What the log is to say about connections lost because a player's process ended.

        Args:
            crashes: by seat, how it ended.
        """
        ended = [(self._seats[number], how) for number, how in sorted(crashes.items())]
        return "".join(
            [
                format_crash(seat.name, how)
                for seat, how in ended
                if any(failure.kind is FailureKind.DISCONNECTED for failure in seat.failures)
            ]
        )

    def _abort(self, error: MatchAborted) -> None:
        """End the table when a disk is full; a player who never comes is out before the first hand."""
        if not error.seats:
            super()._abort(error)

    async def _play(self) -> None:
        self._plays_since = self._now()
        await self._admit_to_table()
        with TABLES_PLAYING.one_more(), self._adding_up_time():
            self._plays_since = self._now()
            while not self._table.is_over:
                await self._play_next()
        self._is_finished = True

    # --- who can play ----------------------------------------------------------------------------------

    async def _admit_to_table(self) -> None:
        """Dismiss clients that cannot be told what is played; players who have not come are out, too."""
        async with trio.open_nursery() as nursery:
            for seat in self._seats:
                if seat.client is not None and not seat.client.is_greeted:
                    nursery.start_soon(self._await_greeting, seat, seat.client)
        for seat in self._seats:
            client = seat.client
            if client is not None and not client.capabilities >= NEEDED_FOR_CHIPS:
                seat.has_failed(Failure(FailureKind.NONSENSE, _NOT_TOLD))
                self._seating.cut_off(seat)
                self.expect_nobody(seat.number)
            elif client is not None:
                continue
            elif not seat.failures:
                seat.has_failed(Failure(FailureKind.DISCONNECTED, "left before the first hand"))
            self._note([format_out(seat.name, seat.failures[0])], seat)

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
                    data = await client.channel.receive(deadline, may_poll=False)
                    if data is None:
                        return
                    connection.receive_data(data)
        except (RemoteProtocolError, trio.ClosedResourceError):
            pass  # it will not be told anything

    # --- a hand ----------------------------------------------------------------------------------------

    async def _play_next(self) -> None:
        """Play a hand, and put it on record before its end is shown."""
        table = self._table
        names, game, number = table.seating(), table.game(), table.hands
        by_position = [self._by_name[name] for name in names]
        seats = sorted(by_position, key=lambda seat: seat.number)
        positions: list[int | None] = [None] * len(self._seats)
        for position, seat in enumerate(by_position):
            positions[seat.number] = position
            seat.clock.new_hand()
        self._hand = self._prepared(names, game, number)
        for seat in seats:
            self._introduce(seat)
        await trio.lowlevel.checkpoint()
        deal = hand_cards(self.cards, number).dealer(game).deal()
        shown = HandOnTable(HandMessages(number, deal), tuple(positions))
        loop = play_hand(game, number, deal, is_passing=True)
        absent: dict[str, None] = {}
        try:
            state = next(loop)
            while True:
                self._situation = state, shown
                to_act = state.betting.position_to_act
                assert to_act is not None  # the hand loop asks only when somebody is to act
                seat = by_position[to_act]
                action, _ = await self._asking.ask(seats, seat, state, shown)
                if action is None:
                    action = FOLD if state.legal_actions().can_fold else CALL
                    absent[seat.name] = None
                state = loop.send(action)
        except StopIteration as finished:
            final: HandState = finished.value
        self._situation = final, shown
        self._finish(final, shown, by_position, absent)
        for seat in seats:
            if seat.client is not None:
                self._seating.show(seat, seat.client, self._situation)
            if seat.client is not None:
                self._seating.flush(seat, seat.client)
        self._hand = self._situation = None

    def _prepared(self, names: Sequence[str], game: GameDefinition, number: int) -> _Hand:
        n = len(names)
        in_seat_order = [names[(seat - number) % n] for seat in range(n)]
        most = max(game.stacks)  # so that stacks alone do not make another game of it
        nominal = attrs.evolve(
            game, stacks=(max(most, len(self._table.players) * self._table.terms.stack),) * n
        )
        notes = {
            "game": format_game(nominal).strip().replace("\n", ";"),
            "names": "|".join(in_seat_order),
            "stacks": "|".join(map(str, game.stacks)),
        }
        return _Hand(game, {name: position for position, name in enumerate(names)}, notes)

    def _introduce_newcomers(self) -> None:
        """Tell clients that have sat down in the middle of a hand what is played."""
        hand = self._hand
        for seat in self._seats:
            told = self._told.get(seat.number)
            is_new = told is None or told.client is not seat.client
            if hand is not None and seat.client is not None and is_new and seat.name in hand.positions:
                self._introduce(seat)

    def _introduce(self, seat: Seat) -> None:
        """Tell a seat's client what is new about the hand."""
        client, hand = seat.client, self._hand
        if client is None or hand is None:
            return
        told = self._told.get(seat.number)
        if told is None or told.client is not client:
            told = self._told[seat.number] = _Told(client)
        try:
            client.connection.play(hand.game)
            for name, text in hand.notes_for(seat.name, self._table.hands).items():
                if name in client.capabilities and told.notes.get(name) != text:
                    told.notes[name] = text
                    client.say(client.connection.send(Note(name, text)))
        except LocalProtocolError as error:  # a conversation that has broken down
            self._seating.break_off(seat, error)

    def _finish(
        self, final: HandState, shown: HandOnTable, by_position: Sequence[Seat], absent: dict[str, None]
    ) -> None:
        """Record a hand, with what happened to its players, and carry the chips over."""
        names = [seat.name for seat in by_position]
        line = format_hand(final, final.chips_won(), names, shown.messages.all_cards(final))
        failed = [seat for seat in by_position if len(seat.failures) > self._noted[seat.name]]
        before = [format_absence(name) for name in absent]
        take_line(line, self._table)
        after: list[str] = []
        for seat in failed:
            news = seat.failures[self._noted[seat.name] :]
            if self._failing_is_leaving and seat.name in self._table.left:
                after.append(format_out(seat.name, news[0]))
            else:
                before += [format_failure(seat.name, failure) for failure in news]
            self._noted[seat.name] = len(seat.failures)
        self._records.write("".join([*before, line, *after]))
        for text in after:
            take_line(text, self._table)
        self._console.hand_finished(final.hand_number)

    def _note(self, lines: Sequence[str], seat: Seat) -> None:
        """Record what happened between two hands, and act on it."""
        self._records.write("".join(lines))
        for line in lines:
            take_line(line, self._table)
        self._noted[seat.name] = len(seat.failures)


class _Records(MatchRecords):
    """The log of a sit-and-go."""

    def __init__(self, config: MatchConfig, console: Console, table: SitAndGoTable) -> None:
        super().__init__(config, console)
        self._table = table

    def is_complete(self) -> bool:
        """Whether it is over."""
        return self._table.is_over

    def write_header(self) -> None:
        """Begin the log."""
        if self._log is not None and self._log.is_empty:
            self.write(format_head(self._table))

    def write_key(self) -> None:
        """Do nothing: the tournament keeps the key."""

    def note(self, text: str) -> None:
        """Tell the operator; the log gets it with the hand."""
        self._console.err(f"riverboat: {printable(text)}\n")
