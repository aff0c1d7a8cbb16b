"""The two bettors of `engine.evidence.confidence_sequence`, in a function for Python and for numba alike.

A match adds deal after deal in plain Python, which needs no compiler; the deals of long logs are added by the
same function, compiled.  Both do the same operations in the same order: results are equal to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

MOST_RISKED: Final = 0.5
"""The usual share of the capital that is risked at most."""
ROUNDING: Final = 1e-9
"""The share of its range by which a payoff may be outside, since shares of a split pot are rounded."""

Seen = tuple[float, float, float, float]
"""How many payoffs were seen, their sum, and the other module's μ and σ²(t + 1)."""
Bettor = tuple[float, float, float, float, float]
"""The end below which every mean is out; and at that mean the logarithm of the capital, Σb, Σb² and max b."""
NOTHING_SEEN: Final[Seen] = (0.0, 0.0, 0.5, 0.25)
NOTHING_BET: Final[Bettor] = (0.0, 0.0, 0.0, 0.0, 0.0)


def bet_on_all(
    payoffs: Sequence[float],
    low: float,
    width: float,
    enough: float,
    seen: Seen,
    bettors: tuple[Bettor, Bettor],
    most_risked: float = MOST_RISKED,
) -> tuple[int, Seen, tuple[Bettor, Bettor]]:
    """Process payoffs until one is out of bounds; returns how many were processed, and the two states after.

    payoffs: shape (n,).
    low: the lower bound of payoffs.  width: the upper bound less the lower one.
    enough: the logarithm of the capital that refutes a mean.
    bettors: the one that bets on means above its end, and the one that sees all payoffs in a mirror.
    most_risked: the greatest share of the capital that is risked, at any mean that is still in.
    """
    samples, total, mean, squares = seen
    above, below = bettors
    for number in range(len(payoffs)):
        x = 0.5 if payoffs[number] == low else math.inf
        if width > 0:
            x = (payoffs[number] - low) / width
        if not 0 <= x <= 1:
            if not -ROUNDING <= x <= 1 + ROUNDING:
                return number, (samples, total, mean, squares), (above, below)
            x = min(1.0, max(0.0, x))
        samples += 1
        stake = math.sqrt(2 * enough / (squares * math.log1p(samples)))
        out_below, out_above = above[0], below[0]
        if out_below + out_above <= 1:  # otherwise no mean is left
            for is_mirrored in (False, True):
                end, capital, slope, curvature, steepest = below if is_mirrored else above
                most = most_risked / (1 - (out_below if is_mirrored else out_above))
                risked = stake if stake < most else most
                growth = 1 + risked * ((1 - x if is_mirrored else x) - end)
                steepness = risked / growth
                capital += math.log(growth)
                slope += steepness
                curvature += steepness * steepness
                steepest = steepness if steepness > steepest else steepest
                is_in = capital <= enough
                while not is_in:  # the end moves to where the capital is just enough, or less far
                    excess = capital - enough
                    farthest = min(0.5 / steepest, excess / slope)  # beyond this the bound is loose
                    rest = 1 - steepest * farthest
                    curvature /= rest
                    step = 2 * excess / (slope + math.sqrt(slope * slope + 2 * curvature * excess))
                    is_in = step <= farthest
                    step = min(step, farthest)
                    end += step
                    capital = enough if is_in else capital - step * slope - step * step / 2 * curvature
                    slope += step * curvature
                    curvature /= rest
                    steepest /= rest
                after = (end, capital, slope, curvature, steepest)
                above, below = (above, after) if is_mirrored else (after, below)
        total += payoffs[number]
        mean += (x - mean) / (samples + 1)
        squares += (x - mean) * (x - mean)
    return len(payoffs), (samples, total, mean, squares), (above, below)
