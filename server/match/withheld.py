"""What a duplicate match withholds: lines that show cards which another pass is yet to deal.

The cards of one pass are those of the others, and a bot that a match launches runs as the same user: it can
read whatever that user can.  So what the passes write about a deal stays in the memory of the house until
all of them have played it.
"""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Callable
from functools import partial

from server.support.errors import MatchAborted
from server.support.record_file import Later


class Withheld:
    """Does what gives the cards of a deal away once every pass has played it.

    Args:
        passes: how many there are.

    *Resource handling*: `release_all` on every way out.
    """

    def __init__(self, passes: int) -> None:
        self._played: list[int] = [0] * passes
        self._waiting: list[deque[tuple[int, Callable[[], None]]]] = [deque() for _ in range(passes)]
        # By pass, what is to be done about which of its deals.

    def later(self, number: int) -> Later:
        """Takes what a pass has to do about the deal that it plays."""
        return partial(self._wait, number)

    def _wait(self, number: int, act: Callable[[], None]) -> None:
        self._waiting[number].append((self._played[number], act))

    def hand_finished(self, number: int) -> int:
        """Note that a pass has played one more deal; returns how many it has played.

        Raises:
            MatchAborted: what can now be written cannot be written.
        """
        self._played[number] += 1
        self._release(min(self._played))
        return self._played[number]

    def has_ended(self, number: int) -> None:
        """Note that a pass plays no more deals."""
        self._played[number] = sys.maxsize

    def release_all(self) -> list[str]:
        """Do all that is left to do, when no deal is to come; returns lines that say what failed."""
        faults: list[str] = []

        def do(act: Callable[[], None]) -> None:
            try:
                act()
            except MatchAborted as error:
                faults.append(error.lines.strip().replace("\n", "; "))

        with contextlib.ExitStack() as acts:  # whatever fails, the files are closed
            for waiting in self._waiting:
                for _, act in reversed(waiting):
                    acts.callback(do, act)
                waiting.clear()
        return faults[:1]

    def _release(self, deals: int) -> None:
        for waiting in self._waiting:
            while waiting and waiting[0][0] < deals:
                waiting[0][1]()
                waiting.popleft()
