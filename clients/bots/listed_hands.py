"""The fixed list of starting hands that the Open Meerkat testbed's SimpleBot plays before the flop.

The learners of the Poker Learner thesis (5.1) met a SimpleBot that is "one of the agents included in the Open
Meerkat Testbed".  As published with the testbed, it follows a list:

======================================  ======================================================================
hands                                   what it does with them
======================================  ======================================================================
pairs                                   tens and better, and deuces, make the first or second raise; all pairs
                                        call up to two raises, and fold to a third
both cards ten or higher                suited, they make the first or second raise; all call up to two raises
two suited cards of adjacent ranks      call any raise, unless a line above says otherwise (an ace and a deuce
                                        are not adjacent)
a suited ace                            the same; with a deuce it makes the first raise
any other                               folds or checks; one time in twenty it calls, at most a big blind
======================================  ======================================================================

Each raise is the smallest legal one.  The thesis says that its bot "also contains a simple implementation of
opponent modeling"; the published testbed has none.
"""

from __future__ import annotations

import functools
import math
from itertools import permutations
from typing import Final, NamedTuple

from engine.poker.cards import NUM_CARDS, RANKS, rank_of
from engine.poker.records import ProbabilityTriple

OTHERS: Final = 0.05
"""How often a hand that is not on the list calls, if that costs at most a big blind."""


class Kind(NamedTuple):
    """How a kind of hands is played."""

    raises_below: float = 0
    """It raises while fewer raises than this have been made in the round."""
    calls_below: float = 0
    """Otherwise it calls while fewer raises than this have been made."""


_OTHER: Final = Kind()
_SMALL_PAIR_OR_OFFSUIT: Final = Kind(0, 3)
_RAISED: Final = Kind(2, 3)
_RAISED_AND_KEPT: Final = Kind(2, math.inf)
_KEPT: Final = Kind(0, math.inf)
_ACE_DEUCE: Final = Kind(1, math.inf)
KINDS: Final = (_OTHER, _SMALL_PAIR_OR_OFFSUIT, _RAISED, _RAISED_AND_KEPT, _KEPT, _ACE_DEUCE)
"""All kinds; `kinds_of_hands` numbers them in this order."""

_DEUCE, _TEN, _ACE = map(RANKS.index, "2TA")


def _kind_of(first: int, second: int) -> Kind:
    """The kind of two hole cards."""
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
    """Each hand's kind as an index of `KINDS`: 2704 numbers, that of the cards a and b at ``52 * a + b``."""
    kinds = [0] * NUM_CARDS**2
    for first, second in permutations(range(NUM_CARDS), 2):
        kinds[NUM_CARDS * first + second] = KINDS.index(_kind_of(first, second))
    return tuple(kinds)


def listed_triple(kind: int, raises: int, others: float) -> ProbabilityTriple:
    """How a kind of hands is played, whether or not the actions are legal.

    Args:
        kind: index of `KINDS`.
        raises: made so far before the flop.
        others: the probability of calling with a hand that is not on the list, or that the list folds.
    """
    raises_below, calls_below = KINDS[kind]
    if raises < raises_below:
        return ProbabilityTriple(0.0, 0.0, 1.0)
    if raises < calls_below:
        return ProbabilityTriple(0.0, 1.0, 0.0)
    return ProbabilityTriple(1.0 - others, others, 0.0)
