"""What the kernels of opponents take and return: records, and names for columns of arrays."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.poker.records import NUM_COMPANIES, NUM_CONTEXTS, NUM_DETAILS, NUM_GROUPS, ProbabilityTriple


class Trait(IntEnum):
    """First columns of an array of traits, shape (10, TRAIT_COLUMNS), a row for each position, float64.

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
    BLIND_FOLDS = 7
    """The first of three, by ``engine.poker.records.noise_index``: before the flop."""
    BLIND_FOLDS_AGAINST_ONE = 8
    BLIND_FOLDS_IN_COMPANY = 9


NUM_TRAITS: Final = len(Trait)

FOLDS_SEEN: Final = NUM_TRAITS
"""First of NUM_DETAILS further columns: what the folds counted in a context bring to the chance of one."""
FOLDS_EXPECTED: Final = FOLDS_SEEN + NUM_DETAILS
"""First of NUM_DETAILS: by what the chance expected otherwise is multiplied before that is added; 1 where
nothing has been seen."""
FOLDS_USUAL_ODDS: Final = FOLDS_EXPECTED + NUM_DETAILS
"""First of NUM_CONTEXTS: the mean logarithm of the pot odds that have been met in a context."""
FOLDS_STEEPNESS: Final = FOLDS_USUAL_ODDS + NUM_CONTEXTS
"""First of NUM_CONTEXTS: how fast folds become fewer with better odds than those; 0 where none were met."""
FOLDS_COMPANY: Final = FOLDS_STEEPNESS + NUM_CONTEXTS
"""First of NUM_GROUPS times NUM_COMPANIES: by what the odds of a fold are multiplied in company."""
FOLDS_OF_RANGE: Final = FOLDS_COMPANY + NUM_GROUPS * NUM_COMPANIES
"""First of four that change with the range (``bars``): its part that is folded to one bet, the weight of
that, and the same for more bets.  Weights are 0 where the range is not looked at."""
FOLDS_MOVED: Final = FOLDS_OF_RANGE + 4
"""First of NUM_CONTEXTS: by what the odds of a fold are then multiplied, less 1."""
TRAIT_COLUMNS: Final = FOLDS_MOVED + NUM_CONTEXTS


class Parameter(IntEnum):
    """Entries of an array of parameters, shape (NUM_PARAMETERS,), float64.

    The parameters themselves are explained in ``engine.players.models.formula.Parameters``.
    """

    CALL_THRESHOLD = 0
    RAISE_THRESHOLD = 1
    SPREAD = 2
    VERY_WEAK = 3
    VERY_STRONG = 4
    TRAP = 5
    TIGHTNESS = 6
    """Less one half."""
    AGGRESSION = 7
    """Less one half."""
    DECEPTION = 8
    TIGHTNESS_SCALE = 9
    """What tightness makes of a share of hands: a factor."""
    AGGRESSION_SCALE = 10
    """What aggression makes of a share of hands: a factor."""
    COMPANY = 11
    """With those that follow, the fields of ``engine.players.models.formula.Constants``, in their order."""
    RAISED_TWICE = 12
    LAST_RAISE = 13
    NO_LIMIT = 14
    BETS_FACED = 15
    PRICE_SPREAD = 16
    SEMI_BLUFF_PRICE = 17
    CHECK_RAISE = 18
    OPENING_RAISES = 19
    RERAISES = 20
    LAST_RERAISES = 21
    FREE_RAISES = 22
    FREE_RAISES_LIMPERS = 23
    LIMPERS_RAISED = 24
    LIMPERS_CALLED = 25
    BLIND_ODDS = 26
    NEVER_FOLDS = 27
    RAISE_FALLS = 28
    CALL_LEVEL = 29
    CALL_SLOPE = 30
    LIMPERS_CALLED_RAISED = 31
    BETS_TO_COME = 32
    PRICE_MARGIN = 33
    RAISE_MOST = 34
    PRICE_SPREAD_BEFORE = 35
    SEMI_BLUFF_BEFORE = 36


NUM_PARAMETERS: Final = len(Parameter)


class Noise(IntEnum):
    """Decisions that a player may make without the hand."""

    FOLDS = 0
    """Whether to fold."""
    RAISES = 1
    """Whether to raise."""


NOISE_SHAPE: Final = (3, len(Noise))
"""How far the hand decides is told apart by ``engine.poker.records.noise_index``, and by `Noise`."""


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


class Correction(IntEnum):
    """Rows of the corrections of a context, each of three chances or counts, by `TripleIndex`."""

    OBSERVED = 0
    """Actions seen."""
    EXPECTED = 1
    """Actions that the generic model expected in the same decisions."""
    FACTOR = 2
    """By what the odds of each action have since been moved."""


NUM_CORRECTIONS: Final = len(Correction)


class Folds(IntEnum):
    """Entries of the folds in one half of the hand."""

    SEEN = 0
    GENERIC = 1
    """How many the generic model expected in the same decisions."""
    NEUTRAL = 2
    """How many the neutral model expected in them."""


FOLDS_SHAPE: Final = (2, len(Folds))
"""The shape of `Counts.folds`: before the flop and after it, by `Folds`."""

LOANS: Final = (4.0, 16.0, 300.0)
"""Actions that a detailed context borrows from its context: which of them is right for a player, whether the
details matter much or not at all, shows in what is predicted best."""
NUM_LOANS: Final = len(LOANS)


