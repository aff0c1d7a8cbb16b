"""Writes hands so that what is written is what will be read: every text is read again, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from server.records.formats.hands import PlayedHand
from server.records.formats.open_hand_history import format_ohh, parse_ohh
from server.records.formats.phh import format_phh, parse_phh
from server.records.formats.pokerstars import format_stars, parse_stars
from server.records.formats.said import FormatError

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
