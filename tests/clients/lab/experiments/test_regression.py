"""The straight line, against scipy and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from clients.lab.experiments.regression import clustered_mean, fit_line
from engine.support.intervals import estimate


def test_the_line_is_that_of_least_squares() -> None:
    generator = np.random.default_rng(1)
    x = generator.normal(size=60)
    y = 0.3 + 0.9 * x + generator.normal(size=60)

    line = fit_line(x.tolist(), y.tolist(), list(range(60)))

    expected = stats.linregress(x, y)
    assert line.slope.mean == pytest.approx(expected.slope)
    assert line.intercept.mean == pytest.approx(expected.intercept)
    # Without clusters, and with errors of equal spread, both errors estimate the same.
    assert line.slope.ci95 == pytest.approx(1.96 * expected.stderr, rel=0.3)


def test_each_point_twice_in_a_cluster_tells_no_more_than_once() -> None:
    generator = np.random.default_rng(2)
    x = generator.normal(size=400)
    y = x + generator.normal(size=400)

    once = fit_line(x.tolist(), y.tolist(), list(range(400)))
    twice = fit_line(np.repeat(x, 2).tolist(), np.repeat(y, 2).tolist(), np.repeat(range(400), 2).tolist())

    assert twice.slope.mean == pytest.approx(once.slope.mean)
    assert twice.slope.ci95 == pytest.approx(once.slope.ci95 or 0.0, rel=0.01)


def test_intervals_cover_the_truth_where_the_points_of_a_cluster_share_their_luck() -> None:
    generator = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        clusters = np.repeat(np.arange(80), 4)
        x = generator.normal(size=80)[clusters] + 0.3 * generator.normal(size=320)
        y = 0.5 + 0.8 * x + generator.normal(size=80)[clusters] + 0.3 * generator.normal(size=320)
        line = fit_line(x.tolist(), y.tolist(), clusters.tolist())
        covered += abs(line.slope.mean - 0.8) <= (line.slope.ci95 or 0.0)

    assert 0.91 <= covered / 400 <= 0.985


def test_a_mean_in_clusters_of_one_is_a_plain_mean() -> None:
    values = [1.0, 4.0, 2.0, 8.0, 5.0]

    assert clustered_mean(values, [3, 1, 4, 2, 9]) == estimate(values)
    assert clustered_mean([2.0, 3.0], [7, 7]).ci95 is None
    with pytest.raises(ValueError, match="values and as many clusters"):
        clustered_mean([1.0], [])


def test_the_mean_of_equal_clusters_is_as_certain_as_that_of_their_means() -> None:
    values = np.random.default_rng(4).normal(size=(30, 5)) + np.arange(30)[:, None]

    found = clustered_mean(values.ravel().tolist(), np.repeat(np.arange(30), 5).tolist())

    of_means = estimate(values.mean(axis=1).tolist())
    assert found.mean == pytest.approx(of_means.mean)
    assert found.ci95 == pytest.approx(of_means.ci95 or 0.0)
    assert found.samples == 150


@pytest.mark.parametrize(
    ("x", "y", "clusters", "message"),
    [
        ([1.0, 2.0], [1.0], [1, 2], "as many x, y and clusters"),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [1, 2, 3], "different x"),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1, 1, 2], "three clusters"),
    ],
)
def test_too_few_points_have_no_line(
    x: list[float], y: list[float], clusters: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fit_line(x, y, clusters)
