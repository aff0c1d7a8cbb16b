"""Betting confidence sequences by the book, and matches simulated side by side under rules for ending them.

Every bet is kept, and ends are found by bisection.  `exact_intervals` is what
`engine.evidence.confidence_sequence` approximates from outside without a history; `published_interval` is the
sequence of Waudby-Smith and Ramdas with its stakes cut off at each mean.  Payoffs of matches are in big
blinds, with the bounds that a verdict on them declares; the rules are those that `riverboat match` uses or
used, or might have used.
"""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs
import numpy as np

from engine.support.arrays import Bools, Floats

# --- confidence sequence ------------------------------------------------------------------------------------


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


# --- stopping rules -----------------------------------------------------------------------------------------

Draw = Callable[[np.random.Generator, int], Floats]

PLURIBUS: Final = Path(__file__).parents[3] / "shared" / "hands" / "pluribus-hands.txt.gz"
"""Results of a match that was played; no part of the repository, and not needed."""


@attrs.frozen
class Shape:
    """How payoffs spread."""

    name: str
    draw: Draw
    """Payoffs of one deal, shape (matches,)."""
    bound: float
    """No payoff is further from 0."""
    mean: float
    sd: float

    def moved(self, edge: float) -> Shape:
        """The same with another mean; the few payoffs that would leave the bounds are cut."""

        def draw(generator: np.random.Generator, matches: int) -> Floats:
            moved = self.draw(generator, matches) + (edge - self.mean)
            return np.clip(moved, -self.bound, self.bound)

        return attrs.evolve(self, draw=draw, mean=edge)


def of_values(name: str, bound: float, values: dict[float, float]) -> Shape:
    """Payoffs that are one of a few values, each with its chance."""
    payoffs, chances = np.array(list(values)), np.array(list(values.values()))
    assert math.isclose(chances.sum(), 1)
    mean = float(payoffs @ chances)
    sd = math.sqrt(float(payoffs**2 @ chances) - mean**2)
    ends = np.cumsum(chances)

    def draw(generator: np.random.Generator, matches: int) -> Floats:
        return payoffs[np.minimum(np.searchsorted(ends, generator.random(matches)), len(payoffs) - 1)]

    return Shape(name, draw, bound, mean, sd)


def normal(name: str, bound: float, sd: float) -> Shape:
    """Normal payoffs, cut at bounds so far off that it changes nothing."""

    def draw(generator: np.random.Generator, matches: int) -> Floats:
        return np.clip(generator.normal(0, sd, matches), -bound, bound)

    return Shape(name, draw, bound, 0.0, sd)


SHAPES: Final = (
    normal("normal, as heads-up limit", 12.0, 1.2),
    of_values(
        "heavy tails, as no-limit with 100 bb",
        100.0,
        {
            -0.5: 0.28, -1.0: 0.16, 1.0: 0.22, 1.5: 0.08, -3.0: 0.066, 3.0: 0.07, -8.0: 0.04, 8.0: 0.044,
            -25.0: 0.015, 25.0: 0.015, -60.0: 0.002, 60.0: 0.003, -100.0: 0.003, 100.0: 0.002,
        },
    ),
    of_values(
        "± 0.5 mostly, ± 100 in 0.5 %", 100.0, {-0.5: 0.4975, 0.5: 0.4975, -100.0: 0.0025, 100.0: 0.0025}
    ),
    of_values("wins 0.2 mostly, loses 50 in 0.4 %", 100.0, {0.2: 0.996, -50.0: 0.004}),
)  # fmt: skip
"""Those of the table in the documents: what is played in limit, what in no-limit, and two that deceive."""


def pluribus() -> Shape | None:
    """The results of Pluribus itself, where they are at hand."""
    if not PLURIBUS.exists():
        return None
    won = []
    with gzip.open(PLURIBUS, "rt", encoding="utf-8") as lines:
        for line in lines:
            if (parts := re.fullmatch(r"STATE:\d+:[^:]*:[^:]*:([^:]*):(.*)", line.strip())) is not None:
                names = parts.group(2).split("|")
                if "Pluribus" in names:
                    won.append(float(parts.group(1).split("|")[names.index("Pluribus")]) / 100)
    values = np.array(won)

    def draw(generator: np.random.Generator, matches: int) -> Floats:
        return values[generator.integers(0, len(values), matches)]

    return Shape("Pluribus's own results", draw, 500.0, float(values.mean()), float(values.std()))


@attrs.frozen
class Course:
    """What became of some matches under one rule."""

    false: float
    """The share of matches whose interval missed the truth when somebody looked."""
    decided_after: Floats
    """By match: the deals after which its interval did not hold 0 any more; infinite where it always did."""
    half_width: float
    """Of the last interval, the median over matches, as a multiple of 1.96 standard errors."""
    missed_at_end: float
    """The share of matches whose last interval missed the truth."""


@attrs.define
class _Rule:
    """Follows one rule."""

    shape: Shape
    interval: Callable[[int], tuple[Floats, Floats] | None]
    """After so many deals: lower and upper ends; None where nobody looks."""
    matches: int
    missed: Bools = attrs.field(init=False)
    decided: Floats = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.missed = np.zeros(self.matches, dtype=bool)
        self.decided = np.full(self.matches, math.inf)

    def look(self, t: int) -> None:
        ends = self.interval(t)
        if ends is None:
            return
        low, high = ends
        self.missed |= (low > self.shape.mean) | (high < self.shape.mean)
        self.decided[((low > 0) | (high < 0)) & np.isinf(self.decided)] = t


