"""Rough rules for the parameters of the evaluation when little has been seen, as the report wants them.

They are "not even meant to be very accurate" (3.2).  Later on each opponent bets half a bet in each round to
come, and so do we.  The opponent's hand at a showdown is a random hand if nobody has bet, a better one for
each raise met, and the better part of that if the opponent calls a raise of ours.

The scenarios are those of section 2.1: whether we begin with a bet or raise or with a check or call, and how
the hand ends.  The report lists five of the six: after our check, everybody else may fold to a later bet of
ours, and without that scenario the probabilities do not add up to 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import attrs

from engine.players.action_context import situation_of
from engine.players.betting_chains import ChainEnding, Prospect, Prospects
from engine.poker.rules import Action, ActionKind
from engine.poker.rules.betting import BettingState

__all__ = ["Question", "raises_met", "rough_prospects", "usual_strength"]

_STRENGTH_BY_RAISES: Final = (0.5, 0.65, 0.75, 0.8)
"""The mean strength of an opponent's hand at a showdown, by the raises met."""
_LATER_BET: Final = 0.5
"""Bets that each player puts in in each round to come."""
_LATER_BLUFF: Final = 0.25
"""How often we bet later on after a check."""


@attrs.frozen
class Question:
    """An action of ours to be valued after the flop, and what is known of the decision."""

    betting: BettingState
    """The state in which we are to act."""
    action: Action
    """The action, which is legal."""
    hand_strength: float
    """The effective hand strength against all opponents together."""
    folds: Mapping[int, float]
    """By position, the probability that each opponent folds to a raise."""
    bet_rate: float
    """How often opponents bet, on average."""
    raise_rate: float
    """How often they raise a bet."""
    strength_met: float
    """The mean strength of opponents' hands at showdowns after the same number of bets and raises."""

    @property
    def position(self) -> int:
        """Our position."""
        position = self.betting.position_to_act
        assert position is not None  # it is our turn
        return position


def raises_met(betting: BettingState, position: int) -> int:
    """Bets and raises that opponents of the player in a position have made after the flop."""
    return sum(
        action.kind is ActionKind.RAISE and actor != position and before.betting_round > 0
        for before, actor, action in betting.steps()
    )


def usual_strength(raises: int) -> float:
    """The mean strength of an ordinary opponent's hand at a showdown, by the raises met in the hand."""
    return _STRENGTH_BY_RAISES[min(raises, len(_STRENGTH_BY_RAISES) - 1)]


def _fold_chances(question: Question, after: BettingState) -> dict[int, float]:
    """The probabilities of folding to the raise; in no-limit games a larger raise is folded to more often.

    A caller should fold s / (1 + s) of the time to a bet of s pots; the question's probabilities are those of
    folding to a bet of the pot.
    """
    scale = 1.0
    if not question.betting.game.is_limit:
        share = question.betting.pots_of_raise(after.max_spent)
        scale = 2 * share / (1 + share)
    return {position: min(0.9, scale * chance) for position, chance in question.folds.items()}


def rough_prospects(question: Question) -> Prospects:
    """The prospects of an action by the rules alone."""
    before, us = question.betting, question.position
    after = before.apply(question.action)
    paid = after.spent[us] - before.spent[us]
    public = situation_of(before).public
    rounds_left = before.game.num_rounds - 1 - before.betting_round
    opponents = [p for p, out in enumerate(before.folded) if not out and p != us]
    is_raise = question.action.kind is ActionKind.RAISE
    later = _LATER_BET * public.future_bets
    if not before.game.is_limit and not after.can_act(us):
        later = 0.0
    strength = question.strength_met

    all_fold = called = 0.0
    if is_raise:
        chances = _fold_chances(question, after)
        all_fold = math.prod(chances.values()) if len(chances) == len(opponents) else 0.0
        stay = {position: 1 - chance for position, chance in chances.items()}
        some = max(1 - all_fold, 1e-9)
        for position in opponents:
            owed = max(0, after.amount_to_call(position))
            called += owed * stay.get(position, 1.0) / some
        # Players are taken to fold their worst hands, so the remaining hands are better.
        bound = max(0.0, 2 * strength - 1)
        folded = 1 - sum(stay.values()) / len(stay) if stay else 0.0
        strength = (1 + bound + (1 - bound) * folded) / 2
        meets = question.raise_rate
    else:
        meets = 1 - (1 - question.bet_rate) ** rounds_left
        if rounds_left and question.folds:
            all_fold = _LATER_BLUFF * math.prod(question.folds.values())
    we_fold = (1 - all_fold) * meets * (1 - question.hand_strength) ** 2
    pot = before.pot + paid
    endings = {
        ChainEnding.SHOWDOWN: Prospect(
            1 - all_fold - we_fold, pot + called + later * (1 + len(opponents)), paid + later
        ),
        ChainEnding.OTHERS_FOLDED: Prospect(all_fold, pot, paid),
        ChainEnding.WE_FOLDED: Prospect(we_fold, pot + called, paid),
    }
    return Prospects(endings, strength)
