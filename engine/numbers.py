"""Numbers as people type them: a text becomes a number that can be reckoned with, or is refused.

Python reads more than people mean.  ``float`` takes ``nan``, ``inf`` and ``1e999``, which pass every
comparison with a bound or fail it silently; ``int`` refuses more than 4,300 digits with an error of its own.
Command lines, options of bots and what arrives over the network are read by these two functions.
"""

from __future__ import annotations

import math
from typing import Final

__all__ = ["parse_finite", "parse_whole"]

_MAX_DIGITS: Final = 1000
"""Far beyond any number that is meant, far below what Python refuses to convert (4,300)."""
_SHOWN: Final = 40
"""Characters of a refused text that a message repeats."""


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


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
