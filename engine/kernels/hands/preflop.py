"""The exact equity of each of the 169 starting hands against each other, over all boards.

Boards that differ by a renaming of suits are the same board for starting hands.  So 134,459 boards stand for
all 2,598,960, each with a weight of 4, 12 or 24.  On one board the combos are numbered by class.  Points are
2 for a win and 1 for a tie, and are counted in two steps:

* Over all pairs of combos: for each number, the points against all combos of each starting hand, 169 byte
  lanes at a time; they are added up once for all combos of a starting hand that have the same number.
* Less the pairs that share a card: for each card and each other rank, suited and offsuit, the points of
  (card, x) against (card, y), 52 byte lanes of y at a time; the offsuit x of a rank are taken together if
  they have the same number, which they have unless one makes a flush.

Sums are kept in 8 and 16 bits for a few boards of equal weight, and then carried to wider integers.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.hands.range_walk import (
    add_from_classes,
    make_walk,
    number_combos,
    sum_by_class,
    walk_classes,
)
from engine.kernels.poker.cards import card_bits, combo_of, list_live, next_run_out
from engine.support.arrays import Bytes, Floats, Ints, Ints32, Words16

NUM_CANONICAL_BOARDS: Final = 134_459
"""Boards of five cards that differ in more than the names of suits."""

_CLASS_LANES: Final = 176
"""169 starting hands, padded to whole vectors."""

_CARD_LANES: Final = 64
"""52 cards, padded to whole vectors."""

_BLOCK: Final = 42
"""Boards after which sums are carried: with 6 points a board, for three offsuit hands, they fit a byte."""

_NO_NUMBER: Final = 255
"""In place of the number of a combo that is dead, or of a pair of cards that is no combo."""


@kernel()
def _fill_canonical_boards(boards: Bytes, weights: Ints) -> None:
    """Fill in the arrays of `canonical_boards`."""
    count = 0
    masks = np.empty(4, np.int64)
    for weight in (4, 12, 24):
        places = np.arange(5)[::-1].copy()
        while True:
            masks[:] = 0
            for card in places:
                masks[card & 3] |= 1 << (card >> 2)
            if masks[0] >= masks[1] and masks[1] >= masks[2] and masks[2] >= masks[3]:
                # With five cards, only suits without cards can be equal: two of them or three.
                equal = (masks[0] == masks[1]) + (masks[1] == masks[2]) + (masks[2] == masks[3])
                if weight == (24 if equal == 0 else (12 if equal == 1 else 4)):
                    for i in range(5):
                        boards[count, i] = places[i]
                    weights[count] = weight
                    count += 1
            if not next_run_out(places, 52):
                break


def canonical_boards() -> tuple[Bytes, Ints]:
    """One board of each class of boards that are equal up to suits, and the sizes of the classes.

    Boards of equal size are adjacent.  Shapes (NUM_CANONICAL_BOARDS, 5) and (NUM_CANONICAL_BOARDS,).
    """
    boards = np.empty((NUM_CANONICAL_BOARDS, 5), np.uint8)
    weights = np.empty(NUM_CANONICAL_BOARDS, np.int64)
    _fill_canonical_boards(boards, weights)
    return boards, weights


@kernel(allocates=False)
def _add_scaled(points: Bytes, times: int, sums: Words16) -> None:
    """Add `times` times a row of points to sums."""
    factor = np.uint16(times)
    for lane in range(_CLASS_LANES):
        sums[lane] += factor * points[lane]


# Flat arrays and offsets: each slice handed to a function that is not inlined costs reference counting, which
# took a fifth of the time.  The casts tell the compiler that no index is negative.
@kernel(allocates=False)
def _add_points(numbers: Bytes, at: int, number: int, sums: Bytes, place: int) -> None:
    """Add the points of one number against the row of numbers from `at` to the sums from `place`."""
    mine = np.uint8(number)
    for lane in range(_CARD_LANES):
        theirs = numbers[np.uint64(at + lane)]
        sums[np.uint64(place + lane)] += 2 if theirs < mine else (1 if theirs == mine else 0)


@kernel(allocates=False)
def _add_points_of_four(numbers: Bytes, at: int, number: int, sums: Bytes, place: int) -> None:
    """The same for a suited hand and three offsuit ones of the same number; the offsuit sums follow."""
    mine = np.uint8(number)
    for lane in range(_CARD_LANES):
        theirs = numbers[np.uint64(at + lane)]
        sums[np.uint64(place + lane)] += 2 if theirs < mine else (1 if theirs == mine else 0)
        sums[np.uint64(place + _CARD_LANES + lane)] += 6 if theirs < mine else (3 if theirs == mine else 0)


@kernel(allocates=False)
def _carry(sums: Bytes, carried: Ints32) -> None:
    """Add sums to wider ones, and set them to 0."""
    for lane in range(_CARD_LANES):
        carried[lane] += integer(sums[lane])
        sums[lane] = 0


@kernel(allocates=False)
def _add_sharing(card: int, numbers: Bytes, sums: Bytes) -> None:
    """Add the points of every combo that holds a card against every other combo that holds it.

    numbers: the numbers of the combos of each card, by the other card, shape (52 * _CARD_LANES,).
    sums: shape (52 * 26 * _CARD_LANES,), by card and by the other card's rank, suited and offsuit in turn.
    """
    at = card * _CARD_LANES
    for rank in range(13):
        first = at + 4 * rank
        suited = numbers[np.uint64(first + (card & 3))]
        a = numbers[np.uint64(first + (card + 1 & 3))]
        b = numbers[np.uint64(first + (card + 2 & 3))]
        c = numbers[np.uint64(first + (card + 3 & 3))]
        place = (26 * card + 2 * rank) * _CARD_LANES
        if (suited == a) & (a == b) & (b == c):
            if a != _NO_NUMBER:
                _add_points_of_four(numbers, at, a, sums, place)
        else:
            if suited != _NO_NUMBER:
                _add_points(numbers, at, suited, sums, place)
            for number in (a, b, c):
                if number != _NO_NUMBER:
                    _add_points(numbers, at, number, sums, place + _CARD_LANES)


@kernel(allocates=False)
def _accumulate(points: Bytes, twice_below: Bytes) -> None:
    """Turn counts of one number into points, given twice the counts of all lower numbers; both in place."""
    for lane in range(_CLASS_LANES):
        inside = points[lane]
        points[lane] += twice_below[lane]
        twice_below[lane] += inside + inside


@kernel(allocates=False)
def _sort_combos(
    board: Bytes, starting_hand: Bytes, numbers: Bytes, by_cards: Bytes, per_number: Bytes
) -> None:
    """Arrange the numbers of a board's combos by cards and by starting hand; dead combos get _NO_NUMBER.

    starting_hand, numbers: those of each combo, shape (1326,).
    by_cards: the number of each pair of cards, shape (52, _CARD_LANES); set to _NO_NUMBER beforehand.
    per_number: the count of combos by number and starting hand, shape (256, _CLASS_LANES); 0 beforehand.
    """
    dead = card_bits(board, 5)
    combo = 0
    for high in range(52):
        for low in range(high):
            if (dead >> high | dead >> low) & 1:
                numbers[combo] = _NO_NUMBER
            else:
                number = numbers[combo]
                by_cards[high, low] = number
                by_cards[low, high] = number
                per_number[number, starting_hand[combo]] += np.uint8(1)
            combo += 1


@kernel(allocates=False)
def _add_all_pairs(combos: Ints, numbers: Bytes, points: Bytes, sums: Words16) -> int:
    """Add the points of the combos of a starting hand against all combos; returns how many are not dead.

    combos: shape (12,), -1 after the last.  numbers: the number of each combo, shape (1326,).
    points: the points of each number against each starting hand, shape (256, _CLASS_LANES).
    sums: shape (_CLASS_LANES,), added to in place.
    """
    alive = 0
    number = _NO_NUMBER
    times = 0
    for i in range(12):
        combo = combos[i]
        if combo < 0:
            break
        this = integer(numbers[combo])
        if this == _NO_NUMBER:
            continue
        if this != number:
            if times:
                _add_scaled(points[number], times, sums)
            number = this
            times = 0
        times += 1
        alive += 1
    if times:
        _add_scaled(points[number], times, sums)
    return alive


@kernel(allocates=False)
def _take_out_sharing(weight: int, starting_hand: Bytes, carried: Ints32, points: Ints) -> None:
    """Subtract the points of pairs that share a card, and begin to count them anew.

    carried: shape (52, 26, _CARD_LANES), read and set to 0.  points: shape (169, 169).
    """
    for card in range(52):
        for row in range(26):
            x = 4 * (row >> 1) + (card + (row & 1) & 3)
            if x == card:
                continue
            hand = integer(starting_hand[combo_of(card, x)])
            for y in range(52):
                if y != card:
                    other = integer(starting_hand[combo_of(card, y)])
                    points[hand, other] -= weight * integer(carried[card, row, y])
                    carried[card, row, y] = 0


@kernel()
def fill_points(
    table: Words16, boards: Bytes, weights: Ints, starting_hand: Bytes, combos_of: Ints, points: Ints
) -> None:
    """The points of each starting hand against each other one.

    They are added up over all pairs of disjoint combos and all boards: 2 for a win, 1 for a tie.

    boards, weights: from `canonical_boards`.  starting_hand: that of each combo, shape (1326,).
    combos_of: the combos of each starting hand, shape (169, 12), -1 after the last.
    points: shape (169, 169), filled in place.
    """
    points[:] = 0
    numbers = np.empty(1326, np.uint8)
    by_cards = np.empty((52, _CARD_LANES), np.uint8)
    per_number = np.empty((256, _CLASS_LANES), np.uint8)
    twice_below = np.empty(_CLASS_LANES, np.uint8)
    all_pairs = np.zeros((169, _CLASS_LANES), np.uint16)
    alive_combos = np.zeros(169, np.int64)
    sharing = np.zeros((52, 26, _CARD_LANES), np.uint8)
    carried = np.zeros((52, 26, _CARD_LANES), np.int32)
    flat_by_cards = by_cards.ravel()
    flat_sharing = sharing.ravel()
    in_block = 0
    for index in range(boards.shape[0]):
        board = boards[index]
        count = number_combos(table, board, numbers)
        by_cards[:] = _NO_NUMBER
        per_number[:count] = 0
        _sort_combos(board, starting_hand, numbers, by_cards, per_number)
        twice_below[:] = 0
        for number in range(count):
            _accumulate(per_number[number], twice_below)
        for hand in range(169):
            alive_combos[hand] += _add_all_pairs(combos_of[hand], numbers, per_number, all_pairs[hand])
        dead = card_bits(board, 5)
        for card in range(52):
            if dead >> card & 1 == 0:
                _add_sharing(card, flat_by_cards, flat_sharing)
        in_block += 1

        last = index + 1 == boards.shape[0] or weights[index + 1] != weights[index]
        if in_block == _BLOCK or last:
            weight = weights[index]
            for hand in range(169):
                for other in range(169):
                    points[hand, other] += weight * integer(all_pairs[hand, other])
            all_pairs[:] = 0
            for card in range(52):
                for row in range(26):
                    _carry(sharing[card, row], carried[card, row])
            in_block = 0
        if last:
            _take_out_sharing(weights[index], starting_hand, carried, points)
            # A combo shares both cards with itself, so its tie was subtracted twice instead of once.
            for hand in range(169):
                points[hand, hand] += weights[index] * alive_combos[hand]
                alive_combos[hand] = 0


@kernel()
def raw_odds_of_starting_hands(
    table: Words16, boards: Bytes, board_weights: Ints, starting_hands: Bytes, odds: Floats
) -> None:
    """The raw odds of every starting hand against 1, 2, ... opponents, exact over all 2,598,960 boards.

    On each board, one walk over the classes gives every combo's chances against one random hand.  Their
    powers are the chances against several; they are averaged over the combos of a starting hand.

    boards, board_weights: from `canonical_boards`.  starting_hands: that of each combo, shape (1326,).
    odds: shape (169, opponents), filled in place.
    """
    opponents = odds.shape[1]
    odds[:] = 0.0
    times = np.zeros(169, np.float64)
    alike = np.ones((52, 52), np.float64)
    walk, all_live = make_walk(), np.empty(52, np.int64)
    tied, twice_won = np.empty((52, 52), np.float64), np.empty((52, 52), np.float64)
    for b in range(boards.shape[0]):
        live = all_live[: list_live(card_bits(boards[b], 5), all_live)]
        count = number_combos(table, boards[b], walk.numbers)
        sum_by_class(live, walk.numbers, count, alike, walk.sums)
        tied[:] = 0.0
        add_from_classes(live, walk.numbers, alike, walk.sums, tied)
        walk_classes(count, 48, walk.sums, walk.met)
        twice_won[:] = 0.0
        add_from_classes(live, walk.numbers, alike, walk.sums, twice_won)
        for high in live:
            for low in live:
                if low == high:
                    break
                hand = starting_hands[combo_of(high, low)]
                times[hand] += board_weights[b]
                not_lost = (twice_won[high, low] + tied[high, low]) / 1980.0
                win = (twice_won[high, low] - tied[high, low]) / 1980.0
                # ((win + tie)^(n+1) - win^(n+1)) / ((n + 1) tie), the share of the pot, expanded.
                total = 1.0
                power = 1.0
                for n in range(opponents):
                    power *= win
                    total = total * not_lost + power
                    odds[hand, n] += board_weights[b] * total / (n + 2)
    for hand in range(169):
        for n in range(opponents):
            odds[hand, n] /= times[hand]
