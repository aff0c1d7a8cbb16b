"""Many tables of one game stepped together: dealing, betting by the rules, observations, rewards.

``engine.learning.table_batch`` explains the games and the observations.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.betting import (
    CALL,
    FOLD,
    MAX_PLAYERS,
    General,
    Node,
    Rule,
    apply_action,
    begin_betting,
    legal_raise,
    pot_after_call,
    pot_of,
    settle,
)
from engine.kernels.poker.cards import count_bits
from engine.kernels.poker.ranking import rank_hand
from engine.kernels.splitmix import random_number
from engine.support.arrays import Bools, Bytes, Floats, Floats32, Ints, Words, Words16

NO_CARD: Final = 52
"""In place of a card that is not there, in the ranks of small games."""
HISTORY_COLUMNS: Final = 6
"""Numbers that describe one action in the history of an observation."""
_MOST_PASSED: Final = 1000
"""The most hands in a row that may end before an outside seat is to act."""


class SeatKind(IntEnum):
    """Kinds of players in a seat."""

    OUTSIDE = 0
    """Played by the caller who steps the tables."""
    ALWAYS_CALL = 1
    ALWAYS_FOLD = 2
    ALWAYS_RAISE = 3
    """Makes the smallest legal raise."""
    ALWAYS_ALL_IN = 4
    """Makes the greatest legal raise."""
    RANDOM = 5
    """Folds, calls and raises at random, as the ACPC's example player does."""


_FOLDS: Final = 0.06
_CALLS: Final = 0.47
"""The chances of `SeatKind.RANDOM`, the ACPC's example player, to fold and to call; otherwise it raises."""


class Places(NamedTuple):
    """The first index of each field of an observation."""

    hole_cards: int
    board: int
    position: int
    to_act: int
    betting_round: int
    folded: int
    stacks: int
    spent: int
    amounts: int
    history: int
    size: int
    """The length of a whole observation."""


class Plan(NamedTuple):
    """The game and its players, the same for all tables."""

    rules: Ints
    """The game, as in ``engine.kernels.poker.betting``."""
    board_ends: Ints
    """The number of board cards dealt by each betting round."""
    num_hole_cards: int
    most_spent: Ints
    """By position, the chips from which stacks in observations are counted down."""
    kinds: Ints
    """The `SeatKind` of each seat."""
    sizes: Floats
    """The sizes of raises in no-limit games, in pots; 0 is the smallest legal raise."""
    places: Places
    ranking: Words16
    """``ranking_table()``, for hands of five to seven cards."""
    small_ranks: Ints
    """Ranks of hands of one or two cards, shape (53, 53); shape (0, 0) for larger hands."""


class Tables(NamedTuple):
    """The state of the tables; arrays are by table, and changed in place."""

    random_states: Words
    """States of SplitMix64 generators, shape (tables, 1)."""
    decks: Bytes
    """The deck, dealt cards first: hole cards by position, then the board; shape (tables, cards)."""
    hands: Ints
    """The number of the hand being played, -1 before the first; shape (tables,)."""
    spent: Ints
    """Chips spent, as in ``engine.kernels.poker.betting``; shape (tables, MAX_PLAYERS)."""
    nodes: Ints
    """The nodes of the betting, as there; shape (tables, NODE_SIZE)."""
    num_actions: Ints
    """The number of actions in the hand so far, shape (tables,)."""


class Results(NamedTuple):
    """The results of a step; arrays are by table, and filled in place."""

    observations: Floats32
    """Observations of the seat to act or, at the end of a hand, of the one that acted last.

    Shape (tables, size).
    """
    masks: NDArray[np.int8]
    """1 for legal actions; all 0 at the end of a hand; shape (tables, actions)."""
    rewards: Floats
    """Big blinds won by each seat in a hand that ended in this step; shape (tables, players)."""
    passed: Floats
    """The same for hands that ended before an outside seat had to act; shape (tables, players)."""
    num_passed: Ints
    """The number of such hands, shape (tables,)."""
    ended: Bools
    """Whether the hand is over; the next step then begins another, whatever its action; shape (tables,)."""
    seats: Ints
    """The seat whose observation it is, shape (tables,)."""
    illegal: Bools
    """Whether the action was illegal, and played as the dealer would play it; shape (tables,)."""


@kernel(allocates=False)
def _nearest(plan: Plan, spent: Ints, node: Ints, number: int) -> tuple[int, bool]:
    """The action that a number is played as, and whether the number itself is a legal action."""
    if number == 0:
        if spent[node[Node.TO_ACT]] != node[Node.MAX_SPENT]:
            return FOLD, True
        return CALL, False
    if number == 1:
        return CALL, True
    low, high = legal_raise(plan.rules, spent, node)
    if high <= 0:
        return CALL, False
    if plan.rules[Rule.GENERAL, General.IS_LIMIT] or number - 2 >= plan.sizes.shape[0]:
        return high, True
    if plan.sizes[number - 2] == 0.0:
        total = low
    else:
        pots = plan.sizes[number - 2] * pot_after_call(plan.rules, spent, node)
        total = integer(np.rint(node[Node.MAX_SPENT] + pots))  # to the nearest chip, halves to even
    if low <= total < high:
        return total, True
    return CALL, False


