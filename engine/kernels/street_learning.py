"""Hands played for learning: what a situation is, what its actions are worth, and the loop that plays.

The learner's choices, its values and how they are learnt are told in ``engine.simulation.street_learning``;
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
from engine.kernels.betting import (
    CALL,
    FIRST_POSITION,
    FOLD,
    FOLDED,
    FORMER_RAISER,
    GENERAL,
    IS_LIMIT,
    MAX_PLAYERS,
    MAX_SPENT,
    NODE_SIZE,
    NUM_PLAYERS,
    RAISE_SIZE,
    RAISES,
    ROUND,
    STACK,
    TO_ACT,
    apply_action,
    begin_betting,
    legal_raise,
    settle,
)

FOLD_OFFER: Final = 0
CALL_OFFER: Final = 1
RAISE_OFFER: Final = 2
NUM_OFFERS: Final = 5
"""Fold, call, half the pot, the pot, all-in.  In limit games the raise is the third and the last."""

NOT_OFFERED: Final = -2
"""Stands for an action's total where it is not offered."""

NUM_ROUNDS: Final = 4
NUM_BUCKETS: Final = 16
LIMIT_PRICES: Final = 3
NO_LIMIT_PRICES: Final = 6
LIMIT_DEPTHS: Final = 5
NO_LIMIT_DEPTHS: Final = 7
LIMIT_RAISES: Final = 5
NO_LIMIT_RAISES: Final = 3
INITIATIVES: Final = 3

MANY_STYLES: Final = 21
"""Heads-up: any, and five degrees of looseness times four of aggression."""
FEW_STYLES: Final = 5
"""With more players: any, and two times two."""

# What is counted of a player, shape (NUM_COUNTERS,), float64.
FACED: Final = 0
"""Decisions with something to call."""
FOLDED_TO: Final = 1
"""Folds among them."""
COULD_RAISE: Final = 2
"""Decisions in which a raise was allowed."""
RAISED: Final = 3
NUM_COUNTERS: Final = 4

KNOWN_AFTER: Final = 20.0
"""Decisions after which a player has a style."""
FADES_AFTER: Final = 400.0
"""Decisions at which a player's counters are halved, so that a style can change."""

# Columns of an opponent, shape (NUM_TRAITS,), float64.
KIND: Final = 0
BY_STRENGTH: Final = 0
AT_RANDOM: Final = 1
FORMER_SELF: Final = 2
NOISE: Final = 1
"""By strength: the greatest error in its strength.  Former self: how often it acts at random."""
BLUFF: Final = 2
"""Share of hands too weak for it that it bets or raises with."""
MOST_RAISES: Final = 3
"""In a betting round, after which it calls instead."""
BET_SIZE: Final = 4
"""Preflop, and after it in the next column: pots that are bet; `BY_HAND` strength times the pot;
`ANY_SIZE` drawn from all that are legal."""
BY_HAND: Final = -1.0
ANY_SIZE: Final = -2.0
BET_FROM: Final = 6
"""The least strength that bets; before the flop, and after it in the next column, as all that follow.
At random: the weights of folding, calling and raising."""
RAISE_FROM: Final = 8
CALL_FROM: Final = 10
"""The least strength that calls, to which comes CALL_ODDS times the pot odds."""
CALL_ODDS: Final = 12
NUM_TRAITS: Final = 14

RECORD_SIZE: Final = 520
"""Room for a recorded hand: deal, learner's position, number of actions, then (action, cell) for each."""


