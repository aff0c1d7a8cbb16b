"""Sizes of no-limit bets as people write them: fractions of the pot."""

from __future__ import annotations

import math
from typing import Final

from engine.support.user_input import parse_finite

__all__ = ["parse_bet_sizes"]

_NAMED_SIZES: Final = {
    "third": 1 / 3, "half": 1 / 2, "two-thirds": 2 / 3, "pot": 1.0, "two-pots": 2.0, "all-in": math.inf,
}  # fmt: skip


def parse_bet_sizes(text: str) -> tuple[float, ...]:
    """``half+pot+all-in`` as fractions of the pot, infinity for all in; numbers such as 0.75 will do, too.

    Raises:
        ValueError: nothing, or a word that is not a size.
    """
    sizes = []
    for word in text.replace("/", "+").replace(" ", "+").split("+"):
        try:
            size = _NAMED_SIZES[word] if word in _NAMED_SIZES else parse_finite(word)
        except ValueError:
            size = math.nan
        if not size > 0:
            raise ValueError(
                f"expected sizes joined by +, such as half+pot+all-in, got {word!r} in {text!r}; "
                f"there are {', '.join(_NAMED_SIZES)} and numbers above 0"
            )
        sizes.append(size)
    return tuple(sizes)
