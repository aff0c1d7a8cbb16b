"""The formats of a tournament, and what is to be played by the format of its plan."""

from __future__ import annotations

from typing import Final

from server.league.formats.knock_out import KNOCK_OUT
from server.league.formats.round_robin import GAUNTLET, ROUND_ROBIN, RUN_OFF, SIT_AND_GO
from server.league.formats.swiss import SWISS
from server.league.plan import Schedule, Scores, TournamentPlan

FORMATS: Final = {each.name: each for each in (ROUND_ROBIN, GAUNTLET, RUN_OFF, SWISS, KNOCK_OUT, SIT_AND_GO)}
"""All formats, by their names in a tournament's file."""


def schedule(plan: TournamentPlan, scores: Scores, out: frozenset[str] = frozenset()) -> Schedule:
    """What is to be played.

    Args:
        plan: of the tournament.
        scores: of the matches that are over.
        out: players who have been disqualified; nobody plays them any more.
    """
    names = [name for name in plan.names if name not in out]
    return plan.format.pair(plan, names, scores) if len(names) > 1 else Schedule(())
