"""Passages of the thesis that can be read in more than one way: each reading is an option of the learners.

``last-action``: the state's last player and last action while nobody has called or raised.

================  ========================================================================================
`carried-over`    those of the last hand in which somebody else did: two values, call and raise, as 4.2.1.4
                  says, and no variable unknown.  In the very first hand the big blind, as a call
`blind-calls`     the big blind, as a call: again two values
`blind`           the big blind, with a third value for its action
================  ========================================================================================

``winner``: the hands with which the best five cards are compared (4.2.2.2).

================  ========================================================================================
`ties-win`        the best hand that anybody else showed; splitting the pot with it counts as winning, since
                  the winner of a pot is also compared with itself (4.1)
`strict`          the same, but a split says nothing
`each`            the hand of each opponent who shows, as with hole cards
================  ========================================================================================

``penalty``: what a way of judging loses when it finds an action wrong (4.2.1.4, last paragraph).

================  ========================================================================================
`each`            one for each comparison that finds the action wrong
`once`            one if more comparisons find the action wrong than right
================  ========================================================================================

``showdowns``: the showdowns to learn from: GameInfo's number of players also serves "to verify if it is
worthy of applying a learning strategy (due to some restrictions in the learning method)" (4.2.1.1).

================  ========================================================================================
`any`             all
`two`             those of two players: among more, the best hand says less about each of them
================  ========================================================================================

Values learnt in the states of one reading of ``last-action`` mean nothing in those of another, so a knowledge
file notes its reading and keeps to it.

``riverboat experiment poker-learner --reading KEY=VALUE`` shows how close a reading comes to the thesis's
tables; ``RESULTS.md`` beside this file, how close the defaults come.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["LastActionReading", "PenaltyReading", "ShowdownsReading", "WinnerReading"]

LastActionReading = Literal["carried-over", "blind-calls", "blind"]
WinnerReading = Literal["ties-win", "strict", "each"]
PenaltyReading = Literal["each", "once"]
ShowdownsReading = Literal["any", "two"]
