"""One number for each player: Bradley-Terry on margins, and the Nash average, which copies do not change.

Ratings are such that their differences explain who won how much from whom: least squares on the cross table,
each pair weighted by 1 / SE²; they add up to 0.

The Nash average is the mixture of players that nobody beats, and of all such mixtures the most even.  A
player's score is what it wins against that mixture: 0 for those in it, less for the others.  Where it differs
from the ratings there are *cycles*, in which A beats B, B beats C and C beats A.

Sources: F. Mosteller, "Remarks on the method of paired comparisons", Psychometrika 16 (1951), for margins;
D. Balduzzi, K. Tuyls, J. Pérolat, T. Graepel, "Re-evaluating Evaluation", NeurIPS 2018.
"""

from __future__ import annotations

import itertools
import math
from typing import Final

import attrs
import numpy as np

from engine.evidence.ranking.crosstable import CrossTable
from engine.support.arrays import Floats

__all__ = ["NashAverage", "Ratings", "cycles", "fit_margins", "nash_average"]

_FIRST: Final = 10.0
_LAST: Final = 1e-4
_COOLING: Final = 0.5
_MOST_STEPS: Final = 100
_PRECISION: Final = 1e-10
_LARGEST_STEP: Final = 2.0


@attrs.frozen(eq=False)
class Ratings:
    """The best explanation of a cross table by one number per player."""

    rating: Floats
    """By player, in mbb/h; the difference of two is what one should win from the other."""
    error: Floats
    """Standard errors of their distances from the mean."""
    chi_square: float
    """What they leave unexplained: about `degrees` if they explain everything but luck."""
    degrees: int
    """The degrees of freedom: pairs less fitted numbers."""


def fit_margins(table: CrossTable) -> Ratings | None:
    """The ratings of a cross table.

    None if pairs have no error, or if players are not connected by opponents they have played: then the table
    does not say how they compare.
    """
    met = np.isfinite(table.error) & (table.deals > 0)
    np.fill_diagonal(met, False)
    positive = table.error[met & (table.error > 0)]
    if not len(positive):
        return None
    floor = float(positive.min())
    weight = np.zeros_like(table.mean)
    weight[met] = 1 / np.maximum(table.error[met], floor) ** 2
    laplacian = np.diag(weight.sum(axis=1)) - weight
    n = table.num_players
    if np.linalg.matrix_rank(laplacian) < n - 1:
        return None
    pull = (weight * np.where(met, table.mean, 0.0)).sum(axis=1)
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    rating = inverse @ pull
    left = np.where(met, table.mean - (rating[:, None] - rating[None, :]), 0.0)
    chi_square = float((weight * left**2).sum() / 2)
    pairs = int(met.sum()) // 2
    error = np.array([math.sqrt(max(0.0, float(inverse[k, k]))) for k in range(n)])
    return Ratings(rating, error, chi_square, pairs - (n - 1))


# --- cycles and the Nash average --------------------------------------------------------------------------


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
