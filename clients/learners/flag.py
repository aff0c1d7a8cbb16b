"""Whether a bot learns while it plays, as the entry-point group ``riverboat.learners`` declares it.

The house asks before a match: over the hands of a player that learns no rate is constant, and intervals must
come from somewhere else.
"""

from __future__ import annotations

from collections.abc import Mapping

from clients.options import is_on


def unless_switched_off(options: Mapping[str, str | None]) -> bool:
    """Of a bot that learns unless it is given ``learn=off``."""
    return is_on(options, "learn", default=True)
