"""A player's probability triple: all places where its numbers come from.

======================  =====================================================================================
`triple_of`             the formula: what thresholds make of one hand
`mean_triple_of`        the same for hands that differ, by their means and variances
`legal_triple`          scaled to one, without what is not allowed
`mean_triple`           the mean over a range
======================  =====================================================================================

At the table the triples of all combos are asked for (`fill_formula_triples` and its like), in a node of the
trials those of strata of hands, in a trial that of one hand: by the same functions.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.players.raises import push_of, worth_of_push
from engine.kernels.players.records import Push, Thresholds
from engine.kernels.players.thresholds import bluff_chance, bluff_pays, thresholds_of, weakness
from engine.poker.records import ProbabilityTriple, PublicSituation, TripleIndex
from engine.support.arrays import Floats

PUSH_SPREAD: Final = 0.1
"""Half the width, in bets, over which a raise and its alternative are mixed where both bring as much."""

_SEMI_BLUFF_SPREAD: Final = 0.05


# --- triples of one hand ---------------------------------------------------------------------------------


@kernel(allocates=False, inlined=True)
def ramp(value: float, middle: float, spread: float) -> float:
    """0 below ``middle - spread``, 1 above ``middle + spread``, in proportion between."""
    return min(max((value - middle) * (0.5 / spread) + 0.5, 0.0), 1.0)


@kernel(allocates=False, inlined=True)
def blurred_spread(spread: float, variance: float) -> float:
    """The spread at which a mean hand is mixed like the hands that it stands for, on average.

    variance: of what is measured on the threshold, among these hands.
    """
    return float(np.sqrt(spread * spread + 3.0 * variance))


@kernel(allocates=False, inlined=True)
def triple_of(
    value: float, chance: float, draw: float, thresholds: Thresholds, push: Push, bluffs: float
) -> ProbabilityTriple:
    """The probability triple of one hand: the one formula behind play, re-weighting and simulation.

    Without branches that depend on the hand: they would be mispredicted too often.

    value: the quality that the raise threshold and the call threshold are measured on.
    chance: of winning at the showdown, which is measured on the price of a call; before the flop with several
        opponents, where calls have no price, against one of them.
    draw: the positive potential.
    bluffs: how often the weakest hands bluff.
    """
    spreads = thresholds.call_spread, thresholds.price_spread, thresholds.raise_spread
    return _triple_with_spreads(value, chance, draw, thresholds, spreads, push, bluffs)


@kernel(allocates=False, inlined=True)
def mean_triple_of(
    value: float,
    chance: float,
    draw: float,
    variances: tuple[float, float],
    thresholds: Thresholds,
    push: Push,
    bluffs: float,
) -> ProbabilityTriple:
    """The mean triple of hands that differ, roughly: around each threshold it changes more slowly.

    value, chance, draw: their means.  variances: of value and chance.
    """
    of_value, of_chance = variances
    spreads = (
        blurred_spread(thresholds.call_spread, of_value),
        blurred_spread(thresholds.price_spread, of_chance),
        blurred_spread(thresholds.raise_spread, of_value),
    )
    return _triple_with_spreads(value, chance, draw, thresholds, spreads, push, bluffs)


@kernel(allocates=False, inlined=True)
def _triple_with_spreads(
    value: float,
    chance: float,
    draw: float,
    thresholds: Thresholds,
    spreads: tuple[float, float, float],
    push: Push,
    bluffs: float,
) -> ProbabilityTriple:
    """`triple_of`, with the spreads of the call threshold, of the price and of the raise threshold."""
    call_spread, price_spread, raise_spread = spreads
    continuing = max(ramp(value, thresholds.call, call_spread), ramp(chance, thresholds.price, price_spread))
    continuing = continuing if thresholds.can_fold > 0.0 else 1.0
    raise_most, can_raise = thresholds.raise_most, thresholds.can_raise
    raising = (raise_most + (1.0 - raise_most) * value) * ramp(value, thresholds.raise_, raise_spread)
    trapping = thresholds.trap_chance * ramp(value, thresholds.trap, raise_spread)
    raising *= can_raise * (1.0 - trapping)
    continuing = max(continuing, raising)
    semi_bluffs = 0.0
    if draw > thresholds.semi_bluff:
        semi_bluffs = thresholds.semi_bluff_chance * ramp(draw, thresholds.semi_bluff, _SEMI_BLUFF_SPREAD)
    raising += (can_raise - raising) * semi_bluffs
    if push.known > 0.0:
        # It is known how often the opponents fold: a raise is made if it brings more than call and fold.
        brought = worth_of_push(chance, push)
        raising += push.known * (can_raise * ramp(brought, 0.0, PUSH_SPREAD) - raising)
        bluffs *= 1.0 - push.known
    continuing = max(continuing, raising)
    # A bluff is taken from folding and checking alike, most of it from the worst hands.
    bluffing = (can_raise - raising) * bluffs * weakness(value, thresholds.bluff_below)
    raising += bluffing
    continuing += (1.0 - continuing) * bluffing
    return ProbabilityTriple(1.0 - continuing, continuing - raising, raising)


# --- frequencies -----------------------------------------------------------------------------------------


@kernel(allocates=False, inlined=True)
def triple_at(row: Floats) -> ProbabilityTriple:
    """A row of three as a triple."""
    return ProbabilityTriple(
        float(row[TripleIndex.FOLD]), float(row[TripleIndex.CALL]), float(row[TripleIndex.RAISE])
    )


@kernel(allocates=False, inlined=True)
def neutral_triple(can_fold: bool, can_raise: bool) -> ProbabilityTriple:
    """Whatever is legal is equally likely."""
    chance = 1.0 / (1.0 + can_fold + can_raise)
    return ProbabilityTriple(chance if can_fold else 0.0, chance, chance if can_raise else 0.0)


@kernel(allocates=False, inlined=True)
def legal_triple(frequencies: ProbabilityTriple, can_fold: bool, can_raise: bool) -> ProbabilityTriple:
    """Three frequencies scaled to one, without what is not allowed, which becomes a call."""
    total = frequencies.fold + frequencies.call + frequencies.raise_
    fold, call, raising = frequencies.fold / total, frequencies.call / total, frequencies.raise_ / total
    if not can_fold:
        call += fold
        fold = 0.0
    if not can_raise:
        call += raising
        raising = 0.0
    return ProbabilityTriple(fold, call, raising)


@kernel(allocates=False)
def mean_triple(weights: Floats, triples: Floats) -> ProbabilityTriple:
    """The mean of triples, shape (n, 3), by weight, shape (n,)."""
    total = fold = raising = 0.0
    for hand in range(weights.shape[0]):
        weight = weights[hand]
        total += weight
        fold += weight * triples[hand, TripleIndex.FOLD]
        raising += weight * triples[hand, TripleIndex.RAISE]
    fold /= total
    raising /= total
    return ProbabilityTriple(fold, max(1.0 - fold - raising, 0.0), raising)


# --- triples of all hands --------------------------------------------------------------------------------


@kernel(allocates=False)
def fill_formula_triples(
    situation: PublicSituation,
    traits: Floats,
    parameters: Floats,
    weights: Floats,
    values: Floats,
    chances: Floats,
    draws: Floats,
    triples: Floats,
) -> None:
    """What the formula does in a situation with every hand of a range, bluffs included.

    traits, parameters: of ``thresholds``.  weights, values, chances, draws: of the hands, shape (n,).
    triples: shape (n, 3), filled in place.
    """
    thresholds, push = thresholds_of(situation, traits, parameters), push_of(situation, traits)
    _fill_triples(values, chances, draws, thresholds, push, 0.0, triples)
    pays = bluff_pays(situation, traits, parameters)
    if pays > 0.0:
        raising = mean_triple(weights, triples).raise_
        bluffs = bluff_chance(situation, parameters, pays, raising, weights, values)
        if bluffs > 0.0:
            _fill_triples(values, chances, draws, thresholds, push, bluffs, triples)


@kernel(allocates=False)
def _fill_triples(
    values: Floats,
    chances: Floats,
    draws: Floats,
    thresholds: Thresholds,
    push: Push,
    bluffs: float,
    triples: Floats,
) -> None:
    """`triple_of` for every hand; arrays as in `fill_formula_triples`."""
    for hand in range(values.shape[0]):
        row = triples[hand]
        row[0], row[1], row[2] = triple_of(values[hand], chances[hand], draws[hand], thresholds, push, bluffs)
