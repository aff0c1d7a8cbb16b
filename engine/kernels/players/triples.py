"""A player's probability triple: all places where its numbers come from.

======================  =====================================================================================
`triple_of`             the formula: what thresholds make of one hand
`mean_triple_of`        the same for hands that differ, by their means and variances
`threshold_triple_of`   a player who folds and raises with given frequencies, by the strength of the hand
`own_share`             how far such frequencies decide instead of the formula
`own_triple`            the frequencies that the player's own part must then have
`blended`                 the blend of two triples: formula and own part, own part and frequencies
`blurred`                 what is left of a triple where folds and raises are partly blind to the hand
`legal_triple`          scaled to one, without what is not allowed
`mean_triple`           the mean over a range
======================  =====================================================================================

At the table the triples of all combos are asked for (`fill_formula_triples` and its like), in a node of the
trials those of strata of hands, in a trial that of one hand: by the same functions.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.players.raises import push_of, worth_of_push
from engine.kernels.players.records import Push, Thresholds
from engine.kernels.players.thresholds import bluff_chance, bluff_pays, thresholds_of, weakness
from engine.poker.records import ProbabilityTriple, PublicSituation, TripleIndex

SPREAD: Final = 0.10
"""Half the width over which a player mixes at an implied threshold."""

PUSH_SPREAD: Final = 0.1
"""Half the width, in bets, over which a raise and its alternative are mixed where both bring as much."""

FULL_BLEND_AT: Final = 0.10
"""Distance of frequencies from the generic ones (total variation) from which the formula has no share."""
TOLERANCE: Final = 0.01
"""Differences from a generic frequency below this are ignored."""

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


@kernel(allocates=False, inlined=True)
def threshold_triple_of(
    value: float, call_value: float, call_at: float, raise_at: float, call_spread: float, raise_spread: float
) -> ProbabilityTriple:
    """The triple of two thresholds for one hand.

    value: measured on the raise threshold.  call_value: measured on the call threshold.
    """
    raising = ramp(value, raise_at, raise_spread)
    continuing = max(ramp(call_value, call_at, call_spread), raising)
    return ProbabilityTriple(1.0 - continuing, continuing - raising, raising)


@kernel(allocates=False, inlined=True)
def blended(first: ProbabilityTriple, second: ProbabilityTriple, share: float) -> ProbabilityTriple:
    """A share of the second triple, and the rest of the first."""
    return ProbabilityTriple(
        first.fold + share * (second.fold - first.fold),
        first.call + share * (second.call - first.call),
        first.raise_ + share * (second.raise_ - first.raise_),
    )


@kernel(allocates=False, inlined=True)
def blurred(
    sharp: ProbabilityTriple, blind: ProbabilityTriple, fold_noise: float, raise_noise: float
) -> ProbabilityTriple:
    """The triple of a player who decides partly without the hand whether to fold, and whether to raise.

    The lesser of the two parts is blind altogether.  In the rest, who raises by dice and folds by the hand
    raises equally often with all hands that are not folded; who folds by dice and raises by the hand folds
    equally often with all that are not raised.  Where the mean of the sharp triples is the blind one, so is
    that of these.

    sharp: what the hand decides.  blind: what the player does on average.
    """
    both = min(fold_noise, raise_noise)
    fold, raising = sharp.fold, sharp.raise_
    if raise_noise > both:
        usual = blind.raise_ * (1.0 - fold) / max(1.0 - blind.fold, 1e-12)
        raising += (raise_noise - both) / (1.0 - both) * (usual - raising)
    elif fold_noise > both:
        usual = blind.fold * (1.0 - raising) / max(1.0 - blind.raise_, 1e-12)
        fold += (fold_noise - both) / (1.0 - both) * (usual - fold)
    return blended(ProbabilityTriple(fold, 1.0 - fold - raising, raising), blind, both)


# --- frequencies -----------------------------------------------------------------------------------------


@kernel(allocates=False, inlined=True)
def triple_at(row: NDArray[np.float64]) -> ProbabilityTriple:
    """A row of three as a triple."""
    return ProbabilityTriple(
        float(row[TripleIndex.FOLD]), float(row[TripleIndex.CALL]), float(row[TripleIndex.RAISE])
    )


@kernel(allocates=False, inlined=True)
def keep_triple(triple: ProbabilityTriple, row: NDArray[np.float64]) -> None:
    """Writes a triple to the first three of a row."""
    row[TripleIndex.FOLD] = triple.fold
    row[TripleIndex.CALL] = triple.call
    row[TripleIndex.RAISE] = triple.raise_


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
def mean_triple(weights: NDArray[np.float64], triples: NDArray[np.float64]) -> ProbabilityTriple:
    """The mean of triples, shape (n, 3), by weight, shape (n,)."""
    total = 0.0
    fold = 0.0
    raising = 0.0
    for hand in range(weights.shape[0]):
        weight = weights[hand]
        total += weight
        fold += weight * triples[hand, TripleIndex.FOLD]
        raising += weight * triples[hand, TripleIndex.RAISE]
    fold /= total
    raising /= total
    return ProbabilityTriple(fold, max(1.0 - fold - raising, 0.0), raising)


# --- formula and frequencies together --------------------------------------------------------------------


@kernel(allocates=False)
def own_share(usual: ProbabilityTriple, frequencies: ProbabilityTriple) -> float:
    """How far a player's own thresholds decide, and not the formula: the more, the more unusual they are.

    usual: the generic model's frequencies.  frequencies: the player's.
    """
    fewer_folds = usual.fold - frequencies.fold
    fewer_calls = usual.call - frequencies.call
    fewer_raises = usual.raise_ - frequencies.raise_
    apart = abs(fewer_folds) + abs(fewer_calls) + abs(fewer_raises)
    share = min(apart / (2.0 * FULL_BLEND_AT), 1.0)
    # What the formula has too much of must vanish in its share.
    if fewer_folds > TOLERANCE:
        share = max(share, fewer_folds / usual.fold)
    if fewer_calls > TOLERANCE:
        share = max(share, fewer_calls / usual.call)
    if fewer_raises > TOLERANCE:
        share = max(share, fewer_raises / usual.raise_)
    return share if share > 0.01 else 0.0


@kernel(allocates=False)
def own_triple(
    usual: ProbabilityTriple, frequencies: ProbabilityTriple, share: float, can_fold: bool, can_raise: bool
) -> ProbabilityTriple:
    """How often the player acts in the share that their own thresholds decide.

    That part goes so much farther than the formula that the whole has the player's frequencies.

    share: of `own_share`, above 0.
    """
    own = ProbabilityTriple(
        max(usual.fold - (usual.fold - frequencies.fold) / share, 0.0),
        max(usual.call - (usual.call - frequencies.call) / share, 0.0),
        max(usual.raise_ - (usual.raise_ - frequencies.raise_) / share, 0.0),
    )
    return legal_triple(own, can_fold, can_raise)


# --- triples of all hands --------------------------------------------------------------------------------


@kernel(allocates=False)
def fill_formula_triples(
    situation: PublicSituation,
    traits: NDArray[np.float64],
    parameters: NDArray[np.float64],
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    chances: NDArray[np.float64],
    draws: NDArray[np.float64],
    triples: NDArray[np.float64],
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
    values: NDArray[np.float64],
    chances: NDArray[np.float64],
    draws: NDArray[np.float64],
    thresholds: Thresholds,
    push: Push,
    bluffs: float,
    triples: NDArray[np.float64],
) -> None:
    """`triple_of` for every hand; arrays as in `fill_formula_triples`."""
    for hand in range(values.shape[0]):
        triple = triple_of(values[hand], chances[hand], draws[hand], thresholds, push, bluffs)
        keep_triple(triple, triples[hand])


@kernel(allocates=False)
def fill_threshold_triples(
    values: NDArray[np.float64],
    call_values: NDArray[np.float64],
    call_at: float,
    raise_at: float,
    spread: float,
    triples: NDArray[np.float64],
) -> None:
    """`threshold_triple_of` for every hand.

    values, call_values: shape (n,).  triples: shape (n, 3), filled in place.
    """
    for hand in range(values.shape[0]):
        triple = threshold_triple_of(values[hand], call_values[hand], call_at, raise_at, spread, spread)
        keep_triple(triple, triples[hand])


@kernel(allocates=False)
def blend_triples(
    first: NDArray[np.float64], second: NDArray[np.float64], share: float, result: NDArray[np.float64]
) -> None:
    """`blended` for every hand.  Arrays of shape (n, 3); `result` is filled in place, and may be another."""
    for hand in range(first.shape[0]):
        keep_triple(blended(triple_at(first[hand]), triple_at(second[hand]), share), result[hand])


@kernel(allocates=False)
def blend_with_triple(
    triples: NDArray[np.float64], second: ProbabilityTriple, share: float, result: NDArray[np.float64]
) -> None:
    """`blended` for every hand with the same second triple.

    triples: shape (n, 3).  result: the same shape, filled in place; it may be `triples`.
    """
    for hand in range(triples.shape[0]):
        keep_triple(blended(triple_at(triples[hand]), second, share), result[hand])


@kernel(allocates=False)
def blur_triples(
    sharp: NDArray[np.float64],
    blind: ProbabilityTriple,
    fold_noise: float,
    raise_noise: float,
    result: NDArray[np.float64],
) -> None:
    """`blurred` for every hand.

    sharp: shape (n, 3).  result: the same shape, filled in place; it may be `sharp`.
    """
    for hand in range(sharp.shape[0]):
        keep_triple(blurred(triple_at(sharp[hand]), blind, fold_noise, raise_noise), result[hand])


@kernel()
def chances_by_noise(
    sharp: NDArray[np.float64],
    blind: ProbabilityTriple,
    action: int,
    noises: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> None:
    """How likely an action is with one hand if folds and raises are blind to it by each of some parts.

    sharp: the hand's triple, shape (3,).  action: a `TripleIndex`.  noises: parts, shape (k,).
    chances: shape (k, k), filled in place, by the part of folds and that of raises.
    """
    hand = triple_at(sharp)
    row = np.empty(3)
    for i in range(noises.shape[0]):
        for j in range(noises.shape[0]):
            keep_triple(blurred(hand, blind, noises[i], noises[j]), row)
            chances[i, j] = row[action]
