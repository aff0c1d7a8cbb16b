"""Says of a damaged ledger that it is one: SQLite notices at any query, and quotes what it has read."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any

from engine.support.user_input import printable


class LedgerError(Exception):
    """The ledger cannot be opened, or does not allow something; the message is one line."""


class _Cursor(sqlite3.Cursor):
    """Says of a damaged file that it is one, whatever is asked of it."""

    def execute(self, *words: Any) -> _Cursor:
        with saying_damage():
            return super().execute(*words)

    def fetchone(self) -> Any:
        with saying_damage():
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with saying_damage():
            return super().fetchall()

    def __next__(self) -> Any:
        with saying_damage():
            return super().__next__()


class LedgerConnection(sqlite3.Connection):
    """A connection to a ledger that may be damaged."""

    def execute(self, *words: Any) -> _Cursor:
        """Sqlite3's own.

        Raises:
            LedgerError: the file is damaged.
        """
        return self.cursor(_Cursor).execute(*words)


@contextlib.contextmanager
def saying_damage() -> Iterator[None]:
    """Say of what SQLite cannot read that it is damaged.

    Raises:
        LedgerError: it is.
    """
    try:
        yield
    except UnicodeDecodeError as error:  # SQLite quotes what it has read
        text = printable(error.object.decode("utf-8", "replace"))
        raise LedgerError(f"the ledger is damaged: {text}") from None
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError | sqlite3.IntegrityError):
            raise  # the disk is full, or the fault is ours
        raise LedgerError(f"the ledger is damaged: {printable(str(error))}") from error
