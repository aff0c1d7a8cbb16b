"""Name Learner: learns about its opponents by name, and which way of judging is better.

The last player is known by name, or by seat where the table gives no names.  Each state learns which of the
two ways of judging finds fewer actions wrong.  Actions are drawn by their values.

Source: Poker Learner 4.2.2.3; see ``learner`` for what it leaves open.
"""

from __future__ import annotations

from pathlib import Path

from clients.learners.preflop.learner import Choice, PreflopLearner
from clients.learners.preflop.readings import (
    LastActionReading,
    PenaltyReading,
    ShowdownsReading,
    WinnerReading,
)

__all__ = ["NameLearner"]


class NameLearner(PreflopLearner):
    """Learns against each opponent by name, and how to judge its actions (Name Learner)."""

    kind = "name-learner"
    judges_by = "both"
    knows_names = True

    def __init__(
        self,
        knowledge: Path | None = None,
        learn: bool = True,
        choose: Choice = "proportional",
        journal: bool = True,
        last_action: LastActionReading | None = None,
        winner: WinnerReading = "ties-win",
        penalty: PenaltyReading = "each",
        showdowns: ShowdownsReading = "any",
    ) -> None:
        super().__init__(
            knowledge, learn, choose, "as-meant", journal, last_action, winner, penalty, showdowns=showdowns
        )
