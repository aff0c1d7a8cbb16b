"""The house's bots at a table: those that were called, those that come, and those that cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import attrs
import trio

from server.room.config import TableConfig

SendBot = Callable[[TableConfig, str], str]
"""Asks one of the house's bots to come to a table; returns the name under which it will come."""
_COMES_S: Final = 30.0
# After which the table stops waiting for a bot that was called.
_WORTH_S: Final = 4.0
# For which a person waits for bots that were called, rather than play against fewer.
_MOST_FAILURES: Final = 2
# Of a bot before it sits down, after which it is not called any more.


@attrs.define(eq=False)
class Filling:
    """Calls the bots of a table, in turn."""

    config: TableConfig
    _send: SendBot
    _called: dict[str, tuple[str, float]] = attrs.Factory(dict)
    """Which one it is, and when it was called, by name."""
    _failed: Counter[str] = attrs.Factory(Counter)
    _next: int = 0
    unfilled: dict[str, str] = attrs.Factory(dict)
    """Bots that are not called any more since they ended before they sat down, and why."""

    @property
    def deadlines(self) -> list[float]:
        """When something is to be done if nobody has come, on trio's clock."""
        moments = [at + seconds for _, at in self._called.values() for seconds in (_WORTH_S, _COMES_S)]
        return [moment for moment in moments if moment > trio.current_time()]

    @property
    def is_under_way(self) -> bool:
        """Whether bots have been called so recently that it is worth waiting for them."""
        return any(at + _WORTH_S > trio.current_time() for _, at in self._called.values())

    def call(self, free: int) -> None:
        """Call as many bots as there are seats, less those that are on their way."""
        now = trio.current_time()
        bots = [bot for bot in self.config.fill if bot not in self.unfilled]
        self._called = {name: called for name, called in self._called.items() if called[1] + _COMES_S > now}
        for _ in range(free - len(self._called) if bots else 0):
            bot = bots[self._next % len(bots)]
            self._next += 1
            self._called[self._send(self.config, bot)] = bot, now

    def has_come(self, name: str) -> None:
        """Note that somebody gets a seat, or is refused one."""
        bot, _ = self._called.pop(name, ("", 0.0))
        self._failed.pop(bot, None)

    def has_failed(self, name: str, why: str) -> bool:
        """Note that a bot has ended; returns whether it was on its way."""
        bot, _ = self._called.pop(name, ("", 0.0))
        self._failed[bot] += bool(bot)
        if self._failed[bot] >= _MOST_FAILURES:
            self.unfilled[bot] = why
        return bool(bot)
