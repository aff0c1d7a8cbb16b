"""HCLearner: learns from hole cards.

It is the simplest of the four.  It knows opponents by their playing style, judges actions by comparing its
hole cards with those of each opponent who shows, and takes the action of the greatest value.

Source: Poker Learner 4.2.2.1; see ``learner`` for what that leaves open.
"""

from __future__ import annotations

from pathlib import Path

from clients.learners.preflop.learner import Choice, PreflopLearner
from clients.learners.preflop.playing_style import Classifier
from clients.learners.preflop.readings import LastActionReading, ShowdownsReading

__all__ = ["HoleCardsLearner"]


class HoleCardsLearner(PreflopLearner):
    """Learns when its hole cards are good: hole cards against hole cards, playing styles (HCLearner)."""

    kind = "hole-cards-learner"
    judges_by = "hole cards"

    def __init__(
        self,
        knowledge: Path | None = None,
        learn: bool = True,
        choose: Choice = "greedy",
        classifier: Classifier = "as-meant",
        journal: bool = True,
        last_action: LastActionReading | None = None,
        showdowns: ShowdownsReading = "any",
    ) -> None:
        super().__init__(knowledge, learn, choose, classifier, journal, last_action, showdowns=showdowns)
