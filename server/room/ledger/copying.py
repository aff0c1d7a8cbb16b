"""SQLite's log is copied into the ledger's file by a thread, so that no table waits for the disk.

Whoever writes does that after a transaction unless told otherwise, every thousand pages, and waits for the
disk: 10 to 40 ms, several times a second with two hundred tables.  Here a second connection does it beside
the writer.  That never empties the log while hands are written all the time; a log that has become large is
therefore emptied while the writer waits, once in a long while.
"""

from __future__ import annotations

import contextlib
import sqlite3
from typing import Final

import trio

from server.room.ledger.ledger import Ledger

EVERY_S: Final = 1.0
"""Between two looks whether something was written."""
MOST_PAGES: Final = 16_384
"""Of the log, before it is emptied while the writer waits: 64 MB."""


async def copy_back(ledger: Ledger) -> None:
    """Copy what is written to a ledger from SQLite's log into its file, until cancelled."""
    with contextlib.closing(ledger.connect_beside()) as beside:
        copied = ledger.transactions
        while True:
            await trio.sleep(EVERY_S)
            if ledger.transactions != copied:
                copied = ledger.transactions
                # A disk that is full takes it later: until then it is in the log.
                with contextlib.suppress(sqlite3.OperationalError):
                    await trio.to_thread.run_sync(_copy, beside)


def _copy(beside: sqlite3.Connection) -> None:
    _, pages, _ = beside.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    if pages > MOST_PAGES:
        beside.execute("PRAGMA wal_checkpoint(RESTART)")
