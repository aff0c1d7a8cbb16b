"""HCLearner: learns from hole cards.

Opponents are known by their playing style, actions are judged by the two hole cards against those of each
opponent who shows, and the action of the greatest value is taken: the simplest of the four.

Source: Poker Learner 4.2.2.1; see ``learner`` for what it leaves open.
"""

from __future__ import annotations

from clients.learners.preflop.learner import PreflopLearner

__all__ = ["HoleCardsLearner"]


class HoleCardsLearner(PreflopLearner):
    """Learns when its hole cards are good: hole cards against hole cards, playing styles (HCLearner)."""

    kind = "hole-cards-learner"
    judges_by = "hole cards"
