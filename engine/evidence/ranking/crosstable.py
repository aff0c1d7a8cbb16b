"""What players won from one another, with standard errors, and what that proves: p-values, ranges of ranks.

With common seeds the deals of different tables have the same cards and are not independent: a *block* is
all deals that depend on the same cards.  Standard errors come from the sums of blocks (cluster-robust), so
they hold across tables; if players learn, a block should be a whole match.

Source: K.-Y. Liang, S. Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73
(1986), for the estimator, with B / (B - 1) for few blocks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final

import attrs
import numpy as np

from engine.support.arrays import Floats, Ints
from engine.support.intervals import student_t

_ALPHA: Final = 0.05
"""The greatest probability that any of a ranking's claims is false."""
_TINY: Final = 1e-300
_MOST_TERMS: Final = 500
_PRECISION: Final = 1e-15


@attrs.frozen(eq=False)
class Sitting:
    """Deals that some players played at one table."""

    players: tuple[int, ...]
    won: Floats
    """mbb per hand, shape (players, deals)."""
    blocks: Ints
    """The block of each deal, from 0, shape (deals,)."""

    def leads(self) -> Iterator[tuple[int, int, Floats]]:
        """Each pair at the table, with half the difference of what they won in each deal, shape (deals,)."""
        for (i, one), (j, other) in itertools.combinations(enumerate(self.players), 2):
            yield one, other, (self.won[i] - self.won[j]) / 2


@attrs.frozen(eq=False)
class CrossTable:
    """Winnings of each from each."""

    mean: Floats
    """Shape (players, players): heads-up what the row won from the column, in mbb/h; at larger tables half
    the difference of what both won there.  NaN if they never met, 0 on the diagonal."""
    error: Floats
    """Standard errors of `mean`; NaN with fewer than two blocks."""
    blocks: Ints
    """Blocks in which two players met, shape (players, players)."""
    deals: Ints
    """Deals in which they met, shape (players, players)."""
    rate: Floats
    """What each player won in all, in mbb/h: the mean over its tables with equal weights; NaN without a
    deal."""
    parts: Floats
    """The contribution of each block to the error of each rate, shape (blocks, players)."""

    @property
    def num_players(self) -> int:
        """The number of players."""
        return len(self.rate)

    def rate_error(self, player: int, other: int | None = None) -> float | None:
        """The standard error of a rate, or of its difference from another's; None with fewer than two
        blocks."""
        blocks = len(self.parts)
        if blocks < 2:
            return None
        parts = self.parts[:, player] - (0.0 if other is None else self.parts[:, other])
        return math.sqrt(blocks / (blocks - 1) * float(parts @ parts))

    def half_width(self, player: int, alpha: float = 0.05) -> float | None:
        """Half the width of the interval of a rate that misses with probability `alpha`."""
        error = self.rate_error(player)
        return None if error is None else error * student_t(len(self.parts) - 1, alpha)

    def pair_half_width(self, player: int, other: int, alpha: float = 0.05) -> float | None:
        """Half the width of such an interval of a pair."""
        error = float(self.error[player, other])
        if math.isnan(error):
            return None
        return error * student_t(int(self.blocks[player, other]) - 1, alpha)


def crosstable(num_players: int, sittings: Sequence[Sitting]) -> CrossTable:
    """The cross table of some sittings.

    Args:
        num_players: the number of players at all tables together.
        sittings: the sittings.
    """
    num_blocks = max([int(each.blocks.max()) + 1 for each in sittings if len(each.blocks)], default=0)
    shape = (num_players, num_players)
    mean, error = np.full(shape, np.nan), np.full(shape, np.nan)
    np.fill_diagonal(mean, 0.0)
    blocks, deals = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    met: dict[tuple[int, int], list[tuple[Floats, Ints]]] = {}
    for each in sittings:
        if not len(each.blocks):
            continue
        for one, other, lead in each.leads():
            pair, lead = ((one, other), lead) if one < other else ((other, one), -lead)
            met.setdefault(pair, []).append((lead, each.blocks))
    for (one, other), parts in met.items():
        lead = np.concatenate([each for each, _ in parts])
        of = np.concatenate([each for _, each in parts])
        m = float(lead.mean())
        count = np.bincount(of, minlength=num_blocks)
        num = int(np.count_nonzero(count))
        residuals = np.bincount(of, lead, minlength=num_blocks) - m * count
        e = math.sqrt(num / (num - 1) * float(residuals @ residuals)) / len(lead) if num > 1 else np.nan
        mean[one, other], mean[other, one] = m, -m
        error[one, other] = error[other, one] = e
        blocks[one, other] = blocks[other, one] = num
        deals[one, other] = deals[other, one] = len(lead)
    rate, of_rates = _rates(num_players, sittings, num_blocks)
    return CrossTable(mean, error, blocks, deals, rate, of_rates)


