"""Two numbers about bets in no-limit games that rules of thumb, models of players and simulations share.

They stand apart from all of these, in a module that imports nothing, so that plain Python and compiled code
can both take them from here.
"""

from __future__ import annotations

from typing import Final

USUAL_NO_LIMIT_BET: Final = 0.75
"""The bet that is reckoned with before its size is chosen, in pots."""
COMMITTED: Final = 0.5
"""A raise of more than this part of the chips left is made all in: the rest would follow anyhow."""
