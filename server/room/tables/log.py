"""A table's log: every finished hand as the ACPC dealer writes it, with its game and its cards' key.

Stacks and players differ from hand to hand, so each hand is surrounded by comments of its own::

    # hand 17 game GAMEDEF;nolimit;...;END GAMEDEF
    # hand 17 cards: sha256 COMMITMENT
    STATE:17:...
    # hand 17 key KEY

The ledger has the same; what is missing at the end of the log, because the room was killed or the disk was
full, is written when the table is opened again.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import attrs

from engine.poker.match_key import MatchKey
from protocol.records import format_header
from server.room.config import TableConfig
from server.room.ledger.ledger import HandEntry, Ledger
from server.support.console import Console
from server.support.errors import MatchAborted
from server.support.private_files import FILE_MODE
from server.table.config import MatchConfig, OnFailure
from server.table.records import MatchRecords

FOLDER: Final = "tables"
"""The folder of the logs, in the folder of the room's data."""
MARK: Final = "# room: "
"""Begins the line after the header that identifies such a log; the table's policy follows."""
OF_HAND: Final = re.compile(r"# hand (\d+) (game|cards: sha256|key) (.*)")
"""A comment that belongs to a hand."""
_MOST_HANDS: Final = 2**32 - 1
_TAIL: Final = 1 << 20


def format_entry(hand: HandEntry) -> str:
    """All lines of a hand."""
    number, key = hand.number, MatchKey.parse(hand.secret)
    return (
        f"# hand {number} game {hand.game}\n# hand {number} cards: sha256 {key.commitment}\n"
        f"{hand.line}# hand {number} key {key.text}\n"
    )


class TableLog(MatchRecords):
    """The log of one table; a full disk loses nothing, since the ledger has it all."""

    def __init__(self, config: MatchConfig, console: Console, table: TableConfig) -> None:
        super().__init__(config, console)
        self._table = table
        self._is_broken = False

    def begin(self, ledger: Ledger) -> None:
        """Open the log, and write the hands that only the ledger has.

        Raises:
            MatchAborted: it cannot be opened or written.
        """
        path = self.config.log_path
        assert path is not None  # every table keeps one
        first = _first_missing(path)
        self.open()
        if self.log is not None and self.log.is_empty:
            limits = self._table.limits
            seconds = (limits.response, limits.hand, limits.per_hand)
            milliseconds = [round(each * 1000) for each in seconds]
            name, game = self._table.name, self._table.game_text.replace(" ", "_")
            header = format_header(name, game, _MOST_HANDS, "random", *milliseconds)
            super().write(f"{header}{MARK}{self._table.policy}\n")
        for hand in ledger.hands_from(self._table.name, first):
            super().write(format_entry(hand))

    def write(self, text: str) -> None:
        """Write lines; lines that the disk does not take are missing until the table is opened again."""
        if self._is_broken:
            return
        try:
            super().write(text)
        except MatchAborted as error:
            self._is_broken = True
            self.console.err(error.lines)

    def write_entry(self, hand: HandEntry) -> None:
        """Write a finished hand."""
        self.write(format_entry(hand))


def _first_missing(path: Path) -> int:
    """The number of the first hand that a log does not have in full; any part of it in the log is cut off."""
    if not path.exists():
        return 0
    with open(path, "rb+") as file:
        size = file.seek(0, 2)
        step = _TAIL
        while True:
            start = file.seek(max(0, size - step))
            tail = file.read()
            keys = list(re.finditer(rb"^# hand (\d+) key [0-9a-f]{64}\n", tail, re.MULTILINE))
            if keys or start == 0:
                break
            step *= 2
        end = keys[-1].end() if keys else 0
        torn = re.compile(rb"^# hand \d+ ", re.MULTILINE).search(tail, end)
        if torn is not None:
            file.truncate(start + torn.start())
    return int(keys[-1].group(1)) + 1 if keys else 0


def _private(path: str, flags: int) -> int:
    """A file that only our own user can read: everybody's cards are in it."""
    return os.open(path, flags, FILE_MODE)


def match_config(table: TableConfig, folder: Path) -> MatchConfig:
    """A table's configuration for the code that seats, asks and records.

    Names are those of the players in each hand; the cards are drawn anew for every hand.
    """
    return attrs.evolve(
        MatchConfig(
            name=table.name,
            game=table.game,
            game_text=table.game_text,
            hands=_MOST_HANDS,
            cards=MatchKey(bytes(32)),  # nobody deals from it
            names=tuple([f"seat-{number + 1}" for number in range(table.seats)]),
        ),
        limits=table.limits,
        on_failure=OnFailure.FOLD,
        comment_failures=True,
        log_path=folder / FOLDER / f"{table.name}.log",
        append=True,
        opener=_private,
        quiet=True,
    )
