"""The ledger's tables in SQLite, and how those of earlier versions are migrated.

The version is SQLite's own ``user_version``; each migration leads from one to the next, in one transaction.
"""

from __future__ import annotations

import sqlite3
from typing import Final

MIGRATIONS: Final = (
    """
    CREATE TABLE players (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE COLLATE NOCASE,
        kind TEXT NOT NULL CHECK (kind IN ('registered', 'guest', 'house')),
        salt BLOB,
        token BLOB,
        chips INTEGER NOT NULL DEFAULT 0 CHECK (chips >= 0),
        is_banned INTEGER NOT NULL DEFAULT 0,
        since_us INTEGER NOT NULL
    );
    CREATE TABLE tables (
        name TEXT PRIMARY KEY,
        next_hand INTEGER NOT NULL DEFAULT 0,
        button INTEGER, small INTEGER, big INTEGER
    );
    CREATE TABLE places (
        table_name TEXT NOT NULL REFERENCES tables (name),
        seat INTEGER NOT NULL,
        player INTEGER NOT NULL REFERENCES players (id),
        stack INTEGER NOT NULL CHECK (stack >= 0),
        PRIMARY KEY (table_name, seat)
    );
    CREATE TABLE movements (
        id INTEGER PRIMARY KEY,
        at_us INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('issue', 'return', 'buy-in', 'top-up', 'cash-out')),
        player INTEGER NOT NULL REFERENCES players (id),
        table_name TEXT REFERENCES tables (name),
        chips INTEGER NOT NULL CHECK (chips >= 0)
    );
    CREATE TABLE hands (
        id INTEGER PRIMARY KEY,
        table_name TEXT NOT NULL REFERENCES tables (name),
        number INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        game TEXT NOT NULL,
        line TEXT NOT NULL,
        secret TEXT NOT NULL,
        UNIQUE (table_name, number)
    );
    CREATE TABLE results (
        hand INTEGER NOT NULL REFERENCES hands (id),
        position INTEGER NOT NULL,
        player INTEGER NOT NULL REFERENCES players (id),
        chips INTEGER NOT NULL,
        rake INTEGER NOT NULL CHECK (rake >= 0),
        PRIMARY KEY (hand, position)
    ) WITHOUT ROWID;
    """,
    # Standings and bankrolls ask for a player's hands, and not all hands are for chips: those of a match
    # count only for the standings.
    """
    ALTER TABLE hands ADD COLUMN moves_chips INTEGER NOT NULL DEFAULT 1;
    CREATE INDEX results_by_player ON results (player, hand);
    """,
    # Tournaments pay by places.  (Both columns have never been used: entrants have their values.)
    """
    ALTER TABLE places ADD COLUMN place INTEGER;
    ALTER TABLE tables ADD COLUMN level_from INTEGER;
    """,
    # Sit-and-gos: what was paid in is in a pool until it is paid out; stacks are not money.  An entrant's
    # hand is the last one dealt to them.
    """
    CREATE TABLE sit_and_gos (
        id INTEGER PRIMARY KEY,
        table_name TEXT NOT NULL REFERENCES tables (name),
        began_us INTEGER NOT NULL,
        over_us INTEGER,
        first_hand INTEGER NOT NULL,
        stack INTEGER NOT NULL,
        pool INTEGER NOT NULL CHECK (pool >= 0),
        unpaid INTEGER NOT NULL CHECK (unpaid >= 0),
        is_called_off INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX sit_and_gos_by_table ON sit_and_gos (table_name, id);
    CREATE TABLE entrants (
        sit_and_go INTEGER NOT NULL REFERENCES sit_and_gos (id),
        seat INTEGER NOT NULL,
        player INTEGER NOT NULL REFERENCES players (id),
        paid INTEGER NOT NULL CHECK (paid >= 0),
        stack INTEGER NOT NULL CHECK (stack >= 0),
        place INTEGER,
        prize INTEGER,
        hand INTEGER REFERENCES hands (id),
        PRIMARY KEY (sit_and_go, seat)
    ) WITHOUT ROWID;
    CREATE INDEX entrants_by_player ON entrants (player, hand);
    """,
)
"""Statements that lead from version k to k + 1."""

VERSION: Final = len(MIGRATIONS)


class SchemaError(Exception):
    """A file is not a ledger of this program; the message is one line."""


def require_current(connection: sqlite3.Connection) -> None:
    """Make sure that a ledger opened for reading has this version.

    Raises:
        SchemaError: it has another.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise SchemaError(f"written by a later version: expected schema {VERSION}, got {version}")
    if version < VERSION:
        raise SchemaError(
            f"written by an earlier version: expected schema {VERSION}, got {version}; "
            "opening the room once brings it up to date"
        )


def migrate(connection: sqlite3.Connection, upto: int = VERSION) -> None:
    """Migrate a ledger's tables to a version; if that fails, none of them is changed.

    Raises:
        SchemaError: it was written by a later version of this program.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise SchemaError(f"written by a later version: expected schema {VERSION} at most, got {version}")
    for number in range(version, upto):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in MIGRATIONS[number].split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
