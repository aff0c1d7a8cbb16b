"""The betting of a hand as arrays of integers: the rules of hold'em and its kin, for compiled loops.

A game is one array.  A *betting* is two: what each position has spent, and a *node* with everything else.
`Rule`, `General` and `Node` name their rows, columns and entries.  An action is one integer: `FOLD`, `CALL`,
or the total that is raised to.  Nothing is checked: actions must be legal.

``engine.poker.rules.betting`` explains the rules; tests play the same hands in both, so that they stay the
same.  One kind of game is left out: a limit game whose raises may add nothing, in which a raise to 0 would be
a call.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.cards import count_bits
from engine.support.arrays import Floats, Ints

MAX_PLAYERS: Final = 10


class Rule(IntEnum):
    """Rows of a game, an array of shape (NUM_RULES, MAX_PLAYERS), int64."""

    STACK = 0
    """Stacks in chips, by position."""
    BLIND = 1
    """Blinds in chips, by position."""
    FIRST_POSITION = 2
    """The position that acts first, by betting round."""
    MAX_RAISES = 3
    """The most raises, by betting round."""
    RAISE_SIZE = 4
    """The size of a raise in chips, by betting round; 0 in no-limit games."""
    GENERAL = 5
    """Numbers about the whole game, in the columns of `General`."""


NUM_RULES: Final = len(Rule)


class General(IntEnum):
    """Columns of the row `Rule.GENERAL`."""

    IS_LIMIT = 0
    NUM_PLAYERS = 1
    NUM_ROUNDS = 2
    BIG_BLIND = 3
    """In chips."""
    MAX_ACTIONS = 4
    """No raise is legal once the actions of a round plus the number of players exceed this."""


class Node(IntEnum):
    """Entries of a node, an array of shape (NODE_SIZE,), int64."""

    TO_ACT = 0
    """The position to act; -1 when the hand is over."""
    ROUND = 1
    """The betting round, from 0."""
    ACTIONS = 2
    """The number of actions in this round."""
    RAISES = 3
    """The number of raises in this round."""
    MAX_SPENT = 4
    """The most that any position has spent in the hand, in chips."""
    MIN_RAISE_TO = 5
    """The smallest total of a raise in no-limit games."""
    FOLDED = 6
    """Bit p: position p has folded."""
    RESPONDED = 7
    """Bit p: position p has called or raised since, and including, the round's last raise."""
    LAST_RAISER = 8
    """The position that raised last in the hand; -1 if nobody has raised."""
    FORMER_RAISER = 9
    """The position that raised last before this round; -1 if nobody did."""


NODE_SIZE: Final = len(Node)

FOLD: Final = -1
CALL: Final = 0


@kernel(allocates=False)
def pot_of(rules: Ints, spent: Ints) -> int:
    """The pot: all chips that the positions have spent in the hand."""
    pot = 0
    for position in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        pot += spent[position]
    return pot


@kernel(allocates=False)
def to_call(rules: Ints, spent: Ints, node: Ints) -> int:
    """The chips that the position to act would put in by a call; below 0 after some short raises."""
    position = node[Node.TO_ACT]
    return integer(min(rules[Rule.STACK, position], node[Node.MAX_SPENT]) - spent[position])


@kernel(allocates=False)
def pot_after_call(rules: Ints, spent: Ints, node: Ints) -> int:
    """The pot once the position to act has called."""
    return integer(pot_of(rules, spent) + max(0, to_call(rules, spent, node)))


@kernel(allocates=False)
def _acting(rules: Ints, spent: Ints, node: Ints) -> int:
    """Bit p: position p has not folded and has chips left."""
    with_chips = 0
    for position in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        with_chips |= integer(spent[position] < rules[Rule.STACK, position]) << position
    return with_chips & ~integer(node[Node.FOLDED])


@kernel(allocates=False)
def _next_position(mask: int, start: int, num_players: int) -> int:
    """The first position of a mask at or after `start`, going round the table.

    mask: positions as bits, not empty.  start: at most `num_players`.
    """
    position = start if start < num_players else 0
    while mask >> position & 1 == 0:
        position = position + 1 if position + 1 < num_players else 0
    return position


