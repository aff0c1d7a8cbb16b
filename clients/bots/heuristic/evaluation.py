"""The value of an action after the flop: the two methods of the report behind one interface.

``direct``     section 2.2 and ``calcEV``: the three endings of the hands with exactly the same betting
``strategic``  section 2.1: scenarios by how we begin and how the hand ends; their probabilities and amounts
               come from all decisions of the same kind and from the strength of our hand

Both start with rough rules and come to trust what has been seen: trust grows linearly from `enough` hands to
four times as many, so no value jumps.

The rules are "not even meant to be very accurate" (3.2).  Later on each opponent bets half a bet in each
round to come, and so do we.  The opponent's hand at a showdown is a random hand if nobody has bet, a better
one for each raise met, and the better part of that if the opponent calls a raise of ours.

The scenarios are those of section 2.1: whether we begin with a bet or raise or with a check or call, and how
the hand ends.  The report lists five of the six: after our check, everybody else may fold to a later bet of
ours, and without that scenario the probabilities do not add up to 1.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Mapping
from typing import Final

import attrs

from clients.bots.heuristic.store import Experience, scene_of
from engine.players.action_context import situation_of
from engine.players.betting_chains.chains import ChainEnding, chain_of
from engine.players.betting_chains.store import ChainStore
from engine.players.betting_chains.values import (
    Prospect,
    Prospects,
    action_value,
    others_fold_value,
    showdown_value,
    we_fold_value,
    win_chance,
)
from engine.poker.rules import Action, ActionKind
from engine.poker.rules.betting import BettingState

_FULLY: Final = 4
"""This many times `enough` hands count fully."""
_STRENGTH_PRIOR: Final = 5.0
"""The weight of the opponents' rough strength, in showdowns."""
_LATER_BET: Final = 0.5
"""Bets that each player puts in in each round to come, by the rough rules."""
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
        return self.betting.actor()


def trust(hands: int, enough: int) -> float:
    """The weight of what was seen: 0 up to `enough` hands, 1 from four times as many, linear between."""
    return min(1.0, max(0.0, (hands - enough) / ((_FULLY - 1) * enough)))


class Evaluation(abc.ABC):
    """Values actions.

    Args:
        experience: what has been seen.
        enough: hands from which on they count.
    """

    def __init__(self, experience: Experience, enough: int) -> None:
        self._experience, self._enough = experience, enough

    def value(self, question: Question) -> float:
        """The value in chips from here on; folding is worth 0."""
        rough = rough_prospects(question)
        value = self._worth(rough, question, is_seen=False)
        store, key = self._seen(question)
        share = trust(store.hands(key), self._enough)
        if share <= 0:
            return value
        seen = store.prospects(key, question.betting, rough.opponent_strength, _STRENGTH_PRIOR)
        if seen is None:
            return value
        return (1 - share) * value + share * self._worth(seen, question, is_seen=True)

    @abc.abstractmethod
    def _seen(self, question: Question) -> tuple[ChainStore, str]:
        """The store of hands like this one, and their key in it."""

    @abc.abstractmethod
    def _worth(self, prospects: Prospects, question: Question, *, is_seen: bool) -> float:
        """The value of the action with these prospects, which come from what was seen or from rules."""


class DirectEstimation(Evaluation):
    """Eq 5, from the hands whose betting chain begins with the present one and the action."""

    def _seen(self, question: Question) -> tuple[ChainStore, str]:
        after = question.betting.apply(question.action)
        return self._experience.chains, chain_of(after, question.position)

    def _worth(self, prospects: Prospects, question: Question, *, is_seen: bool) -> float:
        return prospects.value(win_chance(question.hand_strength, prospects.opponent_strength))


class StrategicMethod(Evaluation):
    """Eqs 1 to 4, by scenarios; their chances, pots and bets come from all decisions of the same kind."""

    def _seen(self, question: Question) -> tuple[ChainStore, str]:
        return self._experience.scenes, scene_of(question.betting, question.action.kind)

    def _worth(self, prospects: Prospects, question: Question, *, is_seen: bool) -> float:
        # The factor on our probability of giving this hand up: 2 for the worst hand, 0 for the best.
        giving_up = 2 * (1 - question.hand_strength) if is_seen else 1.0
        return action_value(_scenarios(prospects, question, giving_up))


def _scenarios(prospects: Prospects, question: Question, giving_up: float) -> list[tuple[float, float]]:
    """The probability and value of each scenario that begins with the action."""
    win = win_chance(question.hand_strength, prospects.opponent_strength)
    showdown, others_fold, we_fold = map(prospects.of, ChainEnding)
    fold_chance = min(giving_up * we_fold.chance, 1 - others_fold.chance)
    shown = showdown_value(win, showdown.pot, showdown.bets)
    won = others_fold_value(others_fold.pot, others_fold.bets)
    lost = we_fold_value(we_fold.bets)
    rest = 1 - others_fold.chance - fold_chance
    return [(rest, shown), (others_fold.chance, won), (fold_chance, lost)]


# --- rough rules -------------------------------------------------------------------------------------------


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
    public = situation_of(before)
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
