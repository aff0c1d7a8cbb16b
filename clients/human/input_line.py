"""What a person types: a line to an intention, which `engine.poker.rules.intentions` turns into an action.

There is no third way to an action, so nothing that is typed can send an illegal one.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from engine.poker.rules.intentions import Move, Nonsense, RaiseBy, RaiseTo
from engine.support.user_input import quoted


class Query(Enum):
    """Questions that may be asked at any time."""

    HELP = "help"
    TABLE = "table"
    ODDS = "odds"
    HISTORY = "history"
    LAST = "last"
    QUIT = "quit"
    NOTHING = "nothing"
    """An empty line."""


Intention = Query | Move | RaiseTo | RaiseBy | Nonsense

MAX_LINE: Final = 200
"""Characters of the longest line that is looked at."""
_MAX_DIGITS: Final = 15

_WORDS: Final[dict[str, Intention]] = {
    "": Query.NOTHING,
    "?": Query.HELP, "h": Query.HELP, "help": Query.HELP,
    "t": Query.TABLE, "table": Query.TABLE,
    "o": Query.ODDS, "odds": Query.ODDS,
    "history": Query.HISTORY, "hist": Query.HISTORY,
    "last": Query.LAST,
    "q": Query.QUIT, "quit": Query.QUIT, "exit": Query.QUIT, "leave": Query.QUIT,
    "f": Move.FOLD, "fold": Move.FOLD,
    "c": Move.CALL, "call": Move.CALL, "k": Move.CALL, "check": Move.CHECK,
    "all in": Move.ALL_IN, "all-in": Move.ALL_IN, "allin": Move.ALL_IN, "a": Move.ALL_IN,
}  # fmt: skip
_RAISE: Final = re.compile(r"(?:raise|bet|r|b)(?:(?<=[rb])|(?= |$|\+))(?: ?(?P<how>.*))?", re.ASCII)
_SIZES: Final[dict[str, Move]] = {
    "": Move.RAISE, "min": Move.RAISE,
    "half": Move.RAISE_HALF, "half pot": Move.RAISE_HALF, "1/2": Move.RAISE_HALF,
    "pot": Move.RAISE_POT,
    "all in": Move.ALL_IN, "all-in": Move.ALL_IN, "allin": Move.ALL_IN, "max": Move.ALL_IN,
}  # fmt: skip
_TO: Final = re.compile(r"(?:to )?([0-9]+)", re.ASCII)
_BY: Final = re.compile(r"(?:\+ ?|by )([0-9]+)", re.ASCII)


def parse_line(text: str) -> Intention:
    """What a line means, whatever the hand.

    >>> parse_line(" Raise to 300 "), parse_line("r +200").chips, parse_line("r pot")
    (RaiseTo(total=300), 200, <Move.RAISE_POT: 'pot'>)
    """
    if len(text) > MAX_LINE:
        return Nonsense(f"A line of {len(text)} characters is more than I read.")
    words = " ".join(text.lower().split())
    known = _WORDS.get(words)
    if known is not None:
        return known
    raising = _RAISE.fullmatch(words)
    if raising is not None:
        how = (raising["how"] or "").strip()
        if how in _SIZES:
            return _SIZES[how]
        for pattern, kind in ((_TO, RaiseTo), (_BY, RaiseBy)):
            amount = pattern.fullmatch(how)
            if amount is not None:
                if len(amount[1]) > _MAX_DIGITS:
                    return Nonsense("There are not so many chips in the world.")
                return kind(int(amount[1]))
    return Nonsense(f'I do not understand "{quoted(text)}".')
