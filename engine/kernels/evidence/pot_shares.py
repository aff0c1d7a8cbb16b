"""What share of the pot known hands expect, for many hands of hold'em and several moments of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.cards.bits import card_bits
from engine.kernels.cards.dealing import deal_board
from engine.kernels.cards.ranking import board_key, class_on_board
from engine.kernels.evaluation.showdown import add_showdowns
from engine.kernels.splitmix import mixed


@kernel()
def fill_pot_shares(
    table: NDArray[np.uint16],
    holes: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    numbers: NDArray[np.int64],
    moments: NDArray[np.int64],
    samples: int,
    shares: NDArray[np.float64],
) -> None:
    """The share of the pot each position expects at some moments, over all boards that may still come.

    Cards of those who have folded are dead.  Before the flop, boards are sampled; all moments of a hand see
    the same ones, which follow from its number and its hole cards alone.

    holes: shape (hands, n, 2).  boards: shape (hands, 5), whatever where no card is out.
    numbers: shape (hands,), what tells hands with equal cards apart.
    moments: shape (m, 3): the hand, the positions that share the pot as bits, the board cards that are out.
    samples: boards drawn before the flop.
    shares: shape (m, n), filled in place.
    """
    players = holes.shape[1]
    sharing = np.empty((players, 2), np.uint8)
    positions = np.empty(players, np.int64)
    results = np.empty((players, 3))
    for moment in range(moments.shape[0]):
        hand, live, out = moments[moment, 0], moments[moment, 1], moments[moment, 2]
        count = 0
        dead = 0
        for position in range(players):
            if live >> position & 1:
                sharing[count] = holes[hand, position]
                positions[count] = position
                count += 1
            else:
                dead |= card_bits(holes[hand, position], 2)
        results[:] = 0.0
        if out == 0:
            total = _add_samples(table, sharing[:count], dead, holes[hand], numbers[hand], samples, results)
        else:
            total = add_showdowns(table, sharing[:count], boards[hand][:out], dead, 1.0, results[:count])
        shares[moment] = 0.0
        for place in range(count):
            shares[moment, positions[place]] = results[place, 2] / total


@kernel()
def _add_samples(
    table: NDArray[np.uint16],
    sharing: NDArray[np.uint8],
    dead: int,
    holes: NDArray[np.uint8],
    number: int,
    samples: int,
    results: NDArray[np.float64],
) -> float:
    """Adds what some hands win on boards drawn from the deck without all `holes`; returns how many."""
    state = np.empty(1, np.uint64)
    word = mixed(np.uint64(number))
    for position in range(holes.shape[0]):
        dead |= card_bits(holes[position], 2)
        word = mixed(word + np.uint64(52 * integer(holes[position, 0]) + integer(holes[position, 1])))
    state[0] = word
    board = np.empty(5, np.uint8)
    ranks = np.empty(sharing.shape[0], np.int64)
    for _ in range(samples):
        deal_board(dead, 0, state, board)
        key = board_key(board, 5)
        best = -1
        winners = 0
        for hand in range(sharing.shape[0]):
            ranks[hand] = class_on_board(
                table, key, board, 5, integer(sharing[hand, 0]), integer(sharing[hand, 1])
            )
            if ranks[hand] > best:
                best = ranks[hand]
                winners = 1
            elif ranks[hand] == best:
                winners += 1
        for hand in range(sharing.shape[0]):
            if ranks[hand] == best:
                results[hand, 2] += 1.0 / winners
    return float(samples)
