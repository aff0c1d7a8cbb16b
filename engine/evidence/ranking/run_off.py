"""Rankings of the Annual Computer Poker Competition: total bankroll, and the run-offs; how certain they are.

A run-off begins with all players.  Those with the fewest points are ranked below the others and leave, and so
on until nobody is left.  Points are what a player won from those who are left (bankroll), or the number of
opponents it beat less the number it lost to (series).

The bootstrap says how often other matches would have given the same ranking.  Matches are resampled by their
*numbers*: with common seeds, matches of the same number have the same cards and are drawn together.

Sources: the rules of the ACPC, 2011 to 2017; B. Efron, R. Tibshirani, *An Introduction to the Bootstrap*
(1993).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import attrs
import numpy as np

from engine.evidence.ranking.crosstable import Sitting
from engine.support.arrays import Floats

__all__ = [
    "LEAST_BLOCKS",
    "RESAMPLES",
    "Elimination",
    "RunOffResult",
    "bankroll_ranks",
    "bootstrap_above",
    "run_off",
]

RESAMPLES: Final = 1000
LEAST_BLOCKS: Final = 20
"""With fewer blocks the bootstrap means little: a ranking looks stable because hardly anything varies."""
_MOST_BLOCKS: Final = 200
"""More blocks are merged into this number: the answer is the same, and faster."""

Ranks = Callable[[Floats], Sequence[int]]
_ROUNDING: Final = 1e-9
"""Points that differ by less, relative to the largest, count as equal."""


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
