"""What a cross table proves: p-values of pairs, Holm's correction for their number, ranges of ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.evidence.ranking.crosstable import CrossTable

__all__ = ["ALPHA", "RankRange", "holm", "pair_p_values", "rank_ranges", "student_p"]

ALPHA: Final = 0.05
"""The greatest probability that any of a ranking's claims is false."""
_TINY: Final = 1e-300
_MOST_TERMS: Final = 500
_PRECISION: Final = 1e-15


@attrs.frozen
class RankRange:
    """A player's rank, and the ranks that it may have."""

    rank: int
    """By its rate, from 1; players with equal rates share a rank."""
    low: int
    """The best rank it may have: one more than the number of players proved to be better."""
    high: int
    """The worst rank it may have."""


def student_p(t: float, degrees: float) -> float:
    """The probability that Student's t is farther from 0 than this, on either side.

    Source: Abramowitz and Stegun 26.7.1 and 26.5.8, the incomplete beta function as a continued fraction.
    """
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), by Lentz's method on the side where it converges fast."""
    if x <= 0.0 or x >= 1.0:
        return min(1.0, max(0.0, x))
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _incomplete_beta(b, a, 1.0 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_TERMS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _away_from_zero(1.0 + numerator * d)
            c = _away_from_zero(1.0 + numerator / c)
            value *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return front * value / a


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _p(mean: float, error: float | None, blocks: int) -> float:
    """The p-value of a mean if the true mean is 0; 1 if there is no error."""
    if error is None or math.isnan(error) or math.isnan(mean) or blocks < 2:
        return 1.0
    if error == 0.0:
        return 0.0 if mean else 1.0
    return student_p(mean / error, blocks - 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's p-values: the probability that any claim with a p-value below α is false is at most α.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979).
    """
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for step, k in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - step) * p_values[k]))
        adjusted[k] = highest
    return adjusted


def pair_p_values(table: CrossTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The p-values of all pairs, and Holm's; shape (players, players) each, 1 if two never met."""
    n = table.num_players
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if table.deals[i, j]]
    plain = [_p(float(table.mean[i, j]), float(table.error[i, j]), int(table.blocks[i, j])) for i, j in pairs]
    return _symmetric(n, pairs, plain), _symmetric(n, pairs, holm(plain))


def _symmetric(n: int, pairs: Sequence[tuple[int, int]], values: Sequence[float]) -> NDArray[np.float64]:
    matrix = np.ones((n, n))
    for (i, j), value in zip(pairs, values, strict=True):
        matrix[i, j] = matrix[j, i] = value
    return matrix


def rank_ranges(table: CrossTable, alpha: float = ALPHA) -> list[RankRange]:
    """Each player's rank by rate and the ranks it may have: with probability 1 - α all ranges are right.

    Players without a deal are ranked last, and may have any rank.

    Source: M. Mogstad, J. Romano, A. Shaikh, D. Wilhelm, "Inference for ranks", Review of Economic Studies 91
    (2024): ranges follow from the differences that are proved, here by Holm.
    """
    n = table.num_players
    rate = np.where(np.isnan(table.rate), -np.inf, table.rate)
    pairs = [
        (i, j) for i in range(n) for j in range(i + 1, n) if np.isfinite(rate[i]) and np.isfinite(rate[j])
    ]
    blocks = len(table.parts)
    adjusted = holm([_p(float(rate[i] - rate[j]), table.rate_error(i, j), blocks) for i, j in pairs])
    better, worse = [0] * n, [0] * n
    for (i, j), p in zip(pairs, adjusted, strict=True):
        if p < alpha:
            above, below = (i, j) if rate[i] > rate[j] else (j, i)
            better[below] += 1
            worse[above] += 1
    return [
        RankRange(1 + int(np.count_nonzero(rate > rate[k])), 1 + better[k], n - worse[k]) for k in range(n)
    ]
