"""What Riverboat says beyond the ACPC's protocol, in lines that begin with ``#``.

ACPC programs on either side skip such lines.  A client opts in after its version line::

    #riverboat/1 seat names clock token=s3cret

and is answered with the capabilities it is granted; from then on it also gets

    #seat K            its seat, from 0
    #names A|B|...     the players' names, in seat order
    #game DEFINITION   the game file, its lines joined by ``;``
    #clock SECONDS     before each of its turns: how long it may think

``unrehearsed`` says that it need not be shown again what it has seen, when a match is resumed.

One that is granted ``policy`` gets nothing, but says with its replies what it would have done with other
hands, for the house alone (`protocol.policy`); a house grants it where it asks for that.

Only its first greeting is answered; comments may stand before it.  Unknown words and unknown ``#`` lines are
ignored by both sides.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

GREETING: Final = "#riverboat/1"
UNREHEARSED: Final = "unrehearsed"
"""The word of a client that need not be shown again what it has seen, when a match is resumed: it carries
nothing from hand to hand, or keeps what it has learned itself."""
CAPABILITIES: Final = ("seat", "names", "game", "clock", "policy", UNREHEARSED)
"""What a client may ask for."""
TOKEN: Final = "token="
"""Begins the word that carries a seat's credential."""


def is_comment(line: bytes) -> bool:
    """A line both sides' ACPC programs skip."""
    return line[:1] in (b"#", b";")


def parse_greeting(text: str) -> tuple[str, ...] | None:
    """The words of a ``#riverboat/1`` line, None for any other line."""
    name, *words = text.split() or [""]
    return tuple(words) if name == GREETING else None


def format_greeting(words: Iterable[str]) -> str:
    """A ``#riverboat/1`` line, without line end."""
    return " ".join([GREETING, *words])


def parse_note(text: str) -> tuple[str, str] | None:
    """Name and text of a ``#name text`` line, None for an ordinary comment."""
    name, _, rest = text[1:].partition(" ")
    return (name, rest.strip()) if text.startswith("#") and name.isalpha() else None
