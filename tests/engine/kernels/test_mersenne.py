"""MT19937 in compiled code against CPython's and the ACPC dealer's."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.kernels.mersenne import (
    NUM_WORDS,
    STATE_SIZE,
    next_word,
    number_below,
    random_number,
    seed_generator,
)
from engine.poker.rules import acpc_generator

pytestmark = pytest.mark.slow  # compiles for some seconds


@pytest.mark.parametrize("parts", [(0, 0, 0), (7, 0, 0), (3, 9, 0), (2, 500_000, 0xFFFFFFFF), (0, 0, 1)])
def test_the_numbers_of_random(parts: tuple[int, int, int]) -> None:
    low, middle, high = parts
    theirs = random.Random(high << 64 | middle << 32 | low)
    ours = np.zeros(STATE_SIZE, np.uint32)
    seed_generator(ours, low, middle, high)

    for _ in range(2 * NUM_WORDS):
        assert random_number(ours) == theirs.random()
        assert number_below(ours, 2) == theirs.choice(range(2))
        assert number_below(ours, 3) == theirs.choice(range(3))
        assert next_word(ours) == theirs.getrandbits(32)


def test_the_cards_of_the_dealer() -> None:
    theirs = acpc_generator(12345)
    ours = np.zeros(STATE_SIZE, np.uint32)
    ours[:-1] = theirs.getstate()[1][:-1]

    assert [next_word(ours) for _ in range(1000)] == [theirs.getrandbits(32) for _ in range(1000)]
