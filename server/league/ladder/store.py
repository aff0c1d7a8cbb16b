"""What a ladder keeps: players, by name, command and version, and what they won from one another, by match.

It is one SQLite file, written by one program at a time and read by any number (WAL).  A tournament that is
added again replaces its earlier entry, so it counts once.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

import attrs

from engine.poker.rules import format_game
from engine.support.user_input import told_as
from server.league.house import Folder
from server.league.match import Played
from server.league.plan import Contestant

_SCHEMA: Final = 2


class LadderFault(Exception):
    """A ladder's file cannot be used; the message is one line."""


@attrs.frozen
class Rated:
    """A player of a ladder: a new command is a new version, too."""

    id: int
    name: str
    command: str
    first_seen: str
    version: str


@attrs.frozen
class PairSum:
    """Two players' total winnings from one another in a game."""

    one: int
    other: int
    deals: int
    hands: int
    mean: float
    """Heads-up, what the first won from the other, mbb per hand; at larger tables, half the difference."""
    error: float | None
    """Standard error; None below two deals."""


class Ladder:
    """A ladder's file.

    Args:
        path: of the file.
        make: create it if there is none.

    *Resource handling*: `close` it.

    Raises:
        LadderFault: there is no such file, or it is something else.
    """

    def __init__(self, path: Path, *, make: bool = False) -> None:
        if not make and not path.is_file():
            raise LadderFault(f"there is no ladder {path}: `riverboat league add {path} DIR` makes one")
        self._path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if version == 0 and tables == 0:
                self._write_tables("tables.sql")
            elif version == 1:
                # Tables refer to the new one as they did to the old one, which had the same name.
                self._db.execute("PRAGMA legacy_alter_table = ON")
                self._write_tables("from_1.sql")
            elif version != _SCHEMA:
                raise LadderFault(f"{path} is no ladder of this version of riverboat")
        except sqlite3.Error as error:
            raise LadderFault(f"{path}: {error}") from None

    def _write_tables(self, file: str) -> None:
        """Bring the file to the version of today."""
        statements = (Path(__file__).parent / file).read_text("utf-8")
        self._db.executescript(f"BEGIN; {statements} PRAGMA user_version = {_SCHEMA}; COMMIT;")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction: all or nothing.

        Raises:
            LadderFault: somebody else writes, or the disk is full.
        """
        with told_as(LadderFault, sqlite3.Error, what=f"{self._path} cannot be written: "), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield

    def add(self, folder: Folder) -> int:
        """Add a tournament; returns how many matches count.

        Raises:
            LadderFault: it has no rates in mbb, or the file cannot be written.
        """
        if folder.plan.sit_and_go is not None:
            raise LadderFault(f"{folder.path}: prizes of a sit-and-go are no rates in mbb/h")
        root = folder.id if folder.root is None else folder.root.text
        facts = json.dumps([folder.plan.name, root, [event.name for event in folder.plan.events]])
        key = sha256(facts.encode()).hexdigest()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        counting = folder.counting()
        with self._writing():
            self._db.execute("DELETE FROM results WHERE tournament = ?", (key,))
            self._db.execute(
                "INSERT OR REPLACE INTO tournaments VALUES (?, ?, ?)", (key, folder.plan.name, now)
            )
            ids = {each.name: self._player(each, now) for each in folder.plan.entrants}
            games = [self._game(event.name, format_game(event.game)) for event in folder.plan.events]
            for match, played in sorted(counting.items()):
                for one, other in itertools.combinations(match.players, 2):
                    row = _sums(played, one, other)
                    self._db.execute(
                        "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        (key, match.id, games[match.event], ids[one], ids[other], *row),
                    )
        return len(counting)

    def _player(self, entrant: Contestant, now: str) -> int:
        who = (entrant.name, entrant.text, entrant.version)
        self._db.execute(
            "INSERT OR IGNORE INTO players (name, command, version, first_seen) VALUES (?, ?, ?, ?)",
            (*who, now),
        )
        (found,) = self._db.execute(
            "SELECT id FROM players WHERE name = ? AND command = ? AND version = ?", who
        ).fetchone()
        return int(found)

    def _game(self, name: str, definition: str) -> int:
        self._db.execute("INSERT OR IGNORE INTO games (name, definition) VALUES (?, ?)", (name, definition))
        (found,) = self._db.execute("SELECT id FROM games WHERE definition = ?", (definition,)).fetchone()
        return int(found)

    def games(self) -> list[str]:
        """Names of the games with results."""
        rows = self._db.execute(
            "SELECT DISTINCT games.name FROM games JOIN results ON results.game = games.id "
            "ORDER BY games.name"
        )
        return [str(name) for (name,) in rows]

    def players(self) -> dict[int, Rated]:
        """All players and versions, by number."""
        return {
            row[0]: Rated(*row)
            for row in self._db.execute("SELECT id, name, command, first_seen, version FROM players")
        }

    def tournaments(self) -> list[tuple[str, str]]:
        """Names of the tournaments, and when they were added."""
        return list(self._db.execute("SELECT name, added FROM tournaments ORDER BY added, name"))

    def pairs(self, game: str) -> list[PairSum]:
        """Players' winnings from one another in a game, all matches together."""
        rows = self._db.execute(
            "SELECT one, other, deals, hands, mean, squares FROM results "
            "JOIN games ON games.id = results.game WHERE games.name = ? AND deals > 0",
            (game,),
        )
        sums: dict[tuple[int, int], list[tuple[int, int, float, float]]] = {}
        for one, other, deals, hands, mean, squares in rows:
            pair, sign = ((one, other), 1.0) if one < other else ((other, one), -1.0)
            sums.setdefault(pair, []).append((deals, hands, sign * mean, squares))
        return [_pooled(*pair, parts) for pair, parts in sorted(sums.items())]


def _sums(played: Played, one: str, other: str) -> tuple[int, int, float, float]:
    """Deals, hands, mean and sum of squared deviations of what one player won from another in a match."""
    players = played.match.players
    mine, theirs = played.deals[players.index(one)], played.deals[players.index(other)]
    leads = [(a - b) / 2 for a, b in zip(mine, theirs, strict=True)]
    mean = math.fsum(leads) / len(leads) if leads else 0.0
    return len(leads), played.hands, mean, math.fsum((lead - mean) ** 2 for lead in leads)


def _pooled(one: int, other: int, parts: list[tuple[int, int, float, float]]) -> PairSum:
    """All matches of a pair, as if their deals were one list."""
    deals = sum(part[0] for part in parts)
    mean = math.fsum(part[0] * part[2] for part in parts) / deals
    squares = math.fsum(part[3] + part[0] * (part[2] - mean) ** 2 for part in parts)
    error = math.sqrt(squares / (deals - 1) / deals) if deals > 1 else None
    return PairSum(one, other, deals, sum(part[1] for part in parts), mean, error)
