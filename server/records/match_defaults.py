"""What the options of ``riverboat match`` are if nothing is said.

The command declares them, a tournament's matches have the same times, and a report leaves out of the command
that repeats a match what needs no saying.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from server.records.evidence import Luck
from server.table.config import MOST_SECONDS, OnFailure, TimeLimits


@attrs.frozen
class Times:
    """The seconds that players have, by the options' names."""

    response_time: float = 10.0
    first_response_time: float = 60.0
    hand_time: float = 600.0
    match_time: float = 7.0
    start_time: float = 600.0
    grace: float = 2.0


@attrs.frozen
class MatchDefaults(Times):
    """The options by name."""

    on_failure: str = OnFailure.FAIR.value
    jobs: int = 1
    luck: str = Luck.EQUITY.value
    recover: int = 0


MATCH_DEFAULTS: Final = MatchDefaults()


_OF_TABLE: Final = {
    "response_time": "response",
    "first_response_time": "first_response",
    "hand_time": "hand",
    "match_time": "per_hand",
    "grace": "grace",
}
"""The limits that a table keeps, by their options."""


def time_limits(given: Mapping[str, Any]) -> TimeLimits:
    """The limits that the options say."""
    return TimeLimits(**{field: given[name] for name, field in _OF_TABLE.items()})


def as_options(limits: TimeLimits) -> dict[str, float]:
    """The options that say the limits."""
    return {name: getattr(limits, field) for name, field in _OF_TABLE.items()}


PRESETS: Final[Mapping[OnFailure, Mapping[str, float]]] = {
    OnFailure.ACPC: {
        "response_time": 600.0, "first_response_time": 600.0, "hand_time": 600.0,
        "match_time": 7.0, "grace": 0.0,
    },
    OnFailure.FAIR: {},
    OnFailure.PATIENT: {
        "response_time": 300.0, "first_response_time": 600.0, "hand_time": 3600.0, "match_time": MOST_SECONDS,
        "grace": 60.0, "recover": 3,
    },
}  # fmt: skip
"""What is different by default under each policy for failures."""
