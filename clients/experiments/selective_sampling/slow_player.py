"""A player who hides very strong hands: before the river they are checked and called, never raised.

For the second warning of Poki 3.5: a weight table of mediocre hands, when in fact a very good one has been
slow-played.
"""

from __future__ import annotations

from typing import Final

from clients.bots.formula.agent import Formula
from engine.evaluation.hand_strength import hand_strength
from engine.rules import CALL, Action, HandView

__all__ = ["GREAT", "SlowPlayer"]

GREAT: Final = 0.85
"""Hand strength from which a hand is very strong (Poki 3.4)."""
_RIVER: Final = 3


class SlowPlayer(Formula):
    """Plays by formula, but very strong hands are called and checked until the river, and raised there."""

    def choose_action(self, view: HandView) -> Action:
        """The formula's, or the trap."""
        if view.board and hand_strength(view.own_cards, view.board).value >= GREAT:
            return view.legal_actions().raising_to() if view.betting_round == _RIVER else CALL
        return super().choose_action(view)
