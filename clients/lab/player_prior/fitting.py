"""From the decisions of a population, all hole cards known, to the mean and covariance of theta, by EM.

For each player the posterior of theta given mean and covariance is taken for normal around its mode, which
Newton's method finds (Laplace); then mean and covariance are those of the population, the covariance drawn
towards `_LEAST` of each feature by itself, which `_DRAWN` players are taken to have.

One thread of linear algebra is enough for matrices of forty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.players.models.player import LAPSE

Floats = NDArray[np.float64]

_ROUNDS: Final = 9
_DRAWN: Final = 5.0
_LEAST: Final = 0.3
_STEPS: Final = 12
"""Of Newton's method, for one player."""
_FARTHEST: Final = 4.0
"""What one step may change a z by."""

Answers = tuple[Floats, Floats]
"""Of a player: the features of each decision, shape (n, features), and whether the answer was yes (n,)."""


def fit(players: Sequence[Answers]) -> tuple[Floats, Floats]:
    """The mean and the covariance of theta among players."""
    size = players[0][0].shape[1]
    mean, covariance = np.zeros(size), np.eye(size)
    modes = [np.zeros(size) for _ in players]
    for _ in range(_ROUNDS):
        precision = _inverse(covariance)
        spread = np.zeros((size, size))
        for number, answers in enumerate(players):
            modes[number], posterior = _posterior(answers, mean, precision, modes[number])
            spread += posterior
        mean = np.mean(modes, axis=0)
        apart = np.array(modes) - mean
        spread += apart.T @ apart + _DRAWN * _LEAST * np.eye(size)
        covariance = spread / (len(players) + _DRAWN)
    return mean, covariance


def _posterior(answers: Answers, mean: Floats, precision: Floats, start: Floats) -> tuple[Floats, Floats]:
    """The mode and the covariance of one player's theta."""
    features, came = answers
    theta = start
    for _ in range(_STEPS):
        gradient, curvature = _slopes(features, came, theta)
        step = np.linalg.solve(curvature + precision, gradient - precision @ (theta - mean))
        farthest = np.abs(features @ step).max(initial=0.0)
        theta = theta + step * min(1.0, _FARTHEST / max(farthest, 1e-9))
        if farthest < 1e-3:
            break
    _, curvature = _slopes(features, came, theta)
    return theta, _inverse(curvature + precision)


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a matrix, in doubles."""
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _slopes(features: Floats, came: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """The gradient of the log likelihood, and its curvature by Fisher's information."""
    sure = 1.0 / (1.0 + np.exp(-features @ theta))
    chance = 0.5 * LAPSE + (1.0 - LAPSE) * sure
    slope = (1.0 - LAPSE) * sure * (1.0 - sure)
    doubt = chance * (1.0 - chance)
    return features.T @ ((came - chance) * slope / doubt), (features.T * (slope**2 / doubt)) @ features


def surprise(players: Sequence[Answers], mean: Floats, covariance: Floats) -> float:
    """The log loss of an answer, each predicted from those before it: by Laplace's evidence of all."""
    precision, evidence = _inverse(covariance), 0.0
    for features, came in players:
        theta, posterior = _posterior((features, came), mean, precision, mean)
        chance = 0.5 * LAPSE + (1.0 - LAPSE) / (1.0 + np.exp(-features @ theta))
        apart = theta - mean
        evidence += np.log(np.where(came > 0, chance, 1.0 - chance)).sum() - apart @ precision @ apart / 2
        evidence += (np.linalg.slogdet(posterior)[1] - np.linalg.slogdet(covariance)[1]) / 2
    return -float(evidence) / sum(len(came) for _, came in players)
