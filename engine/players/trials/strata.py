"""How hands are distributed over the strata of the trials' kernels, and move from one board to the next.

The numbers are means over random boards, the same boards in every process.  They describe ranges in the later
betting rounds of a trial, where computing the strength of every combo on every board would take too long.
"""

from __future__ import annotations

import functools
import itertools
from typing import Final

import numpy as np

from engine.hands.equity import preflop_equities, preflop_equities_against_random
from engine.kernels.players.hand_features import straight_completions
from engine.kernels.players.hand_values import potentials_against
from engine.kernels.players.trials import strata as kernels
from engine.kernels.players.trials.strata import Potential, PotentialSum
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.kernels.poker.tables import ranking_table
from engine.players.board_values import board_values, parts_below, strata_of_combos
from engine.players.hand_values import preflop_percentiles
from engine.poker.combos import (
    COMBO_CARDS,
    COMBO_HIGH,
    COMBO_LOW,
    COMBOS_PER_STARTING_HAND,
    NUM_STARTING_HANDS,
    STARTING_HAND_OF_COMBO,
)
from engine.support.arrays import Floats, Ints


def _starting_hands() -> Ints:
    hands = np.zeros((52, 52), np.int64)
    hands[COMBO_HIGH, COMBO_LOW] = STARTING_HAND_OF_COMBO
    hands[COMBO_LOW, COMBO_HIGH] = STARTING_HAND_OF_COMBO
    return hands


STARTING_HANDS: Final = _starting_hands()
"""The starting hand of two cards, shape (52, 52)."""

_BOARDS: Final = 300
_SEED: Final = 1


@functools.cache
def _moves() -> tuple[Floats, Floats, Floats]:
    """Transitions to the flop (169, S), on to turn and river (2, S, S), and potentials (2, 3, S).

    Potentials are means of the positive and the negative one, and the standard deviation of the positive one.
    """
    size = kernels.NUM_STRATA
    to_flop = np.zeros((NUM_STARTING_HANDS, size))
    to_next = np.zeros((2, size, size))
    potentials = np.zeros((2, len(PotentialSum), size))
    rng = np.random.default_rng(_SEED)
    boards = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (_BOARDS, 1)), axis=1)[:, :5]
    kernels.count_strata(
        ranking_table(), straight_completions(), COMBO_CARDS, STARTING_HANDS, np.ascontiguousarray(boards),
        to_flop, to_next, potentials,
    )  # fmt: skip
    to_flop /= to_flop.sum(axis=1, keepdims=True)
    to_next /= to_next.sum(axis=2, keepdims=True)
    means = potentials / potentials[:, [PotentialSum.HANDS]]
    positive, negative = means[:, PotentialSum.POSITIVE], means[:, PotentialSum.NEGATIVE]
    deviations = np.sqrt(np.maximum(means[:, PotentialSum.SQUARES] - positive**2, 0.0))
    return to_flop, to_next, np.stack([positive, negative, deviations], axis=1)


def _potentials_by_opponents(potentials: Floats) -> Floats:
    """``Averages.potentials`` from the potentials of `_moves`, shape (2, 3, S)."""
    result = np.zeros((3, MAX_PLAYERS, len(Potential), kernels.NUM_STRATA))
    result[:, :, Potential.KEPT] = 1.0  # a hand that is ahead on the river stays ahead
    for later, (positive, negative, deviations) in enumerate(potentials):
        result[later, :, Potential.POSITIVE] = positive
        result[later, :, Potential.BLUR] = deviations
        for num_opponents in range(MAX_PLAYERS):
            for stratum in range(kernels.NUM_STRATA):
                kept, gained = potentials_against(
                    positive[stratum], negative[stratum], later + 1, num_opponents
                )
                result[later, num_opponents, Potential.KEPT, stratum] = kept
                result[later, num_opponents, Potential.GAINED, stratum] = gained
    return result


@functools.cache
def _strata_before_flop(players: int) -> Ints:
    """The stratum of each starting hand for a number of players, shape (169,)."""
    values = preflop_percentiles(players, 2)
    return np.minimum((values**2 * kernels.NUM_STRATA).astype(np.int64), kernels.NUM_STRATA - 1)


def _by_stratum(strata: Ints, numbers: Floats) -> Floats:
    """The mean in each stratum of numbers for each starting hand; the strata are the first axis.

    A stratum without starting hands takes the mean of the next lower one.

    Args:
        strata: the stratum of each starting hand, shape (169,).
        numbers: shape (169, ...).
    """
    counts = COMBOS_PER_STARTING_HAND.astype(np.float64)
    means = np.zeros((kernels.NUM_STRATA, *numbers.shape[1:]))
    for stratum in range(kernels.NUM_STRATA):
        chosen = strata == stratum
        if chosen.any():
            means[stratum] = np.average(numbers[chosen], axis=0, weights=counts[chosen])
        elif stratum:
            means[stratum] = means[stratum - 1]
    return means


def _variances_by_stratum(strata: Ints, numbers: Floats) -> Floats:
    """The variance in each stratum of numbers for each starting hand, shape (169, ...)."""
    return np.maximum(_by_stratum(strata, numbers**2) - _by_stratum(strata, numbers) ** 2, 0.0)


@functools.cache
def averages(players: int) -> kernels.Averages:
    """The distribution of hands over the strata for 2 to 10 players."""
    to_flop, to_next, potentials = _moves()
    strata = _strata_before_flop(players)
    sizes = itertools.product(kernels.TABLE_SIZES, repeat=2)
    values = np.array([preflop_percentiles(*each) for each in sizes])
    equities = np.ascontiguousarray(_by_stratum(strata, preflop_equities().T.copy()).T)
    return kernels.Averages(
        to_flop=_by_stratum(strata, to_flop),
        to_next=to_next,
        potentials=_potentials_by_opponents(potentials),
        preflop_values=values,
        preflop_stratum_values=np.ascontiguousarray(_by_stratum(strata, values.T).T),
        preflop_stratum_variances=np.ascontiguousarray(_variances_by_stratum(strata, values.T).T),
        preflop_equities=equities,
        preflop_stratum_equities=np.ascontiguousarray(_by_stratum(strata, equities).T),
        preflop_stratum_equity_variances=_variances_by_stratum(strata, preflop_equities_against_random()),
    )


def range_of(weights: Floats, board: tuple[int, ...], players: int) -> Floats:
    """A weight table as the share of its weight below the edge of each stratum.

    Args:
        weights: shape (1326,); combos with board cards are ignored.
        board: 0, 3, 4 or 5 cards.
        players: the number of players dealt in, 2 to 10.

    Returns:
        Shape (NUM_STRATA + 1,), from 0 to 1.
    """
    if board:
        return parts_below(strata_of_combos(board), weights * board_values(board).free)
    return parts_below(_strata_before_flop(players)[STARTING_HAND_OF_COMBO], weights)
