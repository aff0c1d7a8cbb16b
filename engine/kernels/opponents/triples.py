"""Reading opponents: the strength and potential of every combo against a weight table, probability triples
for every combo, and the weight update of Fig. 3.5.

*Every combo against a weight table* takes one pass over the combos in ascending order of their classes.  The
weight below a class is kept in all and per card; what a combo beats is the weight below its class less what
holds one of its two cards, since an opponent cannot hold those (the range trick of
``engine.kernels.evaluation.equity`` for boards of any size).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.cards.ranking import DEAD, fill_board_ranks, fill_rank_pair_row
from engine.kernels.cards.tables import EMPTY_KEY, KEY_OF_CARD, NUM_CLASSES

NUM_PARAMETERS: Final = 15
"""Of `triple_of`."""
BLUFF: Final = 10
"""The parameter that is known last: how often the weakest hands bluff."""

SPREAD: Final = 0.10
"""Half the width over which a player mixes at an implied threshold."""
LEAST_CHANCE: Final = 0.01
"""No action multiplies a weight by less: nobody is sure what anybody will do (Papp's low weight)."""

_RANKS_OF_PAIR: Final = np.array([(high, low) for high in range(13) for low in range(high + 1)])
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
    """The live combos on a board in ascending order of their classes, and where each class ends.

    board: shape (3|4|5,).  order: shape (1326,), filled in place; its first `live` entries count.
    ends: shape (1326,), filled in place: ``order[ends[k - 1]:ends[k]]`` are the combos of the k-th class.

    Returns:
        The number of live combos and the number of classes.
    """
    ranks = np.empty(1326, np.uint16)
    fill_board_ranks(table, board, ranks)
    # Of 7462 classes some 130 occur: a bit for each finds them in order without a walk over all.
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

    order, ends, groups: of `order_combos`.  cards: of each combo, shape (1326, 2).  weights: shape (1326,).
    strengths: shape (1326,), filled in place for the live combos only; .5 for a combo that leaves the
    opponent no hand.
    """
    by_card = np.zeros(52, np.float64)
    below_by_card = np.zeros(52, np.float64)
    live = integer(ends[groups - 1])
    # In order, so that the walks below do not jump.
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
        # Twice what is below: once before the class is added, once after, is below + tied / 2.
        for i in range(start, end):
            twice[i] = below - below_by_card[first[i]] - below_by_card[second[i]]
        for i in range(start, end):
            below_by_card[first[i]] += weight[i]
            below_by_card[second[i]] += weight[i]
            below += weight[i]
        for i in range(start, end):
            twice[i] += below - below_by_card[first[i]] - below_by_card[second[i]] + weight[i]
        start = end
    # What is left of a total by rounding is not weight.
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

    The weights being all the same, sums are whole numbers, and on a board on which nobody can have a flush
    all combos of the same two ranks are as strong as each other.
    """
    size = board.shape[0]
    # As many combos are left to an opponent, whatever live combo we hold.
    met = (50 - size) * (49 - size) // 2
    suits = np.zeros(4, np.int64)
    for i in range(size):
        suits[board[i] & 3] += 1
    if suits[0] < 3 and suits[1] < 3 and suits[2] < 3 and suits[3] < 3:
        by_ranks = np.empty(91, np.float64)
        _random_strengths_by_ranks(table, board, met, by_ranks)
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
    table: NDArray[np.uint16], board: NDArray[np.uint8], met: int, by_ranks: NDArray[np.float64]
) -> None:
    """`_random_strengths` where nobody can have a flush, by pair of ranks.

    by_ranks: shape (91,), filled in place; ranks ``a >= b`` stand at ``a * (a + 1) / 2 + b``.
    """
    key = EMPTY_KEY
    left = np.full(13, 4, np.int64)  # cards of a rank that are not on the board
    for i in range(board.shape[0]):
        key += KEY_OF_CARD[board[i]]
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
    # Of the hands below, those that hold one given card of a rank.
    below_by_rank = np.zeros(13, np.int64)
    twice = np.empty(91, np.int64)
    below = 0
    start = 0
    while start < 91:
        end = start
        while end < 91 and classes[order[end]] == classes[order[start]]:
            high, low = _RANKS_OF_PAIR[order[end], 0], _RANKS_OF_PAIR[order[end], 1]
            twice[order[end]] = below - below_by_rank[high] - below_by_rank[low]
            end += 1
        for i in range(start, end):
            high, low = _RANKS_OF_PAIR[order[i], 0], _RANKS_OF_PAIR[order[i], 1]
            if high == low:
                below += left[high] * (left[high] - 1) // 2
                below_by_rank[high] += left[high] - 1 if left[high] > 0 else 0
            else:
                below += left[high] * left[low]
                below_by_rank[high] += left[low]
                below_by_rank[low] += left[high]
        for i in range(start, end):
            high, low = _RANKS_OF_PAIR[order[i], 0], _RANKS_OF_PAIR[order[i], 1]
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
    """The strength of every live combo against a random hand, and how much the next card adds to it and
    takes from it on average.

    board: shape (3|4,).
    strengths, gains, losses: shape (1326,), filled in place; zero for dead combos.
    """
    size = board.shape[0]
    _random_strengths(table, board, cards, strengths)
    dead = 0
    longer = np.empty(size + 1, np.uint8)
    for i in range(size):
        dead |= 1 << integer(board[i])
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
        # Who holds the card is not there to win or lose by it.
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


