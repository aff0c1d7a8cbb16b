"""The four learners: how they know opponents, and how they judge and choose actions.

=====================  =================  ============================  ====================
learner                last player        judges by                     chooses
=====================  =================  ============================  ====================
`HoleCardsLearner`     by playing style   hole cards                    the greatest value
`WinningHandLearner`   by playing style   the winning hand              the greatest value
`NameLearner`          by name            the way that it finds better  by the values, drawn
`PokerLearner`         by playing style   the way that it finds better  by the values, drawn
=====================  =================  ============================  ====================

See ``learner`` for what the thesis leaves open.
"""

from __future__ import annotations

from clients.learners.preflop.learner import PreflopLearner


class HoleCardsLearner(PreflopLearner):
    """Learns when its hole cards are good: hole cards against hole cards, playing styles (HCLearner).

    It is the simplest of the four.  It compares its hole cards with those of each opponent who shows.

    Source: Poker Learner 4.2.2.1.
    """

    kind = "hole-cards-learner"
    judges_by = "hole cards"


class WinningHandLearner(PreflopLearner):
    """Learns when its hole cards win: best five cards against the winner, playing styles (WHLearner).

    The more opponents show, the less often it is ahead, however good its hole cards are: trained at a full
    table, it folds a lot.

    Source: Poker Learner 4.2.2.2.
    """

    kind = "winning-hand-learner"
    judges_by = "winning hand"


class NameLearner(PreflopLearner):
    """Learns against each opponent by name, and how to judge its actions (Name Learner).

    It knows the last player by name, or by seat if the table does not tell names.  In each state it learns
    which of the two ways of judging finds fewer actions wrong.

    Source: Poker Learner 4.2.2.3.
    """

    kind = "name-learner"
    judges_by = "both"
    chooses = "proportional"
    knows_names = True


class PokerLearner(PreflopLearner):
    """Learns against styles of play, and how to judge its actions (Poker Learner).

    It knows opponents as HCLearner does, and judges and chooses as Name Learner does.

    Source: Poker Learner 4.2.2.4.
    """

    kind = "poker-learner"
    judges_by = "both"
    chooses = "proportional"
