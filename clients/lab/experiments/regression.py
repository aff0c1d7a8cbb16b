"""Means of clustered points, and straight lines through them, with errors that allow for the clusters."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.support.intervals import Z95, Estimate


@attrs.frozen
class Line:
    """y = intercept + slope x."""

    slope: Estimate
    intercept: Estimate


def fit_line(x: Sequence[float], y: Sequence[float], clusters: Sequence[int]) -> Line:
    """The line of least squares, with cluster-robust errors: points of one cluster may depend on each other.

    Args:
        x: stated values.
        y: realised values.
        clusters: the cluster of each point.

    Raises:
        ValueError: arrays of different lengths, fewer than three clusters, or all x the same.

    Source: K.-Y. Liang and S. Zeger, "Longitudinal data analysis using generalized linear models" (1986),
    with the usual correction for few clusters, G/(G-1) (n-1)/(n-2).
    """
    stated, happened = np.asarray(x, np.float64), np.asarray(y, np.float64)
    labels, group = np.unique(np.asarray(clusters), return_inverse=True)
    number = len(stated)
    if not number == len(happened) == len(group):
        raise ValueError(f"expected as many x, y and clusters, got {number}, {len(happened)}, {len(group)}")
    if len(labels) < 3 or stated.min() == stated.max():
        raise ValueError("expected at least three clusters and different x: no line can be fitted")
    design: NDArray[np.float64] = np.column_stack([np.ones(number), stated])
    bread = np.linalg.inv(design.T @ design)
    coefficients = bread @ design.T @ happened
    scores = design * (happened - design @ coefficients)[:, None]
    sums = np.zeros((len(labels), 2))
    np.add.at(sums, group, scores)
    few = len(labels) / (len(labels) - 1) * (number - 1) / (number - 2)
    half = Z95 * np.sqrt(np.diagonal(few * bread @ (sums.T @ sums) @ bread))
    return Line(
        slope=Estimate(float(coefficients[1]), float(half[1]), number),
        intercept=Estimate(float(coefficients[0]), float(half[0]), number),
    )


def clustered_mean(values: Sequence[float], clusters: Sequence[int]) -> Estimate:
    """The mean of values, of which those of one cluster may depend on each other.

    Args:
        values: at least one value.
        clusters: the cluster of each value.

    Raises:
        ValueError: no values, or not as many clusters as values.

    Source: that of `fit_line`, for a line without slope.
    """
    array = np.asarray(values, np.float64)
    if not len(array) or len(array) != len(clusters):
        raise ValueError(f"expected values and as many clusters, got {len(array)} and {len(clusters)}")
    labels, group = np.unique(np.asarray(clusters), return_inverse=True)
    number = len(labels)
    mean = float(array.mean())
    if number < 2:
        return Estimate(mean, None, len(array))
    sums = np.bincount(group, weights=array - mean)
    error = float(np.sqrt(number / (number - 1) * (sums @ sums))) / len(array)
    return Estimate(mean, Z95 * error, len(array))
