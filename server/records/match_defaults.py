"""What the options of ``riverboat match`` are if nothing is said.

The command declares them, a tournament's matches have the same times, and a report leaves out of the command
that repeats a match what needs no saying.
"""

from __future__ import annotations

from typing import Final

import attrs

from server.records.evidence import Luck
from server.table.config import OnFailure


@attrs.frozen
class MatchDefaults:
    """The options by name; times in seconds."""

    on_failure: str = OnFailure.FOLD.value
    response_time: float = 10.0
    first_response_time: float = 60.0
    hand_time: float = 600.0
    match_time: float = 7.0
    start_time: float = 600.0
    grace: float = 2.0
    jobs: int = 1
    luck: str = Luck.EQUITY.value


MATCH_DEFAULTS: Final = MatchDefaults()
