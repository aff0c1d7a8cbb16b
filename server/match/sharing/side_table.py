"""A table that plays some of a match's hands for another, which keeps the records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import trio

from engine.support.files.shards import Share
from server.support.console import Console
from server.support.errors import MatchAborted
from server.table.config import MatchConfig
from server.table.hand import PlayedHand
from server.table.match import MatchServer
from server.table.outcome import MatchOutcome
from server.table.records import MatchRecords
from server.table.reply import TABLES_PLAYING

_MOST_AHEAD: Final = 64
# Hands that are played but not yet taken over by the other table.
_AT_ONCE: Final = 16
_AT_LATEST_S: Final = 0.2
# How many hands are sent together, and for how long one is held back.


class SideTable(MatchServer):
    """A table that plays its `share` of the hands, and passes them on as they are `played`.

    Args:
        config: the match of the table that keeps the records.
        console: where warnings go.
        tables: that share its hands, and with them each player's time for the match.
    """

    def __init__(self, config: MatchConfig, console: Console, tables: int) -> None:
        limits = attrs.evolve(config.limits, per_hand=config.limits.per_hand / tables)
        own = attrs.evolve(
            config,
            limits=limits,
            log_path=None,
            append=False,
            is_resumable=False,
            resumes=False,
            rehearses=frozenset(),
            keeps_hands=False,
        )
        self._outbox, self.played = trio.open_memory_channel[PlayedHand](_MOST_AHEAD)
        records = _HandedOver(own, console)
        self._courier = _Courier(records, self._outbox)
        super().__init__(own, console, self._courier, records=records)
        self.share = Share(0, 0, 1)

    async def run(self) -> MatchOutcome:
        """Run like any table; even if a failure ends it, finished hands are passed on."""
        outcome = await super().run()
        await self._courier.continues()
        self.end()
        return outcome

    def end(self) -> None:
        """End the table: no more hands will come; calling it again does nothing."""
        self._outbox.close()

    def fault(self) -> MatchAborted:
        """Why there are no more hands."""
        return self._aborted or MatchAborted("ERROR: a table that shared the hands has ended\n")

    async def _play(self) -> None:
        dealer = self._config.cards.dealer(self._config.game)
        at = 0
        with TABLES_PLAYING.one_more(), self._adding_up_time():
            for chunk in self.share.chunks():
                dealer.skip(chunk.start - at)
                at = chunk.stop
                for hand_number in chunk:
                    await self._play_hand(hand_number, dealer)
                    if self._pauses:
                        await self._continues()
            self._flush_all()


class _HandedOver(MatchRecords):
    """Records that another table writes."""

    def __init__(self, config: MatchConfig, console: Console) -> None:
        super().__init__(config, console)
        self._line = ""
        self._notes: list[str] = []
        self._told: list[str] = []

    def take(self, chips_by_seat: Sequence[float]) -> PlayedHand:
        """The hand that has just been written, with what was written since the one before."""
        notes, told = "".join(self._notes), "".join(self._told)
        self._notes.clear()
        self._told.clear()
        return PlayedHand(self._line, tuple(chips_by_seat), notes, told)

    def open(self) -> None:
        """Do nothing: there is nothing to open."""

    def write_header(self) -> None:
        """Do nothing: the other table has written it."""

    def write_key(self) -> None:
        """Do nothing: the other table writes it."""

    def write(self, text: str) -> None:
        """Keep lines for the log."""
        self._notes.append(text)

    def write_hand(self, line: str) -> None:
        """Keep the line of a finished hand."""
        self._line = line

    def write_told(self, text: str) -> None:
        """Keep what was said about strategies."""
        self._told.append(text)


class _Courier:
    """Passes on finished hands, several at a time; waits if the other table is far behind."""

    def __init__(self, records: _HandedOver, outbox: trio.MemorySendChannel[PlayedHand]) -> None:
        self._records = records
        self._outbox = outbox
        self._hands: list[PlayedHand] = []
        self._since = trio.current_time()

    def hand_finished(self, chips_by_seat: Sequence[float]) -> bool:
        self._hands.append(self._records.take(chips_by_seat))
        return len(self._hands) == _AT_ONCE or trio.current_time() > self._since + _AT_LATEST_S

    async def continues(self) -> bool:
        for hand in self._hands:
            await self._outbox.send(hand)
        self._hands.clear()
        self._since = trio.current_time()
        return True
