"""A table of the room: hand after hand, for as long as the room is open.

Everybody comes and goes between hands (`server.room.tables.company`), so that during a hand only connections
change.  The hand itself is played as in a match (`server.table.table`).  Its result is in the ledger before
anybody is shown its end.
"""

from __future__ import annotations

import contextlib
import secrets
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from engine.poker.cards import CARD_TEXTS
from engine.poker.match_key import MatchKey
from engine.poker.rules import BettingState, GameDefinition, HandState, Rake
from protocol import LocalProtocolError
from protocol.extension import LOBBY, format_game_line, hand_introductions
from protocol.records import format_hand
from server.room.config import Policy, TableConfig
from server.room.ledger.ledger import HandEntry, Ledger, LedgerIsFull
from server.room.tables.company import Company
from server.room.tables.contest import Contest
from server.room.tables.filling import SendBot
from server.room.tables.log import TableLog, format_entry, match_config
from server.room.tables.place import Place, RequestRefused, Visitor, Wish
from server.room.tables.spectating import Audience, shown_holes
from server.support import turns
from server.support.console import Console
from server.table.channel import ChannelBroken
from server.table.rules.chips import settle
from server.table.rules.line_up import Joining, LineUp, can_use_up_chips, line_up
from server.table.seat import Situation
from server.table.table import Table

_AGAIN_S: Final = 2.0
# Between attempts to write to a ledger whose disk is full.


@attrs.define(eq=False)
class _PreparedHand:
    """The hand in progress."""

    number: int
    line_up: LineUp
    key: MatchKey
    places: tuple[Place, ...]
    """By position."""
    notes: tuple[dict[str, str], ...]
    """By position, what the player is told before it."""

    @property
    def game(self) -> GameDefinition:
        """The game, with the players' stacks."""
        return self.line_up.game


