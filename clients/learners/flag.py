"""Whether a bot learns while it plays: functions for the entry-point group ``riverboat.learners``.

The house asks before a match: the rate of a player that learns is not constant, so intervals must be computed
in another way.
"""

from __future__ import annotations

from collections.abc import Mapping

from clients.core.options import is_on


def unless_switched_off(options: Mapping[str, str | None]) -> bool:
    """Whether a bot learns, if it does so unless it is given ``learn=off``."""
    return is_on(options, "learn", default=True)
