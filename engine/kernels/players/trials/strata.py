"""Strata of hand strength: how hands are distributed over them, and how hands move between them.

A stratum is an interval of strength, the share of all hands that a hand beats (``hand_features``).  Strata
have equal width in the square of the strength: they are finer towards the top, where the money goes in.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.players.hand_features import (
    MAX_GROUPS,
    fill_class_counts,
    quick_potential,
    share_of_class,
    usual_negative_potential,
)
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.kernels.poker.cards import card_bits
from engine.kernels.poker.ranking import board_key, class_on_board
from engine.support.arrays import Bytes, Floats, Ints, Words16

NUM_STRATA: Final = 16
"""The number of strata."""

TABLE_SIZES: Final = range(2, MAX_PLAYERS + 1)
"""Numbers of players at the table, and of players expected to see the flop, to rank starting hands for."""
NUM_TABLE_SIZES: Final = len(TABLE_SIZES)


class Potential(IntEnum):
    """The potentials of a stratum in `Averages.potentials`."""

    POSITIVE = 0
    """The positive potential for one card."""
    KEPT = 1
    """The chance that a hand which is ahead of all others stays ahead to the showdown."""
    GAINED = 2
    """The chance that a hand which is behind gets ahead by the showdown."""
    BLUR = 3
    """The standard deviation of POSITIVE among the hands of the stratum."""


class PotentialSum(IntEnum):
    """Sums of the potentials for one card in a stratum, as `count_strata` adds them up."""

    POSITIVE = 0
    NEGATIVE = 1
    HANDS = 2
    """The number of hands."""
    SQUARES = 3
    """Of positive potentials."""


class Averages(NamedTuple):
    """Averages over the hands of each stratum, and how hands move between strata."""

    to_flop: Floats
    """The chances to move from each stratum before the flop to each one on the flop; rows add up to 1.

    Shape (NUM_STRATA, NUM_STRATA).
    """
    to_next: Floats
    """The same from flop to turn, and from turn to river; shape (2, NUM_STRATA, NUM_STRATA)."""
    potentials: Floats
    """Potentials on flop, turn and river, by the number of opponents and `Potential`.

    They are those of ``engine.kernels.players.hand_values.potentials_against``.  Shape (3, 10, 4,
    NUM_STRATA).
    """
    preflop_values: Floats
    """The value of each starting hand, by `table_index`, shape (81, 169)."""
    preflop_stratum_values: Floats
    """The mean value of each stratum, by `table_index`, shape (81, NUM_STRATA)."""
    preflop_stratum_variances: Floats
    """The variance of the value in each stratum, by `table_index`, shape (81, NUM_STRATA)."""
    preflop_equities: Floats
    """The equity of each starting hand against each stratum, shape (169, NUM_STRATA)."""
    preflop_stratum_equities: Floats
    """The equity against each stratum of each other one, shape (NUM_STRATA, NUM_STRATA)."""
    preflop_stratum_equity_variances: Floats
    """The variance in each stratum of the equity against a random hand, shape (NUM_STRATA,)."""


@kernel(allocates=False, inlined=True)
def table_index(num_players: int, expected_players: int) -> int:
    """The index of the ranking of starting hands for two of `TABLE_SIZES`; the second varies faster."""
    return (num_players - 2) * NUM_TABLE_SIZES + expected_players - 2


@kernel()
def count_strata(
    table: Words16,
    completing: Ints,
    combo_cards: Ints,
    starting_hands: Ints,
    boards: Bytes,
    to_flop: Floats,
    to_next: Floats,
    potentials: Floats,
) -> None:
    """Count how all hands move between strata on some boards.

    completing: ``straight_completions()``.
    combo_cards: shape (1326, 2).  starting_hands: shape (52, 52).  boards: shape (n, 5).
    to_flop: shape (169, NUM_STRATA), added to in place.
    to_next: shape (2, NUM_STRATA, NUM_STRATA), added to in place.
    potentials: on flop and turn, by `PotentialSum`, shape (2, 4, NUM_STRATA), added to in place.
    """
    classes = np.empty((3, MAX_GROUPS), np.int32)
    counts = np.empty((3, MAX_GROUPS), np.int32)
    for index in range(boards.shape[0]):
        board = boards[index]
        dead = card_bits(board, 5)
        for later in range(3):
            fill_class_counts(table, board, later + 3, classes[later], counts[later])
        for combo in range(1326):
            a, b = integer(combo_cards[combo, 0]), integer(combo_cards[combo, 1])
            if (dead >> a | dead >> b) & 1:
                continue
            before = -1
            for later in range(3):
                rank = class_on_board(table, board_key(board, later + 3), board, later + 3, a, b)
                strength = share_of_class(classes[later], counts[later], later + 3, rank)
                stratum = min(integer(strength * strength * NUM_STRATA), NUM_STRATA - 1)
                if later == 0:
                    to_flop[starting_hands[a, b], stratum] += 1.0
                else:
                    to_next[later - 1, before, stratum] += 1.0
                if later < 2:
                    positive = quick_potential(completing, board, later + 3, a, b, strength)
                    potentials[later, PotentialSum.POSITIVE, stratum] += positive
                    potentials[later, PotentialSum.SQUARES, stratum] += positive * positive
                    potentials[later, PotentialSum.NEGATIVE, stratum] += usual_negative_potential(
                        later + 3, strength
                    )
                    potentials[later, PotentialSum.HANDS, stratum] += 1.0
                before = stratum


@kernel()
def fill_strata(table: Words16, combo_cards: Ints, board: Bytes, strata: Ints) -> None:
    """The stratum of every combo on a board.

    board: shape (3|4|5,).
    strata: shape (1326,), filled in place; meaningless for combos with a card of the board.
    """
    classes = np.empty(MAX_GROUPS, np.int32)
    counts = np.empty(MAX_GROUPS, np.int32)
    size = board.shape[0]
    fill_class_counts(table, board, size, classes, counts)
    key = board_key(board, size)
    dead = card_bits(board, size)
    for combo in range(1326):
        a, b = integer(combo_cards[combo, 0]), integer(combo_cards[combo, 1])
        strata[combo] = 0
        if (dead >> a | dead >> b) & 1 == 0:
            rank = class_on_board(table, key, board, size, a, b)
            strength = share_of_class(classes, counts, size, rank)
            strata[combo] = min(integer(strength * strength * NUM_STRATA), NUM_STRATA - 1)