@kernel(allocates=False, inlined=True)
def ramp(value: float, middle: float, spread: float) -> float:
    """0 below ``middle - spread``, 1 above ``middle + spread``, in proportion between."""
    return climb(value, middle, 0.5 / spread)


@kernel(allocates=False, inlined=True)
def climb(value: float, middle: float, slope: float) -> float:
    """`ramp`, by its slope."""
    return min(max((value - middle) * slope + 0.5, 0.0), 1.0)


TripleParameters = tuple[
    float, float, float, float, float, float, float, float, float, float, float, float, float, float, float
]  # fmt: skip
"""NUM_PARAMETERS of them."""


@kernel(allocates=False, inlined=True)
def parameters_of(array: NDArray[np.float64]) -> TripleParameters:
    """The parameters of triples out of an array, slopes instead of spreads.

    array: begins with them, in the order of ``engine.opponents.models.formula.Thresholds``.
    """
    return (
        float(array[0]), 0.5 / array[1], float(array[2]), 0.5 / array[3], float(array[4]), float(array[5]),
        0.5 / array[6], float(array[7]), float(array[8]), float(array[9]), float(array[10]),
        float(array[11]), float(array[12]), float(array[13]), float(array[14]),
    )  # fmt: skip


@kernel(allocates=False, inlined=True)
def triple_of(
    value: float, chance: float, draw: float, parameters: TripleParameters
) -> tuple[float, float, float]:
    """The probability triple of one hand: the one formula behind play, re-weighting and simulation.

    Without branches that depend on the hand: they would be mispredicted too often.

    value: the quality that the raise threshold and the call threshold are measured on.
    chance: of winning at the showdown, which is measured on the price of a call.
    draw: the positive potential.
    parameters: of `parameters_of`.

    Returns:
        The chances of folding, calling and raising.
    """
    (
        call_at, call_slope, raise_at, raise_slope, raise_most, price, price_slope, semi_bluff_at, semi_bluff,
        bluff_below, bluff, trap_at, trap, can_fold, can_raise,
    ) = parameters  # fmt: skip
    staying = max(climb(value, call_at, call_slope), climb(chance, price, price_slope))
    staying = staying if can_fold > 0.0 else 1.0
    raising = (raise_most + (1.0 - raise_most) * value) * climb(value, raise_at, raise_slope)
    raising *= can_raise * (1.0 - trap * climb(value, trap_at, raise_slope))
    staying = max(staying, raising)
    semi_bluffs = semi_bluff * climb(draw, semi_bluff_at, _SEMI_BLUFF_SLOPE) if draw > semi_bluff_at else 0.0
    raising += (can_raise - raising) * semi_bluffs
    staying = max(staying, raising)
    # A bluff is taken from folding and checking alike, most of it from the worst hands.
    bluffs = (can_raise - raising) * bluff * min(2.0 * max(bluff_below - value, 0.0) / bluff_below, 1.0)
    raising += bluffs
    staying += (1.0 - staying) * bluffs
    return 1.0 - staying, staying - raising, raising


_SEMI_BLUFF_SLOPE: Final = 10.0


@kernel(allocates=False)
def fill_triples(
    values: NDArray[np.float64],
    odds: NDArray[np.float64],
    draws: NDArray[np.float64],
    parameters: NDArray[np.float64],
    triples: NDArray[np.float64],
) -> None:
    """`triple_of` for every combo.

    values, odds, draws: shape (1326,).  parameters: shape (NUM_PARAMETERS,).
    triples: shape (1326, 3), filled in place.
    """
    unpacked = parameters_of(parameters)
    for combo in range(values.shape[0]):
        fold, call, raising = triple_of(values[combo], odds[combo], draws[combo], unpacked)
        triples[combo, 0] = fold
        triples[combo, 1] = call
        triples[combo, 2] = raising


@kernel(allocates=False)
def mean_triple(
    weights: NDArray[np.float64], triples: NDArray[np.float64], mean: NDArray[np.float64]
) -> None:
    """The mean of triples by weight; `mean`, shape (3,), is filled in place."""
    total = 0.0
    fold = 0.0
    raising = 0.0
    for combo in range(weights.shape[0]):
        weight = weights[combo]
        total += weight
        fold += weight * triples[combo, 0]
        raising += weight * triples[combo, 2]
    mean[0] = fold / total
    mean[2] = raising / total
    mean[1] = max(1.0 - mean[0] - mean[2], 0.0)


