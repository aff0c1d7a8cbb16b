"""What the ends of the river are worth to all hands on a board, for all sequences that lead there at once.

On the river buckets are stretches of the hands in order of strength.  What a hand wins of a whole bucket of
hands that it beats, or loses to one that beats it, then follows from that bucket's sums by card; only within
its own bucket a hand is compared with others.  So a showdown costs a bucket, not a hand, for each sequence.

Source: Johanson, Waugh, Bowling, Zinkevich, *Accelerating Best Response Calculation in Large Extensive Games*
(2011), for the sums by card within sorted hands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.equilibrium.lanes import (
    LIVE_CARDS,
    LIVE_HANDS,
    RIVER,
    Hands,
    Kind,
    Place,
    RiverRoom,
    Room,
    Round,
)


@kernel(allocates=False)
def compare_within(reach: NDArray[np.float32], hands: Hands, river: RiverRoom) -> None:
    """Sums by bucket and card, and what each hand wins of the hands of its own bucket."""
    width = reach.shape[1]
    river.by_card[:] = np.float32(0.0)
    start = 0
    for group in range(hands.ends.shape[0]):
        end = hands.ends[group]
        by_card = river.by_card[hands.buckets[RIVER, start]]
        everyone = by_card[LIVE_CARDS]
        for hand in range(start, end):
            first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
            within = river.within[hand]
            for lane in range(width):
                within[lane] = everyone[lane] - first[lane] - second[lane]
        for hand in range(start, end):
            first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
            row = reach[hand]
            for lane in range(width):
                first[lane] += row[lane]
            for lane in range(width):
                second[lane] += row[lane]
            for lane in range(width):
                everyone[lane] += row[lane]
        for hand in range(start, end):
            first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
            within = river.within[hand]
            for lane in range(width):
                within[lane] += everyone[lane] - first[lane] - second[lane]
        start = end
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
def pay_ends(rnd: Round, room: Room, river: RiverRoom, hands: Hands, first: int, player: int) -> None:
    """What the ends of the river are worth, by bucket, and its start, by hand."""
    places = rnd.places
    num_buckets, width = room.own.shape
    for place in range(places.shape[0]):
        if places[place, Place.KIND] != Kind.DECISION:
            _total(room, river, place)
    for bucket in range(num_buckets):
        begin, end = hands.bounds[bucket], hands.bounds[bucket + 1]
        if begin == end:
            room.values[:, bucket] = np.float32(0.0)
            continue
        by_hand, won, known, stake = river.margin[1], river.rows[0], river.rows[1], river.rows[2]
        by_hand[:] = np.float32(0.0)
        won[:] = np.float32(0.0)
        known[:] = np.float32(0.0)
        for place in range(places.shape[0]):
            kind = places[place, Place.KIND]
            if kind == Kind.DECISION:
                continue
            loses = kind == Kind.FOLD and places[place, Place.PLAYER] == player
            sign = np.float32(-1.0 if loses else 1.0)
            chips, theirs = rnd.chips[place, first : first + width], room.theirs[place, bucket]
            ours = room.ours[place, bucket]
            for lane in range(width):
                stake[lane] = sign * chips[lane] * ours[lane]
            if kind == Kind.SHOWDOWN:
                _pass_bucket(theirs, river.by_card[bucket], river.beaten[place], river.margin[0])
                met, sums, factor = river.margin[0], river.within_sums[bucket], won
            else:
                met, sums, factor = room.totals[place], river.by_card[bucket, LIVE_CARDS], known
            for lane in range(width):
                factor[lane] += stake[lane] * theirs[lane]
            value = room.values[place, bucket]
            for lane in range(width):
                value[lane] = theirs[lane] * sums[lane]
            for card in range(LIVE_CARDS + 1):
                number, row, out = hands.counts[bucket, card], met[card], by_hand[card]
                for lane in range(width):
                    value[lane] -= number * row[lane]
                for lane in range(width):
                    out[lane] += stake[lane] * row[lane]
            for lane in range(width):
                value[lane] *= sign * chips[lane]
        everyone = by_hand[LIVE_CARDS]
        for hand in range(begin, end):
            one, other = by_hand[hands.cards[hand, 0]], by_hand[hands.cards[hand, 1]]
            worth, within, reach = room.worth[hand], river.within[hand], room.reach[hand]
            for lane in range(width):
                worth[lane] = everyone[lane] - one[lane] - other[lane]
            for lane in range(width):
                worth[lane] += won[lane] * within[lane] + known[lane] * reach[lane]


@kernel(allocates=False)
def _total(room: Room, river: RiverRoom, place: int) -> None:
    """The opponent's chances at an end by card, and the same negative, from where buckets are passed."""
    num_buckets, width = room.own.shape
    totals, beaten = room.totals[place], river.beaten[place]
    totals[:] = np.float32(0.0)
    for bucket in range(num_buckets):
        theirs = room.theirs[place, bucket]
        for card in range(LIVE_CARDS + 1):
            row, out = river.by_card[bucket, card], totals[card]
            for lane in range(width):
                out[lane] += theirs[lane] * row[lane]
    for card in range(LIVE_CARDS + 1):
        row, out = totals[card], beaten[card]
        for lane in range(width):
            out[lane] = -row[lane]


@kernel(allocates=False)
def _pass_bucket(
    theirs: NDArray[np.float32],
    by_card: NDArray[np.float32],
    beaten: NDArray[np.float32],
    margin: NDArray[np.float32],
) -> None:
    """Weaker hands less stronger ones, by card: `margin` without this bucket, and `beaten` past it.

    Before its bucket, `beaten` has all weaker buckets once, and this and all stronger ones negative.
    """
    width = theirs.shape[0]
    for card in range(LIVE_CARDS + 1):
        row, out, between = by_card[card], beaten[card], margin[card]
        for lane in range(width):
            x = theirs[lane] * row[lane]
            half = out[lane] + x
            between[lane] = half
            out[lane] = half + x
