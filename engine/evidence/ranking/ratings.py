"""Rankings of the players of a cross table: ratings, the Nash average, and those of the ACPC.

Ratings are such that their differences explain who won how much from whom: least squares on the cross table,
each pair weighted by 1 / SE²; they add up to 0.

The Nash average is the mixture of players that nobody beats, and of all such mixtures the most even.  A
player's score is what it wins against that mixture: 0 for those in it, less for the others.  Where it differs
from the ratings there are *cycles*, in which A beats B, B beats C and C beats A.

The Annual Computer Poker Competition ranks by total bankroll, or by a *run-off*, which begins with all
players.  Those with the fewest points are ranked below the others and leave, and so on until nobody is left.
Points are what a player won from those who are left (bankroll), or the number of opponents it beat less the
number it lost to (series).  The bootstrap says how often other matches would have given the same ranking.
Matches are resampled by their *numbers*: with common seeds, matches of the same number have the same cards
and are drawn together.

Sources: F. Mosteller, "Remarks on the method of paired comparisons", Psychometrika 16 (1951), for margins;
D. Balduzzi, K. Tuyls, J. Pérolat, T. Graepel, "Re-evaluating Evaluation", NeurIPS 2018; the
rules of the ACPC, 2011 to 2017; B. Efron, R. Tibshirani, *An Introduction to the Bootstrap* (1993).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Final

import attrs
import numpy as np

from engine.evidence.ranking.crosstable import CrossTable, Sitting
from engine.support.arrays import Floats

_FIRST: Final = 10.0
_LAST: Final = 1e-4
_COOLING: Final = 0.5
_MOST_STEPS: Final = 100
_PRECISION: Final = 1e-10
_LARGEST_STEP: Final = 2.0

RESAMPLES: Final = 1000
LEAST_BLOCKS: Final = 20
"""With fewer blocks the bootstrap means little: a ranking looks stable because hardly anything varies."""
_MOST_BLOCKS: Final = 200
"""More blocks are merged into this number: the answer is the same, and faster."""

Ranks = Callable[[Floats], Sequence[int]]
_ROUNDING: Final = 1e-9
"""Points that differ by less, relative to the largest, count as equal."""


@attrs.frozen(eq=False)
class Ratings:
    """The best explanation of a cross table by one number per player."""

    rating: Floats
    """By player, in mbb/h; the difference of two is what one should win from the other."""
    error: Floats
    """Standard errors of their distances from the mean."""
    chi_square: float
    """What they leave unexplained: about `degrees` if they explain everything but luck."""
    degrees: int
    """The degrees of freedom: pairs less fitted numbers."""


def fit_margins(table: CrossTable) -> Ratings | None:
    """The ratings of a cross table.

    None if pairs have no error, or if players are not connected by opponents they have played: then the table
    does not say how they compare.
    """
    met = np.isfinite(table.error) & (table.deals > 0)
    np.fill_diagonal(met, False)
    positive = table.error[met & (table.error > 0)]
    if not len(positive):
        return None
    floor = float(positive.min())
    weight = np.zeros_like(table.mean)
    weight[met] = 1 / np.maximum(table.error[met], floor) ** 2
    laplacian = np.diag(weight.sum(axis=1)) - weight
    n = table.num_players
    if np.linalg.matrix_rank(laplacian) < n - 1:
        return None
    pull = (weight * np.where(met, table.mean, 0.0)).sum(axis=1)
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    rating = inverse @ pull
    left = np.where(met, table.mean - (rating[:, None] - rating[None, :]), 0.0)
    chi_square = float((weight * left**2).sum() / 2)
    pairs = int(met.sum()) // 2
    error = np.array([math.sqrt(max(0.0, float(inverse[k, k]))) for k in range(n)])
    return Ratings(rating, error, chi_square, pairs - (n - 1))


# --- cycles and the Nash average --------------------------------------------------------------------------


@attrs.frozen(eq=False)
class NashAverage:
    """The mixture that nobody beats."""

    weight: Floats
    """By player; they add up to 1."""
    score: Floats
    """By player, what it wins against the mixture, in the matrix's unit: at most 0."""


def cycles(mean: Floats, p_values: Floats, alpha: float = 0.05) -> list[tuple[int, int, int]]:
    """Cycles of three players of whom each significantly beats the next.

    Args:
        mean: row against column; NaN if they never met.
        p_values: the pairs' p-values, corrected for their number.
        alpha: the level of significance.
    """
    beats = (np.nan_to_num(mean) > 0) & (p_values < alpha)
    found: list[tuple[int, int, int]] = []
    for a, b, c in itertools.combinations(range(len(mean)), 3):
        if beats[a, b] and beats[b, c] and beats[c, a]:
            found.append((a, b, c))
        elif beats[b, a] and beats[c, b] and beats[a, c]:
            found.append((a, c, b))
    return found


def nash_average(mean: Floats) -> NashAverage:
    """The most even mixture of players that nobody beats.

    It is the limit of mixtures in which evenness counts less and less: each solves A p - τ log p = const, by
    Newton's method on log p, whose equations are never singular since A is antisymmetric.

    Args:
        mean: row against column, antisymmetric; NaN counts as a draw.
    """
    known = np.nan_to_num(mean)
    scale = float(np.abs(known).max(initial=0.0))
    n = len(known)
    if scale == 0.0:
        return NashAverage(np.full(n, 1 / n), np.zeros(n))
    payoff = known / scale
    logs = np.full(n, -np.log(n))
    heat = _FIRST
    while heat > _LAST:
        logs = _solved(payoff, logs, heat) / _COOLING  # a guess for the next, smaller τ
        heat *= _COOLING
    weight = np.exp(logs * _COOLING)
    weight /= weight.sum()
    return NashAverage(weight, known @ weight)


