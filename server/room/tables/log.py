"""A table's log: every finished hand as the ACPC dealer writes it, with its game and its cards' key.

Stacks and players differ from hand to hand, so each hand is surrounded by comments of its own::

    # hand 17 game GAMEDEF;nolimit;...;END GAMEDEF
    # hand 17 cards: sha256 COMMITMENT
    STATE:17:...
    # hand 17 key KEY

The ledger has the same; what is missing at the end of the log, because the room was killed or the disk was
full, is written when the table is opened again.

`check_room_log` deals each hand's cards again from the key after it, which must match the hash before it;
betting, chips (whole, see `server.table.rules.chips`) and numbers are checked as in a match.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import attrs

from engine.poker.match_key import MatchKey
from engine.poker.rules import GameDefinition, HandState
from protocol.extension import parse_game_line
from protocol.records import OF_HAND, HandReader, RevealedKeys, format_game_of, format_header
from server.records.log_lines import numbered_lines, shown
from server.records.verification.log_checker import Problem, Verification, check_cards, check_chips
from server.room.config import TableConfig
from server.room.ledger.ledger import HandEntry, Ledger
from server.support.console import Console
from server.support.errors import MatchAborted
from server.support.private_files import open_private
from server.table.config import MatchConfig, OnFailure
from server.table.records import MatchRecords
from server.table.rules.chips import whole_chips

FOLDER: Final = "tables"
"""The folder of the logs, in the folder of the room's data."""
MARK: Final = "# room: "
"""Begins the line after the header that identifies such a log; the table's policy follows."""
_MOST_HANDS: Final = 2**32 - 1
_TAIL: Final = 1 << 20


def format_entry(hand: HandEntry) -> str:
    """All lines of a hand."""
    number, key = hand.number, MatchKey.parse(hand.secret)
    return (
        f"{format_game_of(number, hand.game)}# hand {number} cards: sha256 {key.commitment}\n"
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


def match_config(table: TableConfig, folder: Path) -> MatchConfig:
    """A table's configuration for the code that seats, asks and records.

    Names are those of the players in each hand; the cards are drawn anew for every hand.
    """
    return MatchConfig(
        name=table.name,
        game=table.game,
        game_text=table.game_text,
        hands=_MOST_HANDS,
        cards=MatchKey(bytes(32)),  # nobody deals from it
        names=tuple([f"seat-{number + 1}" for number in range(table.seats)]),
        limits=table.limits,
        on_failure=OnFailure.FAIR,
        comment_failures=True,
        log_path=folder / FOLDER / f"{table.name}.log",
        append=True,
        opener=open_private,  # everybody's cards are in it
        quiet=True,
    )


_HEADER_LINES: Final = 12


@attrs.define
class _Hand:
    """The part of a hand read so far."""

    number: int
    game: GameDefinition
    commitment: str | None = None
    state: HandState | None = None


def is_room_log(path: Path) -> bool:
    """Whether a log is that of a room's table or of a sit-and-go: every hand says its own game.

    Raises:
        LogError: it cannot be read.
    """
    for (_, text), _ in zip(numbered_lines(path), range(_HEADER_LINES), strict=False):
        if text.startswith(MARK) or OF_HAND.match(text):
            return True
    return False


def check_room_log(path: Path) -> Verification:
    """Check a log line by line, up to the first wrong one.

    Raises:
        LogError: it cannot be read.
    """
    checker, problem = _Checker(), None
    for line, text in numbered_lines(path):
        try:
            checker.check(text)
        except ValueError as error:
            problem = Problem(path, line, str(error))
            break
    cards = "a key for each hand" if checker.has_cards else None
    return Verification(path, checker.hands, problem, cards, is_complete=True, has_games_of_hands=True)


class _Checker:
    """Checks the lines of a log one after another."""

    def __init__(self) -> None:
        self.hands = 0
        self.has_cards = True
        self._hand: _Hand | None = None
        self._next: int | None = None
        self._keys: RevealedKeys | None = RevealedKeys()  # of a sit-and-go; None for a room's table

    def check(self, text: str) -> None:
        """Check the next line.

        Raises:
            ValueError: it is wrong.
        """
        if not text.endswith("\n"):
            raise ValueError("the last line is torn off")
        text = text.rstrip("\r\n")
        comment = OF_HAND.fullmatch(text)
        if text.startswith(MARK):
            self._keys = None
        elif self._keys is not None and comment is None:
            self._keys.read(text, self._next or 0)
        if comment is not None:
            self._check_comment(int(comment.group(1)), comment.group(2), comment.group(3))
        elif text.startswith("STATE:"):
            self._check_state(text)
        elif text.strip() and not text.startswith("#"):
            raise ValueError(f"expected STATE: or a comment (#), got {shown(text)}")

    def _check_comment(self, number: int, what: str, value: str) -> None:
        if what == "game":
            if self._next is not None and number != self._next:
                raise ValueError(f"expected hand {self._next}, got hand {number}")
            self._hand = _Hand(number, parse_game_line(value))
            return
        hand = self._hand
        if hand is None or hand.number != number:
            raise ValueError(f"expected # hand {number} game before it")
        if what == "key":
            self._check_key(hand, value)
            self._hand, self._next = None, number + 1
            self.hands += 1
        else:
            hand.commitment = value

    def _check_state(self, text: str) -> None:
        hand = self._hand
        if hand is None or hand.state is not None:
            raise ValueError("expected the game of this hand before it (# hand N game ...)")
        record, state = HandReader(hand.game).read(text)
        if record.hand_number != hand.number:
            raise ValueError(f"expected hand {hand.number}, got hand {record.hand_number}")
        exact = state.chips_won()
        check_chips(record, whole_chips(exact) if self._keys is None else exact)
        hand.state = state
        if self._keys is not None:
            deal = self._keys.deal(hand.game, hand.number)
            if deal is None:
                self.has_cards = False
            else:
                check_cards(state, deal, "its key")
            self._hand, self._next = None, hand.number + 1
            self.hands += 1

    def _check_key(self, hand: _Hand, text: str) -> None:
        if hand.state is None or hand.commitment is None:
            raise ValueError(f"expected the hash and the end of hand {hand.number} before its key")
        key = MatchKey.parse_committed(text, hand.commitment)
        check_cards(hand.state, key.dealer(hand.game).deal(), key.label)
