"""How fast the bot answers, and in how many pieces.

Nagle's algorithm: if a program writes its answer in two parts, without ``TCP_NODELAY``, its system keeps the
second part until the first has been acknowledged, and acknowledgements are delayed by some 40 ms.  So second
pieces come late if we delay acknowledgements, and at once if we do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

_NAGLE_S: Final = 0.025
_MOST_GAPS: Final = 8
_FEWEST_GAPS: Final = 3


@attrs.define(eq=False)
class Pace:
    """How a bot has answered so far, in all conversations."""

    seconds: list[float] = attrs.Factory(list)
    """Seconds for each decision but the first of a conversation."""
    first: list[float] = attrs.Factory(list)
    """Seconds for the first ones."""
    late_gaps: list[float] = attrs.Factory(list)
    """Seconds between the pieces of an answer while acknowledgements were late."""
    prompt_gaps: list[float] = attrs.Factory(list)
    """The same while they came at once."""
    asks_for_game: bool = False
    """It has asked the house what is being played."""
    greets: bool = False
    """It knows our extension of the protocol."""

    @property
    def wants_late_acknowledgement(self) -> bool:
        """Whether to acknowledge the next answer late: every other one, until enough has been seen."""
        return len(self.late_gaps) < _MOST_GAPS and len(self.late_gaps) <= len(self.prompt_gaps)

    @property
    def waits_for_acknowledgements(self) -> bool:
        """Whether second pieces of its answers come late exactly when acknowledgements do."""
        if min(len(self.late_gaps), len(self.prompt_gaps)) < _FEWEST_GAPS:
            return False
        return median(self.late_gaps) >= _NAGLE_S > 2 * median(self.prompt_gaps)


def median(seconds: Sequence[float]) -> float:
    """The median: half of them are no longer."""
    return sorted(seconds)[len(seconds) // 2]
