"""Intervals that hold whenever you look: the betting confidence sequence.

Imagine somebody who bets on every payoff that the mean is not m, at odds that are fair if it is, with a stake
that depends only on earlier payoffs.  If the mean is m, their capital is a martingale: by Ville's inequality
the probability that it ever reaches 1/α times its initial value is at most α.  The interval consists of all
means m at which it has not done so yet; with probability 1 - α it covers the true mean at all times.  So a
match may be looked at after every deal, and end for any reason.  Payoffs need two bounds and a constant mean,
but no normal distribution and no minimum number of deals.

Half of the capital bets that the mean is above m and half that it is below:

    K⁺(m) = ∏ (1 + λ⁺ (x - m)),   K⁻(m) = ∏ (1 - λ⁻ (x - m)),   m is out once K⁺(m) or K⁻(m) is 2/α

with x in [0, 1].  A mean that was out once stays out.  Stakes follow the variance seen so far,

    λ = √(2 ln(2/α) / (σ² t ln(1 + t))),   μ_t = (½ + Σx)/(t + 1),   σ²_t = (¼ + Σ(x_i - μ_i)²)/(t + 1),

and never risk more than the share `MOST_RISKED` of the capital at any m that is still in.

*No history.*  Since ln K⁺ is a concave and falling function of m, the end of the interval moves by a bound
of its Taylor series: with b = λ/(1 + λ(x - m)) of each payoff, and d > 0,

    ln K⁺(m + d) >= ln K⁺(m) - d Σb - ½ d² Σb² / (1 - d max b).

The three numbers are needed only at the end of the interval, and are updated as it moves, rounded to the safe
side; so a deal costs the same whether it is the tenth or the millionth.

Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the
Royal Statistical Society B 86 (2024), section 4.3.  There a stake is limited to c/m, for each m; here to c
over the largest m that is still in, which is also known before the payoff.
"""

from __future__ import annotations

import math
from typing import Final

import attrs

__all__ = ["MOST_RISKED", "ROUNDING", "ConfidenceSequence", "Interval", "asymptotic_critical_value"]

MOST_RISKED: Final = 0.5
"""The greatest share of the capital that is risked, at any mean that is still in."""
ROUNDING: Final = 1e-9
"""The share of its range by which a payoff may be outside, since shares of a split pot are rounded."""


@attrs.frozen
class Interval:
    """The numbers from `low` to `high`, including both."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the distance between the ends."""
        return (self.high - self.low) / 2

    @property
    def farthest(self) -> float:
        """The largest absolute value in the interval."""
        return max(abs(self.low), abs(self.high))

    def scaled(self, factor: float) -> Interval:
        """The interval in another unit.

        Args:
            factor: the factor on both ends, above 0.
        """
        return Interval(self.low * factor, self.high * factor)

    def mirrored(self) -> Interval:
        """The interval of the same quantity with the opposite sign."""
        return Interval(-self.high, -self.low)


