"""What players won from one another, with standard errors.

With common seeds the deals of different tables have the same cards and are not independent: a *block* is
all deals that depend on the same cards.  Standard errors come from the sums of blocks (cluster-robust), so
they hold across tables; if players learn, a block should be a whole match.

Source: K.-Y. Liang, S. Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73
(1986), for the estimator, with B / (B - 1) for few blocks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.support.intervals import student_t

__all__ = ["CrossTable", "Sitting", "crosstable"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@attrs.frozen(eq=False)
class Sitting:
    """Deals that some players played at one table."""

    players: tuple[int, ...]
    won: Floats
    """mbb per hand, shape (players, deals)."""
    blocks: Ints
    """The block of each deal, from 0, shape (deals,)."""


@attrs.frozen(eq=False)
class CrossTable:
    """Who won how much from whom."""

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
        for (i, one), (j, other) in itertools.combinations(enumerate(each.players), 2):
            lead = (each.won[i] - each.won[j]) / 2
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
