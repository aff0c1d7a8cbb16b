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
from server.support.console import Console

EVERY_S: Final = 1.0
"""Between two looks whether something was written."""
MOST_PAGES: Final = 16_384
"""Of the log, before it is emptied while the writer waits: 64 MB."""


async def copy_back(ledger: Ledger, console: Console) -> None:
    """Copy what is written to a ledger from SQLite's log into its file, until cancelled.

    What cannot be copied, since the disk is full, stays in the log, where nothing is lost.  The operator is
    told once, and it is tried again every second.
    """
    with contextlib.closing(ledger.connect_beside()) as beside:
        copied, is_failing = ledger.transactions, False
        while True:
            await trio.sleep(EVERY_S)
            written = ledger.transactions
            if written == copied:
                continue
            try:
                await trio.to_thread.run_sync(_copy, beside)
            except sqlite3.OperationalError as error:
                if not is_failing:
                    console.err(f"riverboat: the ledger's log cannot be copied into its file: {error}\n")
                is_failing = True
                continue
            if is_failing:
                console.err("riverboat: the ledger's log is copied into its file again\n")
            copied, is_failing = written, False


def _copy(beside: sqlite3.Connection) -> None:
    _, pages, _ = beside.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    if pages > MOST_PAGES:
        beside.execute("PRAGMA wal_checkpoint(RESTART)")
