"""Where the thesis can be read in more than one way: each reading is an option of the learners, by its name.

``last-action``: what the state's last player and last action are while nobody has called or raised.

================  ========================================================================================
`carried-over`    those of the last hand in which somebody else did: two values, call and raise, as 4.2.1.4
                  says, and no variable unknown.  In the very first hand the big blind, as a call
`blind-calls`     the big blind, as a call: two values as well
`blind`           the big blind, whose action is a third value of its own
================  ========================================================================================

``winner``: with whom the best five cards are compared (4.2.2.2).

================  ========================================================================================
`ties-win`        the best hand that anybody else showed; to split with it is to win with it, for the winner
                  of a pot is also compared with itself (4.1)
`strict`          the same, and a split says nothing
`each`            each opponent who shows his hand, as by hole cards
================  ========================================================================================

``penalty``: what a way of judging loses when it finds an action wrong (4.2.1.4, last paragraph).

================  ========================================================================================
`each`            one for each comparison that the action was wrong by
`once`            one for the action, if it was wrong by more comparisons than it was right
================  ========================================================================================

``showdowns``: which of them are learnt from: GameInfo's number of players also serves "to verify if it is
worthy of applying a learning strategy (due to some restrictions in the learning method)" (4.2.1.1).

================  ========================================================================================
`any`             all
`two`             those of two players: of more, the best hand says less about each of them
================  ========================================================================================

What is learnt in states of one reading of ``last-action`` says nothing in those of another, so a knowledge
file notes its own, and goes on with it.

How near each comes to the thesis's tables is in ``RESULTS.md`` beside this file.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["LastActionReading", "PenaltyReading", "ShowdownsReading", "WinnerReading"]

LastActionReading = Literal["carried-over", "blind-calls", "blind"]
WinnerReading = Literal["ties-win", "strict", "each"]
PenaltyReading = Literal["each", "once"]
ShowdownsReading = Literal["any", "two"]