@kernel(allocates=False)
def _threshold_of_share(
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    share: float,
    spread: float,
    others: NDArray[np.float64],
    other_at: float,
    leasts: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> float:
    """The threshold above which, mixed over a spread, lies a share of the weight.

    A combo counts at least as much as it is above `other_at` by its place among `others`.  The share falls
    as the threshold rises, in straight pieces: Newton's step ends in a few rounds, and where it would leave
    the interval, the interval is halved.

    leasts, chances: scratch, as long as the weights or longer.
    """
    number = weights.shape[0]
    total = 0.0
    lowest = np.inf
    highest = -np.inf
    for combo in range(number):
        leasts[combo] = ramp(others[combo], other_at, spread)
        if weights[combo] > 0.0:
            total += weights[combo]
            lowest = min(lowest, values[combo])
            highest = max(highest, values[combo])
    low = lowest - spread
    high = highest + spread
    wanted = share * total
    middle = (low + high) / 2.0
    for _ in range(40):
        above = 0.0
        mixed = 0.0
        for combo in range(number):
            chances[combo] = ramp(values[combo], middle, spread)
        for combo in range(number):
            chance, least = chances[combo], leasts[combo]
            above += weights[combo] * max(chance, least)
            mixed += weights[combo] if least < chance < 1.0 else 0.0
        excess = above - wanted
        if abs(excess) <= 1e-9 * total:
            break
        if excess > 0.0:
            low = middle
        else:
            high = middle
        middle = (low + high) / 2.0
        if mixed > 0.0:
            step = (low if excess > 0.0 else high) + 2.0 * spread * excess / mixed
            if low < step < high:
                middle = step
    return middle


@kernel(allocates=False)
def implied_thresholds(
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    chances: NDArray[np.float64],
    fold: float,
    raise_: float,
    spread: float,
    scratch: NDArray[np.float64],
    more_scratch: NDArray[np.float64],
) -> tuple[float, float]:
    """The thresholds of calling, on `chances`, and of raising, on `values`, that lead to such frequencies.

    Minus and plus infinity for what is never folded and never raised.

    scratch, more_scratch: as long as the weights or longer.
    """
    raise_at = np.inf
    if raise_ > 0.0:
        raise_at = _threshold_of_share(weights, values, raise_, spread, values, np.inf, scratch, more_scratch)
    call_at = -np.inf
    if fold > 0.0:
        call_at = _threshold_of_share(
            weights, chances, 1.0 - fold, spread, values, raise_at, scratch, more_scratch
        )
    return call_at, raise_at


@kernel(allocates=False, inlined=True)
def threshold_triple_of(
    value: float,
    chance: float,
    call_at: float,
    raise_at: float,
    spread: float,
    noise: float,
    frequencies: NDArray[np.float64],
) -> tuple[float, float, float]:
    """The triple of two thresholds for one hand, part of it replaced by plain frequencies.

    value: measured on the raise threshold.  chance: measured on the call threshold.
    frequencies: of the triple without regard to the hand, shape (3,).  noise: the part they replace.

    Returns:
        The chances of folding, calling and raising.
    """
    raising = ramp(value, raise_at, spread)
    staying = max(ramp(chance, call_at, spread), raising)
    return (
        (1.0 - noise) * (1.0 - staying) + noise * frequencies[0],
        (1.0 - noise) * (staying - raising) + noise * frequencies[1],
        (1.0 - noise) * raising + noise * frequencies[2],
    )


@kernel(allocates=False)
def fill_threshold_triples(
    values: NDArray[np.float64],
    chances: NDArray[np.float64],
    call_at: float,
    raise_at: float,
    spread: float,
    noise: float,
    frequencies: NDArray[np.float64],
    triples: NDArray[np.float64],
) -> None:
    """`threshold_triple_of` for every combo.

    values, chances: shape (1326,).  frequencies: shape (3,).
    triples: shape (1326, 3), filled in place.
    """
    for combo in range(values.shape[0]):
        fold, call, raising = threshold_triple_of(
            values[combo], chances[combo], call_at, raise_at, spread, noise, frequencies
        )
        triples[combo, 0] = fold
        triples[combo, 1] = call
        triples[combo, 2] = raising


@kernel(allocates=False)
def reweight(
    weights: NDArray[np.float64], triples: NDArray[np.float64], action: int, noise: float, least: float
) -> None:
    """Multiplies each weight by the chance of the action seen (Fig. 3.5), smeared by the noise factor.

    weights: shape (1326,), in place; scaled so that the greatest is 1.  action: 0 fold, 1 call, 2 raise.
    least: no chance counts for less, so that no surprise can empty the table.
    """
    greatest = 0.0
    for combo in range(weights.shape[0]):
        chance = triples[combo, action] * (1.0 - noise) + noise / 3.0
        weights[combo] *= max(chance, least)
        greatest = max(greatest, weights[combo])
    if greatest > 0.0:
        for combo in range(weights.shape[0]):
            # Never to zero by rounding: a hand that was possible stays possible.
            if weights[combo] > 0.0:
                weights[combo] = max(weights[combo] / greatest, 1e-12)
