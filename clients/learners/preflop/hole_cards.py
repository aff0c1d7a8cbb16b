"""HCLearner: learns from hole cards.

Opponents are known by their playing style, actions are judged by the two hole cards against those of each
opponent who shows, and the action of the greatest value is taken: the simplest of the four.

Source: Poker Learner 4.2.2.1; see ``learner`` for what it leaves open.
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
