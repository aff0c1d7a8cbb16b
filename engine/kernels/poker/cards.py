"""Sets of cards as the bits of an integer; cards to come, dealt at random or one way after the other.

Random numbers come from SplitMix64.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.splitmix import next_word
from engine.support.arrays import Bytes, Ints, Words

MAX_RUN_OUTS: Final = 1176
"""The most ways to deal the turn and the river: two of the 49 cards that are not on the flop."""


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


@kernel(inlined=True)
def extended(board: NDArray[Any], size: int) -> Bytes:
    """A new array for a board of `size` cards that begins with those of `board`."""
    longer = np.empty(size, np.uint8)
    for i in range(board.shape[0]):
        longer[i] = board[i]
    return longer


@kernel(allocates=False, inlined=True)
def combo_of(first: int, second: int) -> int:
    """The combo of two cards, as ``engine.poker.combos`` numbers them."""
    high, low = max(first, second), min(first, second)
    return (high * (high - 1) >> 1) + low


@kernel(allocates=False, inlined=True)
def list_live(dead: int, live: Ints) -> int:
    """List the cards that are not dead, ascending; `live`, shape (52,), is filled in; returns how many."""
    size = 0
    for card in range(52):
        if dead >> card & 1 == 0:
            live[size] = card
            size += 1
    return size


@kernel(allocates=False, inlined=True)
def next_run_out(places: Ints, size: int) -> bool:
    """Go on to the next way to deal some of `size` cards; False after the last.

    `places`, of any length, is changed in place: the numbers of the cards that are dealt, descending.  The
    first way is ..., 2, 1, 0, and the last number moves fastest.
    """
    number = places.shape[0]
    for moving in range(number - 1, 0, -1):
        if places[moving] + 1 < places[moving - 1]:
            places[moving] += 1
            return True
        places[moving] = number - 1 - moving
    if number == 0 or places[0] + 1 == size:
        return False
    places[0] += 1
    return True


@kernel()
def list_run_outs(dead: int, number: int, run_outs: Bytes) -> int:
    """List all ways to deal a number of cards that are not in the mask `dead`; returns how many there are.

    `run_outs`, of enough rows, is filled in place; columns from `number` on are left alone.
    """
    live = np.empty(52, np.int64)
    size = list_live(dead, live)
    places = np.arange(number)[::-1].copy()
    count = 0
    while True:
        for i in range(number):
            run_outs[count, i] = live[places[i]]
        count += 1
        if not next_run_out(places, size):
            return count


@kernel(allocates=False)
def deal_board(dead: int, size: int, random_state: Words, board: Bytes) -> None:
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
