"""Is a new version better? A test against a field of opponents, which may be looked at after every deal.

Deals come in *rounds*.  For each deal of a round an opponent is drawn, with chances that follow from earlier
rounds: opponents whose rows are least certain get more deals.  The difference d of both versions in the deal
counts as d w/p, where w is the opponent's weight in the field and p the chance with which it was drawn.  So
every deal has the mean of the field, however deals were allocated before, and one confidence sequence says
what the new version gains (`engine.evidence.confidence_sequence`): the betting one, which holds for every
bounded payoff, or for players that learn the empirical-Bernstein one.  Chances are at least 85 % of
the weights, so that no deal counts for much more than another.

============  ==========================================================================================
``gain``      accepted once the lower end passes the first bound, rejected once the upper end is under the
              second
``hold``      the same, but nothing is rejected that may be as good as the old version: the second bound is
              0 at most
``simplify``  ``hold`` with small bounds, for changes that take something away
============  ==========================================================================================

A sub-Gaussian or an asymptotic sequence would need no bounds and be narrower.  Neither is used: a version
that mostly wins a little more and rarely loses a stack deceives them (docs/evidence.md has how often).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from enum import Enum
from typing import Final

import attrs

from engine.evidence.confidence_sequence import (
    AverageSequence,
    ConfidenceSequence,
    Interval,
    asymptotic_critical_value,
)
from engine.evidence.verdict import ALPHA
from engine.support.seeds import derive_seed
from engine.support.user_input import parse_finite

_EVEN: Final = 0.85
"""The part of a round's deals that is allocated by the weights alone."""
_NARROWEST_AT: Final = 50
"""Matches after which the interval by the spread of matches is as narrow as it gets."""
_RISKED: Final = 0.95
"""Differences hardly ever come near their bounds: a bettor may risk nearly all."""
DEFAULTS: Final = {"gain": (0.0, 20.0), "hold": (-10.0, 10.0), "simplify": (-5.0, 10.0)}


