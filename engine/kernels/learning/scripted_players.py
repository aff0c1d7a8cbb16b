"""Players by a script of a few traits, against whom a learner by situations is trained."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.rules.betting import CALL, FOLD, General, Node, Rule, legal_raise
from engine.kernels.splitmix import random_number

# Columns of an opponent, shape (NUM_TRAITS,), float64.
KIND: Final = 0
BY_STRENGTH: Final = 0
AT_RANDOM: Final = 1
FORMER_SELF: Final = 2
NOISE: Final = 1
"""By strength: the greatest error in its strength.  Former self: how often it acts at random."""
BLUFF: Final = 2
"""Share of hands too weak for it that it bets or raises with."""
MOST_RAISES: Final = 3
"""In a betting round, after which it calls instead."""
BET_SIZE: Final = 4
"""Preflop, and after it in the next column: pots that are bet; `BY_HAND` strength times the pot;
`ANY_SIZE` drawn from all that are legal."""
BY_HAND: Final = -1.0
ANY_SIZE: Final = -2.0
BET_FROM: Final = 6
"""The least strength that bets; before the flop, and after it in the next column, as all that follow.
At random: the weights of folding, calling and raising."""
RAISE_FROM: Final = 8
CALL_FROM: Final = 10
"""The least strength that calls, to which comes CALL_ODDS times the pot odds."""
CALL_ODDS: Final = 12
NUM_TRAITS: Final = 14


@kernel(allocates=False)
def _raise_of_size(
    rules: NDArray[np.int64],
    spent: NDArray[np.int64],
    node: NDArray[np.int64],
    size: float,
    strength: float,
    random_state: NDArray[np.uint64],
) -> int:
    """The total of a raise of so many pots; CALL where none is allowed."""
    low, high = legal_raise(rules, spent, node)
    if high <= 0:
        return CALL
    if rules[Rule.GENERAL, General.IS_LIMIT] or low == high:
        return high
    if size == ANY_SIZE:
        return integer(low + integer(random_number(random_state) * (high - low + 1)))
    position = node[Node.TO_ACT]
    pot = max(0, node[Node.MAX_SPENT] - spent[position])
    for other in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        pot += spent[other]
    if size == BY_HAND:
        size = strength
    # Compared as floats: a size may stand for more chips than there are.
    total = float(node[Node.MAX_SPENT]) + size * pot
    if total >= high:
        return high
    return integer(max(low, integer(total)))


@kernel(allocates=False)
def scripted_action(
    rules: NDArray[np.int64],
    spent: NDArray[np.int64],
    node: NDArray[np.int64],
    traits: NDArray[np.float64],
    strength: float,
    random_state: NDArray[np.uint64],
) -> int:
    """What an opponent of some traits does, whose hand has a strength; not for a former self."""
    position = node[Node.TO_ACT]
    later = 1 if node[Node.ROUND] > 0 else 0
    to_call = min(rules[Rule.STACK, position], node[Node.MAX_SPENT]) - spent[position]
    size = traits[BET_SIZE + later]
    if traits[KIND] == AT_RANDOM:
        fold = traits[BET_FROM] if spent[position] != node[Node.MAX_SPENT] else 0.0
        call = traits[BET_FROM + 1]
        raise_ = traits[BET_FROM + 2] if legal_raise(rules, spent, node)[1] > 0 else 0.0
        draw = random_number(random_state) * (fold + call + raise_)
        if draw < fold:
            return FOLD
        if draw < fold + call:
            return CALL
        return _raise_of_size(rules, spent, node, size, strength, random_state)
    felt = strength + traits[NOISE] * (2.0 * random_number(random_state) - 1.0)
    bluffs = random_number(random_state) < traits[BLUFF]
    may_raise = node[Node.RAISES] < traits[MOST_RAISES]
    if to_call <= 0:
        if may_raise and (felt >= traits[BET_FROM + later] or bluffs):
            return _raise_of_size(rules, spent, node, size, strength, random_state)
        return CALL
    if may_raise and felt >= traits[RAISE_FROM + later]:
        return _raise_of_size(rules, spent, node, size, strength, random_state)
    pot = 0
    for other in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        pot += spent[other]
    if felt >= traits[CALL_FROM + later] + traits[CALL_ODDS + later] * to_call / (pot + to_call):
        return CALL
    if may_raise and bluffs:
        return _raise_of_size(rules, spent, node, size, strength, random_state)
    return FOLD