@kernel(allocates=False)
def _scripted(plan: Plan, spent: Ints, node: Ints, kind: int, states: Words) -> int:
    """The action of a seat that is not `SeatKind.OUTSIDE`."""
    can_fold = spent[node[Node.TO_ACT]] != node[Node.MAX_SPENT]
    if kind == SeatKind.ALWAYS_CALL:
        return CALL
    if kind == SeatKind.ALWAYS_FOLD:
        return FOLD if can_fold else CALL
    low, high = legal_raise(plan.rules, spent, node)
    if kind == SeatKind.ALWAYS_RAISE:
        return low if high > 0 else CALL
    if kind == SeatKind.ALWAYS_ALL_IN:
        return high if high > 0 else CALL
    fold = _FOLDS if can_fold else 0.0
    raise_ = 1.0 - _FOLDS - _CALLS if high > 0 else 0.0
    draw = random_number(states) * (fold + _CALLS + raise_)
    if draw < fold:
        return FOLD
    if draw < fold + _CALLS or high <= 0:
        return CALL
    return integer(low + integer(random_number(states) * (high - low + 1)))


@kernel(allocates=False)
def _do(plan: Plan, tables: Tables, table: int, action: int, seen: Floats32) -> None:
    """Apply a legal action, and write it to the history of an observation."""
    spent, node = tables.spent[table], tables.nodes[table]
    position = node[Node.TO_ACT]
    big_blind = max(1, plan.rules[Rule.GENERAL, General.BIG_BLIND])
    row = plan.places.history + HISTORY_COLUMNS * tables.num_actions[table]
    tables.num_actions[table] += 1
    before = spent[position]
    seen[row] = 1.0
    seen[row + 1] = node[Node.ROUND]
    seen[row + 2] = position
    seen[row + 3] = 0.0 if action == FOLD else 1.0 if action == CALL else 2.0
    if action > 0:
        seen[row + 5] = (action - node[Node.MAX_SPENT]) / max(1, pot_after_call(plan.rules, spent, node))
    apply_action(plan.rules, spent, node, action)
    seen[row + 4] = (spent[position] - before) / big_blind


@kernel(allocates=False)
def _settle(
    plan: Plan, tables: Tables, table: int, paid: Floats, won: Floats, scratch: Ints, ranks: Ints, hand: Bytes
) -> None:
    """Add the big blinds that each seat has won in a finished hand to `paid`; the rest is scratch."""
    node, deck = tables.nodes[table], tables.decks[table]
    num_players = plan.rules[Rule.GENERAL, General.NUM_PLAYERS]
    num_board = plan.board_ends[plan.board_ends.shape[0] - 1]
    folded = integer(node[Node.FOLDED])
    if count_bits(folded) < num_players - 1:
        for card in range(num_board):
            hand[plan.num_hole_cards + card] = deck[num_players * plan.num_hole_cards + card]
        for position in range(num_players):
            if folded >> position & 1:
                continue
            for card in range(plan.num_hole_cards):
                hand[card] = deck[position * plan.num_hole_cards + card]
            if plan.small_ranks.shape[0] > 0:
                second = integer(hand[1]) if hand.shape[0] > 1 else NO_CARD
                ranks[position] = plan.small_ranks[hand[0], second]
            else:
                ranks[position] = rank_hand(plan.ranking, hand)
    settle(plan.rules, tables.spent[table], folded, ranks, scratch, won)
    big_blind = max(1, plan.rules[Rule.GENERAL, General.BIG_BLIND])
    for position in range(num_players):
        paid[(position + tables.hands[table]) % num_players] += won[position] / big_blind


