"""The betting of a hand in arrays of integers: the rules of ``engine.rules.betting`` for compiled loops.

A game is one array, a *betting* two: what each position has spent, and a *node* with everything else.  An
action is one integer: `FOLD`, `CALL`, or the total that is raised to.  Nothing is checked; who plays here
plays legal actions.

The rules themselves are told in ``engine.rules.betting``, and the two are held together by tests that play
the same hands in both.  One kind of game is left out: a limit game whose raises may add nothing, in which
raising to nothing would be a call.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.cards.bits import count_bits

MAX_PLAYERS: Final = 10

# Rows of a game, shape (NUM_RULES, MAX_PLAYERS), int64; by position or by betting round.
STACK: Final = 0
BLIND: Final = 1
FIRST_POSITION: Final = 2
MAX_RAISES: Final = 3
RAISE_SIZE: Final = 4
"""Of limit games; 0 in no-limit."""
GENERAL: Final = 5
NUM_RULES: Final = 6

# Columns of the row GENERAL.
IS_LIMIT: Final = 0
NUM_PLAYERS: Final = 1
NUM_ROUNDS: Final = 2
BIG_BLIND: Final = 3
MAX_ACTIONS: Final = 4
"""Raises are refused when a round's actions and the players together pass this."""

# Entries of a node, shape (NODE_SIZE,), int64.
TO_ACT: Final = 0
"""Position to act; -1 when the hand is over."""
ROUND: Final = 1
ACTIONS: Final = 2
"""In this round."""
RAISES: Final = 3
"""In this round."""
MAX_SPENT: Final = 4
MIN_RAISE_TO: Final = 5
FOLDED: Final = 6
"""Bit p: position p has folded."""
RESPONDED: Final = 7
"""Bit p: position p has called or raised since, and including, the round's last raise."""
LAST_RAISER: Final = 8
"""Position that raised last in the hand; -1 if nobody has."""
FORMER_RAISER: Final = 9
"""Position that raised last before this round; -1 if nobody did."""
NODE_SIZE: Final = 10

FOLD: Final = -1
CALL: Final = 0


@kernel(allocates=False)
def _acting(rules: NDArray[np.int64], spent: NDArray[np.int64], node: NDArray[np.int64]) -> int:
    """Bit p: position p has not folded and has chips left."""
    with_chips = 0
    for position in range(rules[GENERAL, NUM_PLAYERS]):
        with_chips |= integer(spent[position] < rules[STACK, position]) << position
    return with_chips & ~integer(node[FOLDED])


@kernel(allocates=False)
def _next_position(mask: int, start: int, num_players: int) -> int:
    """The first position at or after `start`, cyclically, that is in a mask that is not empty.

    start: `num_players` at most.
    """
    position = start if start < num_players else 0
    while mask >> position & 1 == 0:
        position = position + 1 if position + 1 < num_players else 0
    return position


@kernel(allocates=False)
def begin_betting(rules: NDArray[np.int64], spent: NDArray[np.int64], node: NDArray[np.int64]) -> None:
    """Posts the blinds.  `spent`, shape (MAX_PLAYERS,), and `node`, shape (NODE_SIZE,), are filled."""
    num_players = rules[GENERAL, NUM_PLAYERS]
    for position in range(MAX_PLAYERS):
        spent[position] = rules[BLIND, position] if position < num_players else 0
    big_blind = rules[GENERAL, BIG_BLIND]
    for entry in range(NODE_SIZE):
        node[entry] = 0
    node[MAX_SPENT] = big_blind
    node[MIN_RAISE_TO] = 2 * big_blind if big_blind else 1
    node[LAST_RAISER] = -1
    node[FORMER_RAISER] = -1
    acting = _acting(rules, spent, node)
    if acting:
        node[TO_ACT] = _next_position(acting, rules[FIRST_POSITION, 0], num_players)
    else:
        node[TO_ACT] = -1
        node[ROUND] = rules[GENERAL, NUM_ROUNDS] - 1


