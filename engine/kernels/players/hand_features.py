"""What a hand is worth on a board, quickly: the share of all hands it beats, and its potential at a glance.

A simulation meets a new board in every trial and asks for a few hands on it, so neither may cost a walk over
the combos.

*Share*: combos are counted by pairs of ranks, 91 of them, and by flushes; a hand's share is the part of all
live combos below its class, ties counting half.  That is the hand strength of Fig. 3.3 but for the hands that
hold one of its own cards, which are not left out.

*Potential*: four to a flush, cards that make a straight, overcards, by a regression on the potential that
``engine.players.board_values`` enumerates; its error is bounded by a test.

``table`` is ``ranking_table()`` and `completing` is ``straight_completions()``, wherever they occur.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.cards import count_bits
from engine.kernels.poker.ranking import fill_board_row
from engine.kernels.poker.tables import FLUSH_AT, NUM_RANK_PAIRS, STRAIGHT_TOP
from engine.support.arrays import Bytes, Ints, Ints32, Words16

MAX_GROUPS: Final = 136
"""No board has more: 91 rank pairs and 45 flushes."""


@functools.cache
def straight_completions() -> Ints:
    """For each mask of ranks, the ranks of which one more card makes a straight; 0 where there is one.

    Shape (8192,), int64, bit r: rank r.
    """
    masks, has_straight = np.arange(1 << 13), STRAIGHT_TOP >= 0
    completing = np.zeros(1 << 13, np.int64)
    for rank in range(13):
        gained = has_straight[masks | 1 << rank] & ~has_straight
        completing[gained] |= 1 << rank
    return completing


@kernel()
def fill_class_counts(table: Words16, board: Bytes, size: int, classes: Ints32, counts: Ints32) -> None:
    """What the live combos make of the first `size` cards of a board.

    classes, counts: shape (MAX_GROUPS,), filled in place: groups of combos, the class of each and how many it
    has.  The groups are in no order, and several may be of one class.
    """
    plain = np.full(13, 4, np.int64)  # cards of each rank that make no flush by themselves
    for i in range(size):
        plain[board[i] >> 2] -= 1
    row = np.empty(NUM_RANK_PAIRS, np.uint16)
    suit, suited, mask = fill_board_row(table, board[:size], row)
    if suited >= 4:
        for rank in range(13):
            plain[rank] -= 1 - (mask >> rank & 1)
    num_plain = pair = 0
    for high in range(13):
        number = integer(plain[high])
        num_plain += number
        for low in range(high):
            classes[pair] = row[pair]
            counts[pair] = number * plain[low]
            pair += 1
        classes[pair] = row[pair]
        counts[pair] = number * (number - 1) >> 1
        pair += 1
    if suit >= 0:
        for high in range(13):
            if mask >> high & 1:
                continue
            with_high = FLUSH_AT + (mask | 1 << high)
            if suited >= 4:
                classes[pair] = table[with_high]
                counts[pair] = num_plain
                pair += 1
            for low in range(high):
                if mask >> low & 1 == 0:
                    classes[pair] = table[with_high | 1 << low]
                    counts[pair] = 1
                    pair += 1
                    if suited == 3:
                        counts[(high * (high + 1) >> 1) + low] -= 1
    for group in range(pair, MAX_GROUPS):
        classes[group] = 0
        counts[group] = 0


@kernel(allocates=False)
def share_of_class(classes: Ints32, counts: Ints32, size: int, hand_class: int) -> float:
    """The share of the combos on a board of `size` cards that a class beats, ties counting half.

    classes, counts: of `fill_class_counts`.
    """
    twice = np.int32(0)
    limit = np.int32(hand_class)
    for group in range(MAX_GROUPS):
        below = np.int32(classes[group] < limit) + np.int32(classes[group] <= limit)
        twice += counts[group] * below
    live = 52 - size
    return twice / float(live * (live - 1))


@kernel(allocates=False)
def quick_potential(completing: Ints, board: Bytes, size: int, a: int, b: int, strength: float) -> float:
    """The positive potential of a hand for one card to come, at a glance.

    The coefficients are those of a least squares fit to the enumerated potential of all hands on 80 flops
    and 80 turns drawn at random.

    size: 3 or 4.  strength: the hand's share.
    """
    ranks = top = 0
    for i in range(size):
        rank = integer(board[i] >> 2)
        ranks |= 1 << rank
        top = max(top, rank)
    rank_a, rank_b = a >> 2, b >> 2
    all_ranks = ranks | 1 << rank_a | 1 << rank_b
    straight = count_bits(completing[all_ranks] & ~completing[ranks])
    paired = rank_a == rank_b or (ranks >> rank_a | ranks >> rank_b) & 1 == 1
    over = 0
    if not paired:
        over = (1 if rank_a > top else 0) + (1 if rank_b > top else 0)
    both = one = 0.0
    suit_a, suit_b = a & 3, b & 3
    of_a = of_b = 0
    for i in range(size):
        suit = integer(board[i] & 3)
        of_a += 1 if suit == suit_a else 0
        of_b += 1 if suit == suit_b else 0
    if suit_a == suit_b:
        if of_a == 2:
            both = 1.0
    elif of_a == 3:
        one = (rank_a / 12.0) ** 2
    elif of_b == 3:
        one = (rank_b / 12.0) ** 2
    s = strength
    if size == 3:
        potential = 0.0709 + (0.0703 - 0.1398 * s) * s + (0.1771 + 0.0113 * s) * both + 0.1984 * one
        potential += (0.0864 - 0.0706 * s) * straight + 0.0158 * over
        if paired:
            potential += 0.0214 + 0.0206 * s
    else:
        potential = 0.0822 + (0.0209 - 0.1041 * s) * s + (0.1780 - 0.0022 * s) * both + 0.2116 * one
        potential += (0.0769 - 0.0666 * s) * straight + 0.0143 * over
        if paired:
            potential += 0.0542 * s - 0.0097
    return min(max(potential, 0.0), 1.0)


@kernel(allocates=False)
def usual_negative_potential(size: int, strength: float) -> float:
    """The negative potential of hands of a strength for one card to come, on boards of 3 or 4 cards.

    From the same fit as `quick_potential`.
    """
    s = strength
    if size == 3:
        return max(0.1305 + (0.0466 + (0.0645 - 0.2122 * s) * s) * s, 0.0)
    return max(0.1315 + (0.2319 + (0.0603 * s - 0.3814) * s) * s, 0.0)
