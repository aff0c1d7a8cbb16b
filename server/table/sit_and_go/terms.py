"""The terms of a sit-and-go: what everybody begins with, how the blinds rise, what the places are paid."""

from __future__ import annotations

from typing import Final

import attrs

from server.support.toml_text import Section


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
MOST_CHIPS: Final = 2**31 - 1
"""The ACPC's stacks are 32-bit integers."""
_ROUNDING: Final = 1e-6


def read_terms(section: Section, seats: int, *, by_time: bool) -> SitAndGo:
    """The terms in a section of a file: ``stack``, ``payouts``, and ``[[levels]]``, each with its blinds.

    Args:
        section: has them, perhaps among other keys.
        seats: at a table.
        by_time: whether levels may last for minutes: each then says how long it lasts.

    Raises:
        FileMistake: something in it is wrong.
    """
    stack: int = section.whole("stack", DEFAULT_STACK, least=2, most=MOST_CHIPS // seats)
    payouts = section.numbers("payouts", DEFAULT_PAYOUTS)
    if abs(sum(payouts) - 1) > _ROUNDING:
        raise section.mistake("payouts", f"payouts: expected shares that add up to 1, got {list(payouts)}")
    levels = section.sections("levels")
    found = tuple([_level(each, by_time=by_time) for each in levels])
    for each, level in zip(levels, found, strict=True):
        if bool(level.hands) != bool(found[0].hands):
            raise each.mistake("", "expected levels by hands or by minutes, not some of each")
    return SitAndGo(stack, found or DEFAULT_LEVELS, payouts)


def _level(section: Section, *, by_time: bool) -> Level:
    if by_time and ("hands" in section) == ("minutes" in section):
        raise section.mistake("", "expected either hands or minutes for which the level lasts")
    is_timed = by_time and "minutes" in section
    small: int = section.whole("small", most=MOST_CHIPS // 2)
    level = Level(
        0 if is_timed else section.whole("hands", 10, most=10**9),
        (small, section.whole("big", 2 * small, least=small, most=MOST_CHIPS)),
        section.whole("ante", 0, least=0, most=MOST_CHIPS),
        section.number("minutes", least=0.01, most=1e6) if is_timed else 0.0,
    )
    section.close()
    return level
