"""Who has won how much at which game, counted once: a later question reads only the hands since then."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from typing import Final

import attrs

from server.room.ledger.ledger import Ledger

LEAST_HANDS: Final = 100
"""For a place in the standings."""
_NORMAL_95: Final = 1.96
_BLINDS: Final = re.compile("blind = ([0-9 ]+)")
_NEW: Final = """
    WITH played AS MATERIALIZED (
        SELECT id, which(table_name || ':' || game) AS which FROM hands
        WHERE id > ? AND table_name NOT IN (SELECT table_name FROM sit_and_gos)
    )
    SELECT which, player, count(*), sum(chips - rake), sum(1.0 * (chips - rake) * (chips - rake)), max(id)
    FROM played JOIN results ON hand = id GROUP BY which, player
"""


@attrs.define
class PlayersTally:
    """A player's winnings at one game."""

    name: str
    """Of a bot of the house's, what it is: all of its kind are counted together."""
    kind: str
    hands: int = 0
    chips: float = 0.0
    squares: float = 0.0

    def add(self, hands: int, chips: float, squares: float) -> None:
        """Count more hands."""
        self.hands += hands
        self.chips += chips
        self.squares += squares

    @property
    def has_place(self) -> bool:
        """Whether there are enough hands to rank it."""
        return self.hands >= LEAST_HANDS

    def per_hundred(self, blind: int) -> float:
        """Big blinds won in a hundred hands."""
        return 100 * self.chips / (self.hands * blind)

    def half_width(self, blind: int) -> float:
        """Half of the 95 % interval around it."""
        if self.hands < 2:
            return math.inf
        mean = self.chips / self.hands
        variance = max(0.0, self.squares - self.hands * mean * mean) / (self.hands - 1)
        return 100 * _NORMAL_95 * math.sqrt(variance / self.hands) / blind


@attrs.frozen
class GameStandings:
    """The standings of one game."""

    game: str
    """In words: kind and big blind."""
    blind: int
    tallies: tuple[PlayersTally, ...]
    """Those with enough hands first, the best first."""

    @property
    def hands(self) -> int:
        """The hands of the one who has played most."""
        return max(tally.hands for tally in self.tallies)


class Tallies:
    """The winnings of everybody at every game, up to some hand."""

    def __init__(self) -> None:
        self._upto = 0
        self._counted: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0, 0.0, 0.0])  # by table
        self._games: dict[str, Counter[str]] = defaultdict(Counter)  # by table, with what was played there
        self._standings: list[GameStandings] = []

    def update(self, ledger: Ledger) -> list[GameStandings]:
        """Count the hands since the last time; returns the standings by game, the most played first."""
        known: dict[tuple[str, str], int] = {}  # tables with what was played there; SQLite groups by a number

        def which(text: str) -> int:
            table, _, game = text.partition(":")
            return known.setdefault((table, stakes(game)), len(known))

        rows = ledger.read(_NEW, (self._upto,), which=which)
        places = list(known)
        for number, player, hands, chips, squares, last in rows:
            table, game = places[number]
            self._games[table][game] += hands
            counted = self._counted[table, player]
            for index, value in enumerate((hands, chips, squares)):
                counted[index] += value
            self._upto = max(self._upto, last)
        if rows:
            players = {player.id: (player.name, player.kind) for player in ledger.players()}
            self._standings = self._in_order(players)
        return self._standings

    def _in_order(self, players: dict[int, tuple[str, str]]) -> list[GameStandings]:
        games: dict[str, dict[tuple[str, str], PlayersTally]] = defaultdict(dict)
        for (table, player), (hands, chips, squares) in self._counted.items():
            ((game, _),) = self._games[table].most_common(1)  # a short blind is not another game
            name, kind = players[player]
            name = name.rpartition("-")[0] if kind == "house" else name
            games[game].setdefault((name, kind), PlayersTally(name, kind)).add(int(hands), chips, squares)
        found = []
        for text, tallies in games.items():
            blind = int(text.rpartition(" ")[2])
            order = sorted(
                tallies.values(), key=lambda each: (not each.has_place, -each.per_hundred(blind), each.name)
            )
            found.append(GameStandings(text, blind, tuple(order)))
        return sorted(found, key=lambda each: -each.hands)


def stakes(game: str) -> str:
    """Kind and big blind of a hand's game, from its text; it runs once for each hand."""
    blinds = [int(blind) for blind in _BLINDS.findall(game)[0].split()] if "blind = " in game else [1]
    kind = "limit" if ";limit;" in game else "no-limit"
    return f"{kind} {'hold’em' if 'numHoleCards = 2' in game else 'poker'}, big blind {max(1, *blinds)}"
