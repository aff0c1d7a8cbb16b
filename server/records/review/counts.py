"""One walk over the hands of some logs: winnings, statistics of play, bankrolls, the biggest pots."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.evidence.play_statistics import PlayTable
from engine.poker.rules import GameDefinition
from engine.support.intervals import Z95, Winnings, half_width
from server.records.batches import deals_in_batches, is_worth_compiling
from server.records.evidence import Collector
from server.records.logs import LogError, LoggedHand, LoggedLine, MatchLog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_POTS: Final = 10
"""How many of the biggest pots are kept."""

Passes = tuple[MatchLog, ...]
"""The logs of one match: several, if it was a duplicate match."""


@attrs.frozen
class BigPot:
    """A hand with a big pot."""

    hand: LoggedHand
    log: Path
    pot: int
    """Chips that were played for, without those that nobody called."""


@attrs.define(eq=False)
class Counts:
    """The counts of some hands, by player."""

    game: GameDefinition
    names: tuple[str, ...]
    """The players' names; a player's index below is that of the name."""
    passes: int
    """How often each deal was played; also 1 if matches of several kinds are counted together."""
    hands: int = 0
    deals: int = 0
    play: PlayTable = attrs.field(init=False)
    won: tuple[array[float], ...] = attrs.field(init=False)
    """By player, the chips won in each deal in the order played, over all its passes together; 0 if the
    player did not take part."""
    winnings: list[Winnings] = attrs.field(init=False)
    """The winnings by player, over the hands they took part in."""
    _paid: Any = 0.0
    _biggest: list[tuple[int, LoggedLine, Path]] = attrs.Factory(list)  # by pot, the first hands first

    def __attrs_post_init__(self) -> None:
        self.play = PlayTable(self.game, len(self.names))
        self.won = tuple([array("d") for _ in self.names])
        self.winnings = [Winnings()] * len(self.names)

    @property
    def biggest(self) -> tuple[BigPot, ...]:
        """The biggest pots, in order of size."""
        return tuple([BigPot(row.played(), log, pot) for pot, row, log in self._biggest])

    @property
    def lost_to(self) -> NDArray[np.float64]:
        """Chips that each player lost to each other, net; of several winners to each by what it won.

        Shape (players, players).
        """
        return self._paid - self._paid.T

    def half_width(self, player: int) -> float | None:
        """Half width of the 95 % interval of a player's chips per hand; None below two deals.

        In a duplicate match the samples are the means of the deals, since only these are independent.
        """
        if self.passes == 1:
            return self.winnings[player].half_width()
        return half_width([chips / self.passes for chips in self.won[player]], Z95)

    def count(self, passes: Passes, collector: Collector | None, *, compiled: bool) -> None:
        """Count a match; see `count_hands`."""
        import numpy as np

        from engine.evidence.columns import play

        # For each log and each of its players, the player's place in the report.
        seats = [[self.names.index(name) for name in _names(log)] for log in passes]
        for batch in deals_in_batches(passes, compiled=compiled):
            hands, chips = batch.hands, batch.chips
            by_turns = zip(itertools.cycle(seats), batch.rows, strict=False)
            who = np.array([[seated[player] for player in row.players] for seated, row in by_turns], np.int64)
            self.winnings = play.added(self.winnings, who.ravel(), chips.ravel())
            play.add_to_table(self.play, hands, who, chips)
            self._paid = self._paid + play.payments(who, chips, len(self.won))
            deals = np.arange(len(hands)) // len(passes)
            totals = play.totals_by_deal(deals, who, chips, len(self.won))
            for chips_of_deals, each in zip(self.won, totals.T, strict=True):
                chips_of_deals.frombytes(each.tobytes())
            if collector is not None:
                collector.add(batch, who, self.deals + deals, len(passes))
            pots = play.contested_pots(hands)
            for row in np.argsort(-pots, kind="stable")[:MOST_POTS].tolist():
                self._biggest.append((int(pots[row]), batch.rows[row], passes[row % len(passes)].path))
            self._biggest = sorted(self._biggest, key=lambda each: -each[0])[:MOST_POTS]
            self.hands += len(hands)
            self.deals += len(totals)


def count_hands(
    matches: Sequence[Passes], names: Sequence[str] | None = None, collector: Collector | None = None
) -> Counts:
    """Count the hands of some matches of the same game.

    In a duplicate match the deals that every pass has played are counted.

    Args:
        matches: one or more matches.
        names: players' names, in the order wanted; others come after them.
        collector: collects the hands as well, so that the logs are read only once.

    Raises:
        LogError: the games differ, or a line cannot be read.
    """
    logs = [log for passes in matches for log in passes]
    game = logs[0].game
    for log in logs:
        if log.game != game:
            raise LogError(
                f"{log.path}: another game ({log.game_text}) than in {logs[0].path} ({logs[0].game_text}): "
                "a report covers one game"
            )
    players = dict.fromkeys([*(names or ()), *[name for log in logs for name in _names(log)]])
    numbers = {len(passes) for passes in matches}
    counts = Counts(game, tuple(players), numbers.pop() if len(numbers) == 1 else 1)
    compiled = is_worth_compiling(logs)
    for passes in matches:
        counts.count(passes, collector, compiled=compiled)
    return counts


def _names(log: MatchLog) -> tuple[str, ...]:
    """The players of a log; those with the same name are told apart by their seats."""
    if not log.has_namesakes:
        return log.players
    return tuple([f"{name} (seat {seat + 1})" for seat, name in enumerate(log.players)])
