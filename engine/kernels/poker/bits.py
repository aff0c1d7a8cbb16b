"""Sets as the bits of an integer."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel


@kernel(allocates=False, inlined=True)
def count_bits(mask: int) -> int:
    """The number of bits set in a mask; compiled, this is a single instruction."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@kernel(allocates=False, inlined=True)
def lowest_bit(mask: int) -> int:
    """The place of the lowest bit that is set in a mask; at least one is."""
    place = 0
    while mask >> place & 1 == 0:
        place += 1
    return place


@kernel(allocates=False, inlined=True)
def card_bits(cards: NDArray[Any], size: int) -> int:
    """The set of ``cards[:size]`` as bits: bit c stands for card c."""
    bits = 0
    for i in range(size):
        bits |= 1 << integer(cards[i])
    return bits
