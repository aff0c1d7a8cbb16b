"""Intervals that hold whenever you look: for payoffs of a constant mean, and for any others.

*The betting confidence sequence* is the narrower one; it is for a constant mean.

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

*The empirical-Bernstein confidence sequence* (`AverageSequence`) is for payoffs whose mean changes, as those
of players who learn.  It covers the average of the means that payoffs had, given all before them: what a
match was worth so far.  With forecasts f that depend on earlier payoffs only, and c the most by which a
payoff may miss its forecast, |Σ(x - E x)| stays below

    u(V) = min over k of (ln(2/(α w_k)) + ψ(λ_k) V) / λ_k,     V = Σ(x - f)²/c²,     ψ(λ) = -ln(1 - λ) - λ

times c for ever, with probability 1 - α.  Each λ has a straight line that is crossed with chance α w_k at
most; the steep ones are low at first, the flat ones after many payoffs.

*The declared bounds* of a game follow from its rules alone (`payoff_bounds`).  A position puts in at most its
stack; in a limit game at most the sum of all raises allowed, which is 24 small bets in heads-up limit hold'em
with blinds of half a small bet and one.  What a position bets beyond what anybody else could match is
returned to it; an ante is not.

Sources: Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence
sequences", Annals of Statistics 49 (2021), theorem 4.  Waudby-Smith and Ramdas, "Estimating means of bounded
random variables by betting", Journal of the Royal Statistical Society B 86 (2024), section 4.3.  There a
stake is limited to c/m, for each m; here to c over the largest m that is still in, which is also known before
the payoff.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.kernels.evidence.bettors import MOST_RISKED, NOTHING_BET, NOTHING_SEEN, ROUNDING, bet_on_all
from engine.poker.rules import GameDefinition
from engine.poker.rules.betting import initial_betting
from engine.poker.rules.game_definition import MAX_ACTIONS_PER_ROUND, UNLIMITED_STACK

if TYPE_CHECKING:
    from engine.support.arrays import Floats


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
        most_risked: the greatest share of the capital that is risked, below 1; more is better where payoffs
            hardly ever come near their bounds.

    Raises:
        ValueError: bounds that are not finite or not in order, or an `alpha` that is not a probability.
    """

    def __init__(
        self, low: float, high: float, alpha: float = 0.05, most_risked: float = MOST_RISKED
    ) -> None:
        if not -math.inf < low <= high < math.inf:
            raise ValueError(f"expected a finite lower and upper bound, got {low} and {high}")
        if not 0 < alpha < 1:
            raise ValueError(f"expected alpha between 0 and 1, got {alpha}")
        self._low = low
        self._range = high - low
        self._enough = math.log(2 / alpha)
        self._most_risked = most_risked
        self._seen = NOTHING_SEEN
        self._bettors = NOTHING_BET, NOTHING_BET

    def add(self, payoff: float) -> None:
        """Add a payoff.

        Raises:
            ValueError: it is outside the declared bounds, so that the interval would not be valid.
        """
        self._add((payoff,), bet_on_all)

    def add_all(self, payoffs: Floats) -> None:
        """Add many payoffs, in compiled loops, as `add` does one by one.

        Args:
            payoffs: the payoffs in order, shape (n,).

        Raises:
            ValueError: one is outside the declared bounds; those before it have been added.
        """
        self._add(payoffs, _compiled())

    def _add(self, payoffs: Sequence[float] | Floats, bet: Callable[..., Any]) -> None:
        done, self._seen, self._bettors = bet(
            payoffs, self._low, self._range, self._enough, self._seen, self._bettors, self._most_risked
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


class AverageSequence(ConfidenceSequence):
    """The same for payoffs whose mean changes: its interval covers the average of their means so far."""

    _NEAR_MIDDLE: Final = 1 / 8
    """Forecasts are no farther from the middle of the bounds, as a share of their distance."""

    def _add(self, payoffs: Sequence[float] | Floats, bet: Callable[..., Any]) -> None:
        samples, total, _, variation = self._seen if self.samples else (0.0, 0.0, 0.0, 0.0)
        middle, away = self._low + self._range / 2, self._NEAR_MIDDLE * self._range
        farthest = (self._range / 2 + away) * (1 + 2 * ROUNDING)
        for payoff in map(float, payoffs):
            if abs(payoff - middle) > self._range * (0.5 + ROUNDING):
                raise ValueError(
                    f"expected a payoff from {self._low} to {self._low + self._range}, got {payoff}"
                )
            forecast = min(max((middle + total) / (samples + 1), middle - away), middle + away)
            variation += ((payoff - forecast) / farthest) ** 2 if farthest else 0.0
            samples, total = samples + 1, total + payoff
            self._seen = samples, total, farthest, variation

    @property
    def interval(self) -> Interval:
        """The interval of the average of the means; all that is possible before the first payoff."""
        low, high = self._low, self._low + self._range
        samples, total, farthest, variation = self._seen
        if not samples:
            return Interval(low, high)
        lines = ((self._enough + unlikely + curved * variation) / rate for rate, unlikely, curved in _lines())
        distance = min(lines) * farthest / samples
        return Interval(max(low, total / samples - distance), min(high, total / samples + distance))


AtAllTimes = type[ConfidenceSequence] | None
"""What gives a match's intervals; None if its number of deals was fixed in advance."""


def sequence_of(goal: object, learners: Collection[object]) -> AtAllTimes:
    """What gives a match's intervals.

    Args:
        goal: of the match, if it may end early.
        learners: the players that learn while they play.
    """
    return AverageSequence if learners else ConfidenceSequence if goal else None


@functools.cache
def _lines() -> list[tuple[float, float, float]]:
    """λ, -ln w and ψ(λ) of each straight line that bounds the sum of the errors."""
    rates = [0.6 * 1.5**-number for number in range(24)]
    all_of_them = sum([1 / (number + 2) for number in range(24)])
    return [
        (rate, math.log(all_of_them * (number + 2)), -math.log1p(-rate) - rate)
        for number, rate in enumerate(rates)
    ]


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


# --- the bounds of a game ---------------------------------------------------------------------------------


@attrs.frozen
class PayoffBounds:
    """Bounds of the chips that players can win or lose in a hand."""

    most_lost: tuple[int, ...]
    """The most chips that each position can lose."""
    most_won: tuple[int, ...]
    """The most chips that each position can win."""

    def of_a_player(self) -> tuple[int, int]:
        """The least and the most that a player can win in any position."""
        return -max(self.most_lost), max(self.most_won)

    def of_a_lead(self) -> float:
        """The most by which one player can lead another in a hand: see `engine.evidence.verdict`."""
        positions = range(len(self.most_lost))
        widest = max(self.most_won[p] + self.most_lost[q] for p in positions for q in positions if p != q)
        return widest / 2 if len(positions) == 2 else widest


def payoff_bounds(game: GameDefinition) -> PayoffBounds | None:
    """The bounds of a game; None if it has none because it names no stacks."""
    bet = _most_bet(game)
    stacks, antes = game.betting_stacks, game.antes_posted
    most_spent = tuple(min(stack, bet) for stack in stacks)
    if min(sorted(most_spent)[-2:]) >= UNLIMITED_STACK:
        return None
    if game.is_limit and any(spent == stack for spent, stack in zip(most_spent, stacks, strict=True)):
        # A short stack's raise can lower the bet; a player who then folds loses more than anybody matched.
        lost = tuple(spent + ante for spent, ante in zip(most_spent, antes, strict=True))
        return PayoffBounds(lost, tuple(sum(lost) - each for each in lost))
    matched = [
        min(spent, max(most_spent[:position] + most_spent[position + 1 :]))
        for position, spent in enumerate(most_spent)
    ]
    won = [
        sum(min(spent, other) + antes[q] for q, other in enumerate(matched) if q != position)
        for position, spent in enumerate(matched)
    ]
    lost = tuple(spent + ante for spent, ante in zip(matched, antes, strict=True))
    return PayoffBounds(lost, tuple(won))


def _most_bet(game: GameDefinition) -> int:
    """The chips that a position with no limit has put in after all raises allowed."""
    raises = [min(most, MAX_ACTIONS_PER_ROUND + 1 - game.num_players) for most in game.max_raises]
    bet = initial_betting(game).max_spent
    if game.is_limit:
        return bet + sum(size * number for size, number in zip(game.raise_sizes, raises, strict=True))
    return UNLIMITED_STACK if any(raises) else bet
