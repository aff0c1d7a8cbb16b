"""SplitMix64, whose whole state is one word: the same seed gives the same numbers on every machine."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import kernel
from engine.support.arrays import Words

GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
"""The step by which the state grows for each word."""
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)


@kernel(allocates=False, inlined=True)
def mixed(state: np.uint64) -> np.uint64:
    """The word that belongs to a state."""
    word = (state ^ (state >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


@kernel(allocates=False, inlined=True)
def unit(word: np.uint64) -> float:
    """A word as a number from 0 up to but not including 1."""
    return float(word >> np.uint64(11)) * 1.1102230246251565e-16


@kernel(allocates=False, inlined=True)
def next_word(state: Words) -> np.uint64:
    """The next word; `state`, shape (1,), is advanced in place."""
    state[0] += GOLDEN
    return mixed(state[0])


@kernel(allocates=False, inlined=True)
def random_number(state: Words) -> float:
    """The next number from 0 up to but not including 1; `state`, shape (1,), is advanced in place."""
    return unit(next_word(state))