@kernel()
def random_number(state: NDArray[np.uint64]) -> float:
    """The next number of SplitMix64, from 0 up to 1; `state`, shape (1,), is advanced in place."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    word = state[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word = word ^ (word >> np.uint64(31))
    return float(word >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# --- what a situation is -----------------------------------------------------------------------------------


@kernel()
def num_situations(is_limit: int, num_players: int) -> int:
    """How many situations there are for an opponent of one style."""
    count = NUM_ROUNDS * NUM_BUCKETS * (2 if num_players == 2 else 9) * INITIATIVES
    if is_limit:
        return count * LIMIT_PRICES * LIMIT_DEPTHS * LIMIT_RAISES
    return count * NO_LIMIT_PRICES * NO_LIMIT_DEPTHS * NO_LIMIT_RAISES


@kernel()
def look(rules: NDArray[np.int64], spent: NDArray[np.int64], node: NDArray[np.int64], bucket: int) -> int:
    """The situation of the position to act, whose hand is in a bucket: 0 to `num_situations` - 1.

    Betting round, bucket, position, number of opponents, price of a call, depth, raises in this round, and
    who raised last before it.
    """
    num_players = rules[GENERAL, NUM_PLAYERS]
    position = node[TO_ACT]
    current = node[ROUND]
    pot = 0
    opponents = 0
    behind_others = 0
    for other in range(num_players):
        pot += spent[other]
        if other != position and node[FOLDED] >> other & 1 == 0:
            opponents += 1
            behind_others = max(behind_others, rules[STACK, other] - node[MAX_SPENT])
    to_call = max(0, min(rules[STACK, position], node[MAX_SPENT]) - spent[position])
    # In the order of acting after the flop.
    order = (position - rules[FIRST_POSITION, min(1, NUM_ROUNDS - 1)] + num_players) % num_players
    if num_players == 2:
        place = order
    else:
        place = 3 * (order * 3 // num_players) + min(opponents, 3) - 1
    raiser = node[FORMER_RAISER]
    initiative = 0 if raiser < 0 else (1 if raiser == position else 2)

    index = (current * NUM_BUCKETS + bucket) * (2 if num_players == 2 else 9) + place
    index = index * INITIATIVES + initiative
    if rules[GENERAL, IS_LIMIT]:
        size = max(1, rules[RAISE_SIZE, current])
        price = 0 if to_call == 0 else (1 if to_call <= size else 2)
        bets = pot / size
        depth = integer(bets > 2.0) + integer(bets > 4.0) + integer(bets > 6.0) + integer(bets > 9.0)
        index = (index * LIMIT_PRICES + price) * LIMIT_DEPTHS + depth
        return integer(index * LIMIT_RAISES + min(node[RAISES], LIMIT_RAISES - 1))
    price = 0
    if to_call > 0:
        share = to_call / pot
        price = 1 + integer(share > 0.2) + integer(share > 0.4) + integer(share > 0.55) + integer(share > 0.8)
    behind = max(0, min(rules[STACK, position] - node[MAX_SPENT], behind_others))
    depth = 0
    if behind > 0:
        pots = behind / (pot + to_call)
        depth = 1 + integer(pots > 0.5) + integer(pots > 1.0) + integer(pots > 2.5)
        depth += integer(pots > 6.0) + integer(pots > 15.0)
    index = (index * NO_LIMIT_PRICES + price) * NO_LIMIT_DEPTHS + depth
    return integer(index * NO_LIMIT_RAISES + min(node[RAISES], NO_LIMIT_RAISES - 1))


@kernel()
def count_decision(
    counters: NDArray[np.float64],
    rules: NDArray[np.int64],
    spent: NDArray[np.int64],
    node: NDArray[np.int64],
    action: int,
) -> None:
    """Counts what the position to act is about to do; its `counters` are brought up to date in place."""
    position = node[TO_ACT]
    if spent[position] < min(rules[STACK, position], node[MAX_SPENT]):
        counters[FACED] += 1.0
        counters[FOLDED_TO] += 1.0 if action == FOLD else 0.0
    if legal_raise(rules, spent, node)[1] > 0:
        counters[COULD_RAISE] += 1.0
        counters[RAISED] += 1.0 if action > CALL else 0.0
    if counters[FACED] + counters[COULD_RAISE] >= 2.0 * FADES_AFTER:
        for entry in range(NUM_COUNTERS):
            counters[entry] /= 2.0


@kernel()
def style_of(counters: NDArray[np.float64], position: int, folded: int, num_players: int) -> int:
    """The style of those opponents of a position who are still in the hand; 0 as long as it is not known.

    counters: by position, shape (MAX_PLAYERS, NUM_COUNTERS).
    """
    faced = 0.0
    folds = 0.0
    chances = 0.0
    raises = 0.0
    for other in range(num_players):
        if other != position and folded >> other & 1 == 0:
            faced += counters[other, FACED]
            folds += counters[other, FOLDED_TO]
            chances += counters[other, COULD_RAISE]
            raises += counters[other, RAISED]
    if faced + chances < 2.0 * KNOWN_AFTER:
        return 0
    stays = 1.0 - folds / faced if faced > 0.0 else 1.0
    presses = raises / chances if chances > 0.0 else 0.0
    if num_players > 2:
        return integer(1 + 2 * integer(stays > 0.5) + integer(presses > 0.25))
    looseness = integer(stays > 0.45) + integer(stays > 0.62) + integer(stays > 0.78) + integer(stays > 0.9)
    aggression = integer(presses > 0.1) + integer(presses > 0.28) + integer(presses > 0.5)
    return integer(1 + 4 * looseness + aggression)


# --- what can be done, and what it is worth ----------------------------------------------------------------


@kernel()
def fill_offers(
    rules: NDArray[np.int64], spent: NDArray[np.int64], node: NDArray[np.int64], offers: NDArray[np.int64]
) -> None:
    """The actions the position to act chooses from: `FOLD`, `CALL` or the total of a raise, by number.

    `offers`, shape (NUM_OFFERS,), is filled in place, with NOT_OFFERED where there is none.
    """
    position = node[TO_ACT]
    for offer in range(NUM_OFFERS):
        offers[offer] = NOT_OFFERED
    if spent[position] != node[MAX_SPENT]:
        offers[FOLD_OFFER] = FOLD
    offers[CALL_OFFER] = CALL
    low, high = legal_raise(rules, spent, node)
    if high <= 0:
        return
    if rules[GENERAL, IS_LIMIT]:
        offers[RAISE_OFFER] = high
        return
    pot = max(0, node[MAX_SPENT] - spent[position])
    for other in range(rules[GENERAL, NUM_PLAYERS]):
        pot += spent[other]
    half = max(low, node[MAX_SPENT] + (pot + 1) // 2)
    whole = max(low, node[MAX_SPENT] + pot)
    if half < high:
        offers[RAISE_OFFER] = half
    if half < whole < high:
        offers[RAISE_OFFER + 1] = whole
    offers[NUM_OFFERS - 1] = high


@kernel()
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
    num_players = rules[GENERAL, NUM_PLAYERS]
    position = node[TO_ACT]
    pot = 0
    share = 1.0
    for other in range(num_players):
        pot += spent[other]
        if other != position and node[FOLDED] >> other & 1 == 0:
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
            total = node[MAX_SPENT] if offers[offer] == CALL else offers[offer]
            total = min(total, rules[STACK, position])
            cost = total - spent[position]
            final_pot = pot + cost
            for other in range(num_players):
                if other != position and node[FOLDED] >> other & 1 == 0:
                    final_pot += max(0, min(rules[STACK, other], total) - spent[other])
            value = (share * final_pot - cost) / max(1, pot)
        if seen > 0.0:
            value = (showdown_weight * value + seen * values[any_cell, column]) / (showdown_weight + seen)
        if style_cell != any_cell:
            seen = float(counts[style_cell, column])
            if seen > 0.0:
                value = (any_weight * value + seen * values[style_cell, column]) / (any_weight + seen)
        found[offer] = value


@kernel()
def best_offer(found: NDArray[np.float64]) -> int:
    """The number of the offer that is worth most, the first of several."""
    best = CALL_OFFER
    for offer in range(NUM_OFFERS):
        if found[offer] > found[best]:
            best = offer
    return best


@kernel()
def random_offer(offers: NDArray[np.int64], state: NDArray[np.uint64]) -> int:
    """Any offer but to fold, about which there is nothing to be found out."""
    offer = NUM_OFFERS
    while offer == NUM_OFFERS or offers[offer] == NOT_OFFERED:
        offer = CALL_OFFER + integer(random_number(state) * (NUM_OFFERS - CALL_OFFER))
    return offer


@kernel()
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
    num_players = rules[GENERAL, NUM_PLAYERS]
    style = style_of(counters, node[TO_ACT], node[FOLDED], num_players)
    any_cell = look(rules, spent, node, bucket)
    style_cell = any_cell + style * num_situations(rules[GENERAL, IS_LIMIT], num_players)
    fill_offers(rules, spent, node, offers)
    fill_values(
        rules, spent, node, offers, strength, any_cell, style_cell, values, counts,
        showdown_weight, any_weight, found,
    )  # fmt: skip
    return any_cell, style_cell


@kernel()
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


# --- opponents ---------------------------------------------------------------------------------------------


@kernel()
def _raise_of_size(
    rules: NDArray[np.int64],
    spent: NDArray[np.int64],
    node: NDArray[np.int64],
    size: float,
    strength: float,
    random_state: NDArray[np.uint64],
) -> int:
    """The total of a raise of so many pots; CALL where none is allowed."""
    low, high = legal_raise(rules, spent, node)
    if high <= 0:
        return CALL
    if rules[GENERAL, IS_LIMIT] or low == high:
        return high
    if size == ANY_SIZE:
        return integer(low + integer(random_number(random_state) * (high - low + 1)))
    position = node[TO_ACT]
    pot = max(0, node[MAX_SPENT] - spent[position])
    for other in range(rules[GENERAL, NUM_PLAYERS]):
        pot += spent[other]
    if size == BY_HAND:
        size = strength
    # Compared as floats: a size may stand for more chips than there are.
    total = float(node[MAX_SPENT]) + size * pot
    if total >= high:
        return high
    return integer(max(low, integer(total)))


@kernel()
def scripted_action(
    rules: NDArray[np.int64],
    spent: NDArray[np.int64],
    node: NDArray[np.int64],
    traits: NDArray[np.float64],
    strength: float,
    random_state: NDArray[np.uint64],
) -> int:
    """What an opponent of some traits does, whose hand has a strength; not for a former self."""
    position = node[TO_ACT]
    later = 1 if node[ROUND] > 0 else 0
    to_call = min(rules[STACK, position], node[MAX_SPENT]) - spent[position]
    size = traits[BET_SIZE + later]
    if traits[KIND] == AT_RANDOM:
        fold = traits[BET_FROM] if spent[position] != node[MAX_SPENT] else 0.0
        call = traits[BET_FROM + 1]
        raise_ = traits[BET_FROM + 2] if legal_raise(rules, spent, node)[1] > 0 else 0.0
        draw = random_number(random_state) * (fold + call + raise_)
        if draw < fold:
            return FOLD
        if draw < fold + call:
            return CALL
        return _raise_of_size(rules, spent, node, size, strength, random_state)
    felt = strength + traits[NOISE] * (2.0 * random_number(random_state) - 1.0)
    bluffs = random_number(random_state) < traits[BLUFF]
    may_raise = node[RAISES] < traits[MOST_RAISES]
    if to_call <= 0:
        if may_raise and (felt >= traits[BET_FROM + later] or bluffs):
            return _raise_of_size(rules, spent, node, size, strength, random_state)
        return CALL
    if may_raise and felt >= traits[RAISE_FROM + later]:
        return _raise_of_size(rules, spent, node, size, strength, random_state)
    pot = 0
    for other in range(rules[GENERAL, NUM_PLAYERS]):
        pot += spent[other]
    if felt >= traits[CALL_FROM + later] + traits[CALL_ODDS + later] * to_call / (pot + to_call):
        return CALL
    if may_raise and bluffs:
        return _raise_of_size(rules, spent, node, size, strength, random_state)
    return FOLD


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
    num_players = rules[GENERAL, NUM_PLAYERS]
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
        while node[TO_ACT] >= 0:
            position = node[TO_ACT]
            strength = integer(strengths[deal, position, node[ROUND]]) / 255.0
            traits = opponents[drawn[(position + shift) % num_players]]
            cell = -1
            if position == learner or traits[KIND] == FORMER_SELF:
                bucket = integer(buckets[deal, position, node[ROUND]])
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
        settle(num_players, spent, integer(node[FOLDED]), ranks[deal], remaining, won)
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
