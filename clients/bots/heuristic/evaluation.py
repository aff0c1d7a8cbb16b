"""The value of an action after the flop: the two methods of the report behind one interface.

``direct``     section 2.2 and ``calcEV``: the three endings of the hands with exactly the same betting
``strategic``  section 2.1: scenarios by how we begin and how the hand ends; their probabilities and amounts
               come from all decisions of the same kind and from the strength of our hand

Both start with the rules of ``rough`` and come to trust what has been seen: trust grows linearly from
`enough` hands to four times as many, so no value jumps.
"""

from __future__ import annotations

from typing import Final, Protocol

from clients.bots.heuristic.rough import Question, rough_prospects
from clients.bots.heuristic.store import Experience, scene_of
from engine.players.betting_chains import (
    ChainEnding,
    ChainStore,
    Prospects,
    action_value,
    chain_of,
    others_fold_value,
    showdown_value,
    we_fold_value,
    win_chance,
)

__all__ = ["DirectEstimation", "Evaluation", "StrategicMethod", "trust"]

_FULLY: Final = 4
"""This many times `enough` hands count fully."""
_STRENGTH_PRIOR: Final = 5.0
"""The weight of the opponents' rough strength, in showdowns."""


class Evaluation(Protocol):
    """Values actions."""

    def value(self, question: Question) -> float:
        """The value in chips from here on; folding is worth 0."""


def trust(hands: int, enough: int) -> float:
    """The weight of what was seen: 0 up to `enough` hands, 1 from four times as many, linear between."""
    return min(1.0, max(0.0, (hands - enough) / ((_FULLY - 1) * enough)))


def _blended(
    question: Question, store: ChainStore, key: str, enough: int
) -> tuple[Prospects, Prospects | None, float]:
    """The prospects by the rules, those by what was seen (None if too little), and the latter's weight."""
    rough = rough_prospects(question)
    share = trust(store.hands(key), enough)
    if share <= 0:
        return rough, None, 0.0
    return rough, store.prospects(key, question.betting, rough.opponent_strength, _STRENGTH_PRIOR), share


class DirectEstimation:
    """Eq 5, from the hands whose betting chain begins with the present one and the action.

    Args:
        experience: what has been seen.
        enough: hands from which on they count.
    """

    def __init__(self, experience: Experience, enough: int) -> None:
        self._experience, self._enough = experience, enough

    def value(self, question: Question) -> float:
        """The value in chips from here on; folding is worth 0."""
        chain = chain_of(question.betting.apply(question.action), question.position)
        rough, seen, share = _blended(question, self._experience.chains, chain, self._enough)
        value = _value(rough, question)
        return value if seen is None else (1 - share) * value + share * _value(seen, question)


def _value(prospects: Prospects, question: Question) -> float:
    return prospects.value(win_chance(question.hand_strength, prospects.opponent_strength))


class StrategicMethod:
    """Eqs 1 to 4, by scenarios, whose probabilities, pots and bets come from all decisions of the same kind.

    Args:
        experience: what has been seen.
        enough: hands from which on they count.
    """

    def __init__(self, experience: Experience, enough: int) -> None:
        self._experience, self._enough = experience, enough

    def value(self, question: Question) -> float:
        """The value in chips from here on; folding is worth 0."""
        scene = scene_of(question.betting, question.action.kind)
        rough, seen, share = _blended(question, self._experience.scenes, scene, self._enough)
        value = action_value(_scenarios(rough, question, 1.0))
        if seen is None:
            return value
        return (1 - share) * value + share * action_value(_scenarios(seen, question, _giving_up(question)))


def _giving_up(question: Question) -> float:
    """The factor on our probability of giving this hand up: 2 for the worst hand, 0 for the best."""
    return 2 * (1 - question.hand_strength)


def _scenarios(prospects: Prospects, question: Question, giving_up: float) -> list[tuple[float, float]]:
    """The probability and value of each scenario that begins with the action."""
    win = win_chance(question.hand_strength, prospects.opponent_strength)
    showdown, others_fold, we_fold = map(prospects.of, ChainEnding)
    fold_chance = min(giving_up * we_fold.chance, 1 - others_fold.chance)
    return [
        (1 - others_fold.chance - fold_chance, showdown_value(win, showdown.pot, showdown.bets)),
        (others_fold.chance, others_fold_value(others_fold.pot, others_fold.bets)),
        (fold_chance, we_fold_value(we_fold.bets)),
    ]
