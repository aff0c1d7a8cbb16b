"""From an action to new weights (Fig. 3.5), and from frequencies to the thresholds they imply (Papp 1998)."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.players.triples import ramp
from engine.poker.records import ProbabilityTriple
from engine.support.arrays import Floats

LEAST_CHANCE: Final = 0.01
"""No action multiplies a weight by less: nobody is sure what anybody will do (Papp's low weight)."""


@kernel(allocates=False, inlined=True)
def likelihood(chance: float, noise: float) -> float:
    """How likely an action seen is with a hand: its chance, smeared by the noise factor and never none."""
    return max(chance * (1.0 - noise) + noise / 3.0, LEAST_CHANCE)


@kernel(allocates=False)
def reweight(weights: Floats, triples: Floats, action: int, noise: float) -> None:
    """Multiplies each weight by the chance of the action seen (Fig. 3.5), smeared by the noise factor.

    weights: shape (1326,), in place; scaled so that the greatest is 1.  triples: shape (1326, 3).
    action: a `TripleIndex`.
    """
    greatest = 0.0
    for combo in range(weights.shape[0]):
        weights[combo] *= likelihood(triples[combo, action], noise)
        greatest = max(greatest, weights[combo])
    if greatest > 0.0:
        for combo in range(weights.shape[0]):
            # Never to zero by rounding: a hand that was possible stays possible.
            if weights[combo] > 0.0:
                weights[combo] = max(weights[combo] / greatest, 1e-12)


@kernel(allocates=False)
def _threshold_of_share(
    weights: Floats,
    values: Floats,
    spreads: Floats,
    share: float,
    leasts: Floats,
    slopes: Floats,
    chances: Floats,
) -> float:
    """The threshold above which, mixed over each hand's spread, lies a share of the weight.

    The share falls as the threshold rises, in straight pieces: Newton's step ends in a few rounds, and where
    it would leave the interval, the interval is halved.

    leasts: how much of each hand counts at least; as long as the weights or longer.
    slopes, chances: scratch, equally long.
    """
    number = weights.shape[0]
    total = 0.0
    low = np.inf
    high = -np.inf
    for hand in range(number):
        slopes[hand] = 0.5 / spreads[hand]
        if weights[hand] > 0.0:
            total += weights[hand]
            low = min(low, values[hand] - spreads[hand])
            high = max(high, values[hand] + spreads[hand])
    wanted = share * total
    middle = (low + high) / 2.0
    for _ in range(40):
        above = 0.0
        falling = 0.0
        for hand in range(number):
            chances[hand] = min(max((values[hand] - middle) * slopes[hand] + 0.5, 0.0), 1.0)
        for hand in range(number):
            chance, least = chances[hand], leasts[hand]
            above += weights[hand] * max(chance, least)
            falling += weights[hand] * slopes[hand] if least < chance < 1.0 else 0.0
        excess = above - wanted
        if abs(excess) <= 1e-9 * total:
            break
        if excess > 0.0:
            low = middle
        else:
            high = middle
        middle = (low + high) / 2.0
        if falling > 0.0:
            step = (low if excess > 0.0 else high) + excess / falling
            if low < step < high:
                middle = step
    return middle


@kernel(allocates=False)
def implied_thresholds(
    weights: Floats,
    values: Floats,
    call_values: Floats,
    spreads: Floats,
    call_spreads: Floats,
    frequencies: ProbabilityTriple,
    scratch: Floats,
) -> tuple[float, float]:
    """The thresholds of calling, on `call_values`, and of raising, on `values`, that lead to frequencies.

    Minus and plus infinity for what is never folded and never raised.

    weights, values, call_values: of the hands of a range, shape (n,).
    spreads, call_spreads: half the width over which each hand is mixed at either threshold, shape (n,).
    scratch: three rows, shape (3, n) or longer.
    """
    leasts = scratch[0]
    raise_at = np.inf
    if frequencies.raise_ > 0.0:
        for hand in range(weights.shape[0]):
            leasts[hand] = 0.0
        raise_at = _threshold_of_share(
            weights, values, spreads, frequencies.raise_, leasts, scratch[1], scratch[2]
        )
    call_at = -np.inf
    if frequencies.fold > 0.0:
        for hand in range(weights.shape[0]):
            leasts[hand] = ramp(values[hand], raise_at, spreads[hand])  # what is raised is not folded
        call_at = _threshold_of_share(
            weights, call_values, call_spreads, 1.0 - frequencies.fold, leasts, scratch[1], scratch[2]
        )
    return call_at, raise_at