def _rates(num_players: int, sittings: Sequence[Sitting], num_blocks: int) -> tuple[Floats, Floats]:
    """The rates, and the contributions of blocks to their errors."""
    tables: dict[frozenset[int], list[Sitting]] = {}
    for each in sittings:
        if len(each.blocks):
            tables.setdefault(frozenset(each.players), []).append(each)
    number = np.zeros(num_players)
    for members in tables:
        number[list(members)] += 1
    rate, parts = np.zeros(num_players), np.zeros((num_blocks, num_players))
    for members, of_table in tables.items():
        deals = sum(len(each.blocks) for each in of_table)
        for player in members:
            won = np.concatenate([each.won[each.players.index(player)] for each in of_table])
            of = np.concatenate([each.blocks for each in of_table])
            m = float(won.mean())
            rate[player] += m / number[player]
            residuals = np.bincount(of, won, minlength=num_blocks) - m * np.bincount(of, minlength=num_blocks)
            parts[:, player] += residuals / deals / number[player]
    rate[number == 0] = np.nan
    return rate, parts


# --- significance -----------------------------------------------------------------------------------------


@attrs.frozen
class RankRange:
    """A player's rank, and the ranks that it may have."""

    rank: int
    """By its rate, from 1; players with equal rates share a rank."""
    low: int
    """The best rank it may have: one more than the number of players proved to be better."""
    high: int
    """The worst rank it may have."""


def student_p(t: float, degrees: float) -> float:
    """The probability that Student's t is farther from 0 than this, on either side.

    Source: Abramowitz and Stegun 26.7.1 and 26.5.8, the incomplete beta function as a continued fraction.
    """
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), by Lentz's method on the side where it converges fast."""
    if x <= 0.0 or x >= 1.0:
        return min(1.0, max(0.0, x))
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _incomplete_beta(b, a, 1.0 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_TERMS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _away_from_zero(1.0 + numerator * d)
            c = _away_from_zero(1.0 + numerator / c)
            value *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return front * value / a


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _p(mean: float, error: float | None, blocks: int) -> float:
    """The p-value of a mean if the true mean is 0; 1 if there is no error."""
    if error is None or math.isnan(error) or math.isnan(mean) or blocks < 2:
        return 1.0
    if error == 0.0:
        return 0.0 if mean else 1.0
    return student_p(mean / error, blocks - 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's p-values: the probability that any claim with a p-value below α is false is at most α.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979).
    """
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for step, k in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - step) * p_values[k]))
        adjusted[k] = highest
    return adjusted


def pair_p_values(table: CrossTable) -> tuple[Floats, Floats]:
    """The p-values of all pairs, and Holm's; shape (players, players) each, 1 if two never met."""
    n = table.num_players
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if table.deals[i, j]]
    plain = [_p(float(table.mean[i, j]), float(table.error[i, j]), int(table.blocks[i, j])) for i, j in pairs]
    return _symmetric(n, pairs, plain), _symmetric(n, pairs, holm(plain))


def _symmetric(n: int, pairs: Sequence[tuple[int, int]], values: Sequence[float]) -> Floats:
    matrix = np.ones((n, n))
    for (i, j), value in zip(pairs, values, strict=True):
        matrix[i, j] = matrix[j, i] = value
    return matrix


def rank_ranges(table: CrossTable, alpha: float = _ALPHA) -> list[RankRange]:
    """Each player's rank by rate and the ranks it may have: with probability 1 - α all ranges are right.

    Players without a deal are ranked last, and may have any rank.

    Source: M. Mogstad, J. Romano, A. Shaikh, D. Wilhelm, "Inference for ranks", Review of Economic Studies 91
    (2024): ranges follow from the differences that are proved, here by Holm.
    """
    n = table.num_players
    rate = np.where(np.isnan(table.rate), -np.inf, table.rate)
    pairs = list(itertools.combinations(np.flatnonzero(np.isfinite(rate)).tolist(), 2))
    blocks = len(table.parts)
    adjusted = holm([_p(float(rate[i] - rate[j]), table.rate_error(i, j), blocks) for i, j in pairs])
    better, worse = [0] * n, [0] * n
    for (i, j), p in zip(pairs, adjusted, strict=True):
        if p < alpha:
            above, below = (i, j) if rate[i] > rate[j] else (j, i)
            better[below] += 1
            worse[above] += 1
    return [
        RankRange(1 + int(np.count_nonzero(rate > rate[k])), 1 + better[k], n - worse[k]) for k in range(n)
    ]
