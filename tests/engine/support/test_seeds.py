"""Seeds as texts and from the operating system; how they are derived is held to vectors with the kernels."""

from __future__ import annotations

import pytest

from engine.support.seeds import parse_seed, random_seed
from tests.support.asserting import refuses


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