class RoomTable:
    """One table: `run` plays until it is closed.

    Args:
        config: the table.
        ledger: of the room.
        folder: of the room's data.
        console: for the operator.
        send_bot: asks one of the house's bots to come to this table; returns its name.
    """

    def __init__(
        self, config: TableConfig, ledger: Ledger, folder: Path, console: Console, send_bot: SendBot
    ) -> None:
        self.config = config
        self._ledger = ledger
        self._console = console
        setup = match_config(config, folder)
        self._log = TableLog(setup, console, config)
        self.company: Final = Company(config, ledger, send_bot)
        """Who sits here."""
        self.company.on_show = self._show_cards
        entrance = self.company.entrance
        self.audience: Final = Audience()
        """Those who watch."""
        self._table = Table(setup, console, self._log, self._broken, entrance)
        self._table.on_state = self._show
        self._seating = self.company.seating = self._table.seating
        self._seating.on_change = lambda: self.company.changed.set()
        self._hand: _PreparedHand | None = None
        self._shown_at = 0.0  # when the hand was last shown, on trio's clock
        self._next_hand, self._blinds = ledger.open_table(config.name)
        self._draw = secrets.randbelow
        self._is_closing: str | None = None
        self.closed: Final = trio.Event()
        """Set when nothing is played here any more."""
        self.hands_played = 0
        """Played since it was opened."""
        self.is_paused = False
        """The ledger's disk is full."""
        self._log.begin(ledger)
        self.company.resume()

    # --- from outside ----------------------------------------------------------------------------------

    @property
    def places(self) -> tuple[Place | None, ...]:
        """Places by seat."""
        return tuple(self.company.places)

    def may_come(self, newcomer: Visitor | None = None) -> bool:
        """Whether somebody who comes now may find a seat; see `Company.may_come`."""
        return self._is_closing is None and self.company.may_come(newcomer)

    @property
    def is_playing(self) -> bool:
        """Whether a hand is in progress."""
        return self._hand is not None

    def change(self, **changes: Any) -> None:
        """Change the table from its next hand on."""
        self.config = attrs.evolve(self.config, **changes)
        self.company.config = self.company.filling.config = self.config
        self.company.changed.set()

    async def join(self, visitor: Visitor, wish: Wish) -> Place:
        """Give somebody a seat, between two hands; if they already have one, at once.

        Args:
            visitor: has a player, and no seat anywhere.
            wish: chips and seat.

        Raises:
            RequestRefused: there is no seat for them.
        """
        if self._is_closing is not None:
            raise RequestRefused(self._is_closing)
        kept = self.company.kept_for(visitor)
        if kept is not None:
            self._come_back(kept, visitor)
            return kept
        return await self.company.arrive(visitor, wish)

    def close(self, reason: str) -> None:
        """Play no further hand, do not wait for players who have gone, and let everybody go."""
        self._is_closing = reason
        for seat in self._seating.seats:
            self._seating.expect_nobody(seat.number)
        self.company.changed.set()

    async def run(self) -> None:
        """Play until `close` and the end of the hand."""
        self._table.start()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._seating.run)
            try:
                while self._is_closing is None:
                    await self._pause_while_full(self.company.between_hands)
                    seated = self._line_up()
                    if self._is_closing is not None:
                        break
                    if seated is None or (self.company.has_people and self.company.filling.is_under_way):
                        await self.company.wait_for_change()
                    else:
                        await self._play(seated)
                reason = self._is_closing or "the table is closed"
                await self._pause_while_full(lambda: self.company.dismiss_all(reason))
            finally:
                self.closed.set()
                self.company.abandon()  # nobody, if all have been dismissed
                self._seating.end()
                self._log.close()
                self.audience.close()

    def abandon(self) -> None:
        """Cut everybody off, after a fault of ours; the ledger has all finished hands."""
        self.company.abandon()
        self._seating.close()
        self._log.close()
        self.audience.close()

    def _broken(self, error: Exception) -> None:
        """Handle what would end a match; a table continues."""
        self._console.err("".join(traceback.format_exception(error)))

    async def _pause_while_full(self, write: Callable[[], object]) -> None:
        """Write to the ledger; while its disk is full the table waits, and nothing is lost."""
        while True:
            try:
                write()
            except LedgerIsFull as error:
                if not self.is_paused:
                    self.is_paused = True
                    self._console.err(
                        f"riverboat: {self.config.name}: the ledger cannot be written: {error}\n"
                    )
                    self.company.tell([f"the table is paused: {error}"])
                await trio.sleep(_AGAIN_S)
                continue
            if self.is_paused:
                self.is_paused = False
                self._console.err(f"riverboat: {self.config.name}: the ledger can be written again\n")
                self.company.tell(["the table goes on"])
            return

    # --- pace ------------------------------------------------------------------------------------------

    def _show(self, state: HandState) -> None:
        """Tell those who watch how the hand stands."""
        self._shown_at = trio.current_time()
        self.audience.show(state)

    @property
    def _keeps_pace(self) -> bool:
        """Whether somebody is there for whom it is to be slow."""
        return self.config.exhibition or self.company.has_people

    def _show_cards(self, name: str, hand: int, cards: tuple[int, ...]) -> None:
        """Tell everybody about cards that nobody had to show."""
        self.company.tell([f"{name} shows {' '.join([CARD_TEXTS[card] for card in cards])}"])
        self.audience.shows(hand, name, cards)

    async def _let_action_stand(self) -> None:
        await trio.sleep_until(self._shown_at + self.config.pace_s)

    async def _let_end_stand(self, final: BettingState) -> None:
        """Wait after a hand; streets that were dealt without a decision take the time of an action each."""
        config, seconds = self.config, self.config.pause_s
        if self._keeps_pace:
            before = next((step[0].betting_round for step in final.steps_back()), 0)
            unplayed = final.betting_round - before if final.is_showdown else 0
            seconds = max(seconds, config.showdown_s + config.pace_s * unplayed)
        await self.company.wait_a_while(seconds)

    # --- a hand ----------------------------------------------------------------------------------------

    def _line_up(self) -> LineUp | None:
        """The players of the next hand; None while there are too few, or nobody to play for."""
        config, company = self.config, self.company
        if company.is_held:
            return None
        if company.contest is not None:
            return self._line_up_contest(company.contest)
        if not (config.alone or company.has_visitors):
            return None
        ready = {place.seat.number: place for place in company.seated() if place.plays}
        seated = self._seated(ready)
        plain = [number for number, place in ready.items() if place.visitor and place.visitor.is_plain]
        if seated is not None and plain and not self._is_as_in_the_file(seated.game):
            for number in plain:
                del ready[number]
            seated = self._seated(ready)
        return seated

    def _line_up_contest(self, contest: Contest) -> LineUp | None:
        """A sit-and-go's next hand: everybody who is in plays, or nobody while one of them has gone."""
        places = self.company.seated()
        if not contest.is_on or not all(place.plays for place in places):
            return None
        news = contest.news()
        if news is not None:
            self.company.tell([news])
        last = self._blinds if contest.hands else None
        entries = {place.seat.number: (place.stack, Joining.IN) for place in places}
        return line_up(contest.game(), entries, last, self._draw)

    def _seated(self, ready: dict[int, Place]) -> LineUp | None:
        if self.config.policy is Policy.MATCH:
            if len(ready) < self.config.seats:
                return None
            entries = dict.fromkeys(ready, (self.config.game.stacks[0], Joining.IN))
            found = line_up(self.config.game, entries, self._blinds, self._draw)
            return None if found is None else attrs.evolve(found, game=self.config.game)
        entries = {number: (place.stack, self.company.entry(place)) for number, place in ready.items()}
        return line_up(self.config.game, entries, self._blinds, self._draw)

    def _is_as_in_the_file(self, game: GameDefinition) -> bool:
        """Whether a client that knows only the table's game file can follow this hand."""
        own = self.config.game
        if game == own:
            return True
        same_players = game.num_players == own.num_players
        return same_players and attrs.evolve(game, stacks=own.stacks) == own and not can_use_up_chips(game)

    async def _play(self, seated: LineUp) -> None:
        """Play a hand, from its cards to the ledger."""
        hand = self._hand = self._prepared(seated)
        by_position = [place.seat for place in hand.places]
        deal = hand.key.dealer(hand.game).deal()
        self.audience.hand_begins([place.player.name for place in hand.places], seated)
        await trio.lowlevel.checkpoint()
        carries = self.config.policy is not Policy.MATCH
        self._table.pace = self._let_action_stand if self._keeps_pace and self.config.pace_s else None
        with turns.here().one_more_table():
            end = await self._table.play(hand.game, hand.number, deal, by_position, is_passing=carries)
        await self._finish(hand, end)
        await self._let_end_stand(end[0].betting)

    def _prepared(self, seated: LineUp) -> _PreparedHand:
        """The next hand, after its players have been told about it."""
        places = tuple([self.company.place(number) for number in seated.seats])
        number, key, game = self._next_hand, MatchKey.random(), seated.game
        contest = self.company.contest
        chips = 0 if contest is None else contest.terms.stack * contest.entrants
        nominal = max(
            chips, self.config.most, 2 * game.big_blind + max(game.antes), max(self.config.game.stacks)
        )
        names = [place.player.name for place in places]
        notes = hand_introductions(game, number, names, nominal, commit=key.commitment)
        hand = _PreparedHand(number, seated, key, places, tuple(notes))
        for position in range(len(places)):
            self._introduce(hand, position)
        return hand

    def _introduce(self, hand: _PreparedHand, position: int) -> None:
        """Tell a player what is played in this hand."""
        place = hand.places[position]
        if place.visitor is not None:
            notes = hand.notes[position] if LOBBY in place.visitor.client.capabilities else {}
            self._table.introduce(place.seat, place.visitor.client, hand.game, notes)

    def _come_back(self, place: Place, visitor: Visitor) -> None:
        """Reconnect a player whose seat was kept."""
        if place.visitor is not None:
            if LOBBY in place.visitor.client.capabilities:
                with contextlib.suppress(ChannelBroken, LocalProtocolError):  # it may have gone
                    place.visitor.loses_seat("you play in another window now")
            self._seating.cut_off(place.seat)
        visitor.begins_to_sit(self.config.name, place.seat.number, place.stack)
        place.occupy(visitor)
        hand = self._hand
        if hand is not None and place in hand.places:
            self._introduce(hand, hand.places.index(place))
        self.company.hand_over(place, visitor)

    async def _finish(self, hand: _PreparedHand, end: Situation) -> None:
        """Book a hand, then show its end."""
        config, contest = self.config, self.company.contest
        final, shown = end
        settlement = settle(final, config.rake if config.policy is Policy.RING else Rake())
        nets = dict(zip(hand.line_up.seats, settlement.net, strict=True))
        outs = [] if contest is None else contest.lost_all(nets)
        names = [place.player.name for place in hand.places]
        entry = HandEntry(
            config.name,
            hand.number,
            format_game_line(hand.game),
            format_hand(final, settlement.chips, names, shown.messages.all_cards(final)),
            hand.key.text,
        )

        def book() -> None:
            chips = settlement.chips if contest is None else (0,) * len(nets)
            also = None if contest is None else lambda number: contest.book(number, nets, outs)
            seats, blinds, is_ring = hand.line_up.seats, hand.line_up.blinds, config.policy is Policy.RING
            self._ledger.hand_finished(
                entry, seats, chips, settlement.rake, blinds, moves_chips=is_ring, also=also
            )

        await self._pause_while_full(book)
        self._log.write(format_entry(entry))
        if config.policy is not Policy.MATCH:
            for place in hand.places:
                place.stack += nets[place.seat.number]
        news = [] if contest is None else contest.hand_is_over(outs)
        self.company.hand_is_over(hand.places)
        for place, cards, seen in zip(hand.places, final.deal.hole_cards, shown_holes(final), strict=True):
            place.unshown = None if seen else (hand.number, cards)
        self._table.show_end(end, [place.seat for place in hand.places])
        self._table.flush()
        self.company.tell(news)
        self.audience.hand_ends(final, settlement.chips)
        self._seating.situation = self._hand = None
        self._next_hand = hand.number + 1
        self._blinds = hand.line_up.blinds
        self.hands_played += 1
        self._console.hand_finished(hand.number)
