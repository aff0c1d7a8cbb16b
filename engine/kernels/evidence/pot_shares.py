"""The expected shares of the pot of known hands, for many hands of hold'em and several moments of each.

Moments of a hand with the same number of board cards see the same boards to come, so that each board is
ranked once for all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.cards import card_bits, list_live
from engine.kernels.poker.ranking import board_key, class_on_board
from engine.kernels.poker.tables import KEY_OF_CARD
from engine.kernels.splitmix import mixed, next_word
from engine.support.arrays import Bytes, Floats, Ints, Words16


class _Asked(NamedTuple):
    """The moments of one hand with a given number of board cards."""

    first: int
    """The first moment of the hand in `moments`."""
    end: int
    """The end of the hand's moments."""
    out: int
    """The number of board cards; moments with another number are skipped."""


class _Hand(NamedTuple):
    """One hand of n players, with scratch arrays."""

    holes: Bytes
    """The hole cards, shape (n, 2)."""
    board: Bytes
    """The board cards dealt, then those that are tried; shape (5,)."""
    deck: Ints
    """The cards that may come, in the first entries; shape (52,)."""
    ranks: Ints
    """The ranks at showdown, shape (n,)."""


@kernel()
def fill_pot_shares(
    table: Words16, holes: Bytes, boards: Bytes, numbers: Ints, moments: Ints, samples: int, shares: Floats
) -> None:
    """The share of the pot that each position expects at some moments, over all boards that may still come.

    The cards of players who have folded are dead.  Before the flop, boards are sampled; all moments of a hand
    see the same boards, which depend only on its number and its hole cards.

    holes: shape (hands, n, 2).  boards: shape (hands, 5), meaningless beyond the cards dealt.
    numbers: a number for each hand, which tells hands with equal cards apart; shape (hands,).
    moments: the hand, the positions that share the pot as bits, and the number of board cards; shape (m, 3).
        The moments of a hand are adjacent.
    samples: the number of boards sampled before the flop.
    shares: shape (m, n), filled in place.
    """
    players = holes.shape[1]
    board = np.empty(5, np.uint8)
    deck = np.empty(52, np.int64)
    ranks = np.empty(players, np.int64)
    shares[:] = 0.0
    first = 0
    while first < moments.shape[0]:
        number = moments[first, 0]
        end = first + 1
        while end < moments.shape[0] and moments[end, 0] == number:
            end += 1
        hand = _Hand(holes[number], board, deck, ranks)
        done = 0
        for moment in range(first, end):
            out = moments[moment, 2]
            if done >> out & 1:
                continue
            done |= 1 << out
            for place in range(out):
                board[place] = boards[number, place]
            asked = _Asked(first, end, out)
            if out == 0:
                total = _sample(table, hand, integer(numbers[number]), samples, moments, asked, shares)
            else:
                total = _deal_out(table, hand, moments, asked, shares)
            for each in range(first, end):
                if moments[each, 2] == out:
                    for position in range(players):
                        shares[each, position] /= total
        first = end


@kernel(allocates=False)
def _fill_deck(hand: _Hand, out: int) -> int:
    """Fill the deck with the cards that were dealt to nobody and are not on the board; returns how many."""
    gone = card_bits(hand.board, out)
    for position in range(hand.holes.shape[0]):
        gone |= card_bits(hand.holes[position], 2)
    return list_live(gone, hand.deck)


@kernel(allocates=False)
def _sharing(moments: Ints, asked: _Asked) -> int:
    """The positions that share the pot at any of the moments asked about, as bits."""
    sharing = 0
    for moment in range(asked.first, asked.end):
        if moments[moment, 2] == asked.out:
            sharing |= moments[moment, 1]
    return sharing


@kernel(allocates=False)
def _show_down(
    table: Words16, hand: _Hand, key: int, sharing: int, moments: Ints, asked: _Asked, shares: Floats
) -> None:
    """Add each position's share of the pot on a board of five, whose key is `key`, at each of the moments."""
    players = hand.holes.shape[0]
    for position in range(players):
        if sharing >> position & 1:
            hand.ranks[position] = class_on_board(
                table, key, hand.board, 5, integer(hand.holes[position, 0]), integer(hand.holes[position, 1])
            )
    for moment in range(asked.first, asked.end):
        if moments[moment, 2] != asked.out:
            continue
        live = moments[moment, 1]
        best = -1
        winners = winner = 0
        for position in range(players):
            if live >> position & 1:
                if hand.ranks[position] > best:
                    best = hand.ranks[position]
                    winner = position
                    winners = 1
                elif hand.ranks[position] == best:
                    winners += 1
        if winners == 1:
            shares[moment, winner] += 1.0
        else:
            for position in range(players):
                if live >> position & 1 and hand.ranks[position] == best:
                    shares[moment, position] += 1.0 / winners


@kernel(allocates=False)
def _deal_out(table: Words16, hand: _Hand, moments: Ints, asked: _Asked, shares: Floats) -> float:
    """Add the shares on all boards to come, from the flop on; returns the number of boards."""
    size = _fill_deck(hand, asked.out)
    sharing = _sharing(moments, asked)
    key = board_key(hand.board, asked.out)
    if asked.out == 5:
        _show_down(table, hand, key, sharing, moments, asked, shares)
        return 1.0
    for first in range(size):
        card = hand.deck[first]
        hand.board[asked.out] = card
        with_first = key + KEY_OF_CARD[card]
        if asked.out == 4:
            _show_down(table, hand, with_first, sharing, moments, asked, shares)
            continue
        for second in range(first):
            card = hand.deck[second]
            hand.board[4] = card
            _show_down(table, hand, with_first + KEY_OF_CARD[card], sharing, moments, asked, shares)
    return float(size if asked.out == 4 else size * (size - 1) // 2)


@kernel()
def _sample(
    table: Words16, hand: _Hand, number: int, samples: int, moments: Ints, asked: _Asked, shares: Floats
) -> float:
    """Add the shares on boards sampled before the flop; returns the number of boards.

    The deck is shuffled and cut into boards as often as needed: boards that share no card are more
    informative together than boards drawn one by one.
    """
    size = _fill_deck(hand, 0)
    sharing = _sharing(moments, asked)
    word = mixed(np.uint64(number))
    for position in range(hand.holes.shape[0]):
        cards = 52 * integer(hand.holes[position, 0]) + integer(hand.holes[position, 1])
        word = mixed(word + np.uint64(cards))
    state = np.empty(1, np.uint64)
    state[0] = word
    at = size
    for _ in range(samples):
        if at + 5 > size:
            at = 0
        for place in range(5):
            left = np.uint64(size - at)
            drawn = at + integer(((next_word(state) >> np.uint64(32)) * left) >> np.uint64(32))
            card = hand.deck[drawn]
            hand.deck[drawn] = hand.deck[at]
            hand.deck[at] = card
            hand.board[place] = card
            at += 1
        _show_down(table, hand, board_key(hand.board, 5), sharing, moments, asked, shares)
    return float(samples)
