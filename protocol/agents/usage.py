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

import attrs

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
_WORDS: Final = ("model", "reading", "adapted")
_LONGEST_WORD: Final = 100


@attrs.frozen
class Usage:
    """The cost of one decision."""

    counts: dict[str, int]
    """By the names of `COUNTS`; those that are not known are missing."""
    usd: float | None = None
    ms: float | None = None
    fault: str = ""
    """One of `FAULTS`; empty if the model's own answer was played."""
    words: dict[str, str] = attrs.Factory(dict)
    """Model, reading, and what had to be adapted, for people."""


def format_usage(hand_number: int, betting: str, usage: Usage) -> str:
    """A ``#usage`` line, without line end."""
    import json  # here and below: tables start without it

    told: dict[str, Any] = {**usage.counts, **usage.words}
    told |= {name: getattr(usage, name) for name in ("usd", "ms") if getattr(usage, name) is not None}
    told |= {"fault": usage.fault} if usage.fault else {}
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
    return _parsed(line.split(b" ", 3)[-1].decode("utf-8", "replace"))


def parse_record(line: str) -> tuple[int, int, Usage] | None:
    """Seat, hand and usage of a line that the house keeps; None if what the client sent cannot be read."""
    seat, hand, _, text = [*line.split(" ", 3), "", "", "", ""][:4]
    usage = _parsed(text)
    if usage is None or not (seat.isdecimal() and hand.isdecimal()):
        return None
    return int(seat), int(hand), usage


def _parsed(text: str) -> Usage | None:
    import json

    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    counts, numbers, words = [
        {name: told[name] for name in names if told.get(name) is not None}
        for names in (COUNTS, ("usd", "ms"), _WORDS)
    ]
    fault = told.get("fault", "")
    if not (
        all(type(each) is int and 0 <= each < _MOST for each in counts.values())
        and all(type(n) in (int, float) and 0 <= n < _MOST for n in numbers.values())
        and all(isinstance(each, str) and len(each) <= _LONGEST_WORD for each in words.values())
        and (fault == "" or fault in FAULTS)
    ):
        return None
    safe = {name: printable(each) for name, each in words.items()}
    return Usage(counts, numbers.get("usd"), numbers.get("ms"), fault, safe)
