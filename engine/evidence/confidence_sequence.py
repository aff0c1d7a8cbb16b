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

and never risk more than half of the capital at any m that is still in (`engine.kernels.evidence.bettors`).

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

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from engine.kernels.evidence.bettors import NOTHING_BET, NOTHING_SEEN, bet_on_all

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ConfidenceSequence", "Interval", "asymptotic_critical_value"]


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

    def __init__(self, low: float, high: float, alpha: float = 0.05) -> None:
        if not -math.inf < low <= high < math.inf:
            raise ValueError(f"expected a finite lower and upper bound, got {low} and {high}")
        if not 0 < alpha < 1:
            raise ValueError(f"expected alpha between 0 and 1, got {alpha}")
        self._low = low
        self._range = high - low
        self._enough = math.log(2 / alpha)
        self._seen = NOTHING_SEEN
        self._bettors = NOTHING_BET, NOTHING_BET

    def add(self, payoff: float) -> None:
        """Add a payoff.

        Raises:
            ValueError: it is outside the declared bounds, so that the interval would not be valid.
        """
        self._add((payoff,), bet_on_all)

    def add_all(self, payoffs: NDArray[np.float64]) -> None:
        """Add many payoffs, in compiled loops, as `add` does one by one.

        Args:
            payoffs: the payoffs in order, shape (n,).

        Raises:
            ValueError: one is outside the declared bounds; those before it have been added.
        """
        self._add(payoffs, _compiled())

    def _add(self, payoffs: Sequence[float] | NDArray[np.float64], bet: Callable[..., Any]) -> None:
        done, self._seen, self._bettors = bet(
            payoffs, self._low, self._range, self._enough, self._seen, self._bettors
        )
        if done < len(payoffs):
            raise ValueError(
                f"expected a payoff from {self._low} to {self._low + self._range}, got {payoffs[done]}"
            )

    @property
    def samples(self) -> int:
        """The number of payoffs so far."""
        return int(self._seen[0])

    @property
    def mean(self) -> float | None:
        """The mean of the payoffs so far; None before the first."""
        samples, total, *_ = self._seen
        return total / samples if samples else None

    @property
    def interval(self) -> Interval | None:
        """The interval of the true mean; None if no constant mean fits what was seen."""
        above, below = self._bettors
        low, high = above[0], 1 - below[0]
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


@functools.cache
def _compiled() -> Callable[..., Any]:
    from engine.kernels._jit import kernel

    return kernel()(bet_on_all)
