"""Name Learner: learns about its opponents by name, and which way of judging is better.

It knows the last player by name, or by seat if the table does not tell names.  In each state it learns which
of the two ways of judging finds fewer actions wrong.  It draws actions by their values.

Source: Poker Learner 4.2.2.3; see ``learner`` for what that leaves open.
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
