"""Seeds: drawn from the operating system, read from text, and derived from one another.

Deriving uses plain 64-bit arithmetic (SplitMix64), which is the same on every machine and in every Python, so
a match can be repeated years later and from other languages.
"""

from __future__ import annotations

import os

from engine.support.user_input import parse_whole

_MASK = 2**64 - 1


def _mix(value: int) -> int:
    """One step of SplitMix64: a bijection of 64-bit integers that leaves no visible pattern."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _MASK
    return value ^ value >> 31


def derive_seed(seed: int, index: int) -> int:
    """The `index`-th 32-bit seed derived from `seed`, such as a seat's seed from the match's."""
    return _mix(_mix(seed & _MASK) ^ index & _MASK) >> 32


def random_seed() -> int:
    """A 32-bit seed drawn from the operating system."""
    return int.from_bytes(os.urandom(4), "big")


def parse_seed(text: str) -> int:
    """The seed of a text: a whole number, or ``random`` for one drawn from the operating system.

    Raises:
        ValueError: anything else.
    """
    if text == "random":
        return random_seed()
    try:
        return parse_whole(text)
    except ValueError:
        raise ValueError(
            f"expected a seed, a whole number of 0 or more or 'random', got {text[:40]!r}"
        ) from None
