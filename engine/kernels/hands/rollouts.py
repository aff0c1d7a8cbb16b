"""Roll-outs and odds by board: hands are dealt to the end without betting, and the winners counted.

Everywhere ``table`` is ``ranking_table()``, uint16.  Random numbers come from SplitMix64, whose whole state
is the seed: the same seed gives the same deals on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.cards import card_bits, combo_of, extended, list_live
from engine.kernels.poker.ranking import DEAD, board_key, class_on_board, fill_board_ranks
from engine.kernels.splitmix import next_word
from engine.support.arrays import Bools, Bytes, Floats, Ints, Words, Words16


@kernel()
def _deal(state: Words, deck: Ints, first: int, last: int) -> None:
    """Put random cards of ``deck[first:]`` at ``deck[first:last]``, by the Fisher-Yates shuffle.

    state: shape (1,), advanced in place.  A draw of 64 bits serves two cards; the bias is below 2**-26.
    """
    size = deck.shape[0]
    place = first
    while place < last:
        word = next_word(state)
        chosen = place + (integer(word >> np.uint64(32)) * (size - place) >> 32)
        deck[place], deck[chosen] = deck[chosen], deck[place]
        place += 1
        if place < last:
            chosen = place + (integer(word & np.uint64(0xFFFFFFFF)) * (size - place) >> 32)
            deck[place], deck[chosen] = deck[chosen], deck[place]
            place += 1


class RollOut(NamedTuple):
    """The scheme of a roll-out: who plays, and what is in the pot."""

    plays: Bools
    """Whether a starting hand is played, shape (169,)."""
    blinds: Floats
    """By seat: dead money if the seat folds, part of the stake if it plays.  Shape (players,)."""
    stake: float
    """The amount that every playing seat puts into the pot."""
    free_seat: int
    """The seat that plays any hand, or -1."""
    first_counted: int
    """The first seat whose hands are valued."""
    end_counted: int
    """The end of the valued seats, which is not among them."""


@kernel()
def roll_out_starting_hands(
    table: Words16, starting_hands: Bytes, seed: int, trials: int, scheme: RollOut, sums: Floats
) -> None:
    """Deal hands to the showdown, and add up what each starting hand earns if it is played.

    A seat plays if its starting hand is to be played, or if it is the free seat.  It then puts the stake into
    the pot; otherwise it leaves its blind there.  *Every* hand of the valued seats is valued as if it were
    played, even if it is folded.  So a hand that nobody plays keeps a value by which it may be played again,
    and one deal values up to as many hands as there are players.

    starting_hands: that of each combo, shape (1326,).
    trials: the number of deals.
    sums: shape (169, 3), added to in place: times valued, gain over folding and its square, in the unit of
    the stake.
    """
    plays, blinds, stake = scheme.plays, scheme.blinds, scheme.stake
    players = blinds.shape[0]
    deck = np.arange(52)
    state = np.zeros(1, np.uint64)
    state[0] = np.uint64(seed)
    ranks = np.empty(players, np.int64)
    hands = np.empty(players, np.int64)
    playing = np.empty(players, np.bool_)
    for _ in range(trials):
        _deal(state, deck, 0, 5 + 2 * players)
        key = board_key(deck, 5)
        best = -1
        num_best = 0
        pot = 0.0
        for seat in range(players):
            first, second = deck[5 + 2 * seat], deck[6 + 2 * seat]
            hand = integer(starting_hands[combo_of(first, second)])
            hands[seat] = hand
            plays_on = plays[hand] or seat == scheme.free_seat
            playing[seat] = plays_on
            rank = -1
            # A seat that is neither counted nor in the pot need not be ranked.
            if plays_on or scheme.first_counted <= seat < scheme.end_counted:
                rank = class_on_board(table, key, deck, 5, first, second)
            ranks[seat] = rank
            if plays_on:
                pot += stake
                if rank > best:
                    best = rank
                    num_best = 1
                elif rank == best:
                    num_best += 1
            else:
                pot += blinds[seat]
        for seat in range(scheme.first_counted, scheme.end_counted):
            rank = ranks[seat]
            income = blinds[seat] - stake
            if playing[seat]:
                if rank == best:
                    income += pot / num_best
            elif rank >= best:
                ours = pot - blinds[seat] + stake
                income += ours if rank > best else ours / (num_best + 1)
            hand = hands[seat]
            sums[hand, 0] += 1.0
            sums[hand, 1] += income
            sums[hand, 2] += income * income


@kernel()
def roll_out_heads_up(
    table: Words16, starting_hands: Bytes, seed: int, trials: int, met: Floats, won: Floats
) -> None:
    """Deal `trials` hands to two players, and count results by pair of starting hands.

    starting_hands: that of each combo, shape (1326,).
    met, won: shape (169, 169), added to in place: how often the row's hand met the column's, and the pots
    that the row's hand won.  Each deal is entered once, with the first player in the row.
    """
    deck = np.arange(52)
    state = np.zeros(1, np.uint64)
    state[0] = np.uint64(seed)
    hands = np.empty(2, np.int64)
    ranks = np.empty(2, np.int64)
    for _ in range(trials):
        _deal(state, deck, 0, 9)
        key = board_key(deck, 5)
        for seat in range(2):
            first, second = deck[5 + 2 * seat], deck[6 + 2 * seat]
            hands[seat] = starting_hands[combo_of(first, second)]
            ranks[seat] = class_on_board(table, key, deck, 5, first, second)
        met[hands[0], hands[1]] += 1.0
        won[hands[0], hands[1]] += 0.5 * ((ranks[0] > ranks[1]) + (ranks[0] >= ranks[1]))


@kernel()
def joint_pot_shares(
    table: Words16, seed: int, trials: int, hole_cards: Bytes, board: Bytes, sums: Floats
) -> None:
    """Our share of the pot against 1, 2, ... opponents with random hands that are dealt together.

    One deal serves all numbers of opponents: k opponents are the first k.

    hole_cards: shape (2,).  board: shape (0..5,).
    sums: shape (opponents, 2), added to in place: our share of the pot, and its square.
    """
    opponents = sums.shape[0]
    known = board.shape[0]
    dead = card_bits(hole_cards, 2) | card_bits(board, known)
    full = extended(board, 5)
    live = np.empty(52, np.int64)
    deck = live[: list_live(dead, live)]
    state = np.zeros(1, np.uint64)
    state[0] = np.uint64(seed)
    to_come = 5 - known
    ours_first, ours_second = integer(hole_cards[0]), integer(hole_cards[1])
    for _ in range(trials):
        _deal(state, deck, 0, to_come + 2 * opponents)
        for i in range(to_come):
            full[known + i] = deck[i]
        key = board_key(full, 5)
        ours = class_on_board(table, key, full, 5, ours_first, ours_second)
        ties = 0
        for opponent in range(opponents):
            at = to_come + 2 * opponent
            rank = class_on_board(table, key, full, 5, deck[at], deck[at + 1])
            if rank > ours:
                break  # lost against this number of opponents and every larger one
            if rank == ours:
                ties += 1
            share = 1.0 / (ties + 1)
            sums[opponent, 0] += share
            sums[opponent, 1] += share * share


@kernel()
def results_by_board(
    table: Words16, hole_cards: Bytes, boards: Bytes, weights: Floats, results: Floats
) -> None:
    """The weight of each opponent's hands that we beat, tie and lose to, on each final board.

    hole_cards: shape (2,).  boards: shape (num_boards, 5), without our cards.
    weights: shape (num_opponents, 1326), 0 for every combo that holds one of our cards.
    results: shape (3, num_opponents, num_boards), filled in place: won, tied, lost.
    """
    ranks = np.empty(1326, np.uint16)
    our_combo = combo_of(integer(hole_cards[0]), integer(hole_cards[1]))
    for b in range(boards.shape[0]):
        fill_board_ranks(table, boards[b], ranks)
        ours = ranks[our_combo]
        for opponent in range(weights.shape[0]):
            up_to = below = above = 0.0
            for combo in range(1326):
                weight = weights[opponent, combo]
                rank = ranks[combo]
                # Without branches the loop vectorises; a combo on the board ranks DEAD, above everything.
                below += weight if rank < ours else 0.0
                up_to += weight if rank <= ours else 0.0
                above += weight if (rank > ours) & (rank != DEAD) else 0.0
            results[0, opponent, b] = below
            results[1, opponent, b] = up_to - below
            results[2, opponent, b] = above


@kernel()
def count_final_ranks(
    table: Words16, hole_cards: Bytes, boards: Bytes, weights: Floats, ours: Floats, theirs: Floats
) -> None:
    """Histograms of final classes: of our hand, and of each table of an opponent's hands by weight.

    hole_cards: shape (2,).  boards: shape (num_boards, 5), without our cards.
    weights: shape (num_tables, 1326), 0 for every combo that holds one of our cards.
    ours: shape (7462,), theirs: shape (num_tables, 7462), added to in place.
    """
    ranks = np.empty(1326, np.uint16)
    our_combo = combo_of(integer(hole_cards[0]), integer(hole_cards[1]))
    for b in range(boards.shape[0]):
        fill_board_ranks(table, boards[b], ranks)
        ours[ranks[our_combo]] += 1.0
        for combo in range(1326):
            if ranks[combo] != DEAD:
                for row in range(weights.shape[0]):
                    theirs[row, ranks[combo]] += weights[row, combo]
