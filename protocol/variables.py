"""Environment variables with which a house hands a player's program what it needs before it connects."""

from __future__ import annotations

from typing import Final

__all__ = ["DUPLICATE", "GAME", "SEED", "TOKEN"]

SEED: Final = "RIVERBOAT_SEED"
"""The player's own seed, a whole number."""

GAME: Final = "RIVERBOAT_GAME"
"""What is being played, where the table does not say so itself: a game file or a packaged game's name."""

TOKEN: Final = "RIVERBOAT_TOKEN"
"""The token of the seat, where it has one."""

DUPLICATE: Final = "RIVERBOAT_DUPLICATE"
"""The number of the pass, in a duplicate match only: every deal comes again with the players in other seats,
so that what is learnt there must not be kept.
"""
