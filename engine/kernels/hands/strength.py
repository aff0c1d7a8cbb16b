"""Hand strength: how many of an opponent's combos are worse, equal and better on a board (Fig. 3.3).

For one hand, `hand_strength`; for all at once, by the range walk (``engine.kernels.hands.range_walk``): the
strength on the board, the equity over all boards to come, and how the next card changes the strength.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import CARDS, FLOAT, FLOAT_MATRIX, FLOATS, INT, TABLE, entry, integer, kernel
from engine.kernels.hands.range_walk import add_board, make_walk, number_combos
from engine.kernels.poker.cards import (
    MAX_RUN_OUTS,
    card_bits,
    combo_of,
    count_bits,
    extended,
    list_live,
    list_run_outs,
)
from engine.kernels.poker.ranking import board_key, class_on_board, fill_board_ranks, fill_rank_pair_row
from engine.kernels.poker.tables import FLUSH_BITS, NUM_RANK_PAIRS, TWO_MORE_SUITED
from engine.support.arrays import Bytes, Floats, Words16

_DECK: Final = (1 << 52) - 1
"""All cards, as bits."""


@kernel(nogil=False)
def weights_are_valid(weights: Floats) -> bool:
    """Whether every weight is finite and not negative; `weights` of any length, float64."""
    good = 0
    for i in range(weights.shape[0]):
        good += (weights[i] >= 0.0) & (weights[i] < np.inf)
    return integer(weights.shape[0]) == good


check_weights = entry(weights_are_valid, FLOATS)


@kernel()
def hand_strength(
    table: Words16, first: int, second: int, board: Bytes, weights: Floats
) -> tuple[float, float, float]:
    """The weights of the combos that are worse than ours, equal to ours, and better.

    board: shape (3|4|5,).
    weights: shape (1326,), or (0,) if all are 1; weights of dead combos must be finite and do not count.
    """
    size = board.shape[0]
    key = board_key(board, size)
    dead = 1 << first | 1 << second | card_bits(board, size)
    ours = class_on_board(table, key, board, size, first, second)
    uniform = weights.shape[0] == 0

    ahead = tied = behind = 0.0
    if (key + TWO_MORE_SUITED) & FLUSH_BITS == 0:
        # No flush is possible: only the weight of each pair of ranks counts.
        row = np.empty(NUM_RANK_PAIRS, np.uint16)
        fill_rank_pair_row(table, key, row)
        alive = np.empty(52, np.float64)
        alive_of_rank = np.empty(13, np.float64)
        for rank in range(13):
            for card in range(4 * rank, 4 * rank + 4):
                alive[card] = 1.0 - float(dead >> card & 1)
            alive_of_rank[rank] = (
                alive[4 * rank] + alive[4 * rank + 1] + alive[4 * rank + 2] + alive[4 * rank + 3]
            )
        sums = np.empty(48, np.float64)
        for rank in range(13):
            if uniform:
                pairs = alive_of_rank[rank] * (alive_of_rank[rank] - 1.0) / 2.0
            else:
                # Always 48 steps, so that they become vectors; sums beyond the lower ranks are of other
                # weights and never read.  A slice for each row, so that no index can be negative.
                high = 4 * rank
                at = high * (high - 1) >> 1
                row_0, row_1 = weights[at : at + 51], weights[at + high : at + high + 51]
                at += 2 * high + 1
                row_2, row_3 = weights[at : at + 51], weights[at + high + 2 : at + high + 53]
                alive_0, alive_1, alive_2, alive_3 = (
                    alive[high],
                    alive[high + 1],
                    alive[high + 2],
                    alive[high + 3],
                )
                for low in range(48):
                    sums[low] = alive[low] * (
                        alive_0 * row_0[low]
                        + alive_1 * row_1[low]
                        + alive_2 * row_2[low]
                        + alive_3 * row_3[low]
                    )
                pairs = alive_0 * (alive_1 * row_1[high] + alive_2 * row_2[high] + alive_3 * row_3[high])
                pairs += alive_1 * (alive_2 * row_2[high + 1] + alive_3 * row_3[high + 1])
                pairs += alive_2 * alive_3 * row_3[high + 2]
            base = rank * (rank + 1) >> 1
            for low_rank in range(rank + 1):
                if low_rank == rank:
                    weight = pairs
                elif uniform:
                    weight = alive_of_rank[rank] * alive_of_rank[low_rank]
                else:
                    low = 4 * low_rank
                    weight = (sums[low] + sums[low + 1]) + (sums[low + 2] + sums[low + 3])
                theirs = integer(row[base + low_rank])
                ahead += weight if theirs < ours else 0.0
                tied += weight if theirs == ours else 0.0
                behind += weight if theirs > ours else 0.0
    else:
        ranks = np.empty(1326, np.uint16)
        fill_board_ranks(table, board, ranks)
        at = 0
        for high in range(52):
            if dead >> high & 1 == 0:
                for low in range(high):
                    weight = 0.0 if dead >> low & 1 else (1.0 if uniform else weights[at + low])
                    theirs = integer(ranks[at + low])
                    ahead += weight if theirs < ours else 0.0
                    tied += weight if theirs == ours else 0.0
                    behind += weight if theirs > ours else 0.0
            at += high
    return ahead, tied, behind


@kernel()
def read_cards(first: int, second: int, a: int, b: int, c: int, d: int, e: int, board: Bytes) -> int:
    """Write a board given card by card, with -1 for the cards to come, to `board`, shape (5,).

    Returns the number of board cards, or 0 if these and the two hole cards are not different cards of 0..51.
    """
    size = 3 + (d >= 0) + (e >= 0)
    cards = first | second | a | b | c | (d if size > 3 else 0) | (e if size > 4 else 0)
    if cards < 0 or cards > 63:  # shifts by such numbers are not defined
        return 0
    board[0], board[1], board[2] = a, b, c
    cards = 1 << first | 1 << second | 1 << a | 1 << b | 1 << c
    if size > 3:
        board[3] = d
        cards |= 1 << d
    if size > 4:
        board[4] = e
        cards |= 1 << e
    return size if count_bits(cards & _DECK) == size + 2 else 0


# Many parameters: a small array of the board would take Python half a microsecond a call.
@kernel(nogil=False)
def _strength_of_cards(
    table: Words16, weights: Floats, first: int, second: int, a: int, b: int, c: int, d: int, e: int
) -> tuple[float, float, float]:
    """`hand_strength` for a board given card by card, with -1 for the cards to come.

    Everything but the shape of the weights is checked here, in a tenth of a microsecond; if anything is
    wrong, all three numbers are 0.
    """
    board = np.empty(5, np.uint8)
    size = read_cards(first, second, a, b, c, d, e, board)
    if size == 0 or not weights_are_valid(weights):
        return 0.0, 0.0, 0.0
    return hand_strength(table, first, second, board[:size], weights)


strength_of_cards = entry(_strength_of_cards, TABLE, FLOATS, *[INT] * 7)
"""Takes ints instead of an array since making a small array takes Python half a microsecond."""


@kernel(allocates=False)
def _fill_weights(board: Bytes, weights: Floats, matrix: Floats, by_card: Floats) -> float:
    """Arrange weights as a symmetric matrix, with 0 for dead combos, and add them up; returns their sum.

    board: shape (3|4|5,).  weights: shape (1326,).
    matrix: shape (52, 52), 0 on the diagonal beforehand.  by_card: shape (52,), filled in place.
    """
    dead = card_bits(board, board.shape[0])
    combo = 0
    for high in range(52):
        for low in range(high):
            weight = 0.0 if (dead >> high | dead >> low) & 1 else weights[combo]
            matrix[high, low] = weight
            matrix[low, high] = weight
            combo += 1
    by_card[:] = 0.0
    for card in range(52):
        row = matrix[card]
        for other in range(52):
            by_card[other] += row[other]
    total = 0.0
    for card in range(52):
        total += by_card[card] / 2.0
    return total


@kernel()
def _shares_of_all_hands(
    table: Words16, board: Bytes, to_come: int, weights: Floats, dead: float, unmet: float, shares: Floats
) -> None:
    """The share of the opponent's hands that each combo beats on average; ties count half.

    board: shape (3|4|5,).  to_come: cards to come, over which the mean is taken: 0, or all up to the river.
    weights: shape (1326,).
    dead, unmet: the results for combos that share a card with the board, or with all combos with weight.
    shares: shape (1326,), filled in place.
    """
    size = board.shape[0]
    full = extended(board, size + to_come)
    matrix, won = np.zeros((52, 52), np.float64), np.zeros((52, 52), np.float64)
    by_card = np.empty(52, np.float64)
    total = _fill_weights(board, weights, matrix, by_card)
    walk = make_walk()
    run_outs = np.empty((MAX_RUN_OUTS if to_come else 1, 2), np.uint8)
    for index in range(list_run_outs(card_bits(board, size), to_come, run_outs)):
        for i in range(to_come):
            full[size + i] = run_outs[index, i]
        add_board(table, full, matrix, walk, won)

    # Each pair of disjoint hands meets on equally many boards.
    left = 48 - size
    boards = 1 if to_come == 0 else (left if to_come == 1 else left * (left - 1) // 2)
    alive = np.ones(52, np.float64)
    for i in range(size):
        alive[board[i]] = 0.0
    for high in range(52):
        at = high * (high - 1) >> 1
        out, own, won_row = shares[at : at + high], matrix[high], won[high]
        for low in range(high):
            met = total - by_card[high] - by_card[low] + own[low]
            # Less than this is a rounding error, not weight.
            share = unmet if met <= 1e-12 * total else min(max(won_row[low] / (2.0 * boards * met), 0.0), 1.0)
            out[low] = share if alive[high] * alive[low] != 0.0 else dead


shares_of_all_hands = entry(_shares_of_all_hands, TABLE, CARDS, INT, FLOATS, FLOAT, FLOAT, FLOATS)


@kernel()
def _random_changes(table: Words16, board: Bytes, changes: Floats) -> None:
    """The strength of every live combo against a random hand, and its mean gain and loss by the next card.

    board: shape (3|4,).  changes: shape (3, 1326), filled in place: strength, gain, loss; 0 for dead combos.
    """
    size = board.shape[0]
    weights = 1.0 - np.eye(52)
    walk = make_walk()
    live = np.empty(52, np.int64)
    num_live = list_live(card_bits(board, size), live)
    now, after = np.zeros((52, 52), np.float64), np.empty((52, 52), np.float64)
    gained, lost = np.zeros((52, 52), np.float64), np.zeros((52, 52), np.float64)
    add_board(table, board, weights, walk, now)
    # Twice the number of combos that any live combo of ours leaves to an opponent.
    met = (50.0 - size) * (49 - size)
    for high in range(52):
        for low in range(high):
            now[high, low] /= met
    met = (49.0 - size) * (48 - size)
    longer = extended(board, size + 1)
    others = np.ones(52, np.float64)
    for card in live[:num_live]:
        longer[size] = card
        after[:] = 0.0
        add_board(table, longer, weights, walk, after)
        others[card] = 0.0  # a hand that holds the card neither gains nor loses by it
        for high in range(52):
            if others[high] != 0.0:
                before_row, after_row, gained_row, lost_row = now[high], after[high], gained[high], lost[high]
                for low in range(high):
                    change = others[low] * (after_row[low] / met - before_row[low])
                    gained_row[low] += max(change, 0.0)
                    lost_row[low] -= min(change, 0.0)
        others[card] = 1.0
    changes[:] = 0.0
    for i in range(num_live):
        high = live[i]
        for low in live[:i]:
            combo = combo_of(high, low)
            changes[0, combo] = now[high, low]
            changes[1, combo] = gained[high, low] / (50.0 - size)
            changes[2, combo] = lost[high, low] / (50.0 - size)


random_changes = entry(_random_changes, TABLE, CARDS, FLOAT_MATRIX)


@kernel()
def _changes_against(table: Words16, board: Bytes, weights: Floats, changes: Floats) -> None:
    """The mean gain and loss of strength of every live combo by the next card, against weights.

    The chance of a card is proportional to the weight of the hands that the opponent may then hold.  The
    strength before the card is taken against the same hands, so that what a card merely reveals about the
    opponent's hand counts neither as gain nor as loss.

    board: shape (3|4,).  weights: shape (1326,).
    changes: shape (2, 1326), filled in place: mean gain and mean loss; 0 for dead combos.
    """
    size = board.shape[0]
    matrix, by_card = np.zeros((52, 52), np.float64), np.empty(52, np.float64)
    total = _fill_weights(board, weights, matrix, by_card)
    walk = make_walk()
    live = np.empty(52, np.int64)
    num_live = list_live(card_bits(board, size), live)
    now, after = np.zeros((52, 52), np.float64), np.empty((52, 52), np.float64)
    add_board(table, board, matrix, walk, now)
    numbers = np.empty(1326, np.uint8)
    below = np.empty(number_combos(table, board, numbers), np.float64)
    met = np.zeros(1326, np.float64)  # the weight of the opponent's possible hands, over all cards to come
    places = np.zeros(52, np.int64)  # for each other card, the class of the combo with the card to come
    longer = extended(board, size + 1)
    changes[:] = 0.0
    for card in live[:num_live]:
        # The opponent cannot hold the card: the weight with it that was below each class, and that tied.
        below[:] = 0.0
        with_card = matrix[card]
        for other in live[:num_live]:
            if other != card:
                places[other] = numbers[combo_of(card, other)]
                below[places[other]] += with_card[other]
        sum_below = 0.0
        for number in range(below.shape[0]):
            here = below[number]
            below[number] = 2.0 * sum_below + here
            sum_below += here
        longer[size] = card
        after[:] = 0.0
        add_board(table, longer, matrix, walk, after)
        without = total - by_card[card]
        for i in range(num_live):
            high = live[i]
            at = high * (high - 1) >> 1
            for j in range(0 if high == card else i):
                low = live[j]
                combo = at + low
                weight_a, weight_b, place = with_card[high], with_card[low], integer(numbers[combo])
                others = without - by_card[high] - by_card[low] + weight_a + weight_b + matrix[high, low]
                if low != card and others > 1e-12 * total:
                    gone = below[place]
                    gone -= weight_a * ((places[high] < place) + (places[high] <= place))
                    gone -= weight_b * ((places[low] < place) + (places[low] <= place))
                    change = 0.5 * (after[high, low] - (now[high, low] - gone))
                    changes[0, combo] += max(change, 0.0)
                    changes[1, combo] -= min(change, 0.0)
                    met[combo] += others
    for combo in range(1326):
        share = 1.0 / met[combo] if met[combo] > 1e-9 * total else 0.0
        changes[0, combo] *= share
        changes[1, combo] *= share


changes_against = entry(_changes_against, TABLE, CARDS, FLOATS, FLOAT_MATRIX)
