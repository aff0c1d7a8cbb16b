"""What has been played, from the ledger: hands, standings, bankrolls.

Everything is read in a thread through a connection of its own, so that no table waits for it.  The reader of
a hand is told what everybody at the table was told: the hole cards shown at the showdown, after the room's
delay, and nothing else; the key from which all its cards follow never leaves this module.  Where those who
watch are told later, hands that they have not been told are not there.
"""

from __future__ import annotations

import itertools
import time
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar, cast

import attrs
import trio

from engine.poker.rules import Deal, HandState
from engine.poker.rules.hand_words import tell_winnings
from engine.support.user_input import printable
from protocol.errors import ProtocolError
from protocol.extension import parse_game_line
from protocol.records import HandReader
from server.records.curves import Curve
from server.records.formats.hands import PlayedHand
from server.records.formats.phh import format_phh
from server.records.formats.pokerstars import format_stars
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import HandEntry, Ledger, Registered
from server.room.ledger.sit_and_gos import PastSitAndGo, SitAndGos
from server.room.ledger.tallies import GameStandings, Tallies
from server.room.tables.spectating import Shown, shown_holes
from server.support.console import now_us

PAGE: Final = 50
"""Hands on a page."""
MOST_STANDINGS: Final = 100
"""Players on their page."""
_MOST_HANDS: Final = 10_000
# Of a bankroll.
_SIT_AND_GOS: Final = 10
# On a table's page.
_AT_ONCE: Final = 2
# Threads that read.
_KEPT: Final = 20
# An answer is kept for so many times the time that it took.

T = TypeVar("T")
Draw: TypeAlias = Callable[[Sequence[int]], Curve]


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
    """A past hand."""

    shown: Shown
    at: float
    is_kept_back: bool
    """Its showdown is not shown yet."""
    next_hand: int


@attrs.frozen
class Standing:
    """A player's winnings."""

    name: str
    kind: str
    hands: int
    chips: int
    curve: Curve
    """Chips won so far, after each of the last hands."""
    shown: int
    """Hands in the curve."""


class Past:
    """Reads the ledger of a room.

    Args:
        folder: of the room's data.
        delay_s: during which a hand is not there.
        cards_s: during which its showdown is then not shown.
    """

    def __init__(self, folder: Path, delay_s: float, cards_s: float) -> None:
        self._folder = folder
        self._delay_s = delay_s
        self._cards_s = delay_s + cards_s
        self._limiter = trio.CapacityLimiter(_AT_ONCE)
        self._counting = trio.Lock()
        self._tallies = Tallies()
        self._has_counted = False
        self._counted: dict[str, tuple[float, Any]] = {}  # until when they are young

    async def _ask(self, question: Callable[[Ledger], T]) -> T:
        def ask() -> T:
            with Ledger(self._folder, read_only=True) as ledger:
                try:
                    if self._delay_s:
                        ledger.hide_from(now_us() - int(self._delay_s * 1e6))
                    return question(ledger)
                except (ProtocolError, ValueError, TypeError) as error:
                    raise LedgerError(f"the ledger is damaged: {printable(str(error))}") from error

        return await trio.to_thread.run_sync(ask, limiter=self._limiter)

    async def _count(self, key: str, question: Callable[[Ledger], T]) -> T:
        """The answer to a question that takes the longer the more has been played.

        One thread counts, so that another looks up hands meanwhile; an answer is kept for so long that
        asking again and again takes a twentieth of that thread's time.
        """
        if not self._is_young(key):
            async with self._counting:
                if not self._is_young(key):  # nobody else has asked the same meanwhile
                    began = trio.current_time()
                    answer = await self._ask(question)
                    now = trio.current_time()
                    self._counted.pop(key, None)
                    self._counted[key] = now + _KEPT * (now - began), answer
                    if len(self._counted) > MOST_STANDINGS:
                        del self._counted[next(iter(self._counted))]
        return cast(T, self._counted[key][1])

    def _is_young(self, key: str) -> bool:
        return key in self._counted and trio.current_time() < self._counted[key][0]

    async def hands(self, table: str, before: int | None) -> HandList | None:
        """Hands of a table before some number, or its last ones; None if there is no such table."""

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
        """A hand; None if there is none."""

        def question(ledger: Ledger) -> PastHand | None:
            entry = next(ledger.hands_from(table, number, 1), None)
            if entry is None or entry.number != number:
                return None
            shown, at = _shown(entry), entry.at_us / 1e6
            is_kept_back = any(shown.holes) and time.time() < at + self._cards_s
            if is_kept_back:
                shown = attrs.evolve(shown, holes=((),) * len(shown.holes))
            return PastHand(shown, at, is_kept_back, ledger.open_table(table)[0])

        return await self._ask(question)

    async def sit_and_gos(self, table: str) -> list[PastSitAndGo]:
        """A table's finished sit-and-gos, the last one first."""
        return await self._ask(lambda ledger: SitAndGos(ledger).last(table, _SIT_AND_GOS))

    async def standings(self) -> list[GameStandings] | None:
        """The standings by game; only the hands since the last time are read.

        None while all of them are being counted for the first time, which takes seconds for a long life.
        """
        if self._has_counted or not self._counting.locked():
            async with self._counting:
                found = await self._ask(self._tallies.update)
            self._has_counted = True
            return found
        return None

    async def standing(self, name: str, draw: Draw) -> Standing | None:
        """One player's standing, with a curve; None if nobody of that name has played."""

        def question(ledger: Ledger) -> Standing | None:
            player = ledger.player(name)
            found = None if player is None else ledger.standing(player)
            if player is None or found is None:
                return None
            values = _bankroll(ledger, player, found[-1])
            return Standing(*found, draw(values), len(values) - 1)

        return await self._count(name, question)


def hand_history(hand: PastHand, ending: str) -> str:
    """A hand as a file that other programs read: ``phh``, or ``txt`` as PokerStars writes it.

    Raises:
        FormatError: the format cannot express it.
    """
    shown = hand.shown
    state = HandState(shown.betting, shown.hand, Deal(shown.holes, shown.board))
    played = PlayedHand(shown.hand, "", state, shown.chips, shown.names)
    return format_phh(played) if ending == "phh" else format_stars(played)


def _bankroll(ledger: Ledger, player: Registered, total: int) -> Sequence[int]:
    won = ledger.bankroll(player, _MOST_HANDS)
    return array("q", itertools.accumulate(won, initial=total - sum(won)))


def _line(entry: HandEntry) -> HandLine:
    shown = _shown(entry)
    return HandLine(entry.number, entry.at_us / 1e6, tell_winnings(shown.chips, shown.names))


def _shown(entry: HandEntry) -> Shown:
    """A hand as everybody at the table saw it."""
    record, state = HandReader(parse_game_line(entry.game)).read(entry.line)
    betting = state.betting
    players = betting.game.num_players
    return Shown(
        betting=betting,
        hand=entry.number,
        board=state.board,
        names=record.names,
        seats=tuple([(position + entry.number) % players for position in range(players)]),
        holes=shown_holes(state),
        chips=record.chips,
    )
