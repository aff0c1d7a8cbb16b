"""When a match stops before its last hand (``match --until``).

A match is looked at after certain numbers of hands; `engine.intervals` says after which, and by how much
that widens its intervals.  At a look a table pauses, on nobody's clock, and asks its `StoppingRule`.  Where
a match is played at several tables, as the passes of a duplicate match are, one decision holds for all of
them: `CommonDecision` lets each wait until all have come to the look.  What is precise enough is said by
`server.launching.launched_match.MatchPlan.is_settled_by`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence

import attrs
import trio

from server.table.outcome import MatchOutcome


@attrs.frozen
class StoppingRule:
    """Whether a table plays on, asked between hands."""

    looks: Collection[int]
    """Numbers of hands played, after each of which it is asked."""
    continues: Callable[[MatchOutcome], Awaitable[bool]]
    """Given what the match has come to so far; the table pauses until the answer."""


class CommonDecision:
    """Whether some tables play on: one decision at each look, when all of them have come to it.

    Args:
        tables: how many there are.
        is_settled: whether what they have come to, by table, is precise enough to stop.
    """

    def __init__(self, tables: int, is_settled: Callable[[Sequence[MatchOutcome]], bool]) -> None:
        self._tables = tables
        self._is_settled = is_settled
        self._paused: dict[int, MatchOutcome] = {}
        self._has_ended = False
        self._continues = True
        self._decided = trio.Event()

    async def continues(self, table: int, outcome: MatchOutcome) -> bool:
        """Pause until every table has played as many hands; returns whether they all play on."""
        self._paused[table] = outcome
        if self._has_ended:
            self._decide(continues=False)
        elif len(self._paused) == self._tables:
            outcomes = [self._paused[each] for each in range(self._tables)]
            self._decide(continues=not self._is_settled(outcomes))
        else:
            await self._decided.wait()
        return self._continues

    def end(self) -> None:
        """A table has ended.  If others play on it was cut short, and there is no look at all of them."""
        self._has_ended = True
        if self._paused:
            self._decide(continues=False)

    def _decide(self, *, continues: bool) -> None:
        self._continues = continues
        self._paused.clear()
        self._decided.set()
        self._decided = trio.Event()
