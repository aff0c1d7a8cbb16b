"""What a learner by situations sees: the situation he is in, and the style of his opponents."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.rules.betting import CALL, FOLD, General, Node, Rule, legal_raise

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


@kernel(allocates=False)
def num_situations(is_limit: int, num_players: int) -> int:
    """How many situations there are for an opponent of one style."""
    count = NUM_ROUNDS * NUM_BUCKETS * (2 if num_players == 2 else 9) * INITIATIVES
    if is_limit:
        return count * LIMIT_PRICES * LIMIT_DEPTHS * LIMIT_RAISES
    return count * NO_LIMIT_PRICES * NO_LIMIT_DEPTHS * NO_LIMIT_RAISES


@kernel(allocates=False)
def look(rules: NDArray[np.int64], spent: NDArray[np.int64], node: NDArray[np.int64], bucket: int) -> int:
    """The situation of the position to act, whose hand is in a bucket: 0 to `num_situations` - 1.

    Betting round, bucket, position, number of opponents, price of a call, depth, raises in this round, and
    who raised last before it.
    """
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    position = node[Node.TO_ACT]
    current = node[Node.ROUND]
    pot = 0
    opponents = 0
    behind_others = 0
    for other in range(num_players):
        pot += spent[other]
        if other != position and node[Node.FOLDED] >> other & 1 == 0:
            opponents += 1
            behind_others = max(behind_others, rules[Rule.STACK, other] - node[Node.MAX_SPENT])
    to_call = max(0, min(rules[Rule.STACK, position], node[Node.MAX_SPENT]) - spent[position])
    # In the order of acting after the flop.
    order = (position - rules[Rule.FIRST_POSITION, min(1, NUM_ROUNDS - 1)] + num_players) % num_players
    if num_players == 2:
        place = order
    else:
        place = 3 * (order * 3 // num_players) + min(opponents, 3) - 1
    raiser = node[Node.FORMER_RAISER]
    initiative = 0 if raiser < 0 else (1 if raiser == position else 2)

    index = (current * NUM_BUCKETS + bucket) * (2 if num_players == 2 else 9) + place
    index = index * INITIATIVES + initiative
    if rules[Rule.GENERAL, General.IS_LIMIT]:
        size = max(1, rules[Rule.RAISE_SIZE, current])
        price = 0 if to_call == 0 else (1 if to_call <= size else 2)
        bets = pot / size
        depth = integer(bets > 2.0) + integer(bets > 4.0) + integer(bets > 6.0) + integer(bets > 9.0)
        index = (index * LIMIT_PRICES + price) * LIMIT_DEPTHS + depth
        return integer(index * LIMIT_RAISES + min(node[Node.RAISES], LIMIT_RAISES - 1))
    price = 0
    if to_call > 0:
        share = to_call / pot
        price = 1 + integer(share > 0.2) + integer(share > 0.4) + integer(share > 0.55) + integer(share > 0.8)
    behind = max(0, min(rules[Rule.STACK, position] - node[Node.MAX_SPENT], behind_others))
    depth = 0
    if behind > 0:
        pots = behind / (pot + to_call)
        depth = 1 + integer(pots > 0.5) + integer(pots > 1.0) + integer(pots > 2.5)
        depth += integer(pots > 6.0) + integer(pots > 15.0)
    index = (index * NO_LIMIT_PRICES + price) * NO_LIMIT_DEPTHS + depth
    return integer(index * NO_LIMIT_RAISES + min(node[Node.RAISES], NO_LIMIT_RAISES - 1))


@kernel(allocates=False)
def count_decision(
    counters: NDArray[np.float64],
    rules: NDArray[np.int64],
    spent: NDArray[np.int64],
    node: NDArray[np.int64],
    action: int,
) -> None:
    """Counts what the position to act is about to do; its `counters` are brought up to date in place."""
    position = node[Node.TO_ACT]
    if spent[position] < min(rules[Rule.STACK, position], node[Node.MAX_SPENT]):
        counters[FACED] += 1.0
        counters[FOLDED_TO] += 1.0 if action == FOLD else 0.0
    if legal_raise(rules, spent, node)[1] > 0:
        counters[COULD_RAISE] += 1.0
        counters[RAISED] += 1.0 if action > CALL else 0.0
    if counters[FACED] + counters[COULD_RAISE] >= 2.0 * FADES_AFTER:
        for entry in range(NUM_COUNTERS):
            counters[entry] /= 2.0


@kernel(allocates=False)
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
