"""The actions a street-learner chooses from, their values, and how the values are learnt.

The training loop (``engine.kernels.learning.street``) and the agent at a table call the same functions, so
that the agent uses values exactly as they were learnt.

``rules``, ``spent`` and ``node`` are a game and a betting, as in ``engine.kernels.poker.betting``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import (
    FLOAT,
    FLOAT32_MATRIX,
    FLOAT_MATRIX,
    FLOATS,
    INT,
    INT32_MATRIX,
    INT_MATRIX,
    INTS,
    entry,
    integer,
    kernel,
    record_of,
)
from engine.kernels.learning.situations import num_situations, situation_index, style_of
from engine.kernels.poker.betting import CALL, FOLD, General, Node, Rule, legal_raise, pot_after_call, pot_of
from engine.kernels.splitmix import random_number
from engine.support.arrays import Floats, Floats32, Ints, Ints32, Words


class Offer(IntEnum):
    """The numbers of the actions to choose from.  In limit games `RAISE` is the only raise."""

    FOLD = 0
    CALL = 1
    RAISE = 2
    """A raise; in no-limit games by half the pot."""
    RAISE_POT = 3
    """A raise by the pot."""
    ALL_IN = 4


NUM_OFFERS: Final = len(Offer)

NOT_OFFERED: Final = -2
"""In place of an action that is not offered."""


class CellValues(NamedTuple):
    """Learnt values of the actions in all cells; shape (cells, columns): calling, then each raise."""

    values: Floats32
    """The value of each action, in pots."""
    counts: Ints32
    """The number of observations behind each value."""


class Prior(NamedTuple):
    """The weights of prior values, in observations."""

    showdown_weight: float
    """The weight of what the hand would win if everybody called and nobody bet any more."""
    any_weight: float
    """The weight of the value against any opponents, in the value against opponents of a style."""


class Hand(NamedTuple):
    """A hand in a betting round."""

    bucket: int
    strength: float
    """The hand strength against one random hand."""


class Cells(NamedTuple):
    """Rows of `CellValues`; the same row twice if the opponents' style is not known."""

    any: int
    """The row for any opponents."""
    style: int
    """The row for opponents of their style."""


class Offers(NamedTuple):
    """The actions that a position chooses from and their values, by `Offer`; shapes (NUM_OFFERS,)."""

    actions: Ints
    """`FOLD`, `CALL` or the total of a raise; `NOT_OFFERED` for actions that are not offered."""
    values: Floats
    """The value of each action in pots: chips won from here on, 0 for folding; -inf if it is not offered."""


