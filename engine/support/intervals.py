"""Means and rates with their intervals, for a number of samples that does not depend on the results.

An interval is the normal approximation c s/√n, where s is the sample standard deviation (n - 1 in its
denominator) and c = 1.96; for a few samples c is Student's.  If results are looked at while they come in, as
in ``match --until``, use the intervals of `engine.evidence.confidence_sequence`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any, Final

import attrs

from engine.support.text import rate


def critical_value(alpha: float) -> float:
    """The critical value of a mean that is looked at once, whose interval misses with chance `alpha`."""
    return statistics.NormalDist().inv_cdf(1 - alpha / 2)


Z95: Final = critical_value(0.05)
"""That of a 95 % interval."""


def half_width(values: Sequence[float], critical_value: float = Z95) -> float | None:
    """Half width of the interval of the mean of some values; None below two of them."""
    n = len(values)
    if n < 2:
        return None
    mean = math.fsum(values) / n
    variance = math.fsum([(value - mean) ** 2 for value in values]) / (n - 1)
    return critical_value * math.sqrt(variance / n)


@attrs.frozen
class Estimate:
    """A mean with its 95 % interval."""

    mean: float
    ci95: float | None
    """Half width of the 95 % interval; None below two samples."""
    samples: int

    def __str__(self) -> str:
        return self.text()

    def text(self, digits: int = 3) -> str:
        """``+0.193 ± 0.032``."""
        return rate(self.mean, self.ci95, digits)

    def scaled(self, factor: float) -> Estimate:
        """The estimate in another unit."""
        ci95 = None if self.ci95 is None else self.ci95 * abs(factor)
        return Estimate(self.mean * factor, ci95, self.samples)

    def as_json(self) -> dict[str, Any]:
        """Mean, half width and number of samples, as a JSON object."""
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
    return estimate(values, student_t(len(values) - 1, 0.05) if len(values) > 1 else Z95)


def student_t(degrees: int, alpha: float) -> float:
    """The critical value of an interval of Student's t that misses with chance `alpha`.

    Exact to 1 % if (z / 2)² is at most the degrees, where z is the normal distribution's critical value.

    Args:
        degrees: of freedom, 1 or more; those of a mean are its samples less one.
        alpha: above 0 and below 1.

    Source: Abramowitz and Stegun 26.7.5 beyond two degrees, whose values are exact.
    """
    inside = 1 - alpha
    if degrees == 1:
        return math.tan(math.pi * inside / 2)
    if degrees == 2:
        return inside / math.sqrt(2 * (1 - alpha / 2) * (alpha / 2))
    z = critical_value(alpha)
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )


def wilson_interval(count: int, of: int, critical_value: float = Z95) -> tuple[float, float]:
    """The interval of a probability, given `count` successes in `of` independent trials.

    It keeps its 95 % even for few trials and for shares near 0 and 1, where the normal approximation fails.

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
    return (0.0 if count == 0 else max(0.0, middle - half), 1.0 if count == of else min(1.0, middle + half))


@attrs.frozen
class Winnings:
    """What a player has won in some hands, as the three sums that a rate and its interval need.

    Winnings of different hands can be added, so the result of each hand need not be kept.
    """

    hands: int = 0
    chips: float = 0.0
    squares: float = 0.0
    """The sum of the squares of what was won in each hand."""

    def __add__(self, other: Winnings) -> Winnings:
        return Winnings(self.hands + other.hands, self.chips + other.chips, self.squares + other.squares)

    def half_width(self, critical_value: float = Z95) -> float | None:
        """Half width of the interval of the mean per hand, in chips; None below two hands."""
        if self.hands < 2:
            return None
        mean = self.chips / self.hands
        variance = max(0.0, self.squares / self.hands - mean * mean) * self.hands / (self.hands - 1)
        return critical_value * math.sqrt(variance / self.hands)

    def estimate(self, critical_value: float = Z95) -> Estimate:
        """Chips per hand.

        Raises:
            ValueError: no hand has been played.
        """
        if not self.hands:
            raise ValueError("expected winnings of one hand or more, got none: there is no rate of nothing")
        return Estimate(self.chips / self.hands, self.half_width(critical_value), self.hands)

    def rate(self, big_blind: int) -> Estimate:
        """Milli big blinds per hand.

        Args:
            big_blind: chips.

        Raises:
            ValueError: no hand has been played.
        """
        return self.estimate().scaled(1000 / big_blind)
