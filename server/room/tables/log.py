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

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import attrs

from engine.poker.match_key import MatchKey
from engine.poker.rules import Deal, GameDefinition, GameDefinitionError, HandState
from protocol.extension import parse_game_line
from protocol.match_state import format_hole_cards_and_board
from protocol.records import (
    OF_HAND,
    HandReader,
    HandRecord,
    RevealedKeys,
    format_chips,
    format_game_of,
    format_header,
)
from server.records.log_lines import numbered_lines, shown
from server.room.config import TableConfig
from server.room.ledger.ledger import HandEntry, Ledger
from server.support.console import Console
from server.support.errors import MatchAborted
from server.support.private_files import FILE_MODE
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


_HEADER_LINES: Final = 12
_EXACT: Final = 1e-6


@attrs.frozen
class RoomLogCheck:
    """The result of checking a room's log."""

    hands: int
    """Found true, up to the first problem."""
    line: int | None
    """The first wrong line; None if nothing is wrong, or the file as a whole."""
    problem: str | None
    """What was expected there, and what is there."""
    has_cards: bool = True
    """Whether keys have told the cards of the hands."""


class _WrongError(Exception):
    """A line that is wrong; the message says why."""


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


def check_room_log(path: Path) -> RoomLogCheck:
    """Check a log line by line, up to the first wrong one.

    Raises:
        LogError: it cannot be read.
    """
    return check_lines(numbered_lines(path))


def check_lines(lines: Iterable[tuple[int, str]]) -> RoomLogCheck:
    """The same for the lines of a log with their numbers."""
    checker = _Checker()
    for line, text in lines:
        try:
            checker.check(text)
        except _WrongError as error:
            return RoomLogCheck(checker.hands, line, str(error))
    return RoomLogCheck(checker.hands, None, None, has_cards=checker.has_cards)


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
            _WrongError: it is wrong.
        """
        if not text.endswith("\n"):
            raise _WrongError("the last line is torn off")
        text = text.rstrip("\r\n")
        comment = OF_HAND.fullmatch(text)
        if text.startswith(MARK):
            self._keys = None
        elif self._keys is not None and comment is None:
            self._read_key(self._keys, text)
        if comment is not None:
            self._check_comment(int(comment.group(1)), comment.group(2), comment.group(3))
        elif text.startswith("STATE:"):
            self._check_state(text)
        elif text.strip() and not text.startswith("#"):
            raise _WrongError(f"expected STATE: or a comment (#), got {shown(text)}")

    def _read_key(self, keys: RevealedKeys, text: str) -> None:
        try:
            keys.read(text, self._next or 0)
        except ValueError as error:
            raise _WrongError(str(error)) from None

    def _check_comment(self, number: int, what: str, value: str) -> None:
        if what == "game":
            if self._next is not None and number != self._next:
                raise _WrongError(f"expected hand {self._next}, got hand {number}")
            try:
                self._hand = _Hand(number, parse_game_line(value))
            except GameDefinitionError as error:
                raise _WrongError(str(error)) from None
            return
        hand = self._hand
        if hand is None or hand.number != number:
            raise _WrongError(f"expected # hand {number} game before it")
        if what == "key":
            self._check_key(hand, value)
            self._hand, self._next = None, number + 1
            self.hands += 1
        else:
            hand.commitment = value

    def _check_state(self, text: str) -> None:
        hand = self._hand
        if hand is None or hand.state is not None:
            raise _WrongError("expected the game of this hand before it (# hand N game ...)")
        try:
            record, state = HandReader(hand.game).read(text)
        except ValueError as error:
            raise _WrongError(str(error)) from None
        if record.hand_number != hand.number:
            raise _WrongError(f"expected hand {hand.number}, got hand {record.hand_number}")
        _check_chips(record, state, is_whole=self._keys is None)
        hand.state = state
        if self._keys is not None:
            deal = self._keys.deal(hand.game, hand.number)
            if deal is None:
                self.has_cards = False
            else:
                _check_cards(state, deal, "its key")
            self._hand, self._next = None, hand.number + 1
            self.hands += 1

    def _check_key(self, hand: _Hand, text: str) -> None:
        try:
            key = MatchKey.parse(text)
        except ValueError as error:
            raise _WrongError(str(error)) from None
        if hand.state is None or hand.commitment is None:
            raise _WrongError(f"expected the hash and the end of hand {hand.number} before its key")
        if key.commitment != hand.commitment:
            raise _WrongError(
                f"the key is not the one that was committed to: expected SHA-256 {hand.commitment}, "
                f"got {key.commitment}"
            )
        _check_cards(hand.state, key.dealer(hand.game).deal(), key.label)


def _check_cards(state: HandState, deal: Deal, source: str) -> None:
    expected = Deal(deal.hole_cards, deal.board[: len(state.deal.board)])
    if expected != state.deal:
        ends, reached = state.betting.game.board_ends, state.betting.betting_round
        texts = [
            format_hole_cards_and_board(each.hole_cards, each.board, ends, reached)
            for each in (expected, state.deal)
        ]
        raise _WrongError(f"cards: expected {texts[0]} from {source}, got {texts[1]}")


def _check_chips(record: HandRecord, state: HandState, *, is_whole: bool) -> None:
    try:
        exact = state.chips_won()
    except ValueError as error:
        raise _WrongError(str(error)) from None
    expected = whole_chips(exact) if is_whole else exact
    if any(abs(won - should) > _EXACT for won, should in zip(record.chips, expected, strict=True)):
        texts = ["|".join(map(format_chips, chips)) for chips in (expected, record.chips)]
        raise _WrongError(f"chips: expected {texts[0]}, got {texts[1]}")
