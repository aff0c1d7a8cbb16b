"""From an action to new weights (Fig. 3.5), and from frequencies to the thresholds they imply (Papp 1998)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.opponents.triples import ramp
from engine.records import ProbabilityTriple

LEAST_CHANCE: Final = 0.01
"""No action multiplies a weight by less: nobody is sure what anybody will do (Papp's low weight)."""


@kernel(allocates=False, inlined=True)
def likelihood(chance: float, noise: float) -> float:
    """How likely an action seen is with a hand: its chance, smeared by the noise factor and never none."""
    return max(chance * (1.0 - noise) + noise / 3.0, LEAST_CHANCE)


@kernel(allocates=False)
def reweight(weights: NDArray[np.float64], triples: NDArray[np.float64], action: int, noise: float) -> None:
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
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    share: float,
    spread: float,
    others: NDArray[np.float64],
    other_at: float,
    leasts: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> float:
    """The threshold above which, mixed over a spread, lies a share of the weight.

    A hand counts at least as much as it is above `other_at` by its place among `others`.  The share falls
    as the threshold rises, in straight pieces: Newton's step ends in a few rounds, and where it would leave
    the interval, the interval is halved.

    leasts, chances: scratch, as long as the weights or longer.
    """
    number = weights.shape[0]
    total = 0.0
    lowest = np.inf
    highest = -np.inf
    for hand in range(number):
        leasts[hand] = ramp(others[hand], other_at, spread)
        if weights[hand] > 0.0:
            total += weights[hand]
            lowest = min(lowest, values[hand])
            highest = max(highest, values[hand])
    low = lowest - spread
    high = highest + spread
    wanted = share * total
    middle = (low + high) / 2.0
    for _ in range(40):
        above = 0.0
        mixed = 0.0
        for hand in range(number):
            chances[hand] = ramp(values[hand], middle, spread)
        for hand in range(number):
            chance, least = chances[hand], leasts[hand]
            above += weights[hand] * max(chance, least)
            mixed += weights[hand] if least < chance < 1.0 else 0.0
        excess = above - wanted
        if abs(excess) <= 1e-9 * total:
            break
        if excess > 0.0:
            low = middle
        else:
            high = middle
        middle = (low + high) / 2.0
        if mixed > 0.0:
            step = (low if excess > 0.0 else high) + 2.0 * spread * excess / mixed
            if low < step < high:
                middle = step
    return middle


@kernel(allocates=False)
def implied_thresholds(
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    call_values: NDArray[np.float64],
    frequencies: ProbabilityTriple,
    spread: float,
    scratch: NDArray[np.float64],
) -> tuple[float, float]:
    """The thresholds of calling, on `call_values`, and of raising, on `values`, that lead to frequencies.

    Minus and plus infinity for what is never folded and never raised.

    weights, values, call_values: of the hands of a range, shape (n,).
    scratch: two rows, shape (2, n) or longer.
    """
    leasts, chances = scratch[0], scratch[1]
    raise_at = np.inf
    if frequencies.raise_ > 0.0:
        raise_at = _threshold_of_share(
            weights, values, frequencies.raise_, spread, values, np.inf, leasts, chances
        )
    call_at = -np.inf
    if frequencies.fold > 0.0:
        call_at = _threshold_of_share(
            weights, call_values, 1.0 - frequencies.fold, spread, values, raise_at, leasts, chances
        )
    return call_at, raise_at
