"""Pools of deals that are made in a moment, and opponents by name."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.kernels.learning import scripted_players as scripted
from engine.learning.deal_pool import DealPool, PoolSize, make_pool

NEVER, ALWAYS = 2.0, -2.0


@functools.cache
def small_pool(num_players: int = 2) -> DealPool:
    return make_pool(num_players, 5, PoolSize(flops=64, turns=4, rivers=4, deals=32))


def opponent(**traits: float | Sequence[float]) -> NDArray[np.float64]:
    """A population of one; traits by the names of their columns, in small letters."""
    row = np.zeros((1, scripted.NUM_TRAITS))
    for name, value in traits.items():
        column = getattr(scripted, name.upper())
        values = np.atleast_1d(value)
        row[0, column : column + len(values)] = values
    return row


CALLER = opponent(bet_from=[NEVER] * 2, raise_from=[NEVER] * 2, call_from=[ALWAYS] * 2)
RAISER = opponent(bet_from=[ALWAYS] * 2, raise_from=[ALWAYS] * 2, call_from=[ALWAYS] * 2, most_raises=100)
BY_STRENGTH = opponent(
    bet_from=[0.5, 0.5], raise_from=[0.6, 0.75], call_odds=[1, 1], bet_size=[-1, -1], most_raises=2
)
RANDOM = opponent(
    kind=scripted.AT_RANDOM, bet_from=[0.06, 0.47], raise_from=0.47, bet_size=[scripted.ANY_SIZE] * 2
)
FORMER_SELF = opponent(kind=scripted.FORMER_SELF)
