"""Random numbers against CPython's, the ACPC dealer's and published ones; seeds as texts."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import mersenne, splitmix
from engine.kernels.mersenne import NUM_WORDS, STATE_SIZE, number_below, seed_generator
from engine.poker.rules import acpc_generator
from engine.support.seeds import parse_seed, random_seed
from tests.support.asserting import refuses

# --- mersenne -----------------------------------------------------------------------------------------------


@pytest.mark.slow  # compiles for some seconds
@pytest.mark.parametrize("parts", [(0, 0, 0), (7, 0, 0), (3, 9, 0), (2, 500_000, 0xFFFFFFFF), (0, 0, 1)])
def test_the_numbers_of_random(parts: tuple[int, int, int]) -> None:
    low, middle, high = parts
    theirs = random.Random(high << 64 | middle << 32 | low)
    ours = np.zeros(STATE_SIZE, np.uint32)
    seed_generator(ours, low, middle, high)

    for _ in range(2 * NUM_WORDS):
        assert mersenne.random_number(ours) == theirs.random()
        assert number_below(ours, 2) == theirs.choice(range(2))
        assert number_below(ours, 3) == theirs.choice(range(3))
        assert mersenne.next_word(ours) == theirs.getrandbits(32)


@pytest.mark.slow
def test_the_cards_of_the_dealer() -> None:
    theirs = acpc_generator(12345)
    ours = np.zeros(STATE_SIZE, np.uint32)
    ours[:-1] = theirs.getstate()[1][:-1]

    assert [mersenne.next_word(ours) for _ in range(1000)] == [theirs.getrandbits(32) for _ in range(1000)]


# --- splitmix -----------------------------------------------------------------------------------------------


def test_the_words_are_those_of_the_published_generator() -> None:
    """The first outputs for the seed 1234567, as other implementations of SplitMix64 list them."""
    state = np.array([1234567], np.uint64)

    assert [int(splitmix.next_word(state)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(st.integers(0, 2**64 - 1))
def test_numbers_are_the_upper_53_bits_from_0_up_to_1(seed: int) -> None:
    words, numbers = np.array([seed], np.uint64), np.array([seed], np.uint64)

    number = splitmix.random_number(numbers)

    assert number == (int(splitmix.next_word(words)) >> 11) / 2**53
    assert 0 <= number < 1
    assert numbers[0] == words[0]


# --- seeds --------------------------------------------------------------------------------------------------


def test_a_seed_is_a_whole_number() -> None:
    assert parse_seed("0") == 0
    assert parse_seed("18446744073709551616") == 2**64


@pytest.mark.parametrize("text", ["", "-1", "1.0", "0x1", " 1", "١", "Random"])
def test_other_texts_are_none(text: str) -> None:
    refuses(ValueError, "expected a seed, a whole number of 0 or more or 'random'", parse_seed, text)


def test_random_seeds_differ_and_have_32_bits() -> None:
    drawn = {parse_seed("random"), *(random_seed() for _ in range(7))}

    assert len(drawn) == 8  # but for a chance of one in a hundred million
    assert all(0 <= seed < 2**32 for seed in drawn)
