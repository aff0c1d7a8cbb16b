"""A table's sit-and-go: it begins when all seats are taken, and ends when one player has all the chips.

Everybody who is in is dealt every hand.  The table waits for a player who has gone for as long as their seat
is kept, all their absences taken together; then they are out like a player who leaves, and their chips with
them.  Everything is written to the ledger before anybody is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import trio

from engine.poker.rules import GameDefinition
from server.room.config import TableConfig
from server.room.ledger.ledger import Ledger
from server.room.ledger.sit_and_gos import Out, Ranked, SitAndGos
from server.room.tables.place import Place
from server.table.rules.chips import whole_shares
from server.table.rules.sit_and_go import MOST_HANDS, Level, SitAndGo, leaving_groups, prizes_by_place

_MINUTE_S: Final = 60.0


class Contest:
    """The sit-and-gos of one table, one after another.

    Args:
        config: the table.
        terms: stack, levels and prizes.
        ledger: of the room.
    """

    def __init__(self, config: TableConfig, terms: SitAndGo, ledger: Ledger) -> None:
        self._config = config
        self.terms: Final = terms
        self._books = SitAndGos(ledger)
        self._number: int | None = None  # by which the ledger knows it, while it is in progress
        self._in: dict[int, Place] = {}  # by seat, those who are not out
        self._began = 0.0
        self._told_level = -1
        self.hands = 0
        """How many have been played."""
        self.entrants = 0
        """Of the one in progress, or the last one."""
        self.prizes: list[int] = []
        """By place."""
        self.out: list[Ranked] = []
        """Those who are out, the last one first."""

    @property
    def is_on(self) -> bool:
        """Whether one has begun and is not over."""
        return self._number is not None

    @property
    def level(self) -> int:
        """The index of the level of the next hand."""
        if not self.is_on:
            return 0
        return self.terms.level_at(self.hands, (trio.current_time() - self._began) / _MINUTE_S)

    @property
    def blinds(self) -> Level:
        """Those of the next hand."""
        return self.terms.levels[self.level]

    def game(self) -> GameDefinition:
        """The table's game with the blinds of the next hand."""
        return self.terms.game(self._config.game, self._config.seats, self.blinds)

    def news(self) -> str | None:
        """News for everybody before the next hand; None if there is none."""
        level = self.level
        if level == self._told_level:
            return None
        is_first, self._told_level = self._told_level < 0, level
        text = f"level {level + 1}: {self.blinds}"
        if not is_first:
            return text
        prizes = ", ".join([str(prize) for prize in self.prizes if prize])
        return f"the sit-and-go begins, {self.entrants} players; prizes: {prizes or 'none'}; {text}"

    # --- from beginning to end ---------------------------------------------------------------------------

    def begin_if_all_are_there(self, places: Sequence[Place]) -> None:
        """Begin, if every seat has a player who plays.

        Args:
            places: those that are taken.

        Raises:
            LedgerIsFull: it has not begun.
        """
        config, terms = self._config, self.terms
        if self.is_on or len(places) < config.seats or not all(place.plays for place in places):
            return
        self._number, pool = self._books.begin(config.name, terms.stack)
        self._in = {place.seat.number: place for place in places}
        self._began = trio.current_time()
        self._told_level = -1
        self.hands = 0
        self.entrants = len(places)
        self.prizes = prizes_by_place(pool, terms.payouts, len(places))
        self.out = []
        for place in places:
            place.stack = terms.stack
            place.keep_s = config.keep_seat_s

    def lost_all(self, net: Mapping[int, int]) -> list[Out]:
        """Who is out after a hand, and the winner, if one is left.

        Args:
            net: chips won or lost in it, by seat.
        """
        began = {seat: self._in[seat].stack for seat in net}
        return self._outs({seat: stack for seat, stack in began.items() if stack + net[seat] == 0})

    def book(self, hand: int, net: Mapping[int, int], outs: Sequence[Out]) -> None:
        """Record a hand, within its transaction; then call `hand_is_over`."""
        assert self._number is not None  # a hand has been played
        self._books.book(self._number, hand, net, outs)

    def hand_is_over(self, outs: Sequence[Out]) -> list[str]:
        """Note that a hand is booked; returns what the others are to be told."""
        self.hands += 1
        return self._part(outs)

    def between_hands(self, places: Sequence[Place]) -> list[str]:
        """Remove the players who leave, and end a sit-and-go that has gone on too long.

        Args:
            places: those that are taken.

        Returns:
            What the others are to be told.

        Raises:
            LedgerIsFull: nothing has changed.
        """
        if self._number is None:
            return []
        if self.hands >= MOST_HANDS:
            return self.call_off()
        leaving = {
            place.seat.number: place.stack
            for place in places
            if place.leaves is not None and not place.is_settled
        }
        if not leaving:
            return []
        outs = self._outs(leaving)
        self._books.leave(self._number, outs)
        return self._part(outs)

    def call_off(self) -> list[str]:
        """End it early: those who are in share the rest of the pool by their stacks.

        Raises:
            LedgerIsFull: nothing has changed.
        """
        outs = self._books.call_off(self._config.name)
        return self._part([*outs.values()], "the sit-and-go is called off: ")

    def _outs(self, gone: Mapping[int, int]) -> list[Out]:
        """Places and prizes of those who go out together, with their chips at first; the winner's, too."""
        outs = []
        left = len(self._in)
        for group in leaving_groups(gone):
            above = left - len(group)
            shares = whole_shares(sum(self.prizes[above:left]), [1.0] * len(group))
            outs += [Out(seat, above + 1, prize) for seat, prize in zip(group, shares, strict=True)]
            left = above
        if left == 1:
            (winner,) = self._in.keys() - gone.keys()
            outs.append(Out(winner, 1, self.prizes[0]))
        return outs

    def _part(self, outs: Sequence[Out], why: str = "") -> list[str]:
        """Do at the table what the ledger says about those who are out."""
        said = []
        for out in outs:
            place = self._in.pop(out.seat)
            of = f"{ordinal(out.place)} of {self.entrants}"
            wins = f" and win {out.prize} chips" if out.prize else ""
            before = why or (f"{place.leaves}: " if place.leaves else "")
            place.leaves = f"{before}you are {of}{wins}"
            place.is_settled = True
            wins = f" and wins {out.prize} chips" if out.prize else ""
            said.append(f"{place.player.name} is {of}{wins}")
            self.out.insert(0, Ranked(place.player.name, out.place, out.prize))
        if not self._in:
            self._number = None
        return said


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``4th``."""
    teens = 10 <= number % 100 < 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
