"""Intervals that hold whenever you look: the betting confidence sequence.

Somebody bets on every payoff that the mean is not m, at fair odds if it is, with a stake that depends on
earlier payoffs only.  Their capital is then a martingale: by Ville's inequality it ever reaches 1/α times
what it was with chance α at most.  The means at which it has not done so by now are the interval, and it
covers the true mean at all times together with chance 1 - α.  So a match may be looked at after every deal,
and end for whatever reason.  Payoffs need two bounds and a constant mean, nothing else: no normal
distribution, no least number of deals.

Half of the capital bets that the mean is above m and half that it is below:

    K⁺(m) = ∏ (1 + λ⁺ (x - m)),   K⁻(m) = ∏ (1 - λ⁻ (x - m)),   m is out once K⁺(m) or K⁻(m) is 2/α

with x in [0, 1].  What was out once stays out.  Stakes follow the spread that was seen so far,

    λ = √(2 ln(2/α) / (σ² t ln(1 + t))),   μ_t = (½ + Σx)/(t + 1),   σ²_t = (¼ + Σ(x_i - μ_i)²)/(t + 1),

and never risk more than the share `MOST_RISKED` of the capital at any m that is still in.

*No history.*  Since ln K⁺ is a concave and falling function of m, the end of the interval moves by a bound
of its Taylor series: with b = λ/(1 + λ(x - m)) of each payoff, and d > 0,

    ln K⁺(m + d) >= ln K⁺(m) - d Σb - ½ d² Σb² / (1 - d max b).

The three numbers are known at the end of the interval, where alone they are needed, and are carried along
as it moves, rounded to the safe side; a deal costs the same whether it is the tenth or the millionth.

Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the
Royal Statistical Society B 86 (2024), section 4.3.  There a stake is cut off at c/m, at each m; here at c
over the largest m that is still in, which is known before the payoff too.
"""

from __future__ import annotations

import math
from typing import Final

import attrs

__all__ = ["MOST_RISKED", "ROUNDING", "ConfidenceSequence", "Interval", "asymptotic_critical_value"]

MOST_RISKED: Final = 0.5
"""Of the capital, at any mean that is still in."""
ROUNDING: Final = 1e-9
"""By which share of its range a payoff may lie outside: shares of a split pot are rounded."""


@attrs.frozen
class Interval:
    """From `low` to `high`, both included."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the distance between the ends."""
        return (self.high - self.low) / 2

    @property
    def farthest(self) -> float:
        """The largest absolute value in it."""
        return max(abs(self.low), abs(self.high))

    def scaled(self, factor: float) -> Interval:
        """The same in another unit.

        Args:
            factor: above 0.
        """
        return Interval(self.low * factor, self.high * factor)

    def mirrored(self) -> Interval:
        """The interval of the same quantity with the other sign."""
        return Interval(-self.high, -self.low)


class ConfidenceSequence:
    """The mean of payoffs that come in one by one, with an interval that holds at all times together.

    Args:
        low: no payoff is less.
        high: no payoff is more.
        alpha: how often, at most, the truth may ever be outside.

    Raises:
        ValueError: bounds that are none, or an `alpha` that is no chance.
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
        """Take in one more payoff.

        Raises:
            ValueError: it is outside the declared bounds, and nothing holds.
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
        if out_below + out_above <= 1:  # else nothing is left in
            above.bet(x, min(stake, MOST_RISKED / (1 - out_above)))
            below.bet(1 - x, min(stake, MOST_RISKED / (1 - out_below)))
        self._total += payoff
        self._mean += (x - self._mean) / (t + 1)
        self._squares += (x - self._mean) ** 2

    @property
    def bounds_and_stakes(self) -> tuple[float, float, float]:
        """The least payoff, by how much more the greatest is, and the logarithm of the capital that refutes
        a mean."""
        return self._low, self._range, self._stakes / 2

    def numbers(self) -> list[list[float]]:
        """All that changes as payoffs come in, of the sequence and of its two bettors, for `go_on_from`."""
        bettors = [
            [bettor.out, bettor._capital, bettor._slope, bettor._curvature, bettor._steepest]
            for bettor in (self._bettor_above, self._bettor_below)
        ]
        return [[self._samples, self._total, self._mean, self._squares], *bettors]

    def go_on_from(self, numbers: list[list[float]]) -> None:
        """Take over the `numbers` of a sequence with the same bounds."""
        (samples, self._total, self._mean, self._squares), *both = numbers
        self._samples = int(samples)
        for bettor, of_bettor in zip((self._bettor_above, self._bettor_below), both, strict=True):
            bettor.out, bettor._capital, bettor._slope, bettor._curvature, bettor._steepest = of_bettor

    @property
    def samples(self) -> int:
        """Payoffs taken in so far."""
        return self._samples

    @property
    def mean(self) -> float | None:
        """Of the payoffs so far; None before the first."""
        return self._total / self._samples if self._samples else None

    @property
    def interval(self) -> Interval | None:
        """Where the mean is; None where no constant mean fits what was seen."""
        low = self._bettor_above.out
        high = 1 - self._bettor_below.out
        if low > high:
            return None
        return Interval(self._low + low * self._range, self._low + high * self._range)

    @property
    def distance(self) -> float | None:
        """How far from the mean so far the true one may be; None where `mean` or `interval` is."""
        mean, interval = self.mean, self.interval
        if mean is None or interval is None:
            return None
        return max(interval.high - mean, mean - interval.low)


def asymptotic_critical_value(samples: int, alpha: float = 0.05, narrowest_at: int = 1000) -> float:
    """How many standard errors half an interval is wide that holds at all times together, in the long run.

    For means without declared bounds, such as those that luck was taken out of: after many samples, and if
    these are not too skewed, it misses as rarely as it says; a `ConfidenceSequence` needs neither.

    Args:
        samples: so far, 1 or more.
        alpha: how often, at most, the truth is ever outside.
        narrowest_at: samples at which it is as narrow as it can be made.

    Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences", Annals of Statistics 52 (2024).
    """
    scale = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / narrowest_at
    grown = max(1, samples) * scale + 1
    return math.sqrt(2 * grown / (grown - 1) * math.log(math.sqrt(grown) / alpha))


class _Bettor:
    """Bets that the mean is above m, for the smallest m that has not been refuted.

    Args:
        enough: logarithm of the capital that refutes an m.
    """

    __slots__ = ("_capital", "_curvature", "_enough", "_slope", "_steepest", "out")

    def __init__(self, enough: float) -> None:
        self._enough = enough
        self.out = 0.0
        """Every m below is out."""
        # Of the capital at `out`:
        self._capital = 0.0  # its logarithm
        self._slope = 0.0  # Σb
        self._curvature = 0.0  # Σb²
        self._steepest = 0.0  # max b

    def bet(self, x: float, stake: float) -> None:
        """Stake a share of the capital, for each unit by which `x` may be off, on `x` being above m."""
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
        """Move `out` up to where the capital is no more than enough, or less far: see the module."""
        while True:
            excess = self._capital - self._enough
            reach = 0.5 / self._steepest  # beyond it the bound is a bad one
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
