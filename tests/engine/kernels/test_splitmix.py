"""The random numbers of kernels."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.splitmix import next_word, random_number


def test_the_words_are_those_of_the_published_generator() -> None:
    """The first outputs for the seed 1234567, as other implementations of SplitMix64 list them."""
    state = np.array([1234567], np.uint64)

    assert [int(next_word(state)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(st.integers(0, 2**64 - 1))
def test_numbers_are_the_upper_53_bits_from_0_up_to_1(seed: int) -> None:
    words, numbers = np.array([seed], np.uint64), np.array([seed], np.uint64)

    number = random_number(numbers)

    assert number == (int(next_word(words)) >> 11) / 2**53
    assert 0 <= number < 1
    assert numbers[0] == words[0]
