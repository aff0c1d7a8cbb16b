"""The values of the river's ends for all hands on a board, for all sequences that lead there at once.

On the river, buckets are stretches of the hands in order of strength.  What a hand wins from a whole bucket
of weaker hands, or loses to a bucket of stronger ones, follows from that bucket's sums by card; single hands
are compared only within their own bucket.  So a showdown costs a step per bucket, not per hand, for each
sequence.

Source: Johanson, Waugh, Bowling, Zinkevich, *Accelerating Best Response Calculation in Large Extensive Games*
(2011), for the sums by card within sorted hands.
"""

from __future__ import annotations

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.solving.lanes import (
    LIVE_CARDS,
    LIVE_HANDS,
    RIVER,
    BatchHands,
    BatchNode,
    NodeKind,
    RiverWorkspace,
    Round,
    Workspace,
    walk_in_order,
)
from engine.support.arrays import Floats32


@kernel(allocates=False)
def compare_within(reach: Floats32, hands: BatchHands, river: RiverWorkspace) -> None:
    """Fill in sums by bucket and card, and what each hand wins from the hands of its own bucket.

    Args:
        reach: the opponent's reach by hand, shape (hands, lanes).
        hands: the hands on the board.
        river: `by_card`, `within` and `within_sums` are filled in place.
    """
    width = reach.shape[1]
    river.by_card[:] = np.float32(0.0)
    group = 0
    while group < hands.ends.shape[0]:
        bucket, first = hands.buckets[RIVER, hands.ends[group] - 1], group
        while group < hands.ends.shape[0] and hands.buckets[RIVER, hands.ends[group] - 1] == bucket:
            group += 1
        walk_in_order(hands.cards, hands.ends, (first, group), reach, river.by_card[bucket], river.within)
    river.within_sums[:] = np.float32(0.0)
    for hand in range(LIVE_HANDS):
        bucket = hands.buckets[RIVER, hand]
        by_card = river.by_card[bucket]
        everyone = by_card[LIVE_CARDS]
        first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
        within, total = river.within[hand], river.within_sums[bucket]
        for lane in range(width):
            within[lane] -= everyone[lane] - first[lane] - second[lane]
        for lane in range(width):
            total[lane] += within[lane]


@kernel(allocates=False)
def pay_ends(
    rnd: Round,
    ours: Workspace,
    theirs: Workspace,
    river: RiverWorkspace,
    hands: BatchHands,
    first: int,
    player: int,
    what: tuple[bool, bool],
) -> None:
    """Fill in the values of the river's ends for one side.

    Args:
        rnd: the river.
        ours: the room of the side; `values` and `worth` are filled as `what` says, `totals` are overwritten.
        theirs: the room of the other side.
        river: after `compare_within` of `theirs.reach`; overwritten.
        hands: the hands on the board.
        first: the first lane of `rnd` that is meant.
        player: the position of the side.
        what: whether the values of the ends by bucket are wanted, and whether that of the start by hand is.
    """
    places = rnd.nodes
    wants_values, wants_worth = what
    num_buckets, width = ours.own.shape
    for place in range(places.shape[0]):
        if places[place, BatchNode.KIND] != NodeKind.DECISION:
            _total(ours, theirs, river, place)
    for bucket in range(num_buckets):
        begin, end = hands.bounds[bucket], hands.bounds[bucket + 1]
        if begin == end:
            if wants_values:
                ours.values[:, bucket] = np.float32(0.0)
            continue
        by_hand, won, known, stake = river.margin[1], river.rows[0], river.rows[1], river.rows[2]
        by_hand[:] = np.float32(0.0)
        won[:] = np.float32(0.0)
        known[:] = np.float32(0.0)
        for place in range(places.shape[0]):
            kind = places[place, BatchNode.KIND]
            if kind == NodeKind.DECISION:
                continue
            loses = kind == NodeKind.FOLD and places[place, BatchNode.PLAYER] == player
            sign = np.float32(-1.0 if loses else 1.0)
            chips, seen = rnd.chips[place, first : first + width], theirs.seen[place, bucket]
            if kind == NodeKind.SHOWDOWN:
                _pass_bucket(seen, river.by_card[bucket], river.beaten[place], river.margin[0])
                met, sums, factor = river.margin[0], river.within_sums[bucket], won
            else:
                met, sums, factor = ours.totals[place], river.by_card[bucket, LIVE_CARDS], known
            if wants_values:
                value = ours.values[place, bucket]
                for lane in range(width):
                    value[lane] = seen[lane] * sums[lane]
                for card in range(LIVE_CARDS + 1):
                    number, row = hands.counts[bucket, card], met[card]
                    for lane in range(width):
                        value[lane] -= number * row[lane]
                for lane in range(width):
                    value[lane] *= sign * chips[lane]
            if wants_worth:
                plays = ours.plays[place, bucket]
                for lane in range(width):
                    stake[lane] = sign * chips[lane] * plays[lane]
                for lane in range(width):
                    factor[lane] += stake[lane] * seen[lane]
                for card in range(LIVE_CARDS + 1):
                    row, out = met[card], by_hand[card]
                    for lane in range(width):
                        out[lane] += stake[lane] * row[lane]
        if not wants_worth:
            continue
        everyone = by_hand[LIVE_CARDS]
        for hand in range(begin, end):
            one, other = by_hand[hands.cards[hand, 0]], by_hand[hands.cards[hand, 1]]
            worth, within, reach = ours.worth[hand], river.within[hand], theirs.reach[hand]
            for lane in range(width):
                worth[lane] = everyone[lane] - one[lane] - other[lane]
            for lane in range(width):
                worth[lane] += won[lane] * within[lane] + known[lane] * reach[lane]


@kernel(allocates=False)
def _total(ours: Workspace, theirs: Workspace, river: RiverWorkspace, place: int) -> None:
    """Fill in the other side's reach at an end by card, and its negative, with which `beaten` begins."""
    num_buckets, width = ours.own.shape
    totals, beaten = ours.totals[place], river.beaten[place]
    totals[:] = np.float32(0.0)
    for bucket in range(num_buckets):
        seen = theirs.seen[place, bucket]
        for card in range(LIVE_CARDS + 1):
            row, out = river.by_card[bucket, card], totals[card]
            for lane in range(width):
                out[lane] += seen[lane] * row[lane]
    for card in range(LIVE_CARDS + 1):
        row, out = totals[card], beaten[card]
        for lane in range(width):
            out[lane] = -row[lane]


@kernel(allocates=False)
def _pass_bucket(seen: Floats32, by_card: Floats32, beaten: Floats32, margin: Floats32) -> None:
    """Pass one bucket in ascending order of strength.

    `beaten` counts weaker buckets positive, and this bucket and all stronger ones negative; after the call
    this bucket counts positive, too.  `margin` is filled with what is in between: without this bucket.
    """
    width = seen.shape[0]
    for card in range(LIVE_CARDS + 1):
        row, out, between = by_card[card], beaten[card], margin[card]
        for lane in range(width):
            x = seen[lane] * row[lane]
            half = out[lane] + x
            between[lane] = half
            out[lane] = half + x
