"""Rankings of the Annual Computer Poker Competition: total bankroll, and the run-offs.

A run-off begins with all players.  Those with the fewest points are ranked below the others and leave, and so
on until nobody is left.  Points are what a player won from those who are left (bankroll), or the number of
opponents it beat less the number it lost to (series).

Source: the rules of the ACPC, 2011 to 2017.
"""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

__all__ = ["Elimination", "RunOffResult", "bankroll_ranks", "run_off"]

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


def bankroll_ranks(matrix: NDArray[np.float64]) -> tuple[int, ...]:
    """Each player's rank by what it won in all; pairs that never met count as 0.

    Args:
        matrix: row against column, shape (players, players).
    """
    total = np.nan_to_num(matrix).sum(axis=1)
    slack = _slack(matrix)
    return tuple([1 + int(np.count_nonzero(total > each + slack)) for each in total])


def run_off(matrix: NDArray[np.float64], *, series: bool) -> RunOffResult:
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


def _slack(matrix: NDArray[np.float64]) -> float:
    return _ROUNDING * float(np.nanmax(np.abs(matrix), initial=0.0))