def _solved(payoff: Floats, logs: Floats, heat: float) -> Floats:
    """The logarithms of the mixture in which evenness counts `heat`, the τ above."""
    n = len(payoff)
    for _ in range(_MOST_STEPS):
        p = np.exp(logs)
        gradient = payoff @ p - heat * logs
        level = float(p @ gradient / p.sum())
        residual = np.append(gradient - level, p.sum() - 1)
        if float(np.abs(residual).max()) < _PRECISION:
            break
        jacobian = np.zeros((n + 1, n + 1))
        jacobian[:n, :n] = payoff * p - heat * np.eye(n)
        jacobian[:n, n] = -1.0
        jacobian[n, :n] = p
        step = np.linalg.solve(jacobian, -residual)[:n]
        logs = logs + step * min(1.0, _LARGEST_STEP / max(_LARGEST_STEP, float(step.max())))
    return logs


# --- the rankings of the ACPC -----------------------------------------------------------------------------


@attrs.frozen
class Elimination:
    """A round of a run-off."""

    points: dict[int, float]
    """The points of the players who were left."""
    out: tuple[int, ...]
    """The players who left."""


@attrs.frozen
class RunOffResult:
    """The ranking by a run-off."""

    ranks: tuple[int, ...]
    """By player, from 1; players who left together share the best of their ranks."""
    rounds: tuple[Elimination, ...]


def bankroll_ranks(matrix: Floats) -> tuple[int, ...]:
    """Each player's rank by what it won in all; pairs that never met count as 0.

    Args:
        matrix: row against column, shape (players, players).
    """
    total = np.nan_to_num(matrix).sum(axis=1)
    slack = _slack(matrix)
    return tuple([1 + int(np.count_nonzero(total > each + slack)) for each in total])


def run_off(matrix: Floats, *, series: bool) -> RunOffResult:
    """The run-off of a cross table.

    Args:
        matrix: row against column, shape (players, players).
        series: whether points are opponents beaten less opponents lost to, instead of what was won.
    """
    known = np.nan_to_num(matrix)
    slack = _slack(matrix)
    worth = np.where(np.abs(known) <= slack, 0.0, np.sign(known)) if series else known
    left = list(range(len(matrix)))
    ranks = [0] * len(matrix)
    rounds: list[Elimination] = []
    while left:
        points = {player: float(worth[player, left].sum()) for player in left}
        least = min(points.values()) + (0.0 if series else slack)
        out = tuple([player for player in left if points[player] <= least])
        left = [player for player in left if player not in out]
        for player in out:
            ranks[player] = len(left) + 1
        rounds.append(Elimination(points, out))
    return RunOffResult(tuple(ranks), tuple(rounds))


def _slack(matrix: Floats) -> float:
    return _ROUNDING * float(np.nanmax(np.abs(matrix), initial=0.0))


# --- the bootstrap ----------------------------------------------------------------------------------------


def bootstrap_above(
    num_players: int, sittings: Sequence[Sitting], ranks: Ranks, seed: int = 1, resamples: int = RESAMPLES
) -> Floats:
    """The share of resamples in which the row ranks above the column; ties count half.

    Args:
        num_players: the number of players.
        sittings: their deals, with blocks.
        ranks: the ranking of a cross table, such as that by `run_off`.
        seed: the seed of the draws.
        resamples: the number of resamples.

    Returns:
        Shape (players, players).
    """
    num_blocks = max([int(each.blocks.max()) + 1 for each in sittings if len(each.blocks)], default=0)
    if not num_blocks:
        return np.full((num_players, num_players), 0.5)
    groups = min(num_blocks, _MOST_BLOCKS)
    won, count = _sums(num_players, sittings, groups)
    draws = np.random.default_rng(seed).multinomial(groups, np.full(groups, 1 / groups), resamples)
    sums = (draws @ won.reshape(groups, -1)).reshape(resamples, num_players, num_players)
    counts = (draws @ count.reshape(groups, -1)).reshape(resamples, num_players, num_players)
    above = np.zeros((num_players, num_players))
    for k in range(resamples):
        mean = np.divide(sums[k], counts[k], out=np.zeros_like(sums[k]), where=counts[k] > 0)
        rank = np.array(ranks(mean))
        above += (rank[:, None] < rank[None, :]) + 0.5 * (rank[:, None] == rank[None, :])
    return above / resamples


def _sums(num_players: int, sittings: Sequence[Sitting], groups: int) -> tuple[Floats, Floats]:
    """The row's winnings from the column and the deals, by group of blocks."""
    won = np.zeros((groups, num_players, num_players))
    count = np.zeros_like(won)
    for each in sittings:
        of = each.blocks % groups
        number = np.bincount(of, minlength=groups)
        for one, other, by_deal in each.leads():
            lead = np.bincount(of, by_deal, minlength=groups)
            won[:, one, other] += lead
            won[:, other, one] -= lead
            count[:, one, other] += number
            count[:, other, one] += number
    return won, count
