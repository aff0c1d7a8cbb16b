"""Betting confidence sequences by the book: every bet is kept, and ends are found by bisection over them.

`exact_intervals` is what `engine.evidence.confidence_sequence` approximates from outside without a history;
`published_interval` is the sequence of Waudby-Smith and Ramdas with its stakes cut off at each mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.support.arrays import Floats


def stakes(values: Sequence[float], alpha: float = 0.05) -> Floats:
    """λ of each payoff in [0, 1], not cut off: the predictable plug-in."""
    found = []
    for t in range(1, len(values) + 1):
        before = np.asarray(values[: t - 1], dtype=float)
        means = (0.5 + np.cumsum(before)) / (np.arange(1, t) + 1)
        variance = (0.25 + np.sum((before - means) ** 2)) / t
        found.append(math.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(1 + t))))
    return np.array(found)


def exact_intervals(
    values: Sequence[float], alpha: float = 0.05, most_risked: float = 0.5
) -> list[tuple[float, float]]:
    """After each payoff in [0, 1], the running intersection: stakes are cut off at the interval before."""
    plain = stakes(values, alpha)
    low, high = 0.0, 1.0
    above: list[float] = []
    below: list[float] = []
    intervals = []
    for t in range(1, len(values) + 1):
        assert low <= high
        above.append(min(plain[t - 1], most_risked / high))
        below.append(min(plain[t - 1], most_risked / (1 - low)))
        seen = np.asarray(values[:t], dtype=float)
        low = max(low, _end(seen, np.array(above), low, alpha))
        high = min(high, 1 - _end(1 - seen, np.array(below), 1 - high, alpha))
        intervals.append((low, high))
    return intervals


def _end(seen: Floats, bets: Floats, out: float, alpha: float) -> float:
    """The largest m at which betting on more has brought 2/α; `out` where that is none beyond it."""

    def is_out(m: float) -> bool:
        factors = 1 + bets * (seen - m)  # positive for every m that was in before the last payoff
        return bool(factors.min() > 0) and float(np.sum(np.log(factors))) >= math.log(2 / alpha)

    if not is_out(out):
        return out
    low, high = out, float(seen.max())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_out(middle) else (low, middle)
    return low


def published_interval(values: Floats, alpha: float = 0.05, most_risked: float = 0.5) -> tuple[float, float]:
    """After all payoffs in [0, 1], not intersected with earlier ones."""
    n = np.arange(1, len(values) + 1)
    means = (0.5 + np.cumsum(values)) / (n + 1)
    squares = 0.25 + np.concatenate([[0.0], np.cumsum((values - means) ** 2)[:-1]])
    plain = np.sqrt(2 * math.log(2 / alpha) / (squares * np.log1p(n)))

    def end(seen: Floats) -> float:
        low, high = 0.0, 1.0
        for _ in range(50):
            m = (low + high) / 2
            bets = np.minimum(plain, most_risked / max(m, 1e-12))
            is_out = float(np.sum(np.log1p(bets * (seen - m)))) >= math.log(2 / alpha)
            low, high = (m, high) if is_out else (low, m)
        return low

    return end(values), 1 - end(1 - values)


class ManySequences:
    """Many confidence sequences side by side, in numpy: the same steps as the engine's, written again.

    Payoffs are in [0, 1]; `low` and `high` have shape (matches,).
    """

    def __init__(self, matches: int, alpha: float = 0.05, most_risked: float = 0.5) -> None:
        self._enough = math.log(2 / alpha)
        self._most_risked = most_risked
        self._t = 0
        self._mean = np.full(matches, 0.5)
        self._squares = np.full(matches, 0.25)
        # By end: out, capital, slope, curvature, steepest.
        self._ends = [np.zeros((5, matches)) for _ in range(2)]

    @property
    def low(self) -> Floats:
        """Lower ends."""
        ends: Floats = self._ends[0][0]
        return ends

    @property
    def high(self) -> Floats:
        """Upper ends."""
        ends: Floats = 1 - self._ends[1][0]
        return ends

    def add(self, x: Floats) -> None:
        """One more payoff of each."""
        self._t += 1
        plain = np.sqrt(2 * self._enough / (self._squares * math.log1p(self._t)))
        low, high = self.low.copy(), self.high.copy()
        for end, seen, reach in ((self._ends[0], x, high), (self._ends[1], 1 - x, 1 - low)):
            self._bet(end, seen, np.minimum(plain, self._most_risked / reach))
        self._mean += (x - self._mean) / (self._t + 1)
        self._squares += (x - self._mean) ** 2

    def _bet(self, end: Floats, x: Floats, stake: Floats) -> None:
        growth = 1 + stake * (x - end[0])
        steepness = stake / growth
        end[1] += np.log(growth)
        end[2] += steepness
        end[3] += steepness**2
        np.maximum(end[4], steepness, out=end[4])
        moving = np.nonzero(end[1] > self._enough)[0]
        while moving.size:
            _, capital, slope, curvature, steepest = end[:, moving]
            excess = capital - self._enough
            farthest = np.minimum(0.5 / steepest, excess / slope)
            rest = 1 - steepest * farthest
            step = 2 * excess / (slope + np.sqrt(slope**2 + 2 * curvature / rest * excess))
            is_last = step <= farthest
            step = np.minimum(step, farthest)
            end[0, moving] += step
            end[1, moving] = np.where(
                is_last, self._enough, capital - step * slope - step**2 / 2 * curvature / rest
            )
            end[2, moving] += step * curvature / rest
            end[3, moving] /= rest**2
            end[4, moving] /= rest
            moving = moving[~is_last]
