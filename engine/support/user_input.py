"""Reads what people type and programs send: numbers, misspelt names, text that is safe to show.

Python accepts more than people mean.  ``float`` accepts ``nan``, ``inf`` and ``1e999``, which silently pass
or fail every comparison with a bound; ``int`` refuses more than 4,300 digits with an error of its own.
Command lines, options of bots and network messages are read by `parse_finite` and `parse_whole`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

_MAX_DIGITS: Final = 1000
"""Far more than any sensible number has, and far fewer than Python refuses to convert (4,300)."""
_SHOWN: Final = 40
"""How many characters of a refused text a message repeats."""


def parse_finite(text: str) -> float:
    """The finite number that a text means.

    Raises:
        ValueError: it is not a number, not finite, or beyond what a double can hold; the message is part of
            a line for people.
    """
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"expected a number, got {_shown(text)}") from None
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, got {_shown(text)}")
    return number


def parse_whole(text: str) -> int:
    """The whole number, 0 or more, that a text of decimal digits means.

    Raises:
        ValueError: anything else, or a thousand digits; the message is part of a line for people.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS):
        raise ValueError(f"expected a whole number of 0 or more, got {_shown(text)}")
    return int(text)


def how_many(number: int, noun: str) -> str:
    """A number of things, in words: ``1 match``, ``2,000 matches``."""
    ending = "" if number == 1 else "es" if noun.endswith(("ch", "sh", "s", "x")) else "s"
    return f"{number:,} {noun}{ending}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the most similar known names, or nothing.

    >>> did_you_mean("fromula", ["formula", "random", "sampling"])
    ' (did you mean formula?)'
    >>> did_you_mean("xyz", ["formula"])
    ''
    """
    import difflib  # loaded only for those who make a mistake

    by_lower = {name.lower(): name for name in known}
    near = [by_lower[name] for name in difflib.get_close_matches(word.lower(), by_lower, n=3, cutoff=0.6)]
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def printable(text: str, keep: str = "") -> str:
    """The text with ``?`` for everything that does not print as one character.

    Control characters, including escape sequences, move the cursor and forge lines; direction marks reverse
    text; lone surrogates cannot be written.

    Args:
        text: text from somebody else.
        keep: characters that may stay as they are, such as line ends.

    >>> printable("won\\r\\x1b[2Knothing")
    'won??[2Knothing'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in keep else "?" for letter in text)


_QUOTED: Final = 40
"""Longest part of a line that is quoted back."""


def quoted(text: str) -> str:
    """A text that somebody sent, fit to be repeated: printable ASCII, and not too much of it."""
    safe = "".join([character if " " <= character <= "~" else "." for character in text.strip()])
    return safe if len(safe) <= _QUOTED else safe[: _QUOTED - 3] + "..."


def fault_text(error: BaseException) -> str:
    """``KeyError: 'legal'``: an error's kind and what it says, in one line, for code that is not ours."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # its class may be theirs, too
        text = ""
    return f"{type(error).__name__}: {text}".removesuffix(": ")


@contextmanager
def told_as(
    kind: type[Exception], *errors: type[Exception], what: str = "", hint: str = ""
) -> Iterator[None]:
    """Have errors of some kinds raised as one of another kind; those that are of it already stay themselves.

    Args:
        kind: what is raised, with one line.
        errors: whose messages are lines for people.
        what: begins the line: the option or the file at fault.
        hint: ends it.
    """
    try:
        yield
    except kind:
        raise
    except errors as error:
        why = (what and getattr(error, "strerror", None)) or error  # the line says which file it is
        raise kind(f"{what}{why}{hint}") from error
