"""What the kernels of opponents take and return: records, and names for columns of arrays."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple


class Trait(IntEnum):
    """Columns of an array of traits, shape (10, NUM_TRAITS), a row for each position, float64.

    The traits themselves are explained in ``engine.players.models.formula.Traits``.
    """

    FOLD_TO_BET = 0
    BET = 1
    RAISE_TELLS = 2
    """Against one opponent."""
    RAISE_TELLS_IN_COMPANY = 3
    """Against several."""
    PREFLOP_FOLD = 4
    """Not a number where it is unknown."""
    PREFLOP_RAISE = 5
    LOOSENESS = 6
    KNOWN = 7
    """1 where a model says what the player does in the present situation: in the columns that follow."""
    FOLD = 8
    """The chance that he folds if we raise by the usual bet."""
    FOLD_TO_CALL = 9
    """The chance that he folds, where he has yet to pay the bet before the flop, if we call."""
    BLIND_FOLD = 10
    """The part of his folds to our raise that has nothing to do with the hand."""


NUM_TRAITS: Final = len(Trait)


Parameter = IntEnum(
    "Parameter",
    "CALL_THRESHOLD RAISE_THRESHOLD SPREAD VERY_WEAK VERY_STRONG TRAP TIGHTNESS AGGRESSION DECEPTION "
    "BETS_FACED OPENING_RAISES RERAISES FREE_RAISES LIMPERS_RAISED LIMPERS_CALLED BLIND_ODDS NEVER_FOLDS "
    "CALL_LEVEL CALL_SLOPE BETS_TO_COME RAISE_MOST TIGHTNESS_SCALE AGGRESSION_SCALE",
    start=0,
)
"""Entries of an array of parameters, shape (len(Parameter),), float64.

They are explained in ``engine.players.models.formula.Parameters``: its fields in their order, and the scales.
TIGHTNESS is by how much it raises thresholds, AGGRESSION by how much it lowers that of raises; the scales are
what they make of a share of hands, factors.
"""


class Thresholds(NamedTuple):
    """The values at which a hand calls and raises.  A spread is half the width of the mixing zone."""

    call: float
    """Hands of this value are called or checked, the price aside."""
    call_spread: float
    raise_: float
    """Hands of this value are bet or raised half of the time."""
    raise_spread: float
    raise_most: float
    """The share of raises among good hands of little value; it rises in proportion to 1 for the best."""
    price: float
    """Chance of winning at which a call pays."""
    price_spread: float
    semi_bluff: float
    """Potential from which a bet and a raise pay."""
    semi_bluff_chance: float
    bluff_below: float
    """Hands below this value may bluff; how often is known last and stands by itself."""
    trap: float
    """Hands of this value may only be called with, to trap."""
    trap_chance: float
    can_fold: float
    """1 where folding is allowed, else 0."""
    can_raise: float
    """1 where raising is allowed, else 0."""


class Push(NamedTuple):
    """What a raise and a call bring against opponents whose folds have been counted, in bets.

    Several opponents are taken for so many alike: the odds against a hand are those against one of them times
    their number, as they are for a middling hand.
    """

    known: float
    """How far it is known how often they fold to a raise, which then decides on it: 0 to 1."""
    folded: float
    """What their folds bring: the chance that all of them fold times the pot."""
    shift: float
    """The part of his hands that one of them folds, of those that a hand beats."""
    callers: float
    """How many go on against a raise, where not all of them fold."""
    won: float
    """What a raise brings with a hand that beats all who go on, before its cost."""
    lost: float
    """What a raise costs to which not all of them fold."""
    stayers: float
    """How many go on if the player calls."""
    call_won: float
    """What a call brings with a hand that wins, before its cost."""
    call_lost: float
    """What a call costs."""
    waiting: float
    """What the bet is worth more when it is made later, per chance that is short of `patience`."""
    patience: float
    """The chance to win from which on nothing is gained by waiting."""
