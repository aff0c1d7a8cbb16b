"""Selective sampling: the value of each move, as the mean over samples of what is hidden (Loki, Fig. 3).

This module is independent of the game.  A game provides three things: `sample` fills in what is hidden,
*selectively*, that is, by its probability given all that is known; `moves` are our options; `value` plays a
sample to its end after a move.  All moves use the same samples, so they are compared under the same
circumstances.

Samples are drawn and valued in batches.  Sampling ends for one of these reasons:

==============  =========================================================================================
obvious move    the best value leads the second best by more than its error (`Criterion`)
samples         the allowed number has been taken
no time left    the caller decides: `selective_sampling` is a generator that can be left at any time
==============  =========================================================================================

Source: Loki, "A Framework for Non-Deterministic Game-Playing Programs".
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, TypeVar

import attrs
import numpy as np

from engine.support.arrays import Floats

Move = TypeVar("Move")
Sample = TypeVar("Sample")

_LEAST_SAMPLES: Final = 100
"""The number of samples before which no move is obvious, since the errors themselves are not known yet."""


class Criterion(enum.Enum):
    """The lead at which the best move is obvious; each criterion is met sooner than the one before."""

    STANDARD_DEVIATION = "deviation"
    """The sum of the standard deviations of the two moves' values in single samples: the paper's criterion,
    by which fewer than 5 % of the decisions are obvious."""
    STANDARD_ERROR = "error"
    """The sum of the standard errors of the two means, times `Z`."""
    PAIRED_ERROR = "paired"
    """The standard error of the mean difference, times `Z`: both moves share their samples."""
    NEVER = "never"
    """No move is obvious."""


Z: Final = 2.0
"""The number of standard errors by which an obvious move leads."""


@attrs.frozen(eq=False)
class Estimates(Generic[Move]):
    """The estimated value of each move, from some samples, with its errors."""

    moves: tuple[Move, ...]
    samples: int
    _sums: Floats
    # Sums of values, shape (moves,).
    _products: Floats
    # Sums of products of values, shape (moves, moves).

    @property
    def values(self) -> Floats:
        """The mean value of each move, shape (moves,); nan before the first sample."""
        return self._sums / self.samples if self.samples else np.full(len(self.moves), np.nan)

    @property
    def covariances(self) -> Floats:
        """Covariances of the values of moves in single samples, shape (moves, moves); infinite below two."""
        if self.samples < 2:
            return np.full_like(self._products, np.inf)
        centred = self._products - np.outer(self._sums, self._sums) / self.samples
        return centred / (self.samples - 1)

    @property
    def standard_deviations(self) -> Floats:
        """Standard deviation of each move's value in single samples, shape (moves,)."""
        return np.sqrt(np.maximum(np.diagonal(self.covariances), 0.0))

    @property
    def standard_errors(self) -> Floats:
        """Standard error of each mean value, shape (moves,)."""
        return self.standard_deviations / math.sqrt(max(self.samples, 1))

    def difference(self, first: int, second: int) -> tuple[float, float]:
        """The difference in value of two moves, by index, and its standard error."""
        covariances = self.covariances
        variance = covariances[first, first] + covariances[second, second] - 2 * covariances[first, second]
        if not math.isfinite(variance):
            variance = math.inf
        mean = float(self.values[first] - self.values[second])
        return mean, math.sqrt(max(float(variance), 0.0) / max(self.samples, 1))

    def is_obvious(self, criterion: Criterion, known: float | None = None) -> bool:
        """Whether the best move leads the second best by more than the criterion asks for.

        Args:
            criterion: what the lead must exceed.
            known: the value of one more move, which is known for certain (folding: 0 from here on).
        """
        if criterion is Criterion.NEVER or self.samples < 2:
            return False
        values = self.values
        order: list[int] = np.argsort(values, kind="stable")[::-1].tolist()
        best, others = order[0], order[1:2]
        if known is not None and known >= values[best]:
            return float(known - values[best]) > self._doubt(criterion, best, None)
        if known is not None and (not others or known > values[others[0]]):
            return float(values[best] - known) > self._doubt(criterion, best, None)
        if not others:
            return True
        return float(values[best] - values[others[0]]) > self._doubt(criterion, best, others[0])

    def _doubt(self, criterion: Criterion, move: int, other: int | None) -> float:
        """The lead that separates two moves; None is the one whose value is certain."""
        moves = [move] if other is None else [move, other]
        if criterion is Criterion.STANDARD_DEVIATION:
            return float(self.standard_deviations[moves].sum())
        if criterion is Criterion.STANDARD_ERROR or other is None:
            return Z * float(self.standard_errors[moves].sum())
        return Z * self.difference(move, other)[1]


def selective_sampling(
    sample: Callable[[int], Sample],
    moves: Sequence[Move],
    value: Callable[[Sample, Move], Floats],
    *,
    max_samples: int,
    batch: int = 100,
    criterion: Criterion = Criterion.NEVER,
    known: float | None = None,
    least_samples: int = _LEAST_SAMPLES,
) -> Iterator[Estimates[Move]]:
    """Estimate the values of moves by sampling; yields the estimates after each batch.

    Args:
        sample: draws a number of samples at once; one call is a batch.
        moves: our options.
        value: returns the value of a move in each sample of a batch, shape (batch,).
        max_samples: the most samples to draw.
        batch: the number of samples between two yields.
        criterion: when to stop because the best move is obvious.
        known: the value of one more move, which needs no samples.
        least_samples: the number of samples before which no move is obvious.

    Raises:
        ValueError: no moves, or numbers below one.
    """
    if not moves or max_samples < 1 or batch < 1:
        raise ValueError(
            f"expected moves, and samples and batches of 1 or more, got {len(moves)} moves, {max_samples} "
            f"samples, batches of {batch}"
        )

    def estimates_by_batch() -> Iterator[Estimates[Move]]:
        samples = 0
        sums = np.zeros(len(moves))
        products = np.zeros((len(moves), len(moves)))
        while samples < max_samples:
            size = min(batch, max_samples - samples)
            drawn = sample(size)
            values = np.array([value(drawn, move) for move in moves])
            samples += size
            sums = sums + values.sum(axis=1)
            products = products + values @ values.T
            estimates = Estimates(tuple(moves), samples, sums, products)
            yield estimates
            if samples >= least_samples and estimates.is_obvious(criterion, known):
                return

    return estimates_by_batch()


def best_move(values: Sequence[float], aggression: Sequence[float]) -> int:
    """The index of the highest value; among equal values, that of the more aggressive move.

    Source: Loki, "An Expected Value Based Betting Strategy".
    """
    return max(range(len(values)), key=lambda index: (values[index], aggression[index]))