@kernel(allocates=False)
def _fill_actions(rules: Ints, spent: Ints, node: Ints, actions: Ints) -> None:
    """Fill in `Offers.actions`, the actions that the position to act chooses from."""
    position = node[Node.TO_ACT]
    for offer in range(NUM_OFFERS):
        actions[offer] = NOT_OFFERED
    if spent[position] != node[Node.MAX_SPENT]:
        actions[Offer.FOLD] = FOLD
    actions[Offer.CALL] = CALL
    low, high = legal_raise(rules, spent, node)
    if high <= 0:
        return
    if rules[Rule.GENERAL, General.IS_LIMIT]:
        actions[Offer.RAISE] = high
        return
    pot = pot_after_call(rules, spent, node)
    half = max(low, node[Node.MAX_SPENT] + (pot + 1) // 2)
    whole = max(low, node[Node.MAX_SPENT] + pot)
    if half < high:
        actions[Offer.RAISE] = half
    if half < whole < high:
        actions[Offer.RAISE_POT] = whole
    actions[Offer.ALL_IN] = high


@kernel(allocates=False)
def _showdown_value(rules: Ints, spent: Ints, node: Ints, action: int, share: float, pot: int) -> float:
    """What a call or raise wins from here on if everybody calls and nobody bets any more, in pots.

    share: our share of the final pot.  pot: the pot now, in chips.
    """
    position = node[Node.TO_ACT]
    total = min(node[Node.MAX_SPENT] if action == CALL else action, rules[Rule.STACK, position])
    cost = total - spent[position]
    final_pot = pot + cost
    for other in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        if other != position and node[Node.FOLDED] >> other & 1 == 0:
            final_pot += max(0, min(rules[Rule.STACK, other], total) - spent[other])
    return float(share * final_pot - cost) / max(1, pot)


@kernel(allocates=False)
def fill_offers(
    rules: Ints,
    spent: Ints,
    node: Ints,
    strength: float,
    cells: Cells,
    learnt: CellValues,
    prior: Prior,
    offers: Offers,
) -> None:
    """Fill in `offers`: the actions of the position to act and their values.

    strength: the hand strength against one random hand.
    cells: the rows of `learnt` for this situation.
    """
    _fill_actions(rules, spent, node, offers.actions)
    position = node[Node.TO_ACT]
    pot = pot_of(rules, spent)
    share = 1.0
    for other in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        if other != position and node[Node.FOLDED] >> other & 1 == 0:
            share *= strength
    for offer in range(NUM_OFFERS):
        action = offers.actions[offer]
        if action == NOT_OFFERED:
            offers.values[offer] = -np.inf
            continue
        if action == FOLD:
            offers.values[offer] = 0.0
            continue
        column = offer - Offer.CALL
        seen = float(learnt.counts[cells.any, column])
        value = 0.0
        if prior.showdown_weight > 0.0 or seen == 0.0:
            value = _showdown_value(rules, spent, node, action, share, pot)
        if seen > 0.0:
            weight = prior.showdown_weight
            value = (weight * value + seen * learnt.values[cells.any, column]) / (weight + seen)
        if cells.style != cells.any:
            seen = float(learnt.counts[cells.style, column])
            if seen > 0.0:
                weight = prior.any_weight
                value = (weight * value + seen * learnt.values[cells.style, column]) / (weight + seen)
        offers.values[offer] = value


@kernel(allocates=False)
def best_offer(values: Floats) -> int:
    """The number of the offer with the greatest value, the first of several; `values` is that of `Offers`."""
    best = integer(Offer.CALL)
    for offer in range(NUM_OFFERS):
        if values[offer] > values[best]:
            best = offer
    return best


@kernel(allocates=False)
def random_offer(actions: Ints, state: Words) -> int:
    """A random offer that is not a fold, whose value needs no learning."""
    while True:
        offer = Offer.CALL + integer(random_number(state) * (NUM_OFFERS - Offer.CALL))
        if actions[offer] != NOT_OFFERED:
            return offer


@kernel(allocates=False)
def consider_in_loop(
    rules: Ints,
    spent: Ints,
    node: Ints,
    counters: Floats,
    hand: Hand,
    learnt: CellValues,
    prior: Prior,
    offers: Offers,
) -> Cells:
    """The cells of the position to act; fills in its actions and their values.

    counters: what has been counted of each position, shape (MAX_PLAYERS, NUM_COUNTERS).
    offers: filled in place.
    """
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    style = style_of(counters, node[Node.TO_ACT], node[Node.FOLDED], num_players)
    cell = situation_index(rules, spent, node, hand.bucket)
    cells = Cells(cell, cell + style * num_situations(rules[Rule.GENERAL, General.IS_LIMIT], num_players))
    fill_offers(rules, spent, node, hand.strength, cells, learnt, prior, offers)
    return cells


consider = entry(
    consider_in_loop, INT_MATRIX, INTS, INTS, FLOAT_MATRIX, record_of(Hand, INT, FLOAT),
    record_of(CellValues, FLOAT32_MATRIX, INT32_MATRIX), record_of(Prior, FLOAT, FLOAT),
    record_of(Offers, INTS, FLOATS),
)  # fmt: skip


@kernel(allocates=False)
def learn(learnt: CellValues, cell: int, offer: int, target: float, decay: float) -> None:
    """Move one value towards its outcome by ``1 / count ** decay`` of the difference; folds are not learnt.

    target: the outcome in pots.
    """
    column = offer - Offer.CALL
    if column < 0:
        return
    learnt.counts[cell, column] += 1
    step = float(learnt.counts[cell, column]) ** -decay
    learnt.values[cell, column] += np.float32(step * (target - learnt.values[cell, column]))
