"""Boards dealt from the rest of a deck of 52, with random numbers of SplitMix64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.splitmix import next_word


@kernel(allocates=False)
def deal_board(dead: int, size: int, random_state: NDArray[np.uint64], board: NDArray[np.uint8]) -> None:
    """Complete a board with random cards that are not dead.

    Args:
        dead: cards that cannot come, as bits.
        size: the number of board cards that are already there.
        random_state: the state of a SplitMix64 generator, shape (1,), advanced in place.
        board: shape (5,), filled in place from `size` on.
    """
    place = size
    left = 0
    word = np.uint64(0)
    while place < 5:
        if left == 0:
            # Each word makes ten six-bit numbers; numbers from 52 on and dead cards are skipped.
            word = next_word(random_state)
            left = 10
        card = integer(word & np.uint64(63))
        word >>= np.uint64(6)
        left -= 1
        if card < 52 and dead >> card & 1 == 0:
            dead |= 1 << card
            board[place] = card
            place += 1
