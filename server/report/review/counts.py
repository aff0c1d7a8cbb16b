"""One walk over the hands of some logs: winnings, statistics of play, bankrolls, the biggest pots."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs

from engine.evidence.play_statistics import PlayTable, contested_pot
from engine.intervals import Z95, Winnings, half_width
from engine.rules import GameDefinition
from server.report.logs import LogError, LoggedHand, MatchLog
from server.report.passes import deals

__all__ = ["MOST_POTS", "BigPot", "Counts", "Follower", "Passes", "count_hands"]

MOST_POTS: Final = 10
"""Biggest pots that are kept."""

Passes = tuple[MatchLog, ...]
"""The logs of one match: several, if it was a duplicate match."""


@attrs.frozen
class BigPot:
    """A hand with a big pot."""

    hand: LoggedHand
    log: Path
    pot: int
    """Chips that were played for, without those nobody called."""


@attrs.frozen(eq=False)
class Counts:
    """What was counted."""

    game: GameDefinition
    names: tuple[str, ...]
    """Of the players; indices of players below are theirs."""
    passes: int
    """How often each deal was played; 1 also where matches of several kinds are counted together."""
    hands: int
    deals: int
    play: PlayTable
    won: tuple[array[float], ...]
    """By player, chips of each deal in the order played: of the hand, or of all its passes together; 0 where
    the player did not take part."""
    winnings: tuple[Winnings, ...]
    """By player, over the hands they took part in."""
    biggest: tuple[BigPot, ...]
    """In order of size."""

    def half_width(self, player: int) -> float | None:
        """Half width of the 95 % interval of a player's chips per hand; None below two deals.

        In a duplicate match the samples are the means of the deals, which are what is independent there.
        """
        if self.passes == 1:
            return self.winnings[player].half_width()
        return half_width([chips / self.passes for chips in self.won[player]], Z95)


Follower = Callable[[MatchLog, LoggedHand, Sequence[int], int, int], None]
"""Takes each hand in the order of the walk: its log, who sat in each position, the number of its deal, and
how often that was played."""


def count_hands(
    matches: Sequence[Passes], names: Sequence[str] | None = None, follow: Follower | None = None
) -> Counts:
    """Count the hands of some matches of the same game.

    In a duplicate match each deal counts as far as every pass got.

    Args:
        matches: one or more.
        names: the players in the order in which they are told; others come after them.
        follow: is told of each hand, too, so that the logs need be read but once.

    Raises:
        LogError: the games differ, or a line cannot be read.
    """
    logs = [log for passes in matches for log in passes]
    game = logs[0].game
    for log in logs:
        if log.game != game:
            raise LogError(
                f"{log.path}: another game ({log.game_text}) than in {logs[0].path} ({logs[0].game_text}): "
                "one report is of one game"
            )
    players = list(dict.fromkeys([*(names or ()), *[name for log in logs for name in _names(log)]]))
    index = {name: k for k, name in enumerate(players)}
    play = PlayTable(game, len(players))
    won = tuple([array("d") for _ in players])
    sums = [[0, 0.0, 0.0] for _ in players]
    biggest: list[tuple[int, int, BigPot]] = []
    num_hands = num_deals = 0
    for passes in matches:
        seats = [[index[name] for name in _names(log)] for log in passes]
        for deal in _deals(passes):
            totals = [0.0] * len(players)
            for log, seated, hand in zip(passes, seats, deal, strict=True):
                who, betting = [seated[player] for player in hand.players], hand.state.betting
                for player, chips in zip(who, hand.chips, strict=True):
                    totals[player] += chips
                    total = sums[player]
                    total[0] += 1
                    total[1] += chips
                    total[2] += chips * chips
                play.add(betting, who, hand.chips)
                if follow is not None:
                    follow(log, hand, who, num_deals, len(passes))
                num_hands += 1
                pot = contested_pot(betting)
                if len(biggest) < MOST_POTS:
                    heapq.heappush(biggest, (pot, -num_hands, BigPot(hand, log.path, pot)))
                elif pot > biggest[0][0]:
                    heapq.heapreplace(biggest, (pot, -num_hands, BigPot(hand, log.path, pot)))
            num_deals += 1
            for chips_of_deals, chips in zip(won, totals, strict=True):
                chips_of_deals.append(chips)
    numbers = {len(passes) for passes in matches}
    return Counts(
        game=game,
        names=tuple(players),
        passes=numbers.pop() if len(numbers) == 1 else 1,
        hands=num_hands,
        deals=num_deals,
        play=play,
        won=won,
        winnings=tuple([Winnings(int(hands), chips, squares) for hands, chips, squares in sums]),
        biggest=tuple([each for _, _, each in sorted(biggest, reverse=True)]),
    )


def _deals(passes: Passes) -> Iterator[tuple[LoggedHand, ...]]:
    if len(passes) > 1:
        return deals(passes)
    return ((hand,) for hand in passes[0].hands())


def _names(log: MatchLog) -> tuple[str, ...]:
    """The players of a log; those who share a name are told apart by their seats."""
    if not log.has_namesakes:
        return log.players
    return tuple([f"{name} (seat {seat + 1})" for seat, name in enumerate(log.players)])
