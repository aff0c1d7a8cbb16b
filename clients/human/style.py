"""How much a terminal can show: plain ASCII, suit symbols, colours."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from engine.poker.cards import CARD_TEXTS, suit_of
from engine.support.palette import SUIT_CODES

WIDTH: Final = 78
"""Columns of the widest line, whatever the window: longer ones are tiring to read."""

_SYMBOLS: Final = "♣♦♥♠"
_BOLD: Final = "1"
_FAINT: Final = "2"


@attrs.frozen
class Style:
    """The characters that may be written.  The default, plain ASCII, is right everywhere."""

    symbols: bool = False
    """Suit symbols instead of letters; wants UTF-8."""
    colours: bool = False
    """ANSI escape sequences."""
    width: int = WIDTH
    """Columns to break sentences at."""

    def fitted(self, columns: int) -> Style:
        """The same for a window of some columns."""
        return attrs.evolve(self, width=max(30, min(WIDTH, columns - 2)))

    def card(self, card: int) -> str:
        """``Kh``, or ``K♥``, perhaps red."""
        text = CARD_TEXTS[card]
        suit = suit_of(card)
        if self.symbols:
            text = text[0] + _SYMBOLS[suit]
        return self._painted(text, SUIT_CODES[suit])

    def cards(self, cards: Iterable[int]) -> str:
        """Cards with blanks between them."""
        return " ".join([self.card(card) for card in cards])

    def strong(self, text: str) -> str:
        """Text that matters more."""
        return self._painted(text, _BOLD)

    def faint(self, text: str) -> str:
        """Text that matters less."""
        return self._painted(text, _FAINT)

    @property
    def rule(self) -> str:
        """The character of horizontal lines."""
        return "─" if self.symbols else "-"

    def _painted(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours and code else text


PLAIN: Final = Style()
DISPLAYS: Final = {"plain": PLAIN, "symbols": Style(symbols=True), "colour": Style(True, True)}
"""By the names that users give them."""


def detect_style(is_terminal: bool, encoding: str | None, environment: Mapping[str, str]) -> Style:
    """The most that a terminal can surely show.

    Args:
        is_terminal: somebody is looking, rather than a file or another program.
        encoding: of the output.
        environment: ``TERM`` and ``NO_COLOR`` (https://no-color.org) are looked at.
    """
    if not is_terminal or environment.get("TERM", "") in ("", "dumb"):
        return PLAIN
    return Style(symbols=_is_utf8(encoding), colours=not environment.get("NO_COLOR"))


def _is_utf8(encoding: str | None) -> bool:
    try:
        return codecs.lookup(encoding or "ascii").name == "utf-8"
    except LookupError:
        return False
