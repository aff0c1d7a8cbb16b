"""Boards dealt from what is left of the deck of 52; SplitMix64 draws (``engine.kernels.splitmix``)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.splitmix import next_word


@kernel(allocates=False)
def deal_board(dead: int, size: int, random_state: NDArray[np.uint64], board: NDArray[np.uint8]) -> None:
    """Fills a board of five up from its first `size` cards with cards that are not dead."""
    place = size
    left = 0
    word = np.uint64(0)
    while place < 5:
        if left == 0:
            # Ten six-bit numbers from each word; those of 52 and more and dead cards are passed over.
            word = next_word(random_state)
            left = 10
        card = integer(word & np.uint64(63))
        word >>= np.uint64(6)
        left -= 1
        if card < 52 and dead >> card & 1 == 0:
            dead |= 1 << card
            board[place] = card
            place += 1
