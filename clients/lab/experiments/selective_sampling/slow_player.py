"""A player who slow-plays very strong hands: before the river it checks and calls them, and never raises.

It is for the second warning of Poki 3.5: a weight table may show mediocre hands when in fact a very good one
has been slow-played.
"""

from __future__ import annotations

from typing import Final

from clients.bots.formula.agent import Formula
from engine.hands.hand_strength import hand_strength
from engine.poker.rules import CALL, Action, HandView

__all__ = ["GREAT", "SlowPlayer"]

GREAT: Final = 0.85
"""The hand strength from which a hand is very strong (Poki 3.4)."""
_RIVER: Final = 3


class SlowPlayer(Formula):
    """Plays by formula, but checks and calls very strong hands until the river, and raises them there."""

    def choose_action(self, view: HandView) -> Action:
        """The formula's action, or the slow-play."""
        if view.board and hand_strength(view.own_cards, view.board).value >= GREAT:
            return view.legal_actions().raising_to() if view.betting_round == _RIVER else CALL
        return super().choose_action(view)
