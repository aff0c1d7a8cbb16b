"""Who plays whom: pure functions of a plan and of what has been played.

`schedule` says which matches a tournament has, as far as known: all of them from the beginning, or those of
the rounds whose predecessors are over.  Nothing else is remembered, so a tournament that was cut short
continues as if it had not been.
"""

from server.league.formats.schedule import Schedule, schedule

__all__ = ["Schedule", "schedule"]
