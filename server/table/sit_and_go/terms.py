"""The terms of a sit-and-go: what everybody begins with, how the blinds rise, what the places are paid."""

from __future__ import annotations

from typing import Final

import attrs


@attrs.frozen
class Level:
    """Blinds of a sit-and-go."""

    hands: int
    """Hands that it lasts; the last one lasts for ever.  0 if it is limited by time."""
    blinds: tuple[int, ...]
    """Small and big."""
    ante: int = 0
    minutes: float = 0.0
    """Minutes that it lasts; 0 if it is limited by hands."""

    def __str__(self) -> str:
        ante = f", antes {self.ante}" if self.ante else ""
        return f"blinds {'/'.join(map(str, self.blinds))}{ante}"


@attrs.frozen
class SitAndGo:
    """The terms of a sit-and-go."""

    stack: int
    """Chips that everybody begins with."""
    levels: tuple[Level, ...]
    """All by hands, or all by minutes."""
    payouts: tuple[float, ...]
    """Shares of the prize pool by place; they add up to 1."""

    def level_at(self, hands: int, minutes: float = 0.0) -> int:
        """The index of the level of the next hand.

        Args:
            hands: that have been played.
            minutes: for which it has been played.
        """
        ends_hands, ends_minutes = 0, 0.0
        for index, level in enumerate(self.levels):
            ends_hands += level.hands
            ends_minutes += level.minutes
            if hands < ends_hands if level.hands else minutes < ends_minutes:
                return index
        return len(self.levels) - 1


MOST_HANDS: Final = 20_000
"""After so many hands it is over, no matter who is still in: bots that always fold would never end."""
DEFAULT_STACK: Final = 1500
DEFAULT_PAYOUTS: Final = (0.5, 0.3, 0.2)
DEFAULT_LEVELS: Final = tuple(
    [Level(10, (small, 2 * small)) for small in (10, 15, 25, 50, 75, 100, 150, 200, 300, 400, 600, 1000)]
)
