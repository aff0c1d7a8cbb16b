"""Comparisons of a version with itself, simulated side by side: how often a verdict is false.

What `engine.evidence.field_test` does deal by deal is done here for all runs at once, written again: two
opponents, one of whom spreads payoffs half as far; rounds in which the less certain one is drawn more often;
and the confidence sequence, looked at after every deal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import attrs
import numpy as np

from engine.support.arrays import Floats
from tests.oracles.stopping_rules import ManySequences, Shape, normal, of_values

ALPHA: Final = 0.05
_EVEN: Final = 0.85
_ROUND: Final = 400
_MATCH: Final = 200
_FIRST_LOOK: Final = 50


def seldom(wins: float, loses: float) -> Shape:
    """Wins a little in most deals, and loses much so seldom that the mean is 0."""
    chance = wins / (wins + loses)
    name = f"wins {wins:g}, loses {loses:g} in {chance:.2g}"
    return of_values(name, 100.0, {wins: 1 - chance, -loses: chance})


SHAPES: Final = (normal("normal", 100.0, 5.0), seldom(0.75, 70.0), seldom(0.1, 100.0), seldom(0.02, 100.0))


@attrs.frozen
class FalseVerdicts:
    """By test, the share of runs with a false verdict; and with an interval that ever missed the truth."""

    gain: float
    hold: float
    simplify: float
    missed: float
    missed_by_normal: float
    """The same of the sub-Gaussian sequence with the variance seen so far."""


class Averages:
    """The sequences of many runs for players that learn, with the interface of `ManySequences`.

    The wider one of the empirical-Bernstein sequence of deals and the asymptotic one of matches: here each
    opponent's next deals are of one match until it is played.
    """

    def __init__(self, runs: int) -> None:
        self._of_matches, self._match = np.zeros(runs), np.zeros(runs)
        self._total, self._squares, self._samples = np.zeros(runs), np.zeros(runs), 0
        self._rates = 0.6 * 1.5 ** -np.arange(24.0)
        weights = 1 / (np.arange(24) + 2)
        self._needed = math.log(2 / ALPHA) - np.log(weights / weights.sum())

    def add(self, x: Floats) -> None:
        forecast = np.clip((0.5 + self._total) / (self._samples + 1), 3 / 8, 5 / 8)
        self._squares += ((x - forecast) / 0.625) ** 2
        self._total += x
        self._match = x - 0.5 + (self._match if self._samples % _MATCH else 0.0)
        self._of_matches += self._match**2 - (self._match - x + 0.5) ** 2
        self._samples += 1

    @property
    def _distance(self) -> Floats:
        curved = -np.log1p(-self._rates) - self._rates
        lines = (self._needed + curved * self._squares[:, None]) / self._rates
        matches = -(-self._samples // _MATCH)
        grown = matches * (-2 * math.log(ALPHA) + math.log(1 - 2 * math.log(ALPHA))) / 50 + 1
        factor = math.sqrt(2 * grown / (grown - 1) * math.log(math.sqrt(grown) / ALPHA))
        by_matches = factor * np.sqrt(self._of_matches)
        found: Floats = np.maximum(lines.min(axis=1) * 0.625, by_matches) / self._samples
        return found

    @property
    def low(self) -> Floats:
        return self._total / self._samples - self._distance

    @property
    def high(self) -> Floats:
        return self._total / self._samples + self._distance


def of_two_versions(shape: Shape, runs: int, generator: np.random.Generator) -> Callable[[int], Floats]:
    """Both versions draw their payoffs."""
    return lambda deal: shape.draw(generator, runs) - shape.draw(generator, runs)


def of_the_difference(shape: Shape, runs: int, generator: np.random.Generator) -> Callable[[int], Floats]:
    """The difference itself has the shape: what the new version seldom loses it wins back bit by bit."""
    return lambda deal: shape.draw(generator, runs)


def of_learners(shape: Shape, runs: int, generator: np.random.Generator) -> Callable[[int], Floats]:
    """Half of each payoff is what the opponent has learnt in this match, from this version alone."""
    won = np.zeros((2, runs))

    def difference(deal: int) -> Floats:
        if deal % _MATCH == 0:
            won[:] = 0.0
        learnt = min(2 * shape.sd, shape.bound) * np.sin(won / shape.bound + deal % _MATCH / 100)
        payoffs = (np.array([shape.draw(generator, runs) for _ in range(2)]) + learnt) / 2
        won[:] += payoffs
        found: Floats = payoffs[0] - payoffs[1]
        return found

    return difference


def false_verdicts(
    kind: Callable[[Shape, int, np.random.Generator], Callable[[int], Floats]],
    shape: Shape,
    runs: int,
    deals: int,
    seed: int,
) -> FalseVerdicts:
    """Compare a version with itself in many runs, and count what is false."""
    generator = np.random.default_rng(seed)
    difference, bound = kind(shape, runs, generator), 2 * shape.bound / _EVEN
    sequence = Averages(runs) if kind is of_learners else ManySequences(runs, ALPHA, 0.95)
    seen = np.zeros((2, runs))
    squares, total, total_squares = np.zeros((2, runs)), np.zeros(runs), np.zeros(runs)
    first = np.full(runs, 0.5)
    missed, by_normal = np.zeros((2, runs), dtype=bool)
    accepted, rejected = ({low: np.zeros(runs, dtype=bool) for low in (0.0, -0.01, -0.005)} for _ in range(2))
    for deal in range(deals):
        if deal % _ROUND == 0 and deal:
            spread = np.sqrt(squares / np.maximum(seen, 1))
            first = _EVEN / 2 + (1 - _EVEN) * np.where(
                spread.sum(axis=0) > 0, spread[0] / np.maximum(spread.sum(axis=0), 1e-12), 0.5
            )
        is_first = generator.random(runs) < first
        drawn = difference(deal) * np.where(is_first, 1.0, 0.5)
        for row, mask in enumerate((is_first, ~is_first)):
            seen[row] += mask
            squares[row] += mask * drawn**2
        counted = drawn * 0.5 / np.where(is_first, first, 1 - first)
        sequence.add(counted / (2 * bound) + 0.5)
        low, high = (2 * sequence.low - 1) * bound, (2 * sequence.high - 1) * bound
        missed |= (low > 0) | (high < 0)
        for bottom in accepted:
            undecided = ~(accepted[bottom] | rejected[bottom])
            accepted[bottom] |= undecided & (low > bottom)
            rejected[bottom] |= undecided & ~(low > bottom) & (high < (0.02 if bottom == 0 else 0.0))
        total += counted
        total_squares += counted**2
        if deal >= _FIRST_LOOK:
            by_normal |= np.abs(total) > _normal_distance(deal + 1, deals, total, total_squares)
    return FalseVerdicts(
        float(accepted[0.0].mean()),
        float(rejected[-0.01].mean()),
        float(rejected[-0.005].mean()),
        float(missed.mean()),
        float(by_normal.mean()),
    )


def _normal_distance(samples: int, deals: int, total: Floats, squares: Floats) -> Floats:
    """How far a sum may be from 0 by the asymptotic sequence, narrowest at a quarter of the deals."""
    scale = (-2 * math.log(ALPHA) + math.log(1 - 2 * math.log(ALPHA))) / (deals / 4)
    grown = samples * scale + 1
    variance = np.maximum(squares / samples - (total / samples) ** 2, 0.0)
    found: Floats = np.sqrt(variance * 2 * grown / scale * math.log(math.sqrt(grown) / ALPHA))
    return found
