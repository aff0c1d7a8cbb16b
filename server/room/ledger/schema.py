"""The ledger's tables in SQLite, and how those of earlier versions are migrated.

The version is SQLite's own ``user_version``; each file in ``migrations/`` leads from one to the next, in one
transaction.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

MIGRATIONS: Final = tuple(
    [file.read_text("utf-8") for file in sorted((Path(__file__).parent / "migrations").glob("*.sql"))]
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
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in MIGRATIONS[number].split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
