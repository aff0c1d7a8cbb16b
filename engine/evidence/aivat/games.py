"""Which games have AIVAT; without numpy, since a match asks before it begins."""

from __future__ import annotations

import math
from typing import Final

from engine.poker.rules import GameDefinition
from engine.solving.walk import walk

MOST_DEALS: Final = 40_000
"""The most ways to deal hole cards to all players with which a game is enumerated."""
_MOST_BETTINGS: Final = 2_000
"""The most public states of the betting."""
_MOST_ENDS: Final = 300_000
"""The most deals of hole cards times boards times ends of the betting: some seconds; Leduc has 20,000."""


def why_not(game: GameDefinition) -> str | None:
    """Why there is no AIVAT for a game; None if there is."""
    if game.has_rake:
        return "it is for games without a rake"
    if game.is_holdem or is_small(game):
        return None
    return "it is for hold'em, and for limit games as small as Kuhn's and Leduc"


def is_small(game: GameDefinition) -> bool:
    """Whether a game is small enough to be solved and enumerated."""
    deals: int = math.comb(len(game.deck), game.num_hole_cards) ** game.num_players
    histories = deals * math.comb(len(game.deck), game.board_ends[-1])
    if not game.is_limit or deals > MOST_DEALS or histories > _MOST_ENDS:
        return False
    ends = 0
    for number, (_, betting, _) in enumerate(walk(game)):
        ends += betting.is_finished
        if number >= _MOST_BETTINGS or histories * ends > _MOST_ENDS:
            return False
    return True
