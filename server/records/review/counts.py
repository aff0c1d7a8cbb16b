"""One walk over the hands of some logs: winnings, statistics of play, biggest pots, and luck taken out.

The arithmetic of luck needs numpy, and for hold'em also the compiler; both are loaded only when hands are
collected.
"""

from __future__ import annotations

import heapq
import itertools
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.evidence.play_statistics import PlayTable, Sums, contested_pot
from engine.poker.rules import GameDefinition
from engine.support.intervals import Z95, Winnings, half_width
from server.records.batches import Batch, deals_in_batches, is_worth_columns
from server.records.evidence import Luck, policies_beside
from server.records.logs import LogError, LoggedHand, MatchLog
from server.records.passes import deals
from server.records.policies import PolicyFile

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from engine.evidence.estimates import Evidence

__all__ = ["MOST_POTS", "BigPot", "Counts", "Luckless", "Passes", "count_hands"]

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


@attrs.frozen(eq=False)
class Counts:
    """The counts of some hands, by player."""

    game: GameDefinition
    names: tuple[str, ...]
    """The players' names; a player's index below is that of the name."""
    passes: int
    """How often each deal was played; also 1 if matches of several kinds are counted together."""
    hands: int
    deals: int
    play: PlayTable
    won: tuple[array[float], ...]
    """By player, the chips won in each deal in the order played, over all its passes together; 0 if the
    player did not take part."""
    winnings: tuple[Winnings, ...]
    """By player, the winnings over the hands they took part in."""
    biggest: tuple[BigPot, ...]
    """The biggest pots, in order of size."""

    def half_width(self, player: int) -> float | None:
        """Half width of the 95 % interval of a player's chips per hand; None below two deals.

        In a duplicate match the samples are the means of the deals, since only these are independent.
        """
        if self.passes == 1:
            return self.winnings[player].half_width()
        return half_width([chips / self.passes for chips in self.won[player]], Z95)


def count_hands(
    matches: Sequence[Passes], names: Sequence[str] | None = None, luckless: Luckless | None = None
) -> Counts:
    """Count the hands of some matches of the same game.

    In a duplicate match the deals that every pass has played are counted.

    Args:
        matches: one or more matches.
        names: players' names, in the order wanted; others come after them.
        luckless: receives each hand as well, so that the logs are read only once.

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
    players = list(dict.fromkeys([*(names or ()), *[name for log in logs for name in _names(log)]]))
    counting = _Counting(game, players)
    in_columns = (luckless is None or luckless.takes_columns) and is_worth_columns(logs)
    for passes in matches:
        if in_columns:
            counting.count_columns(passes, luckless)
        else:
            counting.count(passes, luckless)
    numbers = {len(passes) for passes in matches}
    return Counts(
        game=game,
        names=tuple(players),
        passes=numbers.pop() if len(numbers) == 1 else 1,
        hands=counting.hands,
        deals=counting.deals,
        play=counting.play,
        won=counting.won,
        winnings=tuple([sums.winnings for sums in counting.sums]),
        biggest=counting.biggest(),
    )


class _Counting:
    """The counts so far."""

    def __init__(self, game: GameDefinition, players: Sequence[str]) -> None:
        self._index = {name: k for k, name in enumerate(players)}
        self.play = PlayTable(game, len(players))
        self.won = tuple([array("d") for _ in players])
        self.sums = [Sums() for _ in players]
        self.hands = self.deals = 0
        self._biggest: list[tuple[int, int, BigPot]] = []  # pot, the hand's number times -1

    def _seats(self, passes: Passes) -> list[list[int]]:
        """For each log and each of its players, the player's place in the report."""
        return [[self._index[name] for name in _names(log)] for log in passes]

    def count(self, passes: Passes, luckless: Luckless | None) -> None:
        """Count a match, hand by hand."""
        seats = self._seats(passes)
        for deal in _deals(passes):
            totals = [0.0] * len(self.won)
            for log, seated, hand in zip(passes, seats, deal, strict=True):
                who, betting = [seated[player] for player in hand.players], hand.state.betting
                for player, chips in zip(who, hand.chips, strict=True):
                    totals[player] += chips
                    self.sums[player].add(chips)
                self.play.add(betting, who, hand.chips)
                if luckless is not None:
                    luckless.follow(log, hand, who, self.deals, len(passes))
                self.hands += 1
                pot = contested_pot(betting)
                if self._is_big(pot):
                    self._keep(pot, self.hands, BigPot(hand, log.path, pot))
            self.deals += 1
            for chips_of_deals, chips in zip(self.won, totals, strict=True):
                chips_of_deals.append(chips)

    def count_columns(self, passes: Passes, luckless: Luckless | None) -> None:
        """Count a match, thousands of hands at a time: the same to the last digit."""
        import numpy as np

        from engine.evidence.columns.play import add_to_sums, add_to_table, contested_pots, totals_by_deal

        seats = self._seats(passes)
        for batch in deals_in_batches(passes):
            hands, chips = batch.hands, batch.chips
            by_turns = zip(itertools.cycle(seats), batch.rows, strict=False)
            who = np.array([[seated[player] for player in row.players] for seated, row in by_turns], np.int64)
            add_to_sums(self.sums, who.ravel(), chips.ravel())
            add_to_table(self.play, hands, who, chips)
            totals = totals_by_deal(who, chips, len(passes), len(self.won))
            for chips_of_deals, each in zip(self.won, totals.T, strict=True):
                chips_of_deals.frombytes(each.tobytes())
            if luckless is not None:
                luckless.follow_columns(batch, who, self.deals)
            pots = contested_pots(hands)
            for row in np.argsort(-pots, kind="stable")[:MOST_POTS].tolist():
                pot = int(pots[row])
                if self._is_big(pot):
                    path = passes[row % len(passes)].path
                    self._keep(pot, self.hands + row + 1, BigPot(batch.hand(row), path, pot))
            self.hands += len(hands)
            self.deals += len(totals)

    def _is_big(self, pot: int) -> bool:
        return len(self._biggest) < MOST_POTS or pot > self._biggest[0][0]

    def _keep(self, pot: int, number: int, found: BigPot) -> None:
        if len(self._biggest) < MOST_POTS:
            heapq.heappush(self._biggest, (pot, -number, found))
        else:
            heapq.heapreplace(self._biggest, (pot, -number, found))

    def biggest(self) -> tuple[BigPot, ...]:
        """The biggest pots, in order of size."""
        return tuple([each for _, _, each in sorted(self._biggest, reverse=True)])


