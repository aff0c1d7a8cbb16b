"""Hands played for learning by situations: what actions are worth, and the loop that plays.

The learner's choices, its values and how they are learnt are told in ``engine.learning.street``;
here they are loops.  The agent that sits at a table calls the same functions as the loop does
(`look`, `fill_offers`, `fill_values`, `learn`), so that what was learnt here is used there as it was meant.

Actions are numbered: `FOLD_OFFER`, `CALL_OFFER`, and from `RAISE_OFFER` on the raises.  These are one in
limit games, and half the pot, the pot and all-in in no-limit.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.learning.scripted_players import FORMER_SELF, KIND, NOISE, scripted_action
from engine.kernels.learning.situations import NUM_COUNTERS, count_decision, look, num_situations, style_of
from engine.kernels.rules.betting import (
    CALL,
    FOLD,
    MAX_PLAYERS,
    NODE_SIZE,
    General,
    Node,
    Rule,
    apply_action,
    begin_betting,
    legal_raise,
    settle,
)
from engine.kernels.splitmix import random_number

FOLD_OFFER: Final = 0
CALL_OFFER: Final = 1
RAISE_OFFER: Final = 2
NUM_OFFERS: Final = 5
"""Fold, call, half the pot, the pot, all-in.  In limit games the raise is the third and the last."""

NOT_OFFERED: Final = -2
"""Stands for an action's total where it is not offered."""

RECORD_SIZE: Final = 520
"""Room for a recorded hand: deal, learner's position, number of actions, then (action, cell) for each."""


# --- what can be done, and what it is worth ----------------------------------------------------------------


