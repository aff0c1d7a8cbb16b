"""Pools of deals that are made in a moment, and opponents by name."""

import functools
from collections.abc import Sequence

import numpy as np

from engine.kernels.learning.scripted_players import ANY_SIZE, NUM_TRAITS, ScriptKind, ScriptTrait
from engine.kernels.learning.street import Record
from engine.learning.deal_pool import DealPool, PoolSize, make_pool
from engine.support.arrays import Floats, Ints

NEVER, ALWAYS = 2.0, -2.0


@functools.cache
def small_pool(num_players: int = 2) -> DealPool:
    return make_pool(num_players, 5, PoolSize(flops=64, turns=4, rivers=4, deals=32))


def opponent(**traits: float | Sequence[float]) -> Floats:
    """A population of one; traits by the names of their columns, in small letters."""
    row = np.zeros((1, NUM_TRAITS))
    for name, value in traits.items():
        column = ScriptTrait[name.upper()]
        values = np.atleast_1d(value)
        row[0, column : column + len(values)] = values
    return row


def actions_and_cells(hand: Ints) -> tuple[Ints, Ints]:
    """The actions of a recorded hand: the number of each, and the learner's cell in it or -1."""
    played = hand[Record.ACTIONS :][: 2 * hand[Record.NUM_ACTIONS]]
    return played[::2], played[1::2]


CALLER = opponent(bet_from=[NEVER] * 2, raise_from=[NEVER] * 2, call_from=[ALWAYS] * 2)
RAISER = opponent(bet_from=[ALWAYS] * 2, raise_from=[ALWAYS] * 2, call_from=[ALWAYS] * 2, most_raises=100)
BY_STRENGTH = opponent(
    bet_from=[0.5, 0.5], raise_from=[0.6, 0.75], call_odds=[1, 1], bet_size=[-1, -1], most_raises=2
)
RANDOM = opponent(
    kind=ScriptKind.AT_RANDOM, fold_weight=0.06, call_weight=0.47, raise_weight=0.47, bet_size=[ANY_SIZE] * 2
)
FORMER_SELF = opponent(kind=ScriptKind.FORMER_SELF)
