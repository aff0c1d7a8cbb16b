"""Who plays whom: pure functions of a plan and of what has been played.

A format is a `Format` in a module of its own or of its kind, and an entry in `FORMATS`.  Its schedule is all
matches from the beginning, or those of the rounds whose predecessors are over.  Nothing else is remembered,
so a tournament that was cut short continues as if it had not been.
"""
