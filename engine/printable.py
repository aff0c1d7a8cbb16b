"""Text of others that is safe to print: on a terminal, in a log, in a line of its own."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str, keep: str = "") -> str:
    """The text with ``?`` for whatever does not print as one character.

    Control characters, escape sequences among them, move the cursor and forge lines; marks of direction turn
    text around; what was no text to begin with (lone surrogates) cannot be written.

    Args:
        text: of somebody else's.
        keep: characters that may stay as they are, such as line ends.

    >>> printable("won\\r\\x1b[2Knothing")
    'won??[2Knothing'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in keep else "?" for letter in text)
