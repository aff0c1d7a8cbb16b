"""What follows the hands of a match, and when a match stops before its last hand (``match --until``).

A table tells its `Onlooker` about every hand.  The claims of `engine.evidence.verdict` hold no matter when
they are looked at, so a match at one table may stop after any hand.  If it is played at several tables, as
the passes of a duplicate match are, a deal counts when all of them have played it: every now and then the
tables pause, on nobody's clock, until all have got as far, and `CommonDecision` decides for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import trio

_FIRST_REST: Final = 10
_GROWTH: Final = 1.02
# The fraction by which a match at several tables may be longer than necessary.


class Onlooker(Protocol):
    """Follows the hands of a match at one table."""

    def hand_finished(self, chips_by_seat: Sequence[float]) -> bool:
        """Note that a hand is over; returns whether the table pauses and asks `continues`."""

    async def continues(self) -> bool:
        """Whether the table plays another hand."""


def rests(hands: int) -> frozenset[int]:
    """The numbers of hands after which tables that play the same deals wait for each other."""
    after = []
    upcoming = _FIRST_REST
    while upcoming < hands:
        after.append(upcoming)
        upcoming = max(upcoming + _FIRST_REST, round(upcoming * _GROWTH))
    return frozenset(after)


class CommonDecision:
    """Whether some tables continue: one decision each time all of them have paused.

    Args:
        tables: how many there are.
        is_settled: whether the match may end.
    """

    def __init__(self, tables: int, is_settled: Callable[[], bool]) -> None:
        self._tables = tables
        self._is_settled = is_settled
        self._resting = 0
        self._has_ended = False
        self._continues = True
        self._decided = trio.Event()

    async def continues(self) -> bool:
        """Pause until every table has played as many hands; returns whether they all continue."""
        self._resting += 1
        if self._has_ended:
            self._decide(continues=False)
        elif self._resting == self._tables:
            self._decide(continues=not self._is_settled())
        else:
            await self._decided.wait()
        return self._continues

    def end(self) -> None:
        """Note that a table has ended.  If others still play, it was cut short, and nobody waits for it."""
        self._has_ended = True
        if self._resting:
            self._decide(continues=False)

    def _decide(self, *, continues: bool) -> None:
        self._continues = continues
        self._resting = 0
        self._decided.set()
        self._decided = trio.Event()