@kernel(allocates=False)
def fill_offers(
    rules: NDArray[np.int64], spent: NDArray[np.int64], node: NDArray[np.int64], offers: NDArray[np.int64]
) -> None:
    """The actions the position to act chooses from: `FOLD`, `CALL` or the total of a raise, by number.

    `offers`, shape (NUM_OFFERS,), is filled in place, with NOT_OFFERED where there is none.
    """
    position = node[Node.TO_ACT]
    for offer in range(NUM_OFFERS):
        offers[offer] = NOT_OFFERED
    if spent[position] != node[Node.MAX_SPENT]:
        offers[FOLD_OFFER] = FOLD
    offers[CALL_OFFER] = CALL
    low, high = legal_raise(rules, spent, node)
    if high <= 0:
        return
    if rules[Rule.GENERAL, General.IS_LIMIT]:
        offers[RAISE_OFFER] = high
        return
    pot = max(0, node[Node.MAX_SPENT] - spent[position])
    for other in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        pot += spent[other]
    half = max(low, node[Node.MAX_SPENT] + (pot + 1) // 2)
    whole = max(low, node[Node.MAX_SPENT] + pot)
    if half < high:
        offers[RAISE_OFFER] = half
    if half < whole < high:
        offers[RAISE_OFFER + 1] = whole
    offers[NUM_OFFERS - 1] = high


@kernel(allocates=False)
def fill_values(
    rules: NDArray[np.int64],
    spent: NDArray[np.int64],
    node: NDArray[np.int64],
    offers: NDArray[np.int64],
    strength: float,
    any_cell: int,
    style_cell: int,
    values: NDArray[np.float32],
    counts: NDArray[np.int32],
    showdown_weight: float,
    any_weight: float,
    found: NDArray[np.float64],
) -> None:
    """What each offer is worth, in pots: chips won from here on, by folding none.

    strength: of the hand, against one random one.
    any_cell, style_cell: rows of `values` and `counts`, shape (cells, NUM_OFFERS - 1): against whomever, and
        against opponents of this style; the same row where the style is not known.
    showdown_weight: how many observations the value counts for that the hand has if everybody calls and
        nobody bets any more.
    any_weight: how many observations the value against whomever counts for.
    found: shape (NUM_OFFERS,), filled in place; -inf for what is not offered.
    """
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    position = node[Node.TO_ACT]
    pot = 0
    share = 1.0
    for other in range(num_players):
        pot += spent[other]
        if other != position and node[Node.FOLDED] >> other & 1 == 0:
            share *= strength
    for offer in range(NUM_OFFERS):
        if offers[offer] == NOT_OFFERED:
            found[offer] = -np.inf
            continue
        if offer == FOLD_OFFER:
            found[offer] = 0.0
            continue
        column = offer - 1
        seen = float(counts[any_cell, column])
        value = 0.0
        if showdown_weight > 0.0 or seen == 0.0:
            total = node[Node.MAX_SPENT] if offers[offer] == CALL else offers[offer]
            total = min(total, rules[Rule.STACK, position])
            cost = total - spent[position]
            final_pot = pot + cost
            for other in range(num_players):
                if other != position and node[Node.FOLDED] >> other & 1 == 0:
                    final_pot += max(0, min(rules[Rule.STACK, other], total) - spent[other])
            value = (share * final_pot - cost) / max(1, pot)
        if seen > 0.0:
            value = (showdown_weight * value + seen * values[any_cell, column]) / (showdown_weight + seen)
        if style_cell != any_cell:
            seen = float(counts[style_cell, column])
            if seen > 0.0:
                value = (any_weight * value + seen * values[style_cell, column]) / (any_weight + seen)
        found[offer] = value


@kernel(allocates=False)
def best_offer(found: NDArray[np.float64]) -> int:
    """The number of the offer that is worth most, the first of several."""
    best = CALL_OFFER
    for offer in range(NUM_OFFERS):
        if found[offer] > found[best]:
            best = offer
    return best


@kernel(allocates=False)
def random_offer(offers: NDArray[np.int64], state: NDArray[np.uint64]) -> int:
    """Any offer but to fold, about which there is nothing to be found out."""
    offer = NUM_OFFERS
    while offer == NUM_OFFERS or offers[offer] == NOT_OFFERED:
        offer = CALL_OFFER + integer(random_number(state) * (NUM_OFFERS - CALL_OFFER))
    return offer


@kernel(allocates=False)
def consider(
    rules: NDArray[np.int64],
    spent: NDArray[np.int64],
    node: NDArray[np.int64],
    counters: NDArray[np.float64],
    bucket: int,
    strength: float,
    values: NDArray[np.float32],
    counts: NDArray[np.int32],
    showdown_weight: float,
    any_weight: float,
    offers: NDArray[np.int64],
    found: NDArray[np.float64],
) -> tuple[int, int]:
    """What the position to act knows before it decides: its cells, what it may do and what that is worth.

    counters: by position, shape (MAX_PLAYERS, NUM_COUNTERS).
    offers, found: shape (NUM_OFFERS,), filled in place as by `fill_offers` and `fill_values`.
    """
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    style = style_of(counters, node[Node.TO_ACT], node[Node.FOLDED], num_players)
    any_cell = look(rules, spent, node, bucket)
    style_cell = any_cell + style * num_situations(rules[Rule.GENERAL, General.IS_LIMIT], num_players)
    fill_offers(rules, spent, node, offers)
    fill_values(
        rules, spent, node, offers, strength, any_cell, style_cell, values, counts,
        showdown_weight, any_weight, found,
    )  # fmt: skip
    return any_cell, style_cell


@kernel(allocates=False)
def learn(
    values: NDArray[np.float32],
    counts: NDArray[np.int32],
    cell: int,
    offer: int,
    target: float,
    decay: float,
) -> None:
    """Moves one value towards what has come of it, by ``1 / count ** decay``; a fold is worth nothing."""
    column = offer - 1
    if column < 0:
        return
    counts[cell, column] += 1
    step = float(counts[cell, column]) ** -decay
    values[cell, column] += np.float32(step * (target - values[cell, column]))


# --- the loop ----------------------------------------------------------------------------------------------


@kernel()
def play_hands(
    rules: NDArray[np.int64],
    strengths: NDArray[np.uint8],
    buckets: NDArray[np.uint8],
    ranks: NDArray[np.uint16],
    first_deal: int,
    num_hands: int,
    first_hand: int,
    opponents: NDArray[np.float64],
    session: int,
    values: NDArray[np.float32],
    counts: NDArray[np.int32],
    former_values: NDArray[np.float32],
    former_counts: NDArray[np.int32],
    exploring: float,
    decay: float,
    showdown_weight: float,
    any_weight: float,
    seed: int,
    results: NDArray[np.float64],
    record: NDArray[np.int64],
) -> None:
    """Plays hands of one learner against opponents drawn from a population, and learns from them.

    strengths, buckets, ranks: of a pool of deals, shapes (deals, players, 4) twice and (deals, players).
    first_deal: where in the pool to begin; the pool is gone through in order, again and again.
    first_hand: number of the first hand, by which seats move around the table; a multiple of the players.
    opponents: the population, shape (num, NUM_TRAITS); each seat gets another one after `session` hands.
    exploring: share of the hands in which one decision, drawn beforehand, is left to chance.  Decisions
        before it are not learnt from, those after it are the learner's own.
    decay: of the step sizes; below 0 nothing is learnt.
    results: chips won by the learner in each hand, shape (num_hands,), filled in place.
    record: shape (num_hands or 0, RECORD_SIZE), filled in place with the hands as they were played.
    """
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    state = np.zeros(1, np.uint64)
    state[0] = np.uint64(seed)
    spent = np.zeros(MAX_PLAYERS, np.int64)
    node = np.zeros(NODE_SIZE, np.int64)
    remaining = np.zeros(MAX_PLAYERS, np.int64)
    won = np.zeros(MAX_PLAYERS, np.float64)
    offers = np.zeros(NUM_OFFERS, np.int64)
    found = np.zeros(NUM_OFFERS, np.float64)
    # By seat; the learner sits in seat 0.
    drawn = np.zeros(MAX_PLAYERS, np.int64)
    seen = np.zeros((MAX_PLAYERS, NUM_COUNTERS), np.float64)
    # By position.
    counters = np.zeros((MAX_PLAYERS, NUM_COUNTERS), np.float64)
    # The learner's decisions in this hand.
    any_cells = np.zeros(RECORD_SIZE, np.int64)
    style_cells = np.zeros(RECORD_SIZE, np.int64)
    chosen = np.zeros(RECORD_SIZE, np.int64)
    pots = np.zeros(RECORD_SIZE, np.int64)
    paid = np.zeros(RECORD_SIZE, np.int64)

    for hand in range(num_hands):
        if hand % session == 0:
            for seat in range(num_players):
                drawn[seat] = integer(random_number(state) * opponents.shape[0])
                for entry in range(NUM_COUNTERS):
                    seen[seat, entry] = 0.0
        deal = (first_deal + hand) % strengths.shape[0]
        # Seats move one position each hand.
        shift = (first_hand + hand) % num_players
        learner = (num_players - shift) % num_players
        for position in range(num_players):
            for entry in range(NUM_COUNTERS):
                counters[position, entry] = seen[(position + shift) % num_players, entry]
        explores_at = -1
        if random_number(state) < exploring:
            explores_at = integer(random_number(state) * 6.0)
        decisions = 0
        actions = 0
        begin_betting(rules, spent, node)
        while node[Node.TO_ACT] >= 0:
            position = node[Node.TO_ACT]
            strength = integer(strengths[deal, position, node[Node.ROUND]]) / 255.0
            traits = opponents[drawn[(position + shift) % num_players]]
            cell = -1
            if position == learner or traits[KIND] == FORMER_SELF:
                bucket = integer(buckets[deal, position, node[Node.ROUND]])
                is_former = position != learner
                cell, style_cell = consider(
                    rules, spent, node, counters, bucket, strength,
                    former_values if is_former else values, former_counts if is_former else counts,
                    showdown_weight, any_weight, offers, found,
                )  # fmt: skip
                offer = best_offer(found)
                if random_number(state) < traits[NOISE] if is_former else decisions == explores_at:
                    offer = random_offer(offers, state)
                if position == learner:
                    any_cells[decisions] = cell
                    style_cells[decisions] = style_cell
                    chosen[decisions] = offer
                    pot = 0
                    for other in range(num_players):
                        pot += spent[other]
                    pots[decisions] = pot
                    paid[decisions] = spent[position]
                    decisions += 1
                action = integer(offers[offer])
                cell = style_cell
            else:
                action = scripted_action(rules, spent, node, traits, strength, state)
            if record.shape[0] > 0 and 4 + 2 * actions < RECORD_SIZE:
                record[hand, 3 + 2 * actions] = action
                record[hand, 4 + 2 * actions] = cell if position == learner else -1
            actions += 1
            count_decision(counters[position], rules, spent, node, action)
            apply_action(rules, spent, node, action)
        settle(rules, spent, integer(node[Node.FOLDED]), ranks[deal], remaining, won)
        results[hand] = won[learner]
        for position in range(num_players):
            for entry in range(NUM_COUNTERS):
                seen[(position + shift) % num_players, entry] = counters[position, entry]
        if record.shape[0] > 0:
            record[hand, 0] = deal
            record[hand, 1] = learner
            record[hand, 2] = actions
        if decay >= 0.0:
            for decision in range(max(0, explores_at), decisions):
                target = (won[learner] + paid[decision]) / max(1, pots[decision])
                learn(values, counts, any_cells[decision], chosen[decision], target, decay)
                if style_cells[decision] != any_cells[decision]:
                    learn(values, counts, style_cells[decision], chosen[decision], target, decay)
