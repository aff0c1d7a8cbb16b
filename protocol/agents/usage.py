"""What a decision of a language model has cost, told to the house and shown to nobody: ``#usage`` lines.

A client that was granted ``usage`` (`protocol.extension`) sends one with a reply, before it and in the same
write::

    #usage HAND BETTING {"in": 612, "out": 14, "usd": 0.0001, "ms": 840, "tries": 4, "fault": "provider"}

HAND and BETTING are those of the state it answers; BETTING is ``-`` at the beginning of a hand.  The JSON
has at most `MAX_BYTES`; all members may be missing.  The house keeps the lines in a file of the match folder,
each after its seat, and adds them up.
"""

from __future__ import annotations

from typing import Any, Final

from engine.support.user_input import printable

CAPABILITY: Final = "usage"
"""The word of the greeting."""
FILE: Final = "usage"
"""The name of the file in the match folder."""
MAX_BYTES: Final = 1024
"""Of its JSON; a hand's betting may be as long."""
_PREFIX: Final = b"#usage "
_START: Final = "-"
_MOST: Final = 1e9
COUNTS: Final = ("in", "out", "cached", "reasoning", "tries", "format", "illegal")
"""Members that are whole numbers."""
FAULTS: Final = ("format", "illegal", "late", "provider", "refused", "budget")
"""Why the default action was played."""
CENSORED: Final = "provider"
"""The fault that is not the player's."""
_LONGEST_WORD: Final = 100
_KINDS: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(COUNTS, (int,)), **dict.fromkeys(("usd", "ms"), (int, float)),
    **dict.fromkeys(("model", "reading", "adapted", "fault"), (str,)),
}  # fmt: skip
"""Members, and what they may be."""

Usage = dict[str, Any]
"""The cost of one decision by the names of `COUNTS`, in dollars (``usd``) and milliseconds (``ms``), with its
``fault`` and, for people, ``model``, ``reading`` and what had to be ``adapted``.  The unknown is missing."""


def format_usage(hand_number: int, betting: str, usage: Usage) -> str:
    """A ``#usage`` line, without line end."""
    import json  # here and below: tables start without it

    told = {name: each for name, each in usage.items() if each not in (None, "")}
    return f"{_PREFIX.decode()}{hand_number} {betting or _START} {json.dumps(told, ensure_ascii=False)}"


def names_state(line: bytes, hand_number: int, betting: str) -> bool:
    """Whether a comment, with its line end, is a ``#usage`` line for a state."""
    start = b"%b%d %b " % (_PREFIX, hand_number, (betting or _START).encode())
    return line.startswith(start) and len(line) <= len(start) + MAX_BYTES and line.endswith(b"\n")


def format_record(seat: int, line: bytes) -> str:
    """A ``#usage`` line as the house keeps it, line end included."""
    return f"{seat} {printable(line[len(_PREFIX) :].decode('utf-8', 'replace').strip())}\n"


def parse_usage(line: bytes) -> Usage | None:
    """The content of a ``#usage`` line; None if a number in it is none, negative or too large."""
    import json

    try:
        told = json.loads(line.split(b" ", 3)[-1].decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("fault", "") not in ("", *FAULTS):
        return None
    usage = {name: told[name] for name in _KINDS if told.get(name) is not None}
    for name, each in usage.items():
        fits = len(each) <= _LONGEST_WORD if isinstance(each, str) else 0 <= each < _MOST
        if type(each) not in _KINDS[name] or not fits:
            return None
    return {name: printable(each) if isinstance(each, str) else each for name, each in usage.items()}


def parse_record(line: str) -> tuple[int, int, Usage] | None:
    """Seat, hand and usage of a line that the house keeps; None if what the client sent cannot be read."""
    (seat, hand), usage = [*line.split(" "), ""][:2], parse_usage(line.encode("utf-8", "replace"))
    if usage is None or not (seat.isdecimal() and hand.isdecimal()):
        return None
    return int(seat), int(hand), usage
