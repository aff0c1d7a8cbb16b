"""The lines of a match log's file, and the errors for lines that are wrong."""

from __future__ import annotations

import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import attrs

from engine.poker.rules import HandState
from engine.support.user_input import printable, told_as
from protocol.records import HandReader, HandRecord

_MOST_CHARACTERS: Final = 65_536
"""The longest line that is read.  The longest possible, 256 raises among ten players, has some 4,000."""
_SHOWN: Final = 60
_HEADER: Final = "# name/game/hands/seed "
A_LOG: Final = "STATE:, SCORE: or # at the beginning of each line of an ACPC log"
"""The lines that are expected, for messages."""


@attrs.frozen
class Header:
    """The header of a log, a line ``# name/game/hands/seed``."""

    line: int
    name: str
    game: str
    hands: int | None
    """The number of hands; None if the text is not a number."""
    seed: str
    """A number, or ``random`` if the cards follow from a key."""

    @classmethod
    def read(cls, line: int, text: str) -> Header | None:
        """The header in a line; None if it has none."""
        if not text.startswith(_HEADER):
            return None
        name, _, rest = text[len(_HEADER) :].rstrip().partition(" ")
        game, *numbers = rest.rsplit(" ", 2)
        if len(numbers) != 2:
            return None
        hands = int(numbers[0]) if numbers[0].isdecimal() and len(numbers[0]) < 20 else None
        return cls(line, name, game, hands, numbers[1])

    def names_game_of(self, other: Header) -> bool:
        """Whether it names the same game, in the same folder or another."""
        mine, theirs = [Path(header.game).name.removesuffix(".game") for header in (self, other)]
        return mine == theirs


@attrs.frozen
class LoggedHand:
    """One hand of a log."""

    number: int
    line: int
    """Its line in the file, from 1."""
    match: int
    """Its match in the file, from 0: a match begins where a hand's number is not above the one before."""
    state: HandState
    """The end of the hand, reached by the rules.

    ``state.deal`` has the cards of the log: hole cards are ``()`` for positions that it does not show, and
    the board has the cards that were dealt.
    """
    chips: tuple[float, ...]
    """The chips won by each position, as printed with six decimals."""
    names: tuple[str, ...]
    """The name of the player in each position."""
    players: tuple[int, ...]
    """The index in `MatchLog.players` of the player in each position."""


class LoggedLine(NamedTuple):
    """The parsed line of a hand."""

    line: int
    """As in `LoggedHand`, like `match` and `players`."""
    match: int
    record: HandRecord
    players: tuple[int, ...]
    reader: HandReader
    """The reader for the game of this hand."""

    def played(self) -> LoggedHand:
        """The hand, played by the rules.

        Raises:
            ValueError: it is not a hand of its game.
        """
        line, match, record, players, reader = self
        state = reader.state(record)
        return LoggedHand(record.hand_number, line, match, state, record.chips, record.names, players)


class LogError(ValueError):
    """A log that cannot be read; the message is one line that begins with file and line."""

    def __init__(self, message: str, *, line: int | None = None, what: str | None = None) -> None:
        super().__init__(message)
        self.line = line
        """The line, from 1; None for the file as a whole."""
        self.what = message if what is None else what
        """The message without file and line."""


@contextlib.contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """The bytes of a file, gzipped or not.

    Raises:
        LogError: it cannot be read, also later on.
    """
    with told_as(LogError, OSError, EOFError, zlib.error, what=f"{path}: "), open(path, "rb") as raw:
        is_packed = raw.peek(2)[:2] == b"\x1f\x8b"
        yield io.BufferedReader(gzip.GzipFile(fileobj=raw)) if is_packed else raw


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file, gzipped or not, numbered from 1 and with their line ends.

    Raises:
        LogError: it cannot be read, or has a line that is too long for a log.
    """
    if not path.is_file():
        reason = "it is not a file" if path.exists() else "there is no such file"
        raise LogError(f"{path}: {reason}")
    with opened(path) as data, io.TextIOWrapper(data, "utf-8", "surrogateescape", newline="\n") as file:
        line = 0
        while text := file.readline(_MOST_CHARACTERS):
            line += 1
            if len(text) == _MOST_CHARACTERS:
                raise fault(path, line, f"expected {A_LOG}, got a line of {len(text)} characters")
            yield line, text


def fault(path: Path, line: int, what: str) -> LogError:
    """The error for a line of a file."""
    return LogError(f"{path}:{line}: {what}", line=line, what=what)


def shown(text: str) -> str:
    """The beginning of a text, safe to show."""
    text = printable(text)
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
