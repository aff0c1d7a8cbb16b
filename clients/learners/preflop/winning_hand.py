"""WHLearner: learns from the hand that wins.

It is like HCLearner, but judges actions by its best five cards against the winner's.  The more opponents
show, the less often it is ahead, however good its hole cards are: trained at a full table, it folds a lot.

Source: Poker Learner 4.2.2.2; see ``learner`` for what that leaves open.
"""

from __future__ import annotations

from pathlib import Path

from clients.learners.preflop.learner import Choice, PreflopLearner
from clients.learners.preflop.playing_style import Classifier
from clients.learners.preflop.readings import LastActionReading, ShowdownsReading, WinnerReading

__all__ = ["WinningHandLearner"]


class WinningHandLearner(PreflopLearner):
    """Learns when its hole cards win: best five cards against the winner, playing styles (WHLearner)."""

    kind = "winning-hand-learner"
    judges_by = "winning hand"

    def __init__(
        self,
        knowledge: Path | None = None,
        learn: bool = True,
        choose: Choice = "greedy",
        classifier: Classifier = "as-meant",
        journal: bool = True,
        last_action: LastActionReading | None = None,
        winner: WinnerReading = "ties-win",
        showdowns: ShowdownsReading = "any",
    ) -> None:
        super().__init__(
            knowledge, learn, choose, classifier, journal, last_action, winner, showdowns=showdowns
        )
