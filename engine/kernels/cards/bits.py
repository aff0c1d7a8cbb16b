"""Sets as bits of an integer."""

from __future__ import annotations

from engine.kernels._jit import kernel


@kernel(allocates=False, inlined=True)
def count_bits(mask: int) -> int:
    """How many bits of a mask are set; compiled, an instruction of its own."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count