RARE: Final = of_values("wins 0.02, loses 100 in 0.02 %", 100.0, {0.02: 0.9998, -100.0: 0.0002})
"""Batches that saw no loss look as if the winner were known."""


def averages(
    shape: Shape, matches: int, deals: int, seed: int, *, learns: bool, alpha: float = 0.05
) -> Course:
    """Matches judged by the empirical-Bernstein sequence of `engine.evidence.confidence_sequence`.

    Args:
        shape: the payoffs.
        matches: how many.
        deals: of each.
        seed: of the payoffs.
        learns: half of each payoff is drawn; the other half is what the players have learnt, which depends on
            what was won so far and on the time, and is up to two standard deviations.
        alpha: the chance of missing the average of the means so far, ever.
    """
    generator = np.random.default_rng(seed)
    total, truth, squares = np.zeros((3, matches))
    missed, decided = np.zeros(matches, dtype=bool), np.full(matches, math.inf)
    farthest = shape.bound * 1.25
    rates = 0.6 * 1.5 ** -np.arange(24.0)
    weights = 1 / (np.arange(24) + 2)
    needed = math.log(2 / alpha) - np.log(weights / weights.sum())
    for t in range(1, deals + 1):
        won, mean = shape.draw(generator, matches), np.full(matches, shape.mean)
        if learns:
            learnt = np.minimum(2 * shape.sd, shape.bound) * np.sin(total / shape.bound + t / 500)
            won, mean = (won + learnt) / 2, (mean + learnt) / 2
        forecast = np.clip(total / t, -shape.bound / 4, shape.bound / 4)
        squares += ((won - forecast) / farthest) ** 2
        total += won
        truth += mean
        lines = (needed + (-np.log1p(-rates) - rates) * squares[:, None]) / rates
        distance = lines.min(axis=1) * farthest
        missed |= np.abs(total - truth) > distance
        decided[(np.abs(total) > distance) & np.isinf(decided)] = t
    error = np.sqrt(np.maximum(squares, 1e-12)) * farthest
    at_end = float(np.mean(np.abs(total - truth) > distance))
    return Course(float(missed.mean()), decided, float(np.median(distance / error)) / 1.959964, at_end)


POCOCK_LOOKS: Final = (250, 375, 562, 844, 1266, 1898, 2848, 4271, 6407, 10000)
"""After how many of 10,000 deals: each time half as many again."""
_POCOCK: Final = 2.652
# The critical value with which the intervals at all ten hold together with 95 %, for normal payoffs.
_FIRST_LOOK: Final = 50
# Of the rules that look at standard errors after every deal: fewer deals have none worth speaking of.


def simulate(
    shape: Shape, matches: int, deals: int, seed: int, alpha: float = 0.05, most_risked: float = 0.5
) -> dict[str, Course]:
    """Play matches of one shape, and follow every rule through all of them.

    Returns:
        By rule: ``fixed`` (1.96 standard errors, looked at once after the last deal), ``peeking`` (the same
        after every deal), ``Pocock`` (where there are 10,000 deals), ``asymptotic`` and ``betting``.
    """
    generator = np.random.default_rng(seed)
    total, squares = np.zeros(matches), np.zeros(matches)
    betting = ManySequences(matches, alpha, most_risked)
    z = 1.959964
    tightest = deals / 4
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / tightest

    def errors(t: int) -> tuple[Floats, Floats]:
        mean = total / t
        return mean, np.sqrt(np.maximum(squares / t - mean**2, 0) * t / (t - 1) / t)

    def normal_at(t: int, factor: float) -> tuple[Floats, Floats]:
        mean, error = errors(t)
        return mean - factor * error, mean + factor * error

    def asymptotic(t: int) -> tuple[Floats, Floats] | None:
        if t < _FIRST_LOOK:
            return None
        grown = t * rho2 + 1
        factor = math.sqrt(2 * grown / (t * rho2) * math.log(math.sqrt(grown) / alpha))
        return normal_at(t, factor)

    def to_payoffs(x: Floats) -> Floats:
        return (2 * x - 1) * shape.bound

    looks = set(POCOCK_LOOKS) if deals == POCOCK_LOOKS[-1] else set()
    rules = {
        "fixed": _Rule(shape, lambda t: normal_at(t, z) if t == deals else None, matches),
        "peeking": _Rule(shape, lambda t: normal_at(t, z) if t >= _FIRST_LOOK else None, matches),
        "Pocock": _Rule(shape, lambda t: normal_at(t, _POCOCK) if t in looks else None, matches),
        "asymptotic": _Rule(shape, asymptotic, matches),
        "betting": _Rule(shape, lambda t: (to_payoffs(betting.low), to_payoffs(betting.high)), matches),
    }
    for t in range(1, deals + 1):
        won = shape.draw(generator, matches)
        total += won
        squares += won * won
        betting.add(won / (2 * shape.bound) + 0.5)
        for rule in rules.values():
            rule.look(t)
    unit = z * errors(deals)[1]
    courses = {}
    for name, rule in rules.items():
        ends = rule.interval(deals)
        if ends is not None:
            low, high = ends
            width = float(np.median((high - low) / 2 / np.where(unit > 0, unit, math.nan)))
            at_end = float(np.mean((low > shape.mean) | (high < shape.mean)))
            courses[name] = Course(float(rule.missed.mean()), rule.decided, width, at_end)
    return courses
