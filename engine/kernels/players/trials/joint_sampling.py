"""Joint sampling: hole cards for several players from their weight tables, no card twice, and boards.

The joint distribution is the product of the tables, given that no two hands share a card.  It is drawn by
rejection (von Neumann 1951): each hand is drawn from its own table without regard to the others, and all
hands are drawn again as soon as two collide.  Drawing only the colliding hand again would favour those who
draw first.

At a table of ten most attempts fail, but they fail early, after three or four hands.  Players whose hands are
least likely to fit, those with peaked tables, should come first.

Random numbers come from SplitMix64.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.cards import card_bits, deal_board
from engine.kernels.splitmix import GOLDEN, mixed, next_word, random_number
from engine.support.arrays import Bytes, Floats, Ints, Words

_OTHER_NUMBERS: Final = np.uint64(0xBF58476D1CE4E5B9)
"""Separates the random numbers of a trial's actions from those by which its cards are dealt."""


class Hands(NamedTuple):
    """The ranges of the m players to deal to, a row for each."""

    positions: Ints
    """The positions of these players, shape (m,)."""
    weights: Floats
    """Weights of combos, 0 for those with known cards, not all 0 in any row; shape (m, 1326)."""
    thresholds: Ints
    """The thresholds of the alias tables for these weights, shape (m, 1326)."""
    aliases: Ints
    """The aliases of the same tables, shape (m, 1326)."""
    combo_cards: Ints
    """The cards of each combo, shape (1326, 2)."""


@kernel(allocates=False)
def _deal_in_turn(weights: Floats, combo_cards: Ints, known: int, state: Words, combos: Ints) -> None:
    """Draw one hand after the other, each from what the hands before leave of its table.

    This is not the joint distribution; it is for tables that hardly ever fit together.  A player whose table
    has nothing left gets any two cards.

    known: the known cards, as bits.  combos: shape (m,), filled in place.
    """
    dead = known
    for row in range(weights.shape[0]):
        total = 0.0
        plain = 0
        for combo in range(1326):
            if (dead >> combo_cards[combo, 0] | dead >> combo_cards[combo, 1]) & 1 == 0:
                total += weights[row, combo]
                plain += 1
        drawn = random_number(state) * (total if total > 0.0 else float(plain))
        chosen = -1
        for combo in range(1326):
            if (dead >> combo_cards[combo, 0] | dead >> combo_cards[combo, 1]) & 1 == 0:
                weight = weights[row, combo] if total > 0.0 else 1.0
                if weight > 0.0:
                    chosen = combo
                    drawn -= weight
                    if drawn < 0.0:
                        break
        combos[row] = chosen
        dead |= 1 << combo_cards[chosen, 0] | 1 << combo_cards[chosen, 1]


@kernel()
def deal_jointly(
    hands: Hands,
    seen: Bytes,
    own_position: int,
    max_attempts: int,
    seed: int,
    holes: Bytes,
    boards: Bytes,
    seeds: Words,
) -> int:
    """Deal the hole cards and boards of n trials.

    seen: our two cards, then the board cards dealt so far; shape (2..7,).
    max_attempts: the most attempts for one trial; if all fail, the trial is dealt by `_deal_in_turn`.
    seed: any integer.
    holes: shape (n, players, 2), filled in place for the players dealt to and for us.
    boards: shape (n, 5), filled in place.
    seeds: the seed of each trial's actions, shape (n,), filled in place.

    Returns:
        The number of trials that were dealt by `_deal_in_turn`.
    """
    positions, weights, thresholds, aliases, combo_cards = hands
    own, known_board = seen[:2], seen[2:]
    size = known_board.shape[0]
    known = card_bits(seen, seen.shape[0])
    number = positions.shape[0]
    combos = np.empty(max(number, 1), np.int64)
    state = np.zeros(1, np.uint64)
    in_turn = 0
    for trial in range(holes.shape[0]):
        # Every trial has a generator of its own, so that trials do not depend on each other.
        state[0] = mixed(np.uint64(seed) + GOLDEN * np.uint64(trial + 1))
        seeds[trial] = mixed(state[0] ^ _OTHER_NUMBERS)
        dead = known
        fits = False
        for _ in range(max_attempts):
            dead = known
            fits = True
            for row in range(number):
                word = next_word(state)
                combo = integer(((word >> np.uint64(32)) * np.uint64(1326)) >> np.uint64(32))
                if integer(word & np.uint64(0xFFFFFFFF)) >= thresholds[row, combo]:
                    combo = integer(aliases[row, combo])
                mask = 1 << combo_cards[combo, 0] | 1 << combo_cards[combo, 1]
                if dead & mask:
                    fits = False
                    break
                dead |= mask
                combos[row] = combo
            if fits:
                break
        if not fits:
            in_turn += 1
            _deal_in_turn(weights, combo_cards, known, state, combos)
            dead = known
            for row in range(number):
                dead |= 1 << combo_cards[combos[row], 0] | 1 << combo_cards[combos[row], 1]
        for row in range(number):
            holes[trial, positions[row], 0] = combo_cards[combos[row], 0]
            holes[trial, positions[row], 1] = combo_cards[combos[row], 1]
        holes[trial, own_position, 0] = own[0]
        holes[trial, own_position, 1] = own[1]
        for i in range(size):
            boards[trial, i] = known_board[i]
        deal_board(dead, size, state, boards[trial])
    return in_turn
