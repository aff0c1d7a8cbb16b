"""Results and bankrolls with the luck of the cards taken out.

The arithmetic needs numpy, and for hold'em also the compiler; both are loaded only when hands are collected.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.poker.rules import GameDefinition
from server.records.batches import Batch
from server.records.evidence import Luck, policies_beside
from server.records.logs import LoggedHand, MatchLog
from server.records.policies import PolicyFile

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from engine.evidence.estimates import Evidence

__all__ = ["Luckless"]

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
        """Receive a hand, as a `server.records.review.counts.Follower`.

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
        """Receive many hands, as a `server.records.review.counts.Follower`."""
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