class ConfidenceSequence:
    """The mean of payoffs that come one by one, with an interval that is valid at all times together.

    Args:
        low: the lower bound of payoffs.
        high: the upper bound of payoffs.
        alpha: the greatest probability that the truth is ever outside.

    Raises:
        ValueError: bounds that are not finite or not in order, or an `alpha` that is not a probability.
    """

    __slots__ = (
        "_bettor_above", "_bettor_below", "_low", "_mean", "_range", "_samples", "_squares", "_stakes",
        "_total",
    )  # fmt: skip

    def __init__(self, low: float, high: float, alpha: float = 0.05) -> None:
        if not -math.inf < low <= high < math.inf:
            raise ValueError(f"expected a finite lower and upper bound, got {low} and {high}")
        if not 0 < alpha < 1:
            raise ValueError(f"expected alpha between 0 and 1, got {alpha}")
        self._low = low
        self._range = high - low
        self._samples = 0
        self._total = 0.0
        self._mean = 0.5
        self._squares = 0.25
        self._stakes = 2 * math.log(2 / alpha)
        self._bettor_above = _Bettor(math.log(2 / alpha))
        self._bettor_below = _Bettor(math.log(2 / alpha))

    def add(self, payoff: float) -> None:
        """Add a payoff.

        Raises:
            ValueError: it is outside the declared bounds, so that the interval would not be valid.
        """
        if not self._range:
            x = 0.5 if payoff == self._low else math.inf
        else:
            x = (payoff - self._low) / self._range
        if not 0 <= x <= 1:
            if not -ROUNDING <= x <= 1 + ROUNDING:
                raise ValueError(
                    f"expected a payoff from {self._low} to {self._low + self._range}, got {payoff}"
                )
            x = min(1.0, max(0.0, x))
        self._samples = t = self._samples + 1
        above, below = self._bettor_above, self._bettor_below
        stake = math.sqrt(self._stakes / (self._squares * math.log1p(t)))
        out_below, out_above = above.out, below.out
        if out_below + out_above <= 1:  # otherwise no mean is left
            above.bet(x, min(stake, MOST_RISKED / (1 - out_above)))
            below.bet(1 - x, min(stake, MOST_RISKED / (1 - out_below)))
        self._total += payoff
        self._mean += (x - self._mean) / (t + 1)
        self._squares += (x - self._mean) ** 2

    @property
    def bounds_and_stakes(self) -> tuple[float, float, float]:
        """The least payoff, the range of payoffs, and the log capital that refutes a mean."""
        return self._low, self._range, self._stakes / 2

    def numbers(self) -> list[list[float]]:
        """The state of the sequence and its two bettors, for `go_on_from`."""
        bettors = [
            [bettor.out, bettor._capital, bettor._slope, bettor._curvature, bettor._steepest]
            for bettor in (self._bettor_above, self._bettor_below)
        ]
        return [[self._samples, self._total, self._mean, self._squares], *bettors]

    def go_on_from(self, numbers: list[list[float]]) -> None:
        """Continue from the `numbers` of a sequence with the same bounds."""
        (samples, self._total, self._mean, self._squares), *both = numbers
        self._samples = int(samples)
        for bettor, of_bettor in zip((self._bettor_above, self._bettor_below), both, strict=True):
            bettor.out, bettor._capital, bettor._slope, bettor._curvature, bettor._steepest = of_bettor

    @property
    def samples(self) -> int:
        """The number of payoffs so far."""
        return self._samples

    @property
    def mean(self) -> float | None:
        """The mean of the payoffs so far; None before the first."""
        return self._total / self._samples if self._samples else None

    @property
    def interval(self) -> Interval | None:
        """The interval of the true mean; None if no constant mean fits what was seen."""
        low = self._bettor_above.out
        high = 1 - self._bettor_below.out
        if low > high:
            return None
        return Interval(self._low + low * self._range, self._low + high * self._range)

    @property
    def distance(self) -> float | None:
        """How far the true mean may be from the mean so far; None if `mean` or `interval` is None."""
        mean, interval = self.mean, self.interval
        if mean is None or interval is None:
            return None
        return max(interval.high - mean, mean - interval.low)


def asymptotic_critical_value(samples: int, alpha: float = 0.05, narrowest_at: int = 1000) -> float:
    """Half the width, in standard errors, of an interval that is asymptotically valid at all times together.

    It is for means without declared bounds, such as those with luck taken out.  After many samples that are
    not too skewed it misses as rarely as stated; a `ConfidenceSequence` needs neither condition.

    Args:
        samples: the number of samples so far, 1 or more.
        alpha: the greatest probability that the truth is ever outside.
        narrowest_at: the number of samples at which it is as narrow as possible.

    Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences", Annals of Statistics 52 (2024).
    """
    scale = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / narrowest_at
    grown = max(1, samples) * scale + 1
    return math.sqrt(2 * grown / (grown - 1) * math.log(math.sqrt(grown) / alpha))


class _Bettor:
    """Bets that the mean is above m, for the smallest m that has not been refuted.

    Args:
        enough: the log capital that refutes an m.
    """

    __slots__ = ("_capital", "_curvature", "_enough", "_slope", "_steepest", "out")

    def __init__(self, enough: float) -> None:
        self._enough = enough
        self.out = 0.0
        """Every m below this is out."""
        # The capital at `out`, as:
        self._capital = 0.0  # its logarithm
        self._slope = 0.0  # Σb
        self._curvature = 0.0  # Σb²
        self._steepest = 0.0  # max b

    def bet(self, x: float, stake: float) -> None:
        """Bet on `x` being above m, with `stake` times the capital for each unit of the difference."""
        growth = 1 + stake * (x - self.out)
        self._capital += math.log(growth)
        steepness = stake / growth
        self._slope += steepness
        self._curvature += steepness * steepness
        if steepness > self._steepest:
            self._steepest = steepness
        if self._capital > self._enough:
            self._refute()

    def _refute(self) -> None:
        """Move `out` up to where the capital is at most enough, or less far: see the module."""
        while True:
            excess = self._capital - self._enough
            reach = 0.5 / self._steepest  # beyond this the bound is loose
            farthest = min(reach, excess / self._slope)
            rest = 1 - self._steepest * farthest
            curvature = self._curvature / rest
            step = 2 * excess / (self._slope + math.sqrt(self._slope**2 + 2 * curvature * excess))
            is_last = step <= farthest
            if not is_last:
                step = farthest
            self.out += step
            self._capital = (
                self._enough if is_last else self._capital - step * self._slope - step * step / 2 * curvature
            )
            self._slope += step * curvature
            self._curvature = curvature / rest
            self._steepest /= rest
            if is_last:
                return
