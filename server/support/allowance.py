"""How much somebody may do: so much at once, and so much more with time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

import attrs
import trio

_MOST: Final = 10_000
# Allowances that are remembered; those used longest ago are forgotten.


@attrs.define
class Allowance:
    """So many at once, and so many more each second."""

    per_second: float
    at_once: float
    _now: Callable[[], float] = trio.current_time
    _left: float = attrs.field(default=attrs.Factory(lambda self: self.at_once, takes_self=True), init=False)
    _since: float = attrs.field(default=attrs.Factory(lambda self: self._now(), takes_self=True), init=False)

    def _grow(self) -> float:
        now = self._now()
        self._left = min(self.at_once, self._left + (now - self._since) * self.per_second)
        self._since = now
        return self._left

    def take(self) -> bool:
        """Take one; False if there is none."""
        if self._grow() < 1:
            return False
        self._left -= 1
        return True

    async def wait(self) -> None:
        """Take one, and wait until it is there."""
        self._left = self._grow() - 1
        await trio.sleep(max(0.0, -self._left / self.per_second))


@attrs.define
class Allowances:
    """An allowance for each of many."""

    per_second: float
    at_once: float
    _now: Callable[[], float] = trio.current_time
    _by_key: dict[Hashable, Allowance] = attrs.field(factory=dict, init=False)

    def of(self, key: Hashable) -> Allowance:
        """Somebody's own."""
        found = self._by_key.pop(key, None) or Allowance(self.per_second, self.at_once, self._now)
        self._by_key[key] = found
        if len(self._by_key) > _MOST:
            del self._by_key[next(iter(self._by_key))]
        return found
