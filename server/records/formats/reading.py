"""Files of hands: recognises the format and reads them; writes what will be read as the same hand.

Every text that is written is read again, and compared."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Final

from engine.poker.rules import GameDefinition
from server.records.formats.acpc import read_acpc
from server.records.formats.hands import PlayedHand
from server.records.formats.open_hand_history import format_ohh, is_ohh, parse_ohh
from server.records.formats.phh import format_phh, parse_phh
from server.records.formats.pokerstars import format_stars, is_stars, parse_stars
from server.records.formats.said import FormatError
from server.records.log_lines import opened
from server.records.logs import LogError, find_logs

READ: Final = "ACPC logs, PHH, Open Hand History and PokerStars' English text"
"""What is read, for messages."""
_ENDINGS: Final = (".phh", ".phhs", ".ohh")
_TOML: Final = re.compile(r"\s*(?:\[[^\]\n]+\]\s*)?[A-Za-z_]+\s*=", re.MULTILINE)
_OTHERS: Final = re.compile(
    r"(?im)^.{0,40}(?:hand history|game (?:id|#)|hand ?(?:#|id|no)|full ?tilt|winamax|party ?poker|ggpoker"
    r"|poker hand #|888poker|ipoker|<session|stage #|ref hand)"
)
"""Text of other sites."""
_LOOKED_AT: Final = 65_536


def find_hands(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files that some paths name: a folder has files of hands, in the order of their numbers, or logs.

    Raises:
        LogError: a folder with neither.
    """
    found: list[Path] = []
    for path in paths:
        files = [each for ending in _ENDINGS for each in path.glob(f"*{ending}")] if path.is_dir() else []
        found += sorted(files, key=_by_number) if files else find_logs([path])
    return tuple(found)


def _by_number(path: Path) -> tuple[int, str]:
    number = re.match(r"\d{1,18}", path.name)
    return (int(number.group()) if number else 10**18, path.name)


def read_hands(path: Path, game: GameDefinition | str | None) -> Iterator[PlayedHand | FormatError]:
    """The hands of a file in any of the formats; for a hand that cannot be read, the error.

    Args:
        path: the file, gzipped or not.
        game: the game, for ACPC logs that do not name a game that can be found.

    Raises:
        LogError: an ACPC log cannot be read, or the file is in no format that is read.
        FormatError: a file of another format cannot be read.
    """
    if not path.is_file():
        return read_acpc(path, game)  # which says why not
    beginning = _beginning(path)
    if path.suffix in (".phh", ".phhs") or (_TOML.match(beginning) and not is_stars(beginning)):
        return parse_phh(_lines(path), str(path))
    if is_ohh(beginning):
        return parse_ohh("".join(_lines(path)), str(path))
    if is_stars(beginning):
        return parse_stars((line.rstrip("\n") for line in _lines(path)), str(path))
    if _OTHERS.search(beginning) and "STATE:" not in beginning:
        raise LogError(f"{path}: this looks like another site's text; {READ} are read")
    return read_acpc(path, game)


def _beginning(path: Path) -> str:
    found, size = [], 0
    with contextlib.closing(_lines(path)) as lines:
        while size < _LOOKED_AT and (line := next(lines, "")):
            found.append(line[:_LOOKED_AT])
            size += len(line)
    return "".join(found)


def _lines(path: Path) -> Generator[str]:
    """The lines of a text, gzipped or not, in the encoding that it begins with; their ends are ``\\n``."""
    with opened(path) as data:
        first = data.peek(4)[:4]
        encoding, errors = "utf-8-sig", "surrogateescape"
        if first[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0\0" in (first[::2], first[1::2]):
            encoding = "utf-16" if first[0] > 127 else "utf-16-le" if first[0] else "utf-16-be"
            errors = "replace"
        with io.TextIOWrapper(data, encoding, errors) as lines:
            for line in lines:
                is_utf8 = line.isascii() or not any("\udc80" <= sign <= "\udcff" for sign in line)
                yield line if is_utf8 else line.encode("utf-8", "surrogateescape").decode("cp1252", "replace")


Parse = Callable[[str, str], Iterator[PlayedHand | FormatError]]
FORMATS: Final[dict[str, tuple[Callable[[PlayedHand], str], Parse]]] = {
    "phh": (format_phh, parse_phh),
    "pokerstars": (format_stars, parse_stars),
    "ohh": (format_ohh, parse_ohh),
}
"""How each format is written and read."""


def written(hand: PlayedHand, target: str) -> str:
    """The text of a hand in one of the `FORMATS`.

    Raises:
        FormatError: it cannot be said there, for example since a name would be read as another line.
    """
    write, parse = FORMATS[target]
    text = write(hand)
    again = next(parse(text, hand.where), None)
    if not isinstance(again, PlayedHand) or _told(again) != _told(hand):
        raise FormatError("its players' names, or something else in it, would be read as another hand there")
    return text


def _told(hand: PlayedHand) -> tuple[object, ...]:
    betting = hand.state.betting
    return betting.text, betting.spent, hand.game.antes_posted, hand.state.deal, tuple(hand.names)
