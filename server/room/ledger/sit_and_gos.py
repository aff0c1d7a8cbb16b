"""The sit-and-gos in the ledger: who has paid, the stacks after the last finished hand, places and prizes.

When a sit-and-go begins, the buy-ins go into its pool, in the same transaction in which places at the table
turn into entrants; every prize goes from the pool into an account.  Stacks are not money.  If the room cannot
continue a sit-and-go, it is called off: those who are still in share what is left in the pool by their
stacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from server.room.ledger.ledger import Ledger
from server.support.console import now_us
from server.table.rules.chips import whole_shares
from server.table.rules.sit_and_go import leaving_groups


@attrs.frozen
class Out:
    """A player who is out."""

    seat: int
    place: int
    """The best of the places that are shared."""
    prize: int


@attrs.frozen
class Ranked:
    """A player who plays, or has played."""

    name: str
    place: int | None
    """None for those who are still in."""
    prize: int | None


@attrs.frozen
class PastSitAndGo:
    """A finished sit-and-go."""

    over_us: int
    """In microseconds since 1970."""
    first_hand: int
    pool: int
    is_called_off: bool
    entrants: tuple[Ranked, ...]
    """The best placed first."""


class SitAndGos:
    """The sit-and-gos of a ledger's tables."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def begin(self, table: str, stack: int) -> tuple[int, int]:
        """Make everybody who has a place at a table an entrant, and pool the chips they have brought.

        Returns:
            The number by which it is known, and the pool.
        """
        with self._ledger.transaction() as db:
            row = (
                "INSERT INTO sit_and_gos (table_name, began_us, first_hand, stack, pool, unpaid)"
                " SELECT name, ?, next_hand, ?, sum(places.stack), sum(places.stack)"
                " FROM tables JOIN places ON table_name = name WHERE name = ?"
            )
            number = db.execute(row, (now_us(), stack, table)).lastrowid
            assert number is not None
            db.execute(
                "INSERT INTO entrants (sit_and_go, seat, player, paid, stack)"
                " SELECT ?, seat, player, stack, ? FROM places WHERE table_name = ?",
                (number, stack, table),
            )
            db.execute("UPDATE places SET stack = 0 WHERE table_name = ?", (table,))
            ((pool,),) = self._ledger.read("SELECT pool FROM sit_and_gos WHERE id = ?", (number,))
        return number, pool

    def book(self, number: int, hand: int, net: Mapping[int, int], outs: Sequence[Out]) -> None:
        """Record what a hand has done to the stacks, and who is out; within the hand's transaction.

        Args:
            number: of the sit-and-go.
            hand: its id.
            net: chips won or lost, by seat.
            outs: of this hand.
        """
        for seat, won in net.items():
            self._ledger.write(
                "UPDATE entrants SET stack = stack + ?, hand = ? WHERE sit_and_go = ? AND seat = ?",
                (won, hand, number, seat),
            )
        self._book_outs(number, outs)

    def leave(self, number: int, outs: Sequence[Out]) -> None:
        """Record those who have left between two hands, with their stacks."""
        with self._ledger.transaction():
            self._book_outs(number, outs)

    def _book_outs(self, number: int, outs: Sequence[Out]) -> None:
        ledger = self._ledger
        for out in outs:
            ((table, player),) = ledger.read(
                "SELECT table_name, player FROM entrants JOIN sit_and_gos ON id = sit_and_go"
                " WHERE sit_and_go = ? AND seat = ?",
                (number, out.seat),
            )
            if out.prize:
                ledger.move("cash-out", player, table, out.prize)
            ledger.write(
                "UPDATE entrants SET place = ?, prize = ? WHERE sit_and_go = ? AND seat = ?",
                (out.place, out.prize, number, out.seat),
            )
            ledger.write("UPDATE sit_and_gos SET unpaid = unpaid - ? WHERE id = ?", (out.prize, number))
            ledger.write("DELETE FROM places WHERE table_name = ? AND seat = ?", (table, out.seat))
        ledger.write(
            "UPDATE sit_and_gos SET over_us = ? WHERE id = ? AND over_us IS NULL"
            " AND NOT EXISTS (SELECT * FROM entrants WHERE sit_and_go = id AND place IS NULL)",
            (now_us(), number),
        )

    def call_off(self, table: str) -> dict[int, Out]:
        """End a table's unfinished sit-and-go: those who are in share the rest of the pool by their stacks.

        Returns:
            What has become of them, by seat; empty if none was being played.
        """
        ledger = self._ledger
        found: dict[int, Out] = {}
        with ledger.transaction():
            for number, unpaid in ledger.read(
                "SELECT id, unpaid FROM sit_and_gos WHERE table_name = ? AND over_us IS NULL", (table,)
            ):
                query = (
                    "SELECT seat, stack FROM entrants WHERE sit_and_go = ? AND place IS NULL ORDER BY seat"
                )
                stacks = dict(ledger.read(query, (number,)))
                shares = dict(zip(stacks, whole_shares(unpaid, [*stacks.values()]), strict=True))
                above = len(stacks)
                for group in leaving_groups(stacks):
                    above -= len(group)
                    found |= {seat: Out(seat, above + 1, shares[seat]) for seat in group}
                ledger.write("UPDATE sit_and_gos SET is_called_off = 1 WHERE id = ?", (number,))
                self._book_outs(number, [*found.values()])
        return found

    def last(self, table: str, most: int) -> list[PastSitAndGo]:
        """A table's finished sit-and-gos, the last one first."""
        query = (
            "SELECT id, over_us, first_hand, pool, is_called_off FROM sit_and_gos"
            " WHERE table_name = ? AND over_us IS NOT NULL ORDER BY id DESC LIMIT ?"
        )
        return [
            PastSitAndGo(over_us, first_hand, pool, bool(is_called_off), self._entrants(number))
            for number, over_us, first_hand, pool, is_called_off in self._ledger.read(query, (table, most))
        ]

    def _entrants(self, number: int) -> tuple[Ranked, ...]:
        query = (
            "SELECT name, place, prize FROM entrants JOIN players ON players.id = player"
            " WHERE sit_and_go = ? ORDER BY place, name"
        )
        return tuple([Ranked(*row) for row in self._ledger.read(query, (number,))])
