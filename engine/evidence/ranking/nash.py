"""Cycles, in which A beats B, B beats C and C beats A, and the Nash average, which copies do not change.

The Nash average is the mixture of players that nobody beats, and of all such mixtures the most even.  A
player's score is what it wins against that mixture: 0 for those in it, less for the others.

Source: D. Balduzzi, K. Tuyls, J. Pérolat, T. Graepel, "Re-evaluating Evaluation", NeurIPS 2018.
"""

from __future__ import annotations

import itertools
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

__all__ = ["NashAverage", "cycles", "nash_average"]

_FIRST: Final = 10.0
_LAST: Final = 1e-4
_COOLING: Final = 0.5
_MOST_STEPS: Final = 100
_PRECISION: Final = 1e-10
_LARGEST_STEP: Final = 2.0

Floats = NDArray[np.float64]


@attrs.frozen(eq=False)
class NashAverage:
    """The mixture that nobody beats."""

    weight: Floats
    """By player; they add up to 1."""
    score: Floats
    """By player, what it wins against the mixture, in the matrix's unit: at most 0."""


def cycles(mean: Floats, p_values: Floats, alpha: float = 0.05) -> list[tuple[int, int, int]]:
    """Cycles of three players of whom each significantly beats the next.

    Args:
        mean: row against column; NaN if they never met.
        p_values: the pairs' p-values, corrected for their number.
        alpha: the level of significance.
    """
    beats = (np.nan_to_num(mean) > 0) & (p_values < alpha)
    found: list[tuple[int, int, int]] = []
    for a, b, c in itertools.combinations(range(len(mean)), 3):
        if beats[a, b] and beats[b, c] and beats[c, a]:
            found.append((a, b, c))
        elif beats[b, a] and beats[c, b] and beats[a, c]:
            found.append((a, c, b))
    return found


def nash_average(mean: Floats) -> NashAverage:
    """The most even mixture of players that nobody beats.

    It is the limit of mixtures in which evenness counts less and less: each solves A p - τ log p = const, by
    Newton's method on log p, whose equations are never singular since A is antisymmetric.

    Args:
        mean: row against column, antisymmetric; NaN counts as a draw.
    """
    known = np.nan_to_num(mean)
    scale = float(np.abs(known).max(initial=0.0))
    n = len(known)
    if scale == 0.0:
        return NashAverage(np.full(n, 1 / n), np.zeros(n))
    payoff = known / scale
    logs = np.full(n, -np.log(n))
    heat = _FIRST
    while heat > _LAST:
        logs = _solved(payoff, logs, heat) / _COOLING  # a guess for the next, smaller τ
        heat *= _COOLING
    weight = np.exp(logs * _COOLING)
    weight /= weight.sum()
    return NashAverage(weight, known @ weight)


def _solved(payoff: Floats, logs: Floats, heat: float) -> Floats:
    """The logarithms of the mixture in which evenness counts `heat`, the τ above."""
    n = len(payoff)
    for _ in range(_MOST_STEPS):
        p = np.exp(logs)
        gradient = payoff @ p - heat * logs
        level = float(p @ gradient / p.sum())
        residual = np.append(gradient - level, p.sum() - 1)
        if float(np.abs(residual).max()) < _PRECISION:
            break
        jacobian = np.zeros((n + 1, n + 1))
        jacobian[:n, :n] = payoff * p - heat * np.eye(n)
        jacobian[:n, n] = -1.0
        jacobian[n, :n] = p
        step = np.linalg.solve(jacobian, -residual)[:n]
        logs = logs + step * min(1.0, _LARGEST_STEP / max(_LARGEST_STEP, float(step.max())))
    return logs
