"""The bootstrap: how often other matches would have given the same ranking.

Matches are resampled by their *numbers*: with common seeds, matches of the same number have the same cards
and are drawn together.

Source: the ACPC since 2013; B. Efron, R. Tibshirani, *An Introduction to the Bootstrap* (1993).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.evidence.ranking.crosstable import Sitting

__all__ = ["LEAST_BLOCKS", "RESAMPLES", "bootstrap_above"]

RESAMPLES: Final = 1000
LEAST_BLOCKS: Final = 20
"""With fewer blocks the bootstrap means little: a ranking looks stable because hardly anything varies."""
_MOST_BLOCKS: Final = 200
"""More blocks are merged into this number: the answer is the same, and faster."""

Floats = NDArray[np.float64]
Ranks = Callable[[Floats], Sequence[int]]


def bootstrap_above(
    num_players: int,
    sittings: Sequence[Sitting],
    ranks: Ranks,
    seed: int = 1,
    resamples: int = RESAMPLES,
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
    """By group of blocks, what the row won from the column, and in how many deals."""
    won = np.zeros((groups, num_players, num_players))
    count = np.zeros_like(won)
    for each in sittings:
        of = each.blocks % groups
        number = np.bincount(of, minlength=groups)
        for (i, one), (j, other) in itertools.combinations(enumerate(each.players), 2):
            lead = np.bincount(of, (each.won[i] - each.won[j]) / 2, minlength=groups)
            won[:, one, other] += lead
            won[:, other, one] -= lead
            count[:, one, other] += number
            count[:, other, one] += number
    return won, count
