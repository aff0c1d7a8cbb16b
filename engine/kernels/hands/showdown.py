"""Showdowns of known hands over all boards, and of hands drawn from ranges on random boards.

Random numbers come from SplitMix64 (``engine.kernels.splitmix``): the same seed gives the same deals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.cards import card_bits, deal_board, extended, list_live, next_run_out
from engine.kernels.poker.ranking import board_key, class_of_key, class_on_board, flush_suit
from engine.kernels.poker.tables import FLUSH_AT, FLUSH_BITS, KEY_OF_CARD
from engine.kernels.splitmix import GOLDEN, mixed, next_word
from engine.support.arrays import Bytes, Floats, Ints, Words, Words16


class Tally(NamedTuple):
    """How often each of n hands has won and tied."""

    won: Ints
    """The number of showdowns won alone, shape (n,)."""
    tied: Ints
    """The number of pots shared, by the number of hands that shared them; shape (n, n + 1)."""


@kernel(allocates=False, inlined=True)
def _count_winners(ranks: Ints, tally: Tally) -> None:
    """Add a showdown of some hands, whose ranks have shape (n,), to their tally."""
    best = -1
    sharing = 0
    for hand in range(ranks.shape[0]):
        if ranks[hand] > best:
            best = ranks[hand]
            sharing = 1
        elif ranks[hand] == best:
            sharing += 1
    for hand in range(ranks.shape[0]):
        if ranks[hand] == best:
            if sharing == 1:
                tally.won[hand] += 1
            else:
                tally.tied[hand, sharing] += 1


@kernel(allocates=False)
def _add_tally(tally: Tally, weight: float, results: Floats) -> None:
    """Add a tally to results by hand: showdowns won alone, showdowns tied, share of the pots."""
    for hand in range(tally.won.shape[0]):
        results[hand, 0] += weight * tally.won[hand]
        results[hand, 2] += weight * tally.won[hand]
        for sharing in range(2, tally.tied.shape[1]):
            results[hand, 1] += weight * tally.tied[hand, sharing]
            results[hand, 2] += weight * tally.tied[hand, sharing] / sharing


@kernel()
def add_showdowns(
    table: Words16, holes: Bytes, board: Bytes, dead: int, weight: float, results: Floats
) -> float:
    """Add the results of known hands on all boards that begin with `board`; returns the boards' total weight.

    holes: shape (n, 2).  board: shape (0..5,).  dead: further cards that cannot come, as bits.
    weight: the weight of each board.
    results: shape (n, 3), added to in place: boards won alone, boards tied, share of the pots.
    """
    num_hands = holes.shape[0]
    size = board.shape[0]
    full = extended(board, 5)
    base_key = board_key(board, size)
    dead |= card_bits(board, size)
    for i in range(num_hands):
        dead |= card_bits(holes[i], 2)
    live = np.empty(52, np.int64)
    num_live = list_live(dead, live)
    ranks = np.empty(num_hands, np.int64)
    tally = Tally(np.zeros(num_hands, np.int64), np.zeros((num_hands, num_hands + 1), np.int64))

    to_come = 5 - size
    places = np.arange(to_come)[::-1].copy()
    boards = 0
    while True:
        key = base_key
        for i in range(to_come):
            card = live[places[i]]
            full[size + i] = card
            key += KEY_OF_CARD[card]
        for i in range(num_hands):
            ranks[i] = class_on_board(table, key, full, 5, integer(holes[i, 0]), integer(holes[i, 1]))
        _count_winners(ranks, tally)
        boards += 1
        if not next_run_out(places, num_live):
            break

    _add_tally(tally, weight, results)
    return weight * boards


@kernel()
def add_range_showdowns(
    table: Words16,
    combos: Ints,
    counts: Ints,
    weights: Floats,
    cards: Bytes,
    board: Bytes,
    dead: int,
    results: Floats,
) -> float:
    """`add_showdowns` for every choice of disjoint combos from several ranges, weighted by the product.

    combos: the combos of each range, none of them dead, shape (n, 1326).
    counts: the number of combos of each range, shape (n,).
    weights: the weights of each range by combo, shape (n, 1326).
    cards: the cards of each combo, shape (1326, 2).
    dead: further cards that cannot come, as bits.
    """
    num_hands = combos.shape[0]
    holes = np.empty((num_hands, 2), np.uint8)
    places = np.full(num_hands, -1, np.int64)
    masks = np.zeros(num_hands + 1, np.int64)
    products = np.ones(num_hands + 1, np.float64)
    total = 0.0
    hand = 0
    while hand >= 0:
        places[hand] += 1
        if places[hand] == counts[hand]:
            places[hand] = -1
            hand -= 1
            continue
        combo = combos[hand, places[hand]]
        mask = card_bits(cards[combo], 2)
        if masks[hand] & mask:
            continue
        masks[hand + 1] = masks[hand] | mask
        products[hand + 1] = products[hand] * weights[hand, combo]
        holes[hand, 0] = cards[combo, 0]
        holes[hand, 1] = cards[combo, 1]
        if hand + 1 == num_hands:
            total += add_showdowns(table, holes, board, dead, float(products[num_hands]), results)
        else:
            hand += 1
    return total


class AliasTable(NamedTuple):
    """Walker's alias table, for drawing an index by weight in constant time.

    An index i and a number below 2**32 are drawn uniformly.  If the number is below ``thresholds[i]`` the
    result is i, otherwise ``aliases[i]``.  Shapes (n,), or (k, n) for k tables.
    """

    thresholds: Ints
    aliases: Ints


@kernel()
def fill_alias_table(weights: Floats, thresholds: Ints, aliases: Ints) -> None:
    """Fill in the arrays of an `AliasTable`, shape (n,).

    weights: shape (n,), with a positive sum.
    """
    size = weights.shape[0]
    scaled = weights * (size / weights.sum())
    small = np.empty(size, np.int64)
    large = np.empty(size, np.int64)
    num_small = num_large = 0
    for i in range(size):
        thresholds[i] = 1 << 32
        aliases[i] = i
        if scaled[i] < 1.0:
            small[num_small] = i
            num_small += 1
        else:
            large[num_large] = i
            num_large += 1
    while num_small and num_large:
        num_small -= 1
        less = small[num_small]
        more = large[num_large - 1]
        thresholds[less] = integer(scaled[less] * 4294967296.0)
        aliases[less] = more
        scaled[more] -= 1.0 - scaled[less]
        if scaled[more] < 1.0:
            num_large -= 1
            small[num_small] = more
            num_small += 1
    # The rest has weight 1 but for rounding; yet an index without weight must never be drawn.
    heaviest = np.argmax(weights)
    for i in range(num_small):
        if weights[small[i]] == 0.0:
            thresholds[small[i]] = 0
            aliases[small[i]] = heaviest


@kernel(allocates=False)
def _deal_hands(ranges: AliasTable, cards: Bytes, dead: int, random_state: Words, dealt: Bytes) -> int:
    """Draw a combo for each range; returns all cards dead after that as bits, or -1 if two combos collide.

    dealt: shape (n, 2), filled in place.
    """
    for hand in range(dealt.shape[0]):
        word = next_word(random_state)
        combo = integer(((word >> np.uint64(32)) * np.uint64(1326)) >> np.uint64(32))
        if integer(word & np.uint64(0xFFFFFFFF)) >= ranges.thresholds[hand, combo]:
            combo = ranges.aliases[hand, combo]
        bits = card_bits(cards[combo], 2)
        if dead & bits:
            return -1
        dead |= bits
        dealt[hand, 0] = cards[combo, 0]
        dealt[hand, 1] = cards[combo, 1]
    return dead


# Many parameters: arrays of their own shapes, and the numbers of one simulation.
@kernel()
def sample_showdowns(
    table: Words16,
    ranges: AliasTable,
    cards: Bytes,
    board: Bytes,
    dead_cards: int,
    trials: int,
    max_deals: int,
    seed: int,
    results: Floats,
) -> int:
    """Deal hands from ranges, and random boards; returns the number of trials completed.

    If hands collide, *all* of them are dealt again: only then are the deals distributed as the product of the
    weights over disjoint hands.  At most `max_deals` deals are tried.

    ranges: alias tables over the combos, shape (n, 1326).
    cards: the cards of each combo, shape (1326, 2).
    board: shape (0..5,).
    dead_cards: further cards that cannot come, as bits.
    seed: any integer of 63 bits.
    results: shape (n, 4), added to in place: boards won alone, boards tied, share of the pots, and the sum of
    squares of that share.
    """
    num_hands = results.shape[0]
    size = board.shape[0]
    full = extended(board, 5)
    on_board = card_bits(board, size) | dead_cards
    dealt = np.empty((num_hands, 2), np.uint8)
    ranks = np.empty(num_hands, np.int64)
    tally = Tally(np.zeros(num_hands, np.int64), np.zeros((num_hands, num_hands + 1), np.int64))
    random_state = np.empty(1, np.uint64)
    random_state[0] = np.uint64(seed)
    done = deals = 0
    while done < trials and deals < max_deals:
        deals += 1
        dead = _deal_hands(ranges, cards, on_board, random_state, dealt)
        if dead < 0:
            continue
        deal_board(dead, size, random_state, full)
        key = board_key(full, 5)
        for hand in range(num_hands):
            ranks[hand] = class_on_board(
                table, key, full, 5, integer(dealt[hand, 0]), integer(dealt[hand, 1])
            )
        _count_winners(ranks, tally)
        done += 1
    _add_tally(tally, 1.0, results)
    for hand in range(num_hands):
        results[hand, 3] += tally.won[hand]
        for sharing in range(2, num_hands + 1):
            results[hand, 3] += tally.tied[hand, sharing] / sharing**2
    return done


@kernel(allocates=False)
def sample_against_hand(
    table: Words16,
    hole: Bytes,
    opponent: AliasTable,
    cards: Bytes,
    board: Bytes,
    trials: int,
    seed: int,
    results: Ints,
) -> None:
    """`sample_showdowns` for a known hand against one opponent.

    hole: shape (2,).
    opponent: an alias table over the combos, shape (1326,); no dead combo may have weight, so nothing
    collides.
    cards: the cards of each combo, shape (1326, 2).
    results: shape (2,), filled in place: boards won and boards tied.
    """
    size = board.shape[0]
    base_key = board_key(board, size)
    base_bits = card_bits(board, size)
    our_key = KEY_OF_CARD[hole[0]] + KEY_OF_CARD[hole[1]]
    our_bits = card_bits(hole, 2)
    known = base_bits | our_bits
    won = tied = 0
    state = np.uint64(seed)
    for _ in range(trials):
        state += GOLDEN
        bits = mixed(state)
        combo = integer(((bits >> np.uint64(32)) * np.uint64(1326)) >> np.uint64(32))
        if integer(bits & np.uint64(0xFFFFFFFF)) >= opponent.thresholds[combo]:
            combo = opponent.aliases[combo]
        a, b = integer(cards[combo, 0]), integer(cards[combo, 1])
        their_bits = 1 << a | 1 << b
        dead = known | their_bits
        key = base_key
        board_bits = base_bits
        place = size
        left = 0
        while place < 5:
            if left == 0:
                state += GOLDEN
                bits = mixed(state)
                left = 10
            card = integer(bits & np.uint64(63))
            bits >>= np.uint64(6)
            left -= 1
            # Numbers from 52 on belong to no card; they are skipped like dead cards.
            if (dead | -1 << 52) >> card & 1 == 0:
                dead |= 1 << card
                board_bits |= 1 << card
                key += KEY_OF_CARD[card]
                place += 1
        ours = _rank_of_mask(table, key + our_key, board_bits | our_bits)
        theirs = _rank_of_mask(table, key + KEY_OF_CARD[a] + KEY_OF_CARD[b], board_bits | their_bits)
        won += ours > theirs
        tied += ours == theirs
    results[0] = won
    results[1] = tied


@kernel(allocates=False, inlined=True)
def _rank_of_mask(table: Words16, key: int, cards: int) -> int:
    """The class of a hand, given by its key and by its cards as bits."""
    if key & FLUSH_BITS == 0:
        return class_of_key(table, key)
    ranks = cards >> flush_suit(key)
    mask = 0
    for rank in range(13):
        mask |= (ranks >> (4 * rank) & 1) << rank
    return integer(table[FLUSH_AT + mask])