@kernel(allocates=False)
def begin_betting(rules: Ints, spent: Ints, node: Ints) -> None:
    """Post the blinds.  `spent`, shape (MAX_PLAYERS,), and `node`, shape (NODE_SIZE,), are filled."""
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    for position in range(MAX_PLAYERS):
        spent[position] = rules[Rule.BLIND, position] if position < num_players else 0
    big_blind = rules[Rule.GENERAL, General.BIG_BLIND]
    for entry in range(NODE_SIZE):
        node[entry] = 0
    node[Node.MAX_SPENT] = big_blind
    node[Node.MIN_RAISE_TO] = 2 * big_blind if big_blind else 1
    node[Node.LAST_RAISER] = -1
    node[Node.FORMER_RAISER] = -1
    acting = _acting(rules, spent, node)
    if acting:
        node[Node.TO_ACT] = _next_position(acting, rules[Rule.FIRST_POSITION, 0], num_players)
    else:
        node[Node.TO_ACT] = -1
        node[Node.ROUND] = rules[Rule.GENERAL, General.NUM_ROUNDS] - 1


@kernel(allocates=False)
def legal_raise(rules: Ints, spent: Ints, node: Ints) -> tuple[int, int]:
    """The smallest and greatest total of a raise by the position to act; 0, 0 if no raise is legal."""
    current = node[Node.ROUND]
    if (
        node[Node.RAISES] >= rules[Rule.MAX_RAISES, current]
        or node[Node.ACTIONS] + rules[Rule.GENERAL, General.NUM_PLAYERS]
        > rules[Rule.GENERAL, General.MAX_ACTIONS]
        or count_bits(_acting(rules, spent, node)) <= 1
    ):
        return 0, 0
    stack = rules[Rule.STACK, node[Node.TO_ACT]]
    if rules[Rule.GENERAL, General.IS_LIMIT]:
        total = min(stack, node[Node.MAX_SPENT] + rules[Rule.RAISE_SIZE, current])
        return integer(total), integer(total)
    if node[Node.MIN_RAISE_TO] <= stack:
        return integer(node[Node.MIN_RAISE_TO]), integer(stack)
    if stack > node[Node.MAX_SPENT]:
        return integer(stack), integer(stack)
    return 0, 0


@kernel(allocates=False)
def apply_action(rules: Ints, spent: Ints, node: Ints, action: int) -> None:
    """Apply a legal action of the position to act; `spent` and `node` are updated in place."""
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    position = node[Node.TO_ACT]
    if action == FOLD:
        node[Node.FOLDED] |= 1 << position
    elif action == CALL:
        spent[position] = min(rules[Rule.STACK, position], node[Node.MAX_SPENT])
        node[Node.RESPONDED] |= 1 << position
    else:
        if not rules[Rule.GENERAL, General.IS_LIMIT]:
            node[Node.MIN_RAISE_TO] = max(node[Node.MIN_RAISE_TO], 2 * action - node[Node.MAX_SPENT])
        spent[position] = action
        node[Node.MAX_SPENT] = action
        node[Node.RESPONDED] = 1 << position
        node[Node.RAISES] += 1
        node[Node.LAST_RAISER] = position
    node[Node.ACTIONS] += 1

    acting = _acting(rules, spent, node)
    last_round = rules[Rule.GENERAL, General.NUM_ROUNDS] - 1
    if count_bits(node[Node.FOLDED]) == num_players - 1:
        node[Node.TO_ACT] = -1
    elif acting & ~node[Node.RESPONDED]:
        node[Node.TO_ACT] = _next_position(acting, position + 1, num_players)
    elif count_bits(acting) > 1 and node[Node.ROUND] < last_round:
        node[Node.ROUND] += 1
        node[Node.ACTIONS] = 0
        node[Node.RAISES] = 0
        node[Node.RESPONDED] = 0
        node[Node.MIN_RAISE_TO] = node[Node.MAX_SPENT] + max(1, rules[Rule.GENERAL, General.BIG_BLIND])
        node[Node.FORMER_RAISER] = node[Node.LAST_RAISER]
        node[Node.TO_ACT] = _next_position(acting, rules[Rule.FIRST_POSITION, node[Node.ROUND]], num_players)
    else:
        node[Node.TO_ACT] = -1
        node[Node.ROUND] = last_round


@kernel(allocates=False)
def settle(
    rules: Ints, spent: Ints, folded: int, ranks: NDArray[np.integer[Any]], remaining: Ints, won: Floats
) -> None:
    """Fill in the chips each position has won at the end of a hand, with side pots and split pots.

    folded: positions that have folded, as bits.
    ranks: by position, greater wins; those of positions that have folded are not read.
    remaining: scratch, shape (MAX_PLAYERS,).  won: shape (MAX_PLAYERS,), filled in place.
    """
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    for position in range(num_players):
        won[position] = 0.0
        remaining[position] = spent[position]
    if count_bits(folded) == num_players - 1:
        pot = pot_of(rules, spent)
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
        winners = losers = 0
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
