"""Reading opponents: the strength and potential of every combo against a weight table, probability triples
for every combo, and the weight update of Fig. 3.5.

*Every combo against a weight table* takes one pass over the combos in ascending order of their classes.  The
weight below a class is kept in all and per card; what a combo beats is the weight below its class less what
holds one of its two cards, since an opponent cannot hold those (the range trick of
``engine.kernels.equity`` for boards of any size).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.ranking import DEAD, fill_board_ranks
from engine.kernels.tables import NUM_CLASSES

NUM_PARAMETERS: Final = 15
"""Of `fill_triples`."""


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
    counts = np.zeros(NUM_CLASSES, np.int64)
    for combo in range(1326):
        if ranks[combo] != DEAD:
            counts[ranks[combo]] += 1
    live = 0
    groups = 0
    for hand_class in range(NUM_CLASSES):
        number = integer(counts[hand_class])
        if number:
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
    total = 0.0
    live = integer(ends[groups - 1])
    for i in range(live):
        combo = integer(order[i])
        weight = weights[combo]
        by_card[cards[combo, 0]] += weight
        by_card[cards[combo, 1]] += weight
        total += weight
    below_by_card = np.zeros(52, np.float64)
    below = 0.0
    start = 0
    for group in range(groups):
        end = integer(ends[group])
        # Twice what is below: once before the class is added, once after, is below + tied / 2.
        for i in range(start, end):
            combo = integer(order[i])
            strengths[combo] = below - below_by_card[cards[combo, 0]] - below_by_card[cards[combo, 1]]
        for i in range(start, end):
            combo = integer(order[i])
            weight = weights[combo]
            below_by_card[cards[combo, 0]] += weight
            below_by_card[cards[combo, 1]] += weight
            below += weight
        for i in range(start, end):
            combo = integer(order[i])
            a, b = cards[combo, 0], cards[combo, 1]
            upto = below - below_by_card[a] - below_by_card[b] + weights[combo]
            met = total - by_card[a] - by_card[b] + weights[combo]
            # What is left of a total by rounding is not weight.
            if met <= 1e-12 * total:
                strengths[combo] = 0.5
            else:
                strengths[combo] = min(max((strengths[combo] + upto) / (2.0 * met), 0.0), 1.0)
        start = end


@kernel()
def strengths_and_changes(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    cards: NDArray[np.int64],
    weights: NDArray[np.float64],
    strengths: NDArray[np.float64],
    gains: NDArray[np.float64],
    losses: NDArray[np.float64],
) -> None:
    """The strength of every live combo, and how much the next card adds to it and takes from it on average.

    board: shape (3|4,).  weights: shape (1326,).
    strengths, gains, losses: shape (1326,), filled in place; zero for dead combos.
    """
    size = board.shape[0]
    order = np.empty(1326, np.int64)
    ends = np.empty(1326, np.int64)
    for combo in range(1326):
        strengths[combo] = 0.0
        gains[combo] = 0.0
        losses[combo] = 0.0
    _, groups = order_combos(table, board, order, ends)
    strengths_in_order(order, ends, groups, cards, weights, strengths)
    dead = 0
    longer = np.empty(size + 1, np.uint8)
    for i in range(size):
        dead |= 1 << integer(board[i])
        longer[i] = board[i]
    after = np.empty(1326, np.float64)
    for card in range(52):
        if dead >> card & 1:
            continue
        longer[size] = card
        live, groups = order_combos(table, longer, order, ends)
        strengths_in_order(order, ends, groups, cards, weights, after)
        for i in range(live):
            combo = integer(order[i])
            change = after[combo] - strengths[combo]
            if change > 0.0:
                gains[combo] += change
            else:
                losses[combo] -= change
    cards_to_come = 50.0 - size
    for combo in range(1326):
        gains[combo] /= cards_to_come
        losses[combo] /= cards_to_come


@kernel()
def _ramp(value: float, middle: float, spread: float) -> float:
    """0 below ``middle - spread``, 1 above ``middle + spread``, in proportion between."""
    return min(max((value - middle + spread) / (2.0 * spread), 0.0), 1.0)


@kernel()
def fill_triples(
    values: NDArray[np.float64],
    odds: NDArray[np.float64],
    draws: NDArray[np.float64],
    parameters: NDArray[np.float64],
    triples: NDArray[np.float64],
) -> None:
    """The probability triple of every combo: the one formula behind play, re-weighting and simulation.

    values: the quality that the raise threshold and the call threshold are measured on, shape (1326,).
    odds: the chance of winning at the showdown, which is measured on the price of a call, shape (1326,).
    draws: the positive potential, shape (1326,).
    parameters: shape (NUM_PARAMETERS,); their order is that of ``engine.opponents.formula.Thresholds``.
    triples: shape (1326, 3), filled in place.
    """
    call_at, call_spread = parameters[0], parameters[1]
    raise_at, raise_spread, raise_most = parameters[2], parameters[3], parameters[4]
    price, price_spread = parameters[5], parameters[6]
    semi_bluff_at, semi_bluff = parameters[7], parameters[8]
    bluff_below, bluff = parameters[9], parameters[10]
    trap_at, trap = parameters[11], parameters[12]
    can_fold, can_raise = parameters[13], parameters[14]
    for combo in range(values.shape[0]):
        value, chance, draw = values[combo], odds[combo], draws[combo]
        raising = 0.0
        staying = 1.0
        if can_fold > 0.0:
            staying = max(_ramp(value, call_at, call_spread), _ramp(chance, price, price_spread))
        if can_raise > 0.0:
            raising = (raise_most + (1.0 - raise_most) * value) * _ramp(value, raise_at, raise_spread)
            raising *= 1.0 - trap * _ramp(value, trap_at, raise_spread)
            staying = max(staying, raising)
            if draw > semi_bluff_at:
                raising += (1.0 - raising) * semi_bluff * _ramp(draw, semi_bluff_at, 0.05)
                staying = max(staying, raising)
            if value < bluff_below:
                # A bluff is taken from folding and checking alike, most of it from the worst hands.
                extra = (1.0 - raising) * bluff * min(2.0 * (bluff_below - value) / bluff_below, 1.0)
                raising += extra
                staying = staying + (1.0 - staying) * extra
        triples[combo, 0] = 1.0 - staying
        triples[combo, 1] = staying - raising
        triples[combo, 2] = raising


@kernel()
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


@kernel()
def threshold_of_share(
    weights: NDArray[np.float64], values: NDArray[np.float64], share: float, spread: float
) -> float:
    """The threshold above which, mixed over a spread, lies a share of the weight.

    The share falls as the threshold rises, in straight pieces: Newton's step ends in a few rounds, and where
    it would leave the interval, the interval is halved.
    """
    total = 0.0
    lowest = np.inf
    highest = -np.inf
    for combo in range(weights.shape[0]):
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
        for combo in range(weights.shape[0]):
            chance = _ramp(values[combo], middle, spread)
            above += weights[combo] * chance
            mixed += weights[combo] if 0.0 < chance < 1.0 else 0.0
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


@kernel()
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
    """Triples of two thresholds, part of them replaced by plain frequencies.

    values: measured on the raise threshold.  chances: measured on the call threshold.  Shape (1326,).
    frequencies: of the triple without regard to the hand, shape (3,).  noise: the part they replace.
    triples: shape (1326, 3), filled in place.
    """
    for combo in range(values.shape[0]):
        raising = _ramp(values[combo], raise_at, spread)
        staying = max(_ramp(chances[combo], call_at, spread), raising)
        triples[combo, 0] = (1.0 - noise) * (1.0 - staying) + noise * frequencies[0]
        triples[combo, 1] = (1.0 - noise) * (staying - raising) + noise * frequencies[1]
        triples[combo, 2] = (1.0 - noise) * raising + noise * frequencies[2]


@kernel()
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
