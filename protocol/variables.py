"""Environment variables in which a house gives a player's program what it needs before it connects."""

from __future__ import annotations

from typing import Final

SEED: Final = "RIVERBOAT_SEED"
"""The player's own seed, a whole number."""

GAME: Final = "RIVERBOAT_GAME"
"""What is being played, if the table does not say so itself: a game file or a packaged game's name."""

TOKEN: Final = "RIVERBOAT_TOKEN"
"""The token of the seat, if it has one."""

DUPLICATE: Final = "RIVERBOAT_DUPLICATE"
"""The number of the pass, in a duplicate match only: every deal comes again with the players in other seats,
so that what is learnt there must not be kept.
"""

SIDE: Final = "RIVERBOAT_SIDE"
"""How the paths of files begin that the player may keep beside the log, such as a transcript."""
EXPLAIN: Final = "RIVERBOAT_EXPLAIN"
"""If it is set, an installed bot says with each action by which numbers it decided, in a comment line."""

SEAT_TOKEN: Final = "RIVERBOAT_SEAT_TOKEN_"
"""With a seat's number, from 1: its token, given to a house by those who start it."""


def is_handed_out(name: str) -> bool:
    """Whether a variable is for players: a house does not pass on variables that it was given itself."""
    return name in (SEED, GAME, TOKEN, DUPLICATE, SIDE, EXPLAIN) or name.startswith(SEAT_TOKEN)
