"""The hands that the Open Meerkat testbed's SimpleBot plays before the flop, each in one way for good.

The learners of the Poker Learner thesis (5.1) met a SimpleBot that is "one of the agents included in the Open
Meerkat Testbed".  As the testbed publishes it, that one goes by a list:

======================================  ======================================================================
hands                                   what it does with them
======================================  ======================================================================
pairs                                   tens and better, and deuces, raise up to the second raise; all call up
                                        to two raises, and are given up to a third
both cards ten or higher                suited they raise up to the second raise; all call up to two raises
two suited cards of adjacent ranks      call whatever was raised, where no line above says otherwise (an ace
                                        and a deuce are not adjacent)
a suited ace                            likewise; with a deuce it makes the first raise
any other                               folds, or checks; one time in twenty it calls a big blind at most
======================================  ======================================================================

Each raise is the smallest that is legal.  The thesis says of its bot that it "also contains a simple
implementation of opponent modeling"; there is none in what the testbed publishes.
"""

from __future__ import annotations

import functools
import math
from itertools import permutations
from typing import Final, NamedTuple

from engine.cards import NUM_CARDS, RANKS, rank_of
from engine.opponents.probability_triple import ProbabilityTriple

__all__ = ["KINDS", "OTHERS", "Kind", "kinds_of_hands", "listed_triple"]

OTHERS: Final = 0.05
"""How often a hand that is not on the list calls a big blind at most."""


class Kind(NamedTuple):
    """What is done with hands of a kind."""

    raises_below: float = 0
    """It raises while fewer raises than that have been made in the round."""
    calls_below: float = 0
    """Else it calls while fewer have been."""


_OTHER: Final = Kind()
_SMALL_PAIR_OR_OFFSUIT: Final = Kind(0, 3)
_RAISED: Final = Kind(2, 3)
_RAISED_AND_KEPT: Final = Kind(2, math.inf)
_KEPT: Final = Kind(0, math.inf)
_ACE_DEUCE: Final = Kind(1, math.inf)
KINDS: Final = (_OTHER, _SMALL_PAIR_OR_OFFSUIT, _RAISED, _RAISED_AND_KEPT, _KEPT, _ACE_DEUCE)
"""In the order of the numbers of `kinds_of_hands`."""

_DEUCE, _TEN, _ACE = map(RANKS.index, "2TA")


def _kind_of(first: int, second: int) -> Kind:
    """Of two cards."""
    high, low = max(rank_of(first), rank_of(second)), min(rank_of(first), rank_of(second))
    if high == low:
        return _RAISED if high >= _TEN or high == _DEUCE else _SMALL_PAIR_OR_OFFSUIT
    if first & 3 != second & 3:
        return _SMALL_PAIR_OR_OFFSUIT if low >= _TEN else _OTHER
    is_kept = high - low == 1 or high == _ACE
    if low >= _TEN:
        return _RAISED_AND_KEPT if is_kept else _RAISED
    if high == _ACE and low == _DEUCE:
        return _ACE_DEUCE
    return _KEPT if is_kept else _OTHER


@functools.cache
def kinds_of_hands() -> tuple[int, ...]:
    """The number of each hand's kind, in `KINDS`: 2704, that of the cards a and b at ``52 * a + b``."""
    kinds = [0] * NUM_CARDS**2
    for first, second in permutations(range(NUM_CARDS), 2):
        kinds[NUM_CARDS * first + second] = KINDS.index(_kind_of(first, second))
    return tuple(kinds)


def listed_triple(kind: int, raises: int, others: float) -> ProbabilityTriple:
    """What is done with a hand, legal or not.

    Args:
        kind: of `kinds_of_hands`.
        raises: in this round, before the flop.
        others: the chance of calling with a hand that is not on the list, or is given up.
    """
    raises_below, calls_below = KINDS[kind]
    if raises < raises_below:
        return ProbabilityTriple(0.0, 0.0, 1.0)
    if raises < calls_below:
        return ProbabilityTriple(0.0, 1.0, 0.0)
    return ProbabilityTriple(1.0 - others, others, 0.0)