@kernel(allocates=False)
def legal_raise(
    rules: NDArray[np.int64], spent: NDArray[np.int64], node: NDArray[np.int64]
) -> tuple[int, int]:
    """The least and the greatest total of a raise by the position to act; 0, 0 where none is allowed."""
    current = node[ROUND]
    if (
        node[RAISES] >= rules[MAX_RAISES, current]
        or node[ACTIONS] + rules[GENERAL, NUM_PLAYERS] > rules[GENERAL, MAX_ACTIONS]
        or count_bits(_acting(rules, spent, node)) <= 1
    ):
        return 0, 0
    stack = rules[STACK, node[TO_ACT]]
    if rules[GENERAL, IS_LIMIT]:
        total = min(stack, node[MAX_SPENT] + rules[RAISE_SIZE, current])
        return integer(total), integer(total)
    if node[MIN_RAISE_TO] <= stack:
        return integer(node[MIN_RAISE_TO]), integer(stack)
    if stack > node[MAX_SPENT]:
        return integer(stack), integer(stack)
    return 0, 0


@kernel(allocates=False)
def apply_action(
    rules: NDArray[np.int64], spent: NDArray[np.int64], node: NDArray[np.int64], action: int
) -> None:
    """The position to act does a legal action; `spent` and `node` are brought up to date in place."""
    num_players = rules[GENERAL, NUM_PLAYERS]
    position = node[TO_ACT]
    if action == FOLD:
        node[FOLDED] |= 1 << position
    elif action == CALL:
        spent[position] = min(rules[STACK, position], node[MAX_SPENT])
        node[RESPONDED] |= 1 << position
    else:
        if not rules[GENERAL, IS_LIMIT]:
            node[MIN_RAISE_TO] = max(node[MIN_RAISE_TO], 2 * action - node[MAX_SPENT])
        spent[position] = action
        node[MAX_SPENT] = action
        node[RESPONDED] = 1 << position
        node[RAISES] += 1
        node[LAST_RAISER] = position
    node[ACTIONS] += 1

    acting = _acting(rules, spent, node)
    last_round = rules[GENERAL, NUM_ROUNDS] - 1
    if count_bits(node[FOLDED]) == num_players - 1:
        node[TO_ACT] = -1
    elif acting & ~node[RESPONDED]:
        node[TO_ACT] = _next_position(acting, position + 1, num_players)
    elif count_bits(acting) > 1 and node[ROUND] < last_round:
        node[ROUND] += 1
        node[ACTIONS] = 0
        node[RAISES] = 0
        node[RESPONDED] = 0
        node[MIN_RAISE_TO] = node[MAX_SPENT] + max(1, rules[GENERAL, BIG_BLIND])
        node[FORMER_RAISER] = node[LAST_RAISER]
        node[TO_ACT] = _next_position(acting, rules[FIRST_POSITION, node[ROUND]], num_players)
    else:
        node[TO_ACT] = -1
        node[ROUND] = last_round


@kernel(allocates=False)
def settle(
    num_players: int,
    spent: NDArray[np.int64],
    folded: int,
    ranks: NDArray[np.uint16],
    remaining: NDArray[np.int64],
    won: NDArray[np.float64],
) -> None:
    """The chips each position has won at the end of a hand, side pots and split pots included.

    ranks: by position, greater wins; of positions that have folded they are not read.
    remaining: scratch, shape (MAX_PLAYERS,).  won: shape (MAX_PLAYERS,), filled in place.
    """
    pot = 0
    for position in range(num_players):
        won[position] = 0.0
        remaining[position] = spent[position]
        pot += spent[position]
    if count_bits(folded) == num_players - 1:
        for position in range(num_players):
            out = folded >> position & 1
            won[position] = float(-spent[position] if out else pot - spent[position])
        return
    while True:
        layer = 0
        best = -1
        for position in range(num_players):
            if remaining[position] > 0:
                if layer == 0 or remaining[position] < layer:
                    layer = remaining[position]
                if folded >> position & 1 == 0:
                    best = max(best, integer(ranks[position]))
        if layer == 0:
            return
        winners = 0
        losers = 0
        for position in range(num_players):
            if remaining[position] > 0:
                if folded >> position & 1 == 0 and integer(ranks[position]) == best:
                    winners += 1
                else:
                    losers += 1
        for position in range(num_players):
            if remaining[position] > 0:
                if folded >> position & 1 == 0 and integer(ranks[position]) == best:
                    won[position] += layer * losers / winners
                else:
                    won[position] -= layer
                remaining[position] -= layer
