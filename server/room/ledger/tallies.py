"""Who has won how much at which game, counted once: a later question reads only the hands since then."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Final

import attrs

from engine.support.intervals import Estimate, Winnings
from server.room.ledger.ledger import Ledger

LEAST_HANDS: Final = 100
"""For a place in the standings."""
_BLINDS: Final = re.compile("blind = ([0-9 ]+)")
_NEW: Final = """
    WITH played AS MATERIALIZED (
        SELECT id, which(table_name || ':' || game) AS which FROM hands
        WHERE id > ? AND table_name NOT IN (SELECT table_name FROM sit_and_gos)
    )
    SELECT which, player, count(*), sum(chips - rake), sum(1.0 * (chips - rake) * (chips - rake)), max(id)
    FROM played JOIN results ON hand = id GROUP BY which, player
"""


@attrs.frozen
class PlayersTally:
    """A player's winnings at one game."""

    name: str
    """Of a bot of the house's, what it is: all of its kind are counted together."""
    kind: str
    winnings: Winnings

    @property
    def has_place(self) -> bool:
        """Whether there are enough hands to rank it."""
        return self.winnings.hands >= LEAST_HANDS

    def per_hundred(self, blind: int) -> Estimate:
        """Big blinds won in a hundred hands."""
        return self.winnings.rate(blind).scaled(1 / 10)


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
        return max(tally.winnings.hands for tally in self.tallies)


class Tallies:
    """The winnings of everybody at every game, up to some hand."""

    def __init__(self) -> None:
        self._upto = 0
        self._counted: dict[tuple[str, int], Winnings] = defaultdict(Winnings)  # by table and player
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
            self._counted[table, player] += Winnings(hands, chips, squares)
            self._upto = max(self._upto, last)
        if rows:
            players = {player.id: (player.name, player.kind) for player in ledger.players()}
            self._standings = self._in_order(players)
        return self._standings

    def _in_order(self, players: dict[int, tuple[str, str]]) -> list[GameStandings]:
        games: dict[str, dict[tuple[str, str], Winnings]] = defaultdict(lambda: defaultdict(Winnings))
        for (table, player), winnings in self._counted.items():
            ((game, _),) = self._games[table].most_common(1)  # a short blind is not another game
            name, kind = players[player]
            games[game][name.rpartition("-")[0] if kind == "house" else name, kind] += winnings
        found = []
        for text, won in games.items():
            blind = int(text.rpartition(" ")[2])
            tallies = [PlayersTally(*who, winnings) for who, winnings in won.items()]
            tallies.sort(key=lambda each: (not each.has_place, -each.per_hundred(blind).mean, each.name))
            found.append(GameStandings(text, blind, tuple(tallies)))
        return sorted(found, key=lambda each: -each.hands)


def stakes(game: str) -> str:
    """Kind and big blind of a hand's game, from its text; it runs once for each hand."""
    blinds = [int(blind) for blind in _BLINDS.findall(game)[0].split()] if "blind = " in game else [1]
    kind = "limit" if ";limit;" in game else "no-limit"
    return f"{kind} {'hold’em' if 'numHoleCards = 2' in game else 'poker'}, big blind {max(1, *blinds)}"