STEEPNESSES: Final = (0.0, 1.0, 2.0, 3.0, 4.0)
"""By how much the log odds of a fold may fall with the logarithm of the pot odds, beyond what is expected."""
NUM_STEEPNESSES: Final = len(STEEPNESSES)

NUM_BARS: Final = 17
"""Strengths below which a player may fold, or above which raise (``bars``): square roots of 0, 1/16 to 1."""
NUM_FOLD_PLACES: Final = 6
"""Flop, turn and river, each with one bet to call or with more."""
NUM_RAISE_PLACES: Final = 9
"""The same, and with none."""
NUM_BAR_PLACES: Final = NUM_FOLD_PLACES + NUM_RAISE_PLACES
"""First the places of folds, then those of raises."""


class Counts(NamedTuple):
    """The counts of one player that serve predictions (``engine.players.models.specific``)."""

    contexts: NDArray[np.float64]
    """Actions seen in each context, shape (NUM_CONTEXTS, 3)."""
    groups: NDArray[np.float64]
    """Actions seen in each group of contexts, shape (NUM_GROUPS, 3)."""
    details: NDArray[np.float64]
    """Actions seen in each context with its details, shape (NUM_DETAILS, 3)."""
    corrections: NDArray[np.float64]
    """Shape (NUM_CONTEXTS, NUM_CORRECTIONS, 3)."""
    detail_corrections: NDArray[np.float64]
    """The same by details, whose factors are not used; shape (NUM_DETAILS, NUM_CORRECTIONS, 3)."""
    folds: NDArray[np.float64]
    """Folds in all contexts together, and how many had been expected there, shape `FOLDS_SHAPE`."""
    company: NDArray[np.float64]
    """Actions seen, and how many had been predicted, by group and by the opponents left: shape (NUM_GROUPS,
    NUM_COMPANIES, 2, 3); the rows of the last but one are `Correction.OBSERVED` and `EXPECTED`."""
    company_weight: NDArray[np.float64]
    """The weight of what company changes, shape (1,)."""
    counts_weight: NDArray[np.float64]
    """The weight of the prediction by counts, by group, shape (NUM_GROUPS,); the prediction by correction has
    the rest."""
    borrowing: NDArray[np.float64]
    """How likely each of the `LOANS` is the one that predicts best, by group, shape (NUM_GROUPS,
    NUM_LOANS)."""
    neutral_share: NDArray[np.float64]
    """How far anything legal is expected, and not what is reasonable: 0 to 1.  Shape (1,)."""
    pot_odds: NDArray[np.float64]
    """Of each context: decisions, the sum of the logarithms of their pot odds.  Shape (NUM_CONTEXTS, 2)."""
    steepness: NDArray[np.float64]
    """The mean of the `STEEPNESSES`, each as likely as it is.  Shape (1,)."""
    bars: NDArray[np.float64]
    """How likely each bar is the one below which hands are folded, or above which they are raised with; shape
    (NUM_BAR_PLACES, NUM_BARS)."""
    bars_weight: NDArray[np.float64]
    """The weight of what the bars say, shape (NUM_BAR_PLACES,)."""
    bars_moved: NDArray[np.float64]
    """By what the odds of a fold are then multiplied, less 1, by context, and after these the odds of a
    raise; shape (2 * NUM_CONTEXTS,)."""


class Evidence(NamedTuple):
    """The log odds from which the weights in `Counts` follow."""

    offsets: NDArray[np.float64]
    """By context, from what has come otherwise than predicted; their exponentials are the factors.  Shape
    (NUM_CONTEXTS, 3)."""
    counts: NDArray[np.float64]
    """The prediction by counts against that by correction, by group, shape (NUM_GROUPS,)."""
    borrowing: NDArray[np.float64]
    """Each of the `LOANS`, by group, against the best of them; shape (NUM_GROUPS, NUM_LOANS)."""
    neutral: NDArray[np.float64]
    """The neutral model against the generic one, shape (1,)."""
    company: NDArray[np.float64]
    """What is predicted in company against what is whoever is left, shape (1,)."""
    steepness: NDArray[np.float64]
    """Each of the `STEEPNESSES` against the best of them, shape (NUM_STEEPNESSES,)."""
    bars: NDArray[np.float64]
    """Each bar against the best of them, shape (NUM_BAR_PLACES, NUM_BARS)."""
    bars_weight: NDArray[np.float64]
    """What the bars say against the prediction without them, shape (NUM_BAR_PLACES,)."""
    bars_seen: NDArray[np.float64]
    """Decisions from which this is known, shape (NUM_BAR_PLACES,)."""
    bars_offsets: NDArray[np.float64]
    """By context, from folds that have come otherwise than predicted in the end, and then from raises; shape
    (2 * NUM_CONTEXTS,)."""


class Prediction(NamedTuple):
    """How often a player is expected to act, whatever they hold."""

    by_counts: ProbabilityTriple
    """The usual frequencies, then those of the group, of the context and of its details, as actions
    accumulate."""
    by_correction: ProbabilityTriple
    """The usual frequencies, each times what was observed over what was expected, in the context and in its
    details."""
    overall: ProbabilityTriple
    """Each of the two by its weight, however many opponents are left."""
    in_company: ProbabilityTriple
    """The same with as many opponents as are left."""
    together: ProbabilityTriple
    """Each of these two by its weight."""
