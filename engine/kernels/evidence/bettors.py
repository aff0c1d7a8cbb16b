"""The betting confidence sequence over many payoffs at once: `engine.evidence.confidence_sequence`, compiled.

Operation by operation the same, so that the numbers are the same to the last digit.
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
SIZE_OF_SEQUENCE: Final = len(Sequence)


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
    """Takes in payoffs until one is outside the bounds; returns how many were taken.

    payoffs: shape (n,).
    low, width: no payoff is less, or more by more than that; not 0.
    enough: logarithm of the capital that refutes a mean.
    rules: the share that is risked at most, by how much a payoff may be outside, the exponent of squares:
        2.0 (not known beforehand, so that the same library function is called as Python's).
    sequence: `Sequence`, brought up to date in place.
    bettors: shape (2, SIZE_OF_BETTOR), above and below, brought up to date in place.
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
    """Stakes a share of the capital, for each unit by which `x` may be off, on `x` being above."""
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
    """Moves the end of the interval to where the capital is no more than enough, or less far."""
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
