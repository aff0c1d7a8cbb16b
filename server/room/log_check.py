"""Checks the log of a room's table: each hand by itself, with its own game, players and key.

The cards are dealt again from the key after each hand, which must match the hash before it;
betting, chips (whole, see `server.table.rules.chips`) and numbers are checked as in a match.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import attrs

from engine.poker.match_key import MatchKey
from engine.poker.rules import Deal, GameDefinition, GameDefinitionError, HandState
from protocol.extension import parse_game_line
from protocol.match_state import format_hole_cards_and_board
from protocol.records import HandReader, HandRecord, format_chips
from server.records.log_lines import numbered_lines, shown
from server.room.tables.log import MARK, OF_HAND
from server.table.rules.chips import whole_chips

_HEADER_LINES: Final = 12


@attrs.frozen
class RoomLogCheck:
    """The result of checking a room's log."""

    hands: int
    """Found true, up to the first problem."""
    line: int | None
    """The first wrong line; None if nothing is wrong, or the file as a whole."""
    problem: str | None
    """What was expected there, and what is there."""


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
    """Whether a log is that of a room's table.

    Raises:
        LogError: it cannot be read.
    """
    for (_, text), _ in zip(numbered_lines(path), range(_HEADER_LINES), strict=False):
        if text.startswith(MARK):
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
    return RoomLogCheck(checker.hands, None, None)


class _Checker:
    """Checks the lines of a log one after another."""

    def __init__(self) -> None:
        self.hands = 0
        self._hand: _Hand | None = None
        self._next: int | None = None

    def check(self, text: str) -> None:
        """Check the next line.

        Raises:
            _WrongError: it is wrong.
        """
        if not text.endswith("\n"):
            raise _WrongError("the last line is torn off")
        text = text.rstrip("\r\n")
        comment = OF_HAND.fullmatch(text)
        if comment is not None:
            self._check_comment(int(comment.group(1)), comment.group(2), comment.group(3))
        elif text.startswith("STATE:"):
            self._check_state(text)
        elif text.strip() and not text.startswith("#"):
            raise _WrongError(f"expected STATE: or a comment (#), got {shown(text)}")

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
        _check_chips(record, state)
        hand.state = state

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
        deal = key.dealer(hand.game).deal()
        state = hand.state
        expected = Deal(deal.hole_cards, deal.board[: len(state.deal.board)])
        if expected != state.deal:
            ends, reached = hand.game.board_ends, state.betting.betting_round
            texts = [
                format_hole_cards_and_board(each.hole_cards, each.board, ends, reached)
                for each in (expected, state.deal)
            ]
            raise _WrongError(f"cards: expected {texts[0]} from {key.label}, got {texts[1]}")


def _check_chips(record: HandRecord, state: HandState) -> None:
    try:
        expected = whole_chips(state.chips_won())
    except ValueError as error:
        raise _WrongError(str(error)) from None
    if record.chips != expected:
        texts = ["|".join(map(format_chips, chips)) for chips in (expected, record.chips)]
        raise _WrongError(f"chips: expected {texts[0]}, got {texts[1]}")
