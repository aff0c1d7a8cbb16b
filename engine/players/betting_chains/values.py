"""What an action is worth: the equations of the report.

Source: Saukonoja and Pasanen, section 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from engine.players.betting_chains.chains import ChainEnding


def showdown_value(win: float, pot: float, bets: float) -> float:
    """What a scenario that ends in a showdown is worth, ``P_w ES - EB``.

    Source: Saukonoja and Pasanen, eq 1.
    """
    return win * pot - bets


def others_fold_value(pot: float, bets: float) -> float:
    """What a scenario in which everybody else folds is worth, ``ES - EB``.

    Source: Saukonoja and Pasanen, eq 2 without its chance, which eq 4 multiplies by.
    """
    return pot - bets


def we_fold_value(bets: float) -> float:
    """What a scenario in which we fold is worth, ``-EB``.

    Source: Saukonoja and Pasanen, eq 3 without its chance, which eq 4 multiplies by.
    """
    return -bets


def action_value(scenarios: Iterable[tuple[float, float]]) -> float:
    """What an action is worth: the sum over scenarios of chance times value.

    Args:
        scenarios: chance and value of each; the chances add up to 1.

    Source: Saukonoja and Pasanen, eq 4.
    """
    return math.fsum(chance * value for chance, value in scenarios)


def win_chance(hand_strength: float, opponent_strength: float) -> float:
    """The chance of winning a showdown, from our hand's strength and the mean of what opponents show there.

    The opponent's hand is taken to be uniform between a bound L and 1, with the mean given; one below 1/2
    says no more than 1/2.  .8 against a mean of .5 is .8, against .75 it is .6, against .9 nothing.

    Args:
        hand_strength: the share of all hands that ours beats, 0 to 1.
        opponent_strength: mean, 0 to 1.
    """
    bound = max(0.0, 2.0 * opponent_strength - 1.0)
    if bound >= 1.0:
        return 0.0
    return min(1.0, max(0.0, (hand_strength - bound) / (1.0 - bound)))


@attrs.frozen
class Prospect:
    """One way in which a hand may end after an action."""

    chance: float
    pot: float = 0.0
    """Mean chips in the middle then."""
    bets: float = 0.0
    """Mean chips we put in from the action on, its own included."""


_NEVER: Final = Prospect(0.0)


@attrs.frozen
class Prospects:
    """The possible outcomes of an action: the three endings, and the opponents at a showdown."""

    endings: Mapping[ChainEnding, Prospect]
    opponent_strength: float
    """Mean strength of the opponents' hands at a showdown."""

    def of(self, ending: ChainEnding) -> Prospect:
        """One ending; of chance 0 if it was never seen."""
        return self.endings.get(ending, _NEVER)

    def value(self, win: float) -> float:
        """The value of the action, given the chance of winning a showdown.

        Source: Saukonoja and Pasanen, eq 5 and ``calcEV``, with the chance of a showdown.
        """
        showdown, others_fold, we_fold = map(self.of, ChainEnding)
        return (
            showdown.chance * showdown_value(win, showdown.pot, showdown.bets)
            + others_fold.chance * others_fold_value(others_fold.pot, others_fold.bets)
            + we_fold.chance * we_fold_value(we_fold.bets)
        )
