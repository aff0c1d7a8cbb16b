"""MT19937, the generator of CPython's `random` and of the ACPC's dealer, bit for bit.

A generator is an array of shape (625,), uint32: its words, and the place of the word to draw next.  Each word
is renewed when it is drawn, so a generator that is seeded for a single number renews a single word.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.support.arrays import Words32

NUM_WORDS: Final = 624
STATE_SIZE: Final = NUM_WORDS + 1
"""The length of the array that is a generator."""
_MIDDLE: Final = 397
_WORD: Final = 0xFFFFFFFF


def _words_of(seed: int) -> Words32:
    """The words that Matsumoto and Nishimura's `init_genrand` makes from one seed."""
    words = [seed]
    for number in range(1, NUM_WORDS):
        words.append((1812433253 * (words[-1] ^ words[-1] >> 30) + number) & _WORD)
    return np.array(words, np.uint32)


_BEGINNING: Final = _words_of(19650218)
"""The words with which seeding by several words begins."""


@kernel(allocates=False)
def seed_generator(generator: Words32, low: int, middle: int, high: int) -> None:
    """Seed a generator as ``random.seed(high << 64 | middle << 32 | low)`` does; each part has 32 bits."""
    length = 3 if high else 2 if middle else 1
    for place in range(NUM_WORDS):
        generator[place] = _BEGINNING[place]
    before = integer(generator[0])
    place, number = 1, 0
    for _ in range(NUM_WORDS):
        word = low if number == 0 else middle if number == 1 else high
        mixed = (before ^ before >> 30) * 1664525
        before = ((integer(generator[place]) ^ mixed) + word + number) & _WORD
        generator[place] = before
        place += 1
        number += 1
        if place == NUM_WORDS:
            generator[0] = before
            place = 1
        if number == length:
            number = 0
    for _ in range(NUM_WORDS - 1):
        mixed = (before ^ before >> 30) * 1566083941
        before = ((integer(generator[place]) ^ mixed) - place) & _WORD
        generator[place] = before
        place += 1
        if place == NUM_WORDS:
            generator[0] = before
            place = 1
    generator[0] = 0x80000000
    generator[NUM_WORDS] = 0


@kernel(allocates=False)
def next_word(generator: Words32) -> int:
    """The next 32 bits of a generator."""
    place = integer(generator[NUM_WORDS])
    after = place + 1 if place + 1 < NUM_WORDS else 0
    opposite = place + _MIDDLE if place + _MIDDLE < NUM_WORDS else place + _MIDDLE - NUM_WORDS
    joined = (integer(generator[place]) & 0x80000000) | (integer(generator[after]) & 0x7FFFFFFF)
    word = integer(generator[opposite]) ^ joined >> 1
    if joined & 1:
        word ^= 0x9908B0DF
    generator[place] = word
    generator[NUM_WORDS] = after
    word ^= word >> 11
    word ^= word << 7 & 0x9D2C5680
    word ^= word << 15 & 0xEFC60000
    return word ^ word >> 18


@kernel(allocates=False)
def random_number(generator: Words32) -> float:
    """The next number from 0 up to but not including 1: ``random.random()``."""
    high = next_word(generator) >> 5
    low = next_word(generator) >> 6
    return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0)


@kernel(allocates=False)
def number_below(generator: Words32, end: int) -> int:
    """The next whole number from 0 up to but not including `end`: the index that ``random.choice`` takes."""
    bits = 0
    while end >> bits:
        bits += 1
    while True:
        number = next_word(generator) >> 32 - bits
        if number < end:
            return number
