"""Who is at a table: seats given and given up, chips brought and taken away, bots that make room.

All of it happens between two hands, in `Company.between_hands`, in this order: requests made since the last
time are heard, seats are given up, chips are brought, seats are given to those who wait, and the house's bots
are called if seats are left.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import trio

from server.room.config import Policy, TableConfig
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import Ledger, Registered
from server.room.ledger.sit_and_gos import SitAndGos
from server.room.tables.contest import Contest
from server.room.tables.filling import Filling, SendBot
from server.room.tables.place import Arrival, Handover, Place, RequestRefused, Visitor, Wish
from server.room.tables.requests import hear
from server.room.tables.shares import in_order_of_shares, one_too_many
from server.table.channel import ChannelBroken
from server.table.outcome import Durations
from server.table.rules.line_up import Joining
from server.table.seating import Seating


class Company:
    """The people and bots of one table.

    Args:
        config: the table.
        ledger: of the room.
        send_bot: asks for one of the house's bots; returns the name under which it will come.
    """

    seating: Seating
    """Of the table; set before anything else."""

    def __init__(self, config: TableConfig, ledger: Ledger, send_bot: SendBot) -> None:
        self.config = config
        self._ledger = ledger
        self.entrance: Final = Handover(config.seats)
        self.places: list[Place | None] = [None] * config.seats
        """Players by seat."""
        self.changed = trio.Event()
        """Set when there may be something to do between hands."""
        self.on_show: Callable[[str, int, tuple[int, ...]], object] = lambda name, hand, cards: None
        """Called when a player shows the cards of the last hand."""
        self.is_held = False
        """The host has paused the table."""
        self.on_host: Callable[[Place, str], str] | None = None
        """Does what the host of a private table asks for; returns what everybody is told."""
        self._arrivals: deque[Arrival] = deque()
        self.filling: Final = Filling(config, send_bot)
        """Of free seats."""
        terms = config.sit_and_go
        self.contest: Final = None if terms is None else Contest(config, terms, ledger)
        """The table's sit-and-go."""

    def resume(self) -> None:
        """Take over the seats that the ledger has: people's are kept for them, bots' are given up.

        A sit-and-go that was in progress is called off.
        """
        config = self.config
        SitAndGos(self._ledger).call_off(config.name)
        for entry in self._ledger.places(config.name):
            has_paid = config.policy is not Policy.SIT_AND_GO or entry.stack == config.usual
            if entry.player.kind != "registered" or entry.seat >= config.seats or not has_paid:
                self._ledger.stand_up(config.name, entry.seat)
                continue
            place = self._new_place(entry.seat, entry.player, entry.stack)
            place.brought = config.usual
            place.lost()
            self.places[entry.seat] = place

    def _new_place(self, seat: int, player: Registered, chips: int) -> Place:
        """The seat of a player who has brought some chips."""
        config = self.config
        terms = config.sit_and_go
        stack = chips if terms is None else terms.stack
        place = Place(config.name, self.seating.seats[seat], player, stack, config.joining, brought=chips)
        place.seat.decision_times = Durations()  # those of the previous player are not this one's
        place.seat.grace_until = None
        place.keep_s = config.keep_seat_s
        place.is_patience_spent = terms is not None
        return place

    # --- looking ---------------------------------------------------------------------------------------

    def seated(self) -> list[Place]:
        """Everybody who has a seat, in order of seats."""
        return [place for place in self.places if place is not None]

    def place(self, seat: int) -> Place:
        """The place at a seat that is taken."""
        place = self.places[seat]
        assert place is not None
        return place

    @property
    def has_visitors(self) -> bool:
        """Whether anybody is there besides the house's bots."""
        return any(place.plays and not place.is_house for place in self.seated())

    @property
    def has_people(self) -> bool:
        """Whether a person sits here, who wants to see what happens."""
        return any(place.visitor is not None and place.visitor.is_person for place in self.seated())

    def entry(self, place: Place) -> Joining:
        """On what condition somebody is dealt in.

        The house's bots need not wait, and nobody waits because of them.
        """
        others = any(each.entry is Joining.IN and not each.is_house for each in self.seated())
        own = Joining.IN if place.is_house else place.entry
        return own if others else self.config.joining

    def may_come(self, newcomer: Visitor | None) -> bool:
        """Whether there is a seat that is free or a house bot's, or that a newcomer may get from a guest."""
        if self.contest is not None and self.contest.is_on:
            return False
        if any(place is None or place.is_house for place in self.places):
            return True
        return newcomer is not None and one_too_many(self.places, newcomer) is not None

    # --- coming ----------------------------------------------------------------------------------------

    def kept_for(self, visitor: Visitor) -> Place | None:
        """The seat that a player has here, unless it is to be given up or the player may have several.

        A second connection of the same player replaces the first, which may have died.
        """
        if visitor.player is None or self.config.seats_for_one:
            return None
        own = [each for each in self.seated() if each.player.id == visitor.player.id and each.leaves is None]
        return own[0] if own else None

    async def arrive(self, visitor: Visitor, wish: Wish) -> Place:
        """Wait for a seat; see `RoomTable.join`."""
        player = visitor.player
        assert player is not None
        if self.contest is not None and self.contest.is_on:
            raise RequestRefused(f"a sit-and-go is being played at {self.config.name}: come when it is over")
        if not self.config.seats_for_one and any(
            arrival.visitor.player is not None and arrival.visitor.player.id == player.id
            for arrival in self._arrivals
        ):
            raise RequestRefused(f"{player.name} is about to sit down at {self.config.name} already")
        seat = wish.seat
        if seat is not None and not (0 <= seat < self.config.seats and self._may_have(seat)):
            raise RequestRefused(f"seat {seat + 1} of {self.config.name} is not free")
        arrival = Arrival(visitor, wish)
        self._arrivals.append(arrival)
        self.changed.set()
        try:
            await arrival.decided.wait()
        finally:
            if arrival in self._arrivals:
                self._arrivals.remove(arrival)
        if arrival.place is None:
            raise RequestRefused(arrival.refusal)
        return arrival.place

    def hand_over(self, place: Place, visitor: Visitor) -> None:
        """Pass the client to the seat's task."""
        if self.is_held:
            visitor.say("message", "the host has paused the table")
        self.entrance.hand_over(place.seat.number, visitor.client)
        self.changed.set()

    # --- between hands ---------------------------------------------------------------------------------

    def between_hands(self) -> None:
        """Do everything that is not done during a hand.

        Raises:
            LedgerIsFull: call again; what has been done is not repeated.
        """
        self.changed = trio.Event()
        now = trio.current_time()
        for place in self.seated():
            hear(self, place)
            if place.until is not None and place.plays:
                place.is_back()
            elif not place.plays and place.leaves is None:
                place.is_absent()
            if place.until is not None and now >= place.until and place.leaves is None:
                place.leaves = "you have not played for too long"
        self._make_room()
        contest = self.contest
        if contest is not None:
            self.tell(contest.between_hands(self.seated()))
        for place in self.seated():
            if place.leaves is None:
                self._bring_chips(place)
            if place.leaves is not None:
                self._stand_up(place)
        while self._arrivals and self._seat(self._arrivals[0]):
            self._arrivals.popleft().decided.set()
        self._call_bots()
        if contest is not None and (self.config.alone or self.has_visitors):
            contest.begin_if_all_are_there(self.seated())

    def tell(self, lines: Sequence[str], *, people_only: bool = False) -> None:
        """Send messages to everybody who sits here, or to people alone."""
        for place in self.seated():
            if place.visitor is not None and (place.visitor.is_person or not people_only):
                for line in lines:
                    place.visitor.say("message", line)
                self.seating.flush(place.seat, place.visitor.client)

    def hand_is_over(self, dealt: Sequence[Place]) -> None:
        """Note that those dealt in may play the next hand, too; others wait for the blinds again."""
        for place in self.seated():
            place.entry = Joining.IN if place in dealt else self.config.joining

    def _bring_chips(self, place: Place) -> None:
        """Bring top-ups, and rebuys of those who have lost everything."""
        config = self.config
        if config.policy is not Policy.RING:
            return
        wanted, place.top_up = place.top_up, 0
        if place.stack == 0 and config.rebuy and wanted <= 0:
            wanted = place.brought
        wanted = min(wanted, config.most - place.stack)
        if wanted > 0 and place.stack + wanted < config.least and place.stack == 0:
            wanted = config.least
        if wanted > 0:
            try:
                self._ledger.top_up(config.name, place.seat.number, place.player, wanted)
            except LedgerError as error:
                if place.visitor is not None:
                    place.visitor.say("refused", f"top-up: {error}")
            else:
                place.stack += wanted
        if place.stack == 0:
            place.leaves = "you have no chips left"

    def _stand_up(self, place: Place) -> None:
        """Give a seat up: its chips go into the account, its client into the lobby."""
        number = place.seat.number
        if not place.is_settled:
            self._ledger.stand_up(self.config.name, number)
        self.places[number] = None
        place.give_up()
        visitor, client = place.visitor, place.seat.client
        if visitor is None or client is None:
            self.entrance.take_back(number)
            if visitor is not None:
                visitor.client.has_left.set()
                visitor.client.channel.close()
            return
        if visitor.is_plain or "lobby" not in client.capabilities:
            self.seating.cut_off(place.seat)
            return
        try:
            visitor.loses_seat(place.leaves or "")
        except ChannelBroken:
            self.seating.cut_off(place.seat)
            return
        self.seating.release(place.seat)

    def _make_room(self) -> None:
        """Have the house's bots, then guests of crowded addresses, give up seats that others wait for."""
        waiting = sum(not arrival.is_bot for arrival in self._arrivals)
        free = self.places.count(None) + sum(place.leaves is not None for place in self.seated())
        wanted = {arrival.wish.seat for arrival in self._arrivals}
        bots = [place for place in reversed(self.seated()) if place.is_house and place.leaves is None]
        for place in sorted(bots, key=lambda bot: bot.seat.number not in wanted):
            if free < waiting or place.seat.number in wanted:
                place.leaves = "a seat is needed"
                free += 1
        if free >= waiting:
            return
        self._arrivals = deque(in_order_of_shares(self._arrivals, self.places))
        people = [arrival for arrival in self._arrivals if not arrival.is_bot]
        for arrival in people[max(0, free) :]:
            crowded = one_too_many(self.places, arrival.visitor)
            if crowded is not None:
                crowded.leaves = "a seat is needed"

    def _seat(self, arrival: Arrival) -> bool:
        """Give somebody a seat, or a reason why not; False while neither is decided."""
        config, visitor = self.config, arrival.visitor
        player = visitor.player
        assert player is not None
        self.filling.has_come(player.name)
        if None not in self.places:
            arrival.refusal = f"all seats of {config.name} are taken"
            return True
        if not config.seats_for_one and any(place.player.id == player.id for place in self.seated()):
            arrival.refusal = f"{player.name} has a seat at {config.name} already"
            return True
        least, most = self._to_bring(player)
        stack = arrival.wish.chips or max(least, config.usual)
        stack = config.game.stacks[0] if config.policy is Policy.MATCH else stack
        if config.policy is not Policy.MATCH and not least <= stack <= most:
            arrival.refusal = f"bring {least} to {most} chips, not {stack}"
            if least > config.least:
                arrival.refusal = f"you left {config.name} with {least} chips: bring as many, not {stack}"
            elif least == most:
                arrival.refusal = f"a seat costs {least} chips, not {stack}"
            return True
        if self.contest is not None and visitor.is_plain:
            arrival.refusal = "a sit-and-go is for clients that are told game and stacks"
            return True
        wanted = arrival.wish.seat
        number = self.places.index(None) if wanted is None or self.places[wanted] is not None else wanted
        try:
            self._ledger.sit_down(config.name, number, player, 0 if config.policy is Policy.MATCH else stack)
        except LedgerError as error:
            arrival.refusal = str(error)
            return True
        place = self.places[number] = arrival.place = self._new_place(number, player, stack)
        visitor.begins_to_sit(config.name, number, place.stack)
        place.seat.clock.bank = config.time_bank_s if visitor.is_person else 0.0
        place.occupy(visitor)
        self.hand_over(place, visitor)
        return True

    def _may_have(self, seat: int) -> bool:
        """Whether a seat is free, or a house bot's."""
        place = self.places[seat]
        return place is None or place.is_house

    def _to_bring(self, player: Registered) -> tuple[int, int]:
        """The least and the most chips that a player may bring; who has just left brings what they had."""
        config = self.config
        if config.policy is not Policy.RING or player.kind == "house":
            return config.least, config.most
        least = max(config.least, self._ledger.left_with(config.name, player, config.return_within_s))
        return least, max(least, config.most)

    def _call_bots(self) -> None:
        """Ask the house's bots to take the seats that are left, if there is somebody to play against."""
        if self.config.alone or any(not place.is_house for place in self.seated()):
            free = self.places.count(None) - len(self._arrivals)
            if self.config.opener is not None:  # as many as the host has added
                free = min(free, len(self.config.fill) - sum(place.is_house for place in self.seated()))
            self.filling.call(free)

    def bot_has_failed(self, name: str, why: str) -> None:
        """Note that one of the house's bots has ended."""
        if self.filling.has_failed(name, why):
            self.changed.set()

    # --- waiting ---------------------------------------------------------------------------------------

    async def wait_a_while(self, seconds: float) -> None:
        """Wait after a hand; what players ask for meanwhile is heard at once."""
        if not seconds:
            await trio.lowlevel.checkpoint()
            return
        with trio.move_on_after(seconds):
            while True:
                self.changed = trio.Event()
                await self._wait_for_news()  # a time that ends waits until `between_hands`
                for place in self.seated():
                    hear(self, place)

    async def wait_for_change(self) -> None:
        """Wait until somebody comes, speaks or leaves, or the time to keep a seat is over."""
        until = [place.until for place in self.seated() if place.until is not None]
        until += self.filling.deadlines
        with trio.CancelScope(deadline=min(until, default=float("inf"))):
            await self._wait_for_news()
        await trio.lowlevel.checkpoint()

    async def _wait_for_news(self) -> None:
        """Wait until somebody comes, speaks or leaves."""
        async with trio.open_nursery() as nursery:
            for place in self.seated():
                if place.seat.client is not None and not place.seat.is_away:
                    nursery.start_soon(self._until_heard, place, nursery.cancel_scope)
            await self.changed.wait()
            nursery.cancel_scope.cancel()

    @staticmethod
    async def _until_heard(place: Place, waiting: trio.CancelScope) -> None:
        """Wait until a client has said something, or has gone."""
        client = place.seat.client
        if client is not None:
            with contextlib.suppress(trio.ClosedResourceError):
                await client.channel.wait_readable()
        waiting.cancel()

    # --- going -----------------------------------------------------------------------------------------

    def dismiss(self, name: str, reason: str) -> bool:
        """Take a player's seat when the hand is over; returns whether they have one."""
        found = [place for place in self.seated() if place.player.name.lower() == name.lower()]
        for place in found:
            place.leaves = reason
        self.changed.set()
        return bool(found)

    def dismiss_all(self, reason: str) -> None:
        """Make everybody stand up; those who wait for a seat get none.

        Raises:
            LedgerIsFull: try again.
        """
        if self.contest is not None and self.contest.is_on:
            self.tell(self.contest.call_off())
        for place in self.seated():
            place.leaves = place.leaves or reason
            self._stand_up(place)
        self._refuse_all(reason)

    def _refuse_all(self, reason: str) -> None:
        """Refuse those who wait for a seat."""
        while self._arrivals:
            arrival = self._arrivals.popleft()
            arrival.refusal = reason
            arrival.decided.set()

    def abandon(self) -> None:
        """Cut everybody off."""
        self.entrance.close()
        for place in self.seated():
            place.give_up()
            if place.visitor is not None:
                place.visitor.client.channel.close()
                place.visitor.client.has_left.set()
        self._refuse_all("the table had a fault")