def _deals(passes: Passes) -> Iterator[tuple[LoggedHand, ...]]:
    if len(passes) > 1:
        return deals(passes)
    return ((hand,) for hand in passes[0].hands())


def _names(log: MatchLog) -> tuple[str, ...]:
    """The players of a log; those with the same name are told apart by their seats."""
    if not log.has_namesakes:
        return log.players
    return tuple([f"{name} (seat {seat + 1})" for seat, name in enumerate(log.players)])


_BEST_FIRST: Final = ("aivat", "equity", "all_in")
"""The estimators by which bankrolls are drawn: the first one that has a result."""


class Luckless:
    """Collects hands, and takes the luck out of them.

    Args:
        game: the game played.
        luck: how far luck is taken out; for AIVAT the stated strategies are read from the logs' folders.
    """

    def __init__(self, game: GameDefinition, luck: Luck = Luck.EQUITY) -> None:
        from engine.evidence.estimates import Evidence

        self._game = game
        self._with_aivat = luck is Luck.AIVAT
        self._evidence: Evidence = Evidence(game, with_aivat=self._with_aivat)
        self._policies: dict[Path, PolicyFile] = {}

    @property
    def takes_columns(self) -> bool:
        """Whether it can receive many hands at once; AIVAT takes each hand by itself."""
        return not self._with_aivat

    def follow(self, log: MatchLog, hand: LoggedHand, players: Sequence[int], deal: int, passes: int) -> None:
        """Receive a hand, in the order of the walk.

        Args:
            log: the hand's log.
            hand: the hand.
            players: the player in each position.
            deal: the number of its deal.
            passes: how often the deal was played.

        Raises:
            LogError: the stated strategies cannot be read.
        """
        told = None
        if self._with_aivat:
            if log.path not in self._policies:
                self._policies[log.path] = policies_beside(log.path)
            told = self._policies[log.path].told(hand.number)
        self._evidence.add(hand.state, hand.chips, players, deal, passes, told)

    def follow_columns(self, batch: Batch, players: NDArray[np.int64], deal: int) -> None:
        """Receive many hands, in the order of the walk.

        Args:
            batch: the hands.
            players: the player in each position, shape (hands, positions).
            deal: the number of the first deal.
        """
        import numpy as np

        passes = len(batch.logs)
        deals = deal + np.arange(len(batch.hands)) // passes
        self._evidence.add_columns(batch.hands, batch.numbers, batch.chips, players, deals, passes)

    @property
    def missing(self) -> dict[str, str]:
        """Why an estimator has no result, by its name."""
        return dict(self._evidence.missing)

    def estimates(self, num_players: int) -> list[dict[str, Any]]:
        """By player and estimator, milli big blinds per hand with their 95 % interval."""
        found: list[dict[str, Any]] = [{} for _ in range(num_players)]
        if not self._game.big_blind:
            return found
        for name, by_player in self._evidence.estimates().items():
            for row, each in zip(found, by_player, strict=False):
                if each is not None:
                    rate = each.scaled(1000 / self._game.big_blind)
                    row[name] = {"mbb_per_hand": rate.mean, "ci95": rate.ci95}
        return found

    def won(self, num_players: int, num_deals: int) -> tuple[array[float], ...] | None:
        """As `Counts.won` with luck taken out: by player, the chips of each deal; None if impossible."""
        values = next(
            (
                found
                for name in _BEST_FIRST
                if name in self._evidence.estimators and (found := self._evidence.values(name)) is not None
            ),
            None,
        )
        if values is None:
            return None
        won = tuple([array("d", bytes(8 * num_deals)) for _ in range(num_players)])
        deals, seated = self._evidence.deals.tolist(), self._evidence.players.tolist()
        for deal, players, chips in zip(deals, seated, values.tolist(), strict=True):
            for player, each in zip(players, chips, strict=True):
                won[player][deal] += each
        return won
