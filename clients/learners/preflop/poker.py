"""Poker Learner: knows opponents by playing style, and learns which way of judging is better.

It knows opponents as HCLearner does, and judges and chooses as Name Learner does.

Source: Poker Learner 4.2.2.4; see ``learner`` for what that leaves open.
"""

from __future__ import annotations

from pathlib import Path

from clients.learners.preflop.learner import Choice, PreflopLearner
from clients.learners.preflop.playing_style import Classifier
from clients.learners.preflop.readings import (
    LastActionReading,
    PenaltyReading,
    ShowdownsReading,
    WinnerReading,
)

__all__ = ["PokerLearner"]


class PokerLearner(PreflopLearner):
    """Learns against styles of play, and how to judge its actions (Poker Learner)."""

    kind = "poker-learner"
    judges_by = "both"

    # Many parameters: they are the bot's options, and are read off this signature.
    def __init__(
        self,
        knowledge: Path | None = None,
        learn: bool = True,
        choose: Choice = "proportional",
        classifier: Classifier = "as-meant",
        journal: bool = True,
        last_action: LastActionReading | None = None,
        winner: WinnerReading = "ties-win",
        penalty: PenaltyReading = "each",
        showdowns: ShowdownsReading = "any",
    ) -> None:
        super().__init__(
            knowledge, learn, choose, classifier, journal, last_action, winner, penalty, showdowns=showdowns
        )
