"""Bradley-Terry on margins: a rating for each player, whose differences explain who won how much from whom.

Least squares on the cross table, each pair weighted by 1 / SE²; ratings add up to 0.

Source: F. Mosteller, "Remarks on the method of paired comparisons", Psychometrika 16 (1951), for margins.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.evidence.ranking.crosstable import CrossTable

__all__ = ["Ratings", "fit_margins"]

Floats = NDArray[np.float64]


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
