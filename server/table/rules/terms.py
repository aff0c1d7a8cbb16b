"""The terms of a sit-and-go, as rooms and tournaments describe them in their files."""

from __future__ import annotations

from typing import Final

from server.support.toml_text import Section
from server.table.rules.sit_and_go import DEFAULT_LEVELS, DEFAULT_PAYOUTS, DEFAULT_STACK, Level, SitAndGo

__all__ = ["MOST_CHIPS", "read_terms"]

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
