"""What has been played, from the ledger: hands, standings, bankrolls.

Everything is read in a thread through a connection of its own, so that no table waits for it.  Of a hand its
reader is told what everybody at the table was: hole cards of those in the showdown, after the room's delay,
and nothing else; the key of its cards, from which all of them follow, never leaves this module.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import attrs
import trio

from engine.rules import parse_game
from engine.rules.hand_words import tell_winnings
from protocol.records import HandReader
from server.room.ledger.ledger import HandEntry, Ledger
from server.room.ledger.sit_and_gos import PastSitAndGo, SitAndGos
from server.web.scenes import Shown

PAGE: Final = 50
"""Hands on a page."""
_MOST_HANDS: Final = 10_000
# Of a bankroll.
_SIT_AND_GOS: Final = 10
# On a table's page.
_AT_ONCE: Final = 2
# Threads that read.

T = TypeVar("T")


@attrs.frozen
class HandLine:
    """A hand in a list."""

    number: int
    at: float
    """Seconds since 1970."""
    result: str


@attrs.frozen
class HandList:
    """Some hands of a table, the newest first."""

    hands: tuple[HandLine, ...]
    next_hand: int
    """The number of the table's next hand."""
    before: int
    """The hands are those before this one."""


@attrs.frozen
class PastHand:
    """A hand to look back at."""

    shown: Shown
    at: float
    is_kept_back: bool
    """Its showdown is not told yet."""
    next_hand: int


@attrs.frozen
class Standing:
    """What somebody has won."""

    name: str
    kind: str
    hands: int
    chips: int
    bankroll: tuple[int, ...]
    """Chips won so far, after each of the last hands."""


class Past:
    """Reads the ledger of a room.

    Args:
        folder: of the room's data.
        delay_s: in which a hand's showdown is not told.
    """

    def __init__(self, folder: Path, delay_s: float) -> None:
        self._folder = folder
        self._delay_s = delay_s
        self._limiter = trio.CapacityLimiter(_AT_ONCE)

    async def _ask(self, question: Callable[[Ledger], T]) -> T:
        def ask() -> T:
            with Ledger(self._folder, read_only=True) as ledger:
                return question(ledger)

        return await trio.to_thread.run_sync(ask, limiter=self._limiter)

    async def hands(self, table: str, before: int | None) -> HandList | None:
        """Hands of a table before some number, or its last ones; None where there is no such table."""

        def question(ledger: Ledger) -> HandList | None:
            if table not in ledger.tables():
                return None
            following, _ = ledger.open_table(table)
            end = following if before is None else min(before, following)
            start = max(0, end - PAGE)
            found = ledger.hands_from(table, start, end - start)
            return HandList(tuple([_line(each) for each in found if each.number < end][::-1]), following, end)

        return await self._ask(question)

    async def hand(self, table: str, number: int) -> PastHand | None:
        """A hand; None where there is none."""

        def question(ledger: Ledger) -> PastHand | None:
            entry = next(ledger.hands_from(table, number, 1), None)
            if entry is None or entry.number != number:
                return None
            following, _ = ledger.open_table(table)
            at = entry.at_us / 1e6
            is_young = time.time() < at + self._delay_s
            shown = _shown(entry)
            kept = is_young and any(shown.holes)
            if is_young:
                shown = attrs.evolve(shown, holes=((),) * len(shown.holes))
            return PastHand(shown, at, kept, following)

        return await self._ask(question)

    async def sit_and_gos(self, table: str) -> list[PastSitAndGo]:
        """Those of a table that are over, the last one first."""
        return await self._ask(lambda ledger: SitAndGos(ledger).last(table, _SIT_AND_GOS))

    async def standings(self, curves: int) -> list[Standing]:
        """Everybody who has played, the best first.

        Args:
            curves: how many of the first have their bankroll.
        """

        def question(ledger: Ledger) -> list[Standing]:
            return [
                Standing(name, kind, hands, chips, _bankroll(ledger, name, chips) if place < curves else ())
                for place, (name, kind, hands, chips) in enumerate(ledger.standings())
            ]

        return await self._ask(question)

    async def standing(self, player: str) -> Standing | None:
        """One player's; None where nobody of that name has played."""

        def question(ledger: Ledger) -> Standing | None:
            for name, kind, hands, chips in ledger.standings():
                if name.casefold() == player.casefold():
                    return Standing(name, kind, hands, chips, _bankroll(ledger, name, chips))
            return None

        return await self._ask(question)


def _bankroll(ledger: Ledger, name: str, total: int) -> tuple[int, ...]:
    player = ledger.player(name)
    won = [] if player is None else ledger.bankroll(player, _MOST_HANDS)
    chips = total - sum(won)
    values = [chips]
    for each in won:
        chips += each
        values.append(chips)
    return tuple(values)


def _line(entry: HandEntry) -> HandLine:
    shown = _shown(entry)
    return HandLine(entry.number, entry.at_us / 1e6, tell_winnings(shown.chips, shown.names))


def _shown(entry: HandEntry) -> Shown:
    """What everybody at the table was shown of a hand."""
    record, state = HandReader(parse_game(entry.game.replace(";", "\n"))).read(entry.line)
    betting = state.betting
    players = betting.game.num_players
    return Shown(
        betting=betting,
        hand=entry.number,
        board=state.board,
        names=record.names,
        seats=tuple([(position + entry.number) % players for position in range(players)]),
        holes=tuple(
            [
                cards if betting.is_showdown and not out else ()
                for cards, out in zip(state.deal.hole_cards, betting.folded, strict=True)
            ]
        ),
        chips=record.chips,
    )
