"""Opponents that follow a script of a few traits, for training the street-learner."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.betting import CALL, FOLD, General, Node, Rule, legal_raise, pot_after_call, to_call
from engine.kernels.splitmix import random_number
from engine.support.arrays import Floats, Ints, Words


class ScriptTrait(IntEnum):
    """Entries of an opponent, an array of shape (NUM_TRAITS,), float64.

    A trait whose next number is not used has two entries: before the flop, and after it.
    """

    KIND = 0
    """One of `ScriptKind`."""
    NOISE = 1
    """`BY_STRENGTH`: the greatest error in its strength.  `FORMER_SELF`: how often it acts at random."""
    BLUFF = 2
    """How often it bets or raises a hand that is too weak for it."""
    MOST_RAISES = 3
    """The number of raises in a betting round from which on it calls instead."""
    BET_SIZE = 4
    """The size of a bet in pots; `BY_HAND` for the strength, `ANY_SIZE` for a random legal size."""
    BET_FROM = 6
    """The smallest strength that bets."""
    RAISE_FROM = 8
    """The smallest strength that raises."""
    CALL_FROM = 10
    """The smallest strength that calls if pot odds are 0; see `CALL_ODDS`."""
    CALL_ODDS = 12
    """By how much the strength needed for a call grows with the pot odds."""

    # `AT_RANDOM`: how often the player folds, calls and raises.
    FOLD_WEIGHT = 6
    CALL_WEIGHT = 7
    RAISE_WEIGHT = 8


NUM_TRAITS: Final = 14

BY_HAND: Final = -1.0
ANY_SIZE: Final = -2.0
"""Special values of `ScriptTrait.BET_SIZE`."""


class ScriptKind(IntEnum):
    """Kinds of opponents: the values of `ScriptTrait.KIND`."""

    BY_STRENGTH = 0
    AT_RANDOM = 1
    FORMER_SELF = 2


@kernel(allocates=False)
def _raise_of_size(
    rules: Ints, spent: Ints, node: Ints, size: float, strength: float, random_state: Words
) -> int:
    """The total of a raise by `size` pots (or as in `ScriptTrait.BET_SIZE`); CALL if no raise is legal."""
    low, high = legal_raise(rules, spent, node)
    if high <= 0:
        return CALL
    if rules[Rule.GENERAL, General.IS_LIMIT] or low == high:
        return high
    if size == ANY_SIZE:
        return integer(low + integer(random_number(random_state) * (high - low + 1)))
    if size == BY_HAND:
        size = strength
    # Compared as floats: a size may stand for more chips than there are.
    total = float(node[Node.MAX_SPENT]) + size * pot_after_call(rules, spent, node)
    if total >= high:
        return high
    return integer(max(low, integer(total)))


@kernel(allocates=False)
def _random_action(
    rules: Ints, spent: Ints, node: Ints, traits: Floats, strength: float, random_state: Words
) -> int:
    """The action of an opponent who acts at random."""
    position = node[Node.TO_ACT]
    fold = traits[ScriptTrait.FOLD_WEIGHT] if spent[position] != node[Node.MAX_SPENT] else 0.0
    call = traits[ScriptTrait.CALL_WEIGHT]
    raise_ = traits[ScriptTrait.RAISE_WEIGHT] if legal_raise(rules, spent, node)[1] > 0 else 0.0
    draw = random_number(random_state) * (fold + call + raise_)
    if draw < fold:
        return FOLD
    if draw < fold + call:
        return CALL
    size = traits[ScriptTrait.BET_SIZE + (1 if node[Node.ROUND] > 0 else 0)]
    return _raise_of_size(rules, spent, node, size, strength, random_state)


@kernel(allocates=False)
def scripted_action(
    rules: Ints, spent: Ints, node: Ints, traits: Floats, strength: float, random_state: Words
) -> int:
    """The action of an opponent with these traits and a hand of this strength; not for former selves."""
    if integer(traits[ScriptTrait.KIND]) == ScriptKind.AT_RANDOM:
        return _random_action(rules, spent, node, traits, strength, random_state)
    later = 1 if node[Node.ROUND] > 0 else 0
    chips = to_call(rules, spent, node)
    size = traits[ScriptTrait.BET_SIZE + later]
    felt = strength + traits[ScriptTrait.NOISE] * (2.0 * random_number(random_state) - 1.0)
    bluffs = random_number(random_state) < traits[ScriptTrait.BLUFF]
    may_raise = node[Node.RAISES] < traits[ScriptTrait.MOST_RAISES]
    if chips <= 0:
        if may_raise and (felt >= traits[ScriptTrait.BET_FROM + later] or bluffs):
            return _raise_of_size(rules, spent, node, size, strength, random_state)
        return CALL
    if may_raise and felt >= traits[ScriptTrait.RAISE_FROM + later]:
        return _raise_of_size(rules, spent, node, size, strength, random_state)
    final_pot = pot_after_call(rules, spent, node)
    if (
        felt
        >= traits[ScriptTrait.CALL_FROM + later] + traits[ScriptTrait.CALL_ODDS + later] * chips / final_pot
    ):
        return CALL
    if may_raise and bluffs:
        return _raise_of_size(rules, spent, node, size, strength, random_state)
    return FOLD
