"""All combos on a board at once: their order, their strength against weights, the effect of the next card.

*Strength against a weight table* takes one pass over the combos in ascending order of their classes.  The
weight below a class is kept in total and by card.  A combo beats the weight below its class less the weight
of hands that hold one of its two cards, since an opponent cannot hold those (the range trick of
``engine.kernels.hands.range_trick``, for boards of any size).

*The effect of the next card* compares strengths on the board with those on the board with each next card.
Against a random hand it is computed once for a board; against weights it uses the orders of the longer
boards, which are kept.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.bits import card_bits
from engine.kernels.poker.ranking import (
    DEAD,
    board_key,
    fill_board_ranks,
    fill_rank_pair_row,
    flush_on_board,
)
from engine.kernels.poker.tables import NUM_CLASSES

_HIGH_OF_PAIR: Final = np.array([high for high in range(13) for _ in range(high + 1)])
_LOW_OF_PAIR: Final = np.array([low for high in range(13) for low in range(high + 1)])
_RANK_PAIR_OF_COMBO: Final = np.array(
    [(high >> 2) * ((high >> 2) + 1) // 2 + (low >> 2) for high in range(52) for low in range(high)]
)


@kernel()
def order_combos(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    order: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> tuple[int, int]:
    """Order the live combos on a board by their classes, ascending, and find where each class ends.

    board: shape (3|4|5,).  order: shape (1326,), filled in place; only as many entries as live combos count.
    ends: shape (1326,), filled in place: ``order[ends[k - 1]:ends[k]]`` are the combos of the k-th class.

    Returns:
        The number of live combos and the number of classes.
    """
    ranks = np.empty(1326, np.uint16)
    fill_board_ranks(table, board, ranks)
    # Some 130 of 7462 classes occur: with a bit for each they are found in order without a walk over all.
    occurs = np.zeros((NUM_CLASSES >> 6) + 1, np.uint64)
    counts = np.empty(NUM_CLASSES, np.int32)
    for combo in range(1326):
        if ranks[combo] != DEAD:
            hand_class = integer(ranks[combo])
            bit = np.uint64(1) << np.uint64(hand_class & 63)
            if occurs[hand_class >> 6] & bit:
                counts[hand_class] += 1
            else:
                occurs[hand_class >> 6] |= bit
                counts[hand_class] = 1
    live = 0
    groups = 0
    for word in range(occurs.shape[0]):
        if occurs[word] == 0:
            continue
        for place in range(64):
            if occurs[word] >> np.uint64(place) & np.uint64(1):
                hand_class = (word << 6) + place
                number = integer(counts[hand_class])
                counts[hand_class] = live
                live += number
                ends[groups] = live
                groups += 1
    for combo in range(1326):
        if ranks[combo] != DEAD:
            order[counts[ranks[combo]]] = combo
            counts[ranks[combo]] += 1
    return live, groups


@kernel()
def strengths_in_order(
    order: NDArray[np.int64],
    ends: NDArray[np.int64],
    groups: int,
    cards: NDArray[np.int64],
    weights: NDArray[np.float64],
    strengths: NDArray[np.float64],
) -> None:
    """The hand strength of every live combo against a weight table (Fig. 3.3, weighted as in 3.3.3).

    order, ends, groups: from `order_combos`.  cards: the cards of each combo, shape (1326, 2).
    weights: shape (1326,).
    strengths: shape (1326,), filled in place for the live combos only; .5 for a combo that leaves the
    opponent no hand.
    """
    by_card = np.zeros(52, np.float64)
    below_by_card = np.zeros(52, np.float64)
    live = integer(ends[groups - 1])
    # Copied in order, so that the walks below read memory in order.
    first = np.empty(live, np.uint8)
    second = np.empty(live, np.uint8)
    weight = np.empty(live, np.float64)
    twice = np.empty(live, np.float64)
    total = 0.0
    for i in range(live):
        combo = integer(order[i])
        first[i] = cards[combo, 0]
        second[i] = cards[combo, 1]
        weight[i] = weights[combo]
        by_card[first[i]] += weight[i]
        by_card[second[i]] += weight[i]
        total += weight[i]
    below = 0.0
    start = 0
    for group in range(groups):
        end = integer(ends[group])
        # What is below before the class is added plus what is below after it, is twice below + tied / 2.
        for i in range(start, end):
            twice[i] = below - below_by_card[first[i]] - below_by_card[second[i]]
        for i in range(start, end):
            below_by_card[first[i]] += weight[i]
            below_by_card[second[i]] += weight[i]
            below += weight[i]
        for i in range(start, end):
            twice[i] += below - below_by_card[first[i]] - below_by_card[second[i]] + weight[i]
        start = end
    # Less than this is a rounding error, not weight.
    least = 1e-12 * total
    for i in range(live):
        met = total - by_card[first[i]] - by_card[second[i]] + weight[i]
        strengths[order[i]] = 0.5 if met <= least else min(max(twice[i] / (2.0 * met), 0.0), 1.0)


@kernel()
def _random_strengths(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    cards: NDArray[np.int64],
    strengths: NDArray[np.float64],
) -> None:
    """The hand strength of every live combo against a random hand; `strengths` is filled in place.

    As all weights are 1, the sums are whole numbers.  On a board without a possible flush, all combos of the
    same two ranks are equally strong.
    """
    size = board.shape[0]
    # The number of combos that any live combo of ours leaves to an opponent.
    met = (50 - size) * (49 - size) // 2
    key = board_key(board, size)
    flush, _, _ = flush_on_board(key, board, size)
    if flush < 0:
        by_ranks = np.empty(91, np.float64)
        _random_strengths_by_ranks(table, board, key, met, by_ranks)
        for combo in range(1326):
            strengths[combo] = by_ranks[_RANK_PAIR_OF_COMBO[combo]]
        return
    order = np.empty(1326, np.int64)
    ends = np.empty(1326, np.int64)
    live, groups = order_combos(table, board, order, ends)
    below_by_card = np.zeros(52, np.int64)
    first = np.empty(live, np.uint8)
    second = np.empty(live, np.uint8)
    twice = np.empty(live, np.int64)
    for i in range(live):
        first[i] = cards[order[i], 0]
        second[i] = cards[order[i], 1]
    below = 0
    start = 0
    for group in range(groups):
        end = integer(ends[group])
        for i in range(start, end):
            twice[i] = below - below_by_card[first[i]] - below_by_card[second[i]]
        for i in range(start, end):
            below_by_card[first[i]] += 1
            below_by_card[second[i]] += 1
        below += end - start
        for i in range(start, end):
            twice[i] += below - below_by_card[first[i]] - below_by_card[second[i]] + 1
        start = end
    for i in range(live):
        strengths[order[i]] = twice[i] / (2.0 * met)


@kernel()
def _random_strengths_by_ranks(
    table: NDArray[np.uint16], board: NDArray[np.uint8], key: int, met: int, by_ranks: NDArray[np.float64]
) -> None:
    """`_random_strengths` by pair of ranks, on a board without a possible flush.

    key: the key of the board.  met: the number of combos left to an opponent.
    by_ranks: shape (91,), filled in place; ranks ``a >= b`` are at ``a * (a + 1) / 2 + b``.
    """
    left = np.full(13, 4, np.int64)  # cards of a rank that are not on the board
    for i in range(board.shape[0]):
        left[board[i] >> 2] -= 1
    classes = np.empty(91, np.uint16)
    fill_rank_pair_row(table, key, classes)
    order = np.empty(91, np.int64)
    for pair in range(91):
        place = pair
        while place > 0 and classes[order[place - 1]] > classes[pair]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = pair
    # The number of hands below that hold one given card of each rank.
    below_by_rank = np.zeros(13, np.int64)
    twice = np.empty(91, np.int64)
    below = 0
    start = 0
    while start < 91:
        end = start
        while end < 91 and classes[order[end]] == classes[order[start]]:
            high, low = _HIGH_OF_PAIR[order[end]], _LOW_OF_PAIR[order[end]]
            twice[order[end]] = below - below_by_rank[high] - below_by_rank[low]
            end += 1
        for i in range(start, end):
            high, low = _HIGH_OF_PAIR[order[i]], _LOW_OF_PAIR[order[i]]
            if high == low:
                below += left[high] * (left[high] - 1) // 2
                below_by_rank[high] += left[high] - 1 if left[high] > 0 else 0
            else:
                below += left[high] * left[low]
                below_by_rank[high] += left[low]
                below_by_rank[low] += left[high]
        for i in range(start, end):
            high, low = _HIGH_OF_PAIR[order[i]], _LOW_OF_PAIR[order[i]]
            upto = below - below_by_rank[high] - below_by_rank[low] + 1
            by_ranks[order[i]] = (twice[order[i]] + upto) / (2.0 * met)
        start = end


@kernel()
def strengths_and_changes(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    cards: NDArray[np.int64],
    strengths: NDArray[np.float64],
    gains: NDArray[np.float64],
    losses: NDArray[np.float64],
) -> None:
    """The strength of every live combo against a random hand, and its mean gain and loss by the next card.

    board: shape (3|4,).
    strengths, gains, losses: shape (1326,), filled in place; 0 for dead combos.
    """
    size = board.shape[0]
    _random_strengths(table, board, cards, strengths)
    dead = card_bits(board, size)
    longer = np.empty(size + 1, np.uint8)
    for i in range(size):
        longer[i] = board[i]
    for combo in range(1326):
        gains[combo] = 0.0
        losses[combo] = 0.0
    after = np.empty(1326, np.float64)
    for card in range(52):
        if dead >> card & 1:
            continue
        longer[size] = card
        _random_strengths(table, longer, cards, after)
        # A hand that holds the card neither gains nor loses by it.
        first = card * (card - 1) // 2
        for other in range(card):
            after[first + other] = strengths[first + other]
        for other in range(card + 1, 52):
            combo = other * (other - 1) // 2 + card
            after[combo] = strengths[combo]
        for combo in range(1326):
            change = after[combo] - strengths[combo]
            gains[combo] += max(change, 0.0)
            losses[combo] -= min(change, 0.0)
    cards_to_come = 50.0 - size
    for combo in range(1326):
        if dead >> cards[combo, 0] & 1 or dead >> cards[combo, 1] & 1:
            strengths[combo] = 0.0
            gains[combo] = 0.0
            losses[combo] = 0.0
        else:
            gains[combo] /= cards_to_come
            losses[combo] /= cards_to_come


@kernel()
def order_next_boards(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    orders: NDArray[np.int64],
    ends: NDArray[np.int64],
    groups: NDArray[np.int64],
) -> None:
    """`order_combos` on a board with each next card.

    board: shape (3|4,).  orders, ends: shape (52, 1326), filled in place.
    groups: shape (52,), filled in place; 0 for the cards of the board.
    """
    size = board.shape[0]
    dead = card_bits(board, size)
    longer = np.empty(size + 1, np.uint8)
    for i in range(size):
        longer[i] = board[i]
    for card in range(52):
        groups[card] = 0
        if not dead >> card & 1:
            longer[size] = card
            _, groups[card] = order_combos(table, longer, orders[card], ends[card])


# Many parameters: the orders of a board and of the next ones, as they are kept.
@kernel()
def changes_against(
    order: NDArray[np.int64],
    ends: NDArray[np.int64],
    groups: int,
    next_orders: NDArray[np.int64],
    next_ends: NDArray[np.int64],
    next_groups: NDArray[np.int64],
    cards: NDArray[np.int64],
    weights: NDArray[np.float64],
    changes: NDArray[np.float64],
) -> None:
    """The mean gain and loss of strength of every live combo by the next card, against weights.

    The chance of a card is proportional to the weight of the hands that the opponent may then hold.  The
    strength before the card is taken against the same hands, so that what a card merely reveals about the
    opponent's hand counts neither as gain nor as loss.

    order, ends, groups: from `order_combos`.  next_orders, next_ends, next_groups: from `order_next_boards`.
    cards: the cards of each combo, shape (1326, 2).  weights: shape (1326,), 0 for dead combos.
    changes: shape (2, 1326), filled in place: mean gain and mean loss; 0 for dead combos.
    """
    now = np.zeros(1326, np.float64)
    after = np.empty(1326, np.float64)
    left = weights.copy()
    strengths_in_order(order, ends, groups, cards, weights, now)
    by_card = np.zeros(52, np.float64)
    total = 0.0
    for combo in range(1326):
        by_card[cards[combo, 0]] += weights[combo]
        by_card[cards[combo, 1]] += weights[combo]
        total += weights[combo]
    # Twice what each combo beats now, and the number of its class.
    beaten = np.zeros(1326, np.float64)
    places = np.zeros(1326, np.int64)
    met = np.zeros(1326, np.float64)  # the weight of the opponent's possible hands, over all cards to come
    start = 0
    for group in range(groups):
        for i in range(start, integer(ends[group])):
            combo = integer(order[i])
            others = total - by_card[cards[combo, 0]] - by_card[cards[combo, 1]] + weights[combo]
            beaten[combo] = 2.0 * others * now[combo]
            places[combo] = group
        start = integer(ends[group])
    changes[:] = 0.0
    with_card = np.empty(52, np.int64)  # for each other card, the combo with the card to come
    below = np.empty(groups, np.float64)
    for card in range(52):
        if next_groups[card] == 0:
            continue
        # The opponent cannot hold the card: the weight with it that was below each class, and that tied.
        below[:] = 0.0
        for other in range(52):
            if other != card:
                high, low = max(card, other), min(card, other)
                with_card[other] = high * (high - 1) // 2 + low
                left[with_card[other]] = 0.0
                below[places[with_card[other]]] += weights[with_card[other]]
        sum_below = 0.0
        for group in range(groups):
            here = below[group]
            below[group] = 2.0 * sum_below + here
            sum_below += here
        next_order, live = next_orders[card], integer(next_ends[card, next_groups[card] - 1])
        strengths_in_order(next_order, next_ends[card], integer(next_groups[card]), cards, left, after)
        without = total - by_card[card]
        for i in range(live):
            combo = integer(next_order[i])
            a, b = integer(cards[combo, 0]), integer(cards[combo, 1])
            with_a, with_b = with_card[a], with_card[b]
            weight_a, weight_b, place = weights[with_a], weights[with_b], places[combo]
            others = without - by_card[a] - by_card[b] + weight_a + weight_b + weights[combo]
            if others > 1e-12 * total:
                gone = below[place]
                gone -= weight_a * ((places[with_a] < place) + (places[with_a] <= place))
                gone -= weight_b * ((places[with_b] < place) + (places[with_b] <= place))
                change = others * after[combo] - 0.5 * (beaten[combo] - gone)
                changes[0, combo] += max(change, 0.0)
                changes[1, combo] -= min(change, 0.0)
                met[combo] += others
        for other in range(52):
            if other != card:
                left[with_card[other]] = weights[with_card[other]]
    for combo in range(1326):
        share = 1.0 / met[combo] if met[combo] > 1e-9 * total else 0.0
        changes[0, combo] *= share
        changes[1, combo] *= share