@kernel(allocates=False)
def _show(
    plan: Plan, tables: Tables, table: int, observer: int, seen: Floats32, mask: NDArray[np.int8]
) -> None:
    """Write all of a position's observation but the history, and its mask."""
    places, rules = plan.places, plan.rules
    spent, node, deck = tables.spent[table], tables.nodes[table], tables.decks[table]
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    big_blind = max(1, rules[Rule.GENERAL, General.BIG_BLIND])
    holes = plan.num_hole_cards
    for place in range(places.history):
        seen[place] = 0.0
    for card in range(holes):
        seen[places.hole_cards + deck[observer * holes + card]] = 1.0
    for card in range(plan.board_ends[node[Node.ROUND]]):
        seen[places.board + deck[num_players * holes + card]] = 1.0
    seen[places.position + observer] = 1.0
    seen[places.betting_round + node[Node.ROUND]] = 1.0
    for position in range(num_players):
        seen[places.folded + position] = node[Node.FOLDED] >> position & 1
        seen[places.stacks + position] = (plan.most_spent[position] - spent[position]) / big_blind
        seen[places.spent + position] = spent[position] / big_blind
    owed = min(rules[Rule.STACK, observer], node[Node.MAX_SPENT]) - spent[observer]
    seen[places.amounts] = pot_of(rules, spent) / big_blind
    seen[places.amounts + 1] = max(0, owed) / big_blind
    is_over = node[Node.TO_ACT] < 0
    if not is_over:
        low, high = legal_raise(rules, spent, node)
        seen[places.to_act + node[Node.TO_ACT]] = 1.0
        seen[places.amounts + 2] = low / big_blind
        seen[places.amounts + 3] = high / big_blind
    for number in range(mask.shape[0]):
        mask[number] = 0 if is_over else _nearest(plan, spent, node, number)[1]


@kernel(allocates=False)
def _begin_hand(plan: Plan, tables: Tables, table: int, seen: Floats32) -> None:
    """Deal the next hand, and clear the history."""
    tables.hands[table] += 1
    num_players = plan.rules[Rule.GENERAL, General.NUM_PLAYERS]
    num_cards = num_players * plan.num_hole_cards + plan.board_ends[plan.board_ends.shape[0] - 1]
    deck, states = tables.decks[table], tables.random_states[table]
    for place in range(num_cards):  # any order of the deck will do to begin with
        other = place + integer(random_number(states) * (deck.shape[0] - place))
        deck[place], deck[other] = deck[other], deck[place]
    begin_betting(plan.rules, tables.spent[table], tables.nodes[table])
    history = plan.places.history
    for place in range(history, history + HISTORY_COLUMNS * tables.num_actions[table]):
        seen[place] = 0.0
    tables.num_actions[table] = 0


@kernel(allocates=False)
def _go_on(plan: Plan, tables: Tables, table: int, seen: Floats32) -> bool:
    """Let scripted players act; returns True once an outside seat is to act, False if the hand is over."""
    node = tables.nodes[table]
    num_players = plan.rules[Rule.GENERAL, General.NUM_PLAYERS]
    while node[Node.TO_ACT] >= 0:
        kind = plan.kinds[(node[Node.TO_ACT] + tables.hands[table]) % num_players]
        if kind == SeatKind.OUTSIDE:
            return True
        states = tables.random_states[table]
        _do(plan, tables, table, _scripted(plan, tables.spent[table], node, kind, states), seen)
    return False


@kernel()
def step_tables(plan: Plan, tables: Tables, results: Results, actions: Ints) -> bool:
    """Play an action at each table whose hand is not over, and begin another hand at the others.

    actions: the number of the action at each table, shape (tables,).
    Returns False if outside seats never get to act: the game or the opponents leave them nothing to do.
    """
    scratch = np.zeros(MAX_PLAYERS, np.int64)
    ranks = np.zeros(MAX_PLAYERS, np.int64)
    won = np.zeros(MAX_PLAYERS, np.float64)
    hand = np.zeros(plan.num_hole_cards + plan.board_ends[plan.board_ends.shape[0] - 1], np.uint8)
    num_players = plan.rules[Rule.GENERAL, General.NUM_PLAYERS]
    for table in range(actions.shape[0]):
        node, seen = tables.nodes[table], results.observations[table]
        results.num_passed[table] = 0
        results.illegal[table] = False
        for seat in range(num_players):
            results.rewards[table, seat] = 0.0
            results.passed[table, seat] = 0.0
        if results.ended[table]:
            _begin_hand(plan, tables, table, seen)
            while not _go_on(plan, tables, table, seen):
                _settle(plan, tables, table, results.passed[table], won, scratch, ranks, hand)
                results.num_passed[table] += 1
                if results.num_passed[table] > _MOST_PASSED:
                    return False
                _begin_hand(plan, tables, table, seen)
            results.ended[table] = False
        else:
            action, is_legal = _nearest(plan, tables.spent[table], node, integer(actions[table]))
            results.illegal[table] = not is_legal
            _do(plan, tables, table, action, seen)
            if not _go_on(plan, tables, table, seen):
                _settle(plan, tables, table, results.rewards[table], won, scratch, ranks, hand)
                results.ended[table] = True
        if not results.ended[table]:
            results.seats[table] = (node[Node.TO_ACT] + tables.hands[table]) % num_players
        observer = (results.seats[table] - tables.hands[table]) % num_players
        _show(plan, tables, table, integer(observer), seen, results.masks[table])
    return True
