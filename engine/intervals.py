"""Means with their intervals, also where looking at them decided when to stop (``match --until``).

An interval is the normal approximation c s/√n, with s the sample standard deviation (n - 1 in its
denominator) and c = 1.96, or more where results are looked at more than once.

*Looks.*  The results are looked at after fixed numbers of deals, and the match ends at the first look at
which every player's interval is narrow enough.  Looking K times gives chance K occasions, so the intervals
use the critical value c with which *all* K of them hold together with 95 %: for the standardised sums Z_1 ...
Z_K of normal increments, P(|Z_k| <= c for every k) = .95.  Whatever makes a match stop at one of the looks,
the interval in force there covers the truth at least 95 % of the time.

The chance is found by the recursion of Armitage, McPherson and Rowe, "Repeated significance tests on
accumulating data" (Journal of the Royal Statistical Society A 132, 1969): the Z_k are a Markov chain, Z_k
given Z_{k-1} is normal with mean r Z_{k-1} and variance 1 - r², where r² is the ratio of the deals.  For
equally spaced looks c is Pocock's constant (Biometrika 64, 1977).
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any, Final

import attrs

Z95: Final = statistics.NormalDist().inv_cdf(0.975)
"""The critical value of a mean that is looked at once."""

FIRST_LOOK: Final = 250
"""Deals before the first look: fewer say little about how far results spread."""
_GROWTH: Final = 1.5
# From look to look.  Closer looks would end a match sooner after it could end, but with wider intervals.
_CONFIDENCE: Final = 0.95
_HALF_NODES: Final = 24


def half_width(values: Sequence[float], critical_value: float = Z95) -> float | None:
    """Half width of the interval of the mean of some values; None below two of them."""
    n = len(values)
    if n < 2:
        return None
    mean = math.fsum(values) / n
    variance = math.fsum([(value - mean) ** 2 for value in values]) / (n - 1)
    return critical_value * math.sqrt(variance / n)


def is_settled(half_widths: Iterable[float | None], until: float | None) -> bool:
    """Whether every interval is known and none is wider than was asked for; never where nothing was."""
    return until is not None and all(half is not None and half <= until for half in half_widths)


@attrs.frozen
class Estimate:
    """A mean and how far it can be trusted."""

    mean: float
    ci95: float | None
    """Half width of the 95 % interval; None below two samples."""
    samples: int

    def __str__(self) -> str:
        return self.text()

    def text(self, digits: int = 3) -> str:
        """``+0.193 ± 0.032``."""
        spread = "" if self.ci95 is None else f" ± {self.ci95:.{digits}f}"
        return f"{self.mean:+.{digits}f}{spread}"

    def scaled(self, factor: float) -> Estimate:
        """The same in another unit."""
        ci95 = None if self.ci95 is None else self.ci95 * abs(factor)
        return Estimate(self.mean * factor, ci95, self.samples)

    def as_json(self) -> dict[str, Any]:
        """Mean, half width and number of samples."""
        return attrs.asdict(self)


def estimate(values: Sequence[float], critical_value: float = Z95) -> Estimate:
    """The mean of independent values.

    Raises:
        ValueError: there are none.
    """
    if len(values) == 0:
        raise ValueError("expected at least one value, got none: there is no mean of nothing")
    return Estimate(math.fsum(values) / len(values), half_width(values, critical_value), len(values))


def estimate_of_few(values: Sequence[float]) -> Estimate:
    """The mean of a few independent values that are normally distributed, with Student's interval.

    Raises:
        ValueError: there are none.
    """
    return estimate(values, student_t95(len(values) - 1) if len(values) > 1 else Z95)


def student_t95(degrees: int) -> float:
    """The critical value of a 95 % interval of Student's t; exact to 1 % from three degrees of freedom on.

    Args:
        degrees: of freedom, 1 or more; those of a mean are its samples less one.

    Source: Abramowitz and Stegun 26.7.5 beyond two degrees, whose values are exact.
    """
    if degrees == 1:
        return math.tan(math.pi * 0.475)
    if degrees == 2:
        return 0.95 / math.sqrt(2 * 0.975 * 0.025)
    z = Z95
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )


def wilson_interval(count: int, of: int, critical_value: float = Z95) -> tuple[float, float]:
    """The interval of a chance of which `count` of `of` independent trials came out.

    It holds its 95 % for few trials and for shares near 0 and 1 too, where the normal approximation does not.

    Raises:
        ValueError: no trial, or more successes than trials.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
    the American Statistical Association 22 (1927).
    """
    if not 0 <= count <= of or not of:
        raise ValueError(f"expected 0 to n successes of n trials, n at least 1; got {count} of {of}")
    share, square = count / of, critical_value * critical_value
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = critical_value / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return (
        0.0 if count == 0 else max(0.0, middle - half),
        1.0 if count == of else min(1.0, middle + half),
    )


@attrs.frozen
class Winnings:
    """What a player has won in some hands, in the three numbers that a rate and its interval need.

    Winnings of different hands add up, so that nobody needs to keep what each hand brought.
    """

    hands: int = 0
    chips: float = 0.0
    squares: float = 0.0
    """The sum of the squares of what was won in each hand."""

    def __add__(self, other: Winnings) -> Winnings:
        return Winnings(self.hands + other.hands, self.chips + other.chips, self.squares + other.squares)

    def half_width(self, critical_value: float = Z95) -> float | None:
        """Half width of the interval of the mean of a hand, in chips; None below two hands."""
        if self.hands < 2:
            return None
        mean = self.chips / self.hands
        variance = max(0.0, self.squares / self.hands - mean * mean) * self.hands / (self.hands - 1)
        return critical_value * math.sqrt(variance / self.hands)

    def rate(self, big_blind: int) -> Estimate:
        """Milli big blinds per hand.

        Args:
            big_blind: chips.

        Raises:
            ValueError: no hand has been played.
        """
        if not self.hands:
            raise ValueError("expected winnings of one hand or more, got none: there is no rate of nothing")
        return Estimate(self.chips / self.hands, self.half_width(), self.hands).scaled(1000 / big_blind)


@attrs.frozen
class LookSchedule:
    """When the results of a match are looked at."""

    looks: tuple[int, ...]
    """After how many deals, ascending; the last is the most that are played."""
    critical_value: float
    """How many standard errors half an interval is wide."""

    @classmethod
    def of(cls, deals: int) -> LookSchedule:
        """The schedule of a match of at most `deals` deals.

        Raises:
            ValueError: no deal at all.
        """
        if deals < 1:
            raise ValueError(f"expected at least one deal, got {deals}")
        looks = []
        upcoming = float(FIRST_LOOK)
        while upcoming < deals:
            looks.append(round(upcoming))
            upcoming *= _GROWTH
        if len(looks) > 1 and deals < 1.1 * looks[-1]:
            looks.pop()  # it would be all but the last
        looks.append(deals)
        return cls(tuple(looks), critical_value(looks))

    @classmethod
    def once(cls, deals: int) -> LookSchedule:
        """The schedule of a match that is played to its end, whatever the results."""
        return cls((deals,), Z95)

    def stops_at(self, values: Sequence[float], until: float | None, after: int = 0) -> int | None:
        """The first look at which the mean of some values is known well enough; None where there is none yet.

        Args:
            values: one for each deal played so far, in order.
            until: the half width asked for, in the unit of the values.
            after: looks at no more deals than this have been taken already.
        """
        for look in self.looks:
            if after < look <= len(values):
                half = half_width(values[:look], self.critical_value)
                if is_settled([half], until):
                    return look
        return None


def critical_value(looks: Sequence[int], confidence: float = _CONFIDENCE) -> float:
    """The c with which the intervals at all looks hold together, under the normal approximation.

    Args:
        looks: ascending numbers of samples.
        confidence: of all of them together, above 0 and below 1.
    """
    low, high = 0.0, 8.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        if _chance_all_hold(looks, middle) < confidence:
            low = middle
        else:
            high = middle
    return high


def _chance_all_hold(looks: Sequence[int], bound: float) -> float:
    """P(|Z_k| <= bound at every look), by Gauss-Legendre quadrature of the density that is still inside."""
    nodes, weights = _gauss_legendre(2 * _HALF_NODES)
    points = [bound * node for node in nodes]
    inside = [_density(point) for point in points]
    for before, now in itertools.pairwise(looks):
        kept = math.sqrt(before / now)
        spread = math.sqrt(1 - before / now)
        masses = [bound * weight * value for weight, value in zip(weights, inside, strict=True)]
        inside = [
            math.fsum(
                [
                    mass * _density((point - kept * earlier) / spread)
                    for mass, earlier in zip(masses, points, strict=True)
                ]
            )
            / spread
            for point in points
        ]
    return math.fsum([bound * weight * value for weight, value in zip(weights, inside, strict=True)])


def _density(x: float) -> float:
    return math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def _gauss_legendre(n: int) -> tuple[list[float], list[float]]:
    """Nodes and weights on [-1, 1]: the roots of the Legendre polynomial P_n by Newton's method."""
    nodes, weights = [], []
    for k in range(n):
        x = math.cos(math.pi * (k + 0.75) / (n + 0.5))
        slope = 1.0
        for _ in range(100):
            value, previous = x, 1.0
            for degree in range(2, n + 1):
                value, previous = ((2 * degree - 1) * x * value - (degree - 1) * previous) / degree, value
            slope = n * (x * value - previous) / (x * x - 1)
            step = value / slope
            x -= step
            if abs(step) < 1e-15:
                break
        nodes.append(x)
        weights.append(2 / ((1 - x * x) * slope * slope))
    return nodes, weights