class Decision(Enum):
    """The verdict on a new version."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


@attrs.frozen
class Bounds:
    """A test: its kind and its bounds in mbb/h."""

    kind: str
    low: float
    high: float

    @classmethod
    def parse(cls, text: str) -> Bounds:
        """The test of a text such as ``gain:0,20``, ``hold:-10,10`` or ``simplify``.

        Raises:
            ValueError: another one, or bounds that are not in order.
        """
        kind, colon, numbers = text.strip().partition(":")
        if kind not in DEFAULTS or (kind == "simplify" and colon):
            raise ValueError(f"expected gain:LOW,HIGH, hold:LOW,HIGH or simplify, got {text!r}")
        ends = [parse_finite(each) for each in numbers.split(",")] if colon else DEFAULTS[kind]
        if len(ends) != 2 or not ends[0] < ends[1]:
            raise ValueError(f"expected two numbers of mbb/h, the smaller one first, got {numbers!r}")
        return cls(kind, ends[0], ends[1])

    def __str__(self) -> str:
        return self.kind if self.kind == "simplify" else f"{self.kind}:{self.low:g},{self.high:g}"

    @property
    def turns_away(self) -> float:
        """The version is rejected once the upper end is under this."""
        return self.high if self.kind == "gain" else min(self.high, 0.0)

    def decision(self, gain: Interval | None) -> Decision:
        """The verdict on a gain, in mbb/h; one that no constant fits is undecided."""
        if gain is not None and gain.low > self.low:
            return Decision.ACCEPTED
        if gain is not None and gain.high < self.turns_away:
            return Decision.REJECTED
        return Decision.UNDECIDED


class MatchesSequence(AverageSequence):
    """What versions differ by if somebody learns: over all matches, which everybody begins afresh.

    The deals of a match then depend on one another, its versions' opponents having learnt different things.
    The interval is the wider one of the deals' own, and of one by the spread of whole matches (the asymptotic
    sequence).
    """

    def __init__(self, low: float, high: float, alpha: float) -> None:
        super().__init__(low, high, alpha)
        self._alpha = alpha
        self._matches: dict[int, float] = {}

    def add_of(self, match: int, payoff: float) -> None:
        """Add a deal of a match."""
        self.add(payoff)
        self._matches[match] = self._matches.get(match, 0.0) + payoff

    @property
    def interval(self) -> Interval:
        """The interval of the mean over all matches."""
        by_deals, mean = super().interval, self.mean
        if mean is None:
            return by_deals
        spread = math.sqrt(math.fsum([each**2 for each in self._matches.values()])) / self.samples
        spread *= asymptotic_critical_value(len(self._matches), self._alpha, _NARROWEST_AT)
        return Interval(min(by_deals.low, mean - spread), max(by_deals.high, mean + spread))


class FieldTest:
    """A comparison as its deals come in.

    Args:
        bounds: the test.
        weights: of the opponents; they add up to 1.
        most: the most by which versions can differ in a deal, in mbb.
        learns: somebody's play depends on earlier deals.
        alpha: the greatest probability that the interval of the gain ever misses it.
    """

    def __init__(
        self, bounds: Bounds, weights: Sequence[float], most: float, *, learns: bool, alpha: float = ALPHA
    ) -> None:
        self.bounds = bounds
        self.weights = tuple(weights)
        self.decision = Decision.UNDECIDED
        opponents = range(len(weights))

        def sequence(reach: float, level: float) -> ConfidenceSequence:
            if learns:
                return MatchesSequence(-reach, reach, level)
            return ConfidenceSequence(-reach, reach, level, _RISKED)

        self.whole = sequence(most / _EVEN, alpha)
        # By opponent, at α, α/2 and so on: those that Holm's procedure asks for.
        self._rows = [[sequence(most, alpha / (k + 1)) for k in opponents] for _ in opponents]
        self._squares = [0.0] * len(weights)

    @property
    def deals(self) -> int:
        """The number of deals so far."""
        return self.whole.samples

    def row(self, opponent: int) -> ConfidenceSequence:
        """The gain against one opponent, at the level of a single row."""
        return self._rows[opponent][0]

    def chances(self) -> list[float]:
        """The chances with which opponents are drawn in the next round."""
        spread = [weight * self._sd(place) for place, weight in enumerate(self.weights)]
        total = math.fsum(spread)
        parts = [each / total for each in spread] if total else self.weights
        return [_EVEN * weight + (1 - _EVEN) * part for weight, part in zip(self.weights, parts, strict=True)]

    def _sd(self, opponent: int) -> float:
        row = self.row(opponent)
        variance = 0.0 if row.mean is None else self._squares[opponent] / row.samples - row.mean**2
        return math.sqrt(max(0.0, variance))

    def draws(self, seed: int, number: int, deals: int) -> list[int]:
        """The opponents of a round's deals, in order.

        Args:
            seed: of the comparison.
            number: of the round.
            deals: how many.
        """
        chosen = random.Random(derive_seed(seed, number))
        return chosen.choices(range(len(self.weights)), self.chances(), k=deals)

    def add(self, opponent: int, difference: float, chance: float, match: int = 0) -> Decision:
        """Add a deal; returns the verdict after it, which stays once there is one.

        Args:
            opponent: in whose deal.
            difference: between the versions, in mbb per hand.
            chance: with which the opponent was drawn.
            match: that the deal is of.

        Raises:
            ValueError: the difference is greater than versions can differ.
        """
        counted = difference * self.weights[opponent] / chance
        for sequence in (self.whole, *self._rows[opponent]):
            payoff = counted if sequence is self.whole else difference
            if isinstance(sequence, MatchesSequence):
                sequence.add_of(match, payoff)
            else:
                sequence.add(payoff)
        self._squares[opponent] += difference**2
        if self.decision is Decision.UNDECIDED:
            self.decision = self.bounds.decision(self.whole.interval)
        return self.decision

    def proved(self) -> list[int]:
        """The proofs by opponent, by Holm: 1 for a gain, -1 for a loss, 0 for neither."""
        before: list[int] = []
        found = [0] * len(self.weights)
        while 0 in found and found != before:
            before, ends = found, [rows[found.count(0) - 1].interval for rows in self._rows]
            signs = [0 if end is None else (end.low > 0) - (end.high < 0) for end in ends]
            found = [was or sign for was, sign in zip(found, signs, strict=True)]
        return found

    def deals_to_decide(self) -> int | None:
        """About how many deals a verdict takes in all if the gain is what it seems; None: it never comes."""
        interval, mean = self.whole.interval, self.whole.mean
        if interval is None or mean is None:
            return None
        below = mean - self.bounds.low, mean - interval.low
        above = self.bounds.turns_away - mean, interval.high - mean
        needed = [self.deals * (spread / room) ** 2 for room, spread in (below, above) if room > 0]
        return math.ceil(max(self.deals, min(needed))) if needed else None
