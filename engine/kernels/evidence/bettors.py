"""The betting confidence sequence over many payoffs at once: `engine.evidence.confidence_sequence`, compiled.

It does the same operations in the same order, so that results are equal to the last digit.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel


class Bettor(IntEnum):
    """Entries of a bettor, an array of float64."""

    OUT = 0
    CAPITAL = 1
    SLOPE = 2
    CURVATURE = 3
    STEEPEST = 4


class Sequence(IntEnum):
    """Entries of a sequence, an array of float64."""

    SAMPLES = 0
    TOTAL = 1
    MEAN = 2
    SQUARES = 3


SIZE_OF_BETTOR: Final = len(Bettor)


@kernel()
def bet_on_all(
    payoffs: NDArray[np.float64],
    low: float,
    width: float,
    enough: float,
    rules: NDArray[np.float64],
    sequence: NDArray[np.float64],
    bettors: NDArray[np.float64],
) -> int:
    """Process payoffs until one is out of bounds; returns how many were processed.

    payoffs: shape (n,).
    low: the lower bound of payoffs.  width: the upper bound less the lower one, not 0.
    enough: the logarithm of the capital that refutes a mean.
    rules: shape (3,): the greatest share of the capital to risk, how far a payoff may be out of bounds by
        rounding, and the exponent of squares, 2.0 (passed in, so that the same library function is called as
        by Python).
    sequence: the entries of `Sequence`, updated in place.
    bettors: the bettors from above and from below, shape (2, SIZE_OF_BETTOR), updated in place.
    """
    most_risked, rounding, two = rules[0], rules[1], rules[2]
    above, below = bettors[0], bettors[1]
    stakes = 2 * enough
    for number in range(payoffs.shape[0]):
        x = (payoffs[number] - low) / width
        if not 0 <= x <= 1:
            if not -rounding <= x <= 1 + rounding:
                return number
            x = min(1.0, max(0.0, x))
        sequence[Sequence.SAMPLES] += 1
        samples = sequence[Sequence.SAMPLES]
        stake = math.sqrt(stakes / (sequence[Sequence.SQUARES] * math.log1p(samples)))
        out_below, out_above = above[Bettor.OUT], below[Bettor.OUT]
        if out_below + out_above <= 1:
            _bet(above, x, min(stake, most_risked / (1 - out_above)), enough, two)
            _bet(below, 1 - x, min(stake, most_risked / (1 - out_below)), enough, two)
        sequence[Sequence.TOTAL] += payoffs[number]
        sequence[Sequence.MEAN] += (x - sequence[Sequence.MEAN]) / (samples + 1)
        sequence[Sequence.SQUARES] += math.pow(x - sequence[Sequence.MEAN], two)
    return len(payoffs)


@kernel(allocates=False)
def _bet(bettor: NDArray[np.float64], x: float, stake: float, enough: float, two: float) -> None:
    """Bet that `x` is above the end of the interval: `stake` of the capital for each unit of distance."""
    growth = 1 + stake * (x - bettor[Bettor.OUT])
    bettor[Bettor.CAPITAL] += math.log(growth)
    steepness = stake / growth
    bettor[Bettor.SLOPE] += steepness
    bettor[Bettor.CURVATURE] += steepness * steepness
    if steepness > bettor[Bettor.STEEPEST]:
        bettor[Bettor.STEEPEST] = steepness
    if bettor[Bettor.CAPITAL] > enough:
        _refute(bettor, enough, two)


@kernel(allocates=False)
def _refute(bettor: NDArray[np.float64], enough: float, two: float) -> None:
    """Move the end of the interval inwards to where the capital is just enough, or not quite so far."""
    while True:
        capital = bettor[Bettor.CAPITAL]
        excess = capital - enough
        slope = bettor[Bettor.SLOPE]
        farthest = min(0.5 / bettor[Bettor.STEEPEST], excess / slope)
        rest = 1 - bettor[Bettor.STEEPEST] * farthest
        curvature = bettor[Bettor.CURVATURE] / rest
        step = 2 * excess / (slope + math.sqrt(math.pow(slope, two) + 2 * curvature * excess))
        is_last = step <= farthest
        if not is_last:
            step = farthest
        bettor[Bettor.OUT] += step
        if is_last:
            bettor[Bettor.CAPITAL] = enough
        else:
            bettor[Bettor.CAPITAL] = capital - step * slope - step * step / 2 * curvature
        bettor[Bettor.SLOPE] += step * curvature
        bettor[Bettor.CURVATURE] = curvature / rest
        bettor[Bettor.STEEPEST] /= rest
        if is_last:
            return
