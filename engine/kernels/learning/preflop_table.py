"""A table with a pre-flop learner of the Poker Learner thesis and players who play by rules.

The hands are those of ``clients.core.arena`` with the same seed, bit for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.learning.preflop_learner import (
    MAX_DECISIONS,
    NUM_ENTRIES,
    Learner,
    LearnerLastAction,
    Notes,
    PreflopDecision,
    Way,
    begin_values,
    chosen,
    judge,
)
from engine.kernels.learning.rule_players import RuleKind, Script, Seen, fold_or_check, rule_action
from engine.kernels.mersenne import next_word
from engine.kernels.poker.betting import (
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
    to_call,
)
from engine.kernels.poker.cards import count_bits
from engine.kernels.poker.ranking import rank_hand
from engine.support.arrays import Bytes, Floats, Ints, Words32


class Table(NamedTuple):
    """The game that is played, and the state of the table; the learner sits in seat 0."""

    rules: Ints
    """The game, as in ``engine.kernels.poker.betting``."""
    deck: Bytes
    """All cards, in the order in which dealing begins."""
    board_ends: Ints
    """The number of board cards dealt by each betting round."""
    cards: Words32
    """The generator of the cards."""
    hand: Ints
    """The number of the next hand, shape (1,)."""
    chips: Floats
    """Chips won so far, by seat."""
    squares: Floats
    """The sum of squares of the chips that seat 0 has won in each hand, shape (1,)."""
    raising: Floats
    """By seat, hands in which it acted before the flop, and began with a raise; shape (players, 2)."""


@kernel(allocates=False)
def _deal(table: Table, deck: Bytes, cards: Bytes) -> None:
    """Deal the cards of a hand as the ACPC dealer does; `deck` is scratch."""
    size = table.deck.shape[0]
    for place in range(size):
        deck[place] = table.deck[place]
    for number in range(cards.shape[0]):
        left = size - number
        index = next_word(table.cards) % left
        cards[number] = deck[index]
        deck[index] = deck[left - 1]


@kernel(allocates=False)
def _key(table: Table, learner: Learner, seen: Seen, notes: Notes, spent: Ints, own: int) -> int:
    """The key of the state in which the learner is to decide."""
    n = table.rules[Rule.GENERAL, General.NUM_PLAYERS]
    position, last_action = notes.last[0], notes.last[1]
    if position < 0:
        position = 0
        for other in range(1, n):
            if table.rules[Rule.BLIND, other] > table.rules[Rule.BLIND, position]:
                position = other
        last_action = learner.blind_as if learner.blind_as >= 0 else LearnerLastAction.CALL
    elif spent[position] >= table.rules[Rule.STACK, position]:
        last_action = LearnerLastAction.RAISE
    seat = (position + table.hand[0]) % n
    if notes.last[0] < 0 and learner.blind_as < 0 and learner.before[0] >= 0:
        seat, last_action = learner.before[0], learner.before[1]
    first, second = integer(seen.cards[2 * own]), integer(seen.cards[2 * own + 1])
    key = (learner.last_players[seat] * 3 + last_action) * 3 + learner.positions[own]
    return integer(key * 169 + learner.hand_groups[52 * first + second])


@kernel(allocates=False)
def _learner_action(table: Table, learner: Learner, seen: Seen, notes: Notes, spent: Ints, node: Ints) -> int:
    """The action of the learner, who is to act; its choices before the flop are noted."""
    own, decisions = node[Node.TO_ACT], notes.decisions
    decisions[PreflopDecision.NUM] += 1
    low, high = legal_raise(table.rules, spent, node)
    if node[Node.ROUND] > 0:
        if decisions[PreflopDecision.IS_GIVEN_UP]:
            return fold_or_check(spent, node)
        return high if high > 0 else CALL
    key = _key(table, learner, seen, notes, spent, integer(own))
    values = learner.values[key]
    if not learner.is_known[key]:
        begin_values(values, learner.seed, key)
        learner.is_known[key] = learner.learns
    action = chosen(learner, notes, integer(table.hand[0]), values)
    number = decisions[PreflopDecision.NUM_NOTED]
    notes.keys[number], notes.actions[number] = key, action
    decisions[PreflopDecision.NUM_NOTED] = number + 1
    if action == Way.RAISE:
        return low if high > 0 else CALL
    if action == Way.CALL:
        return CALL
    if fold_or_check(spent, node) == FOLD:
        return FOLD
    decisions[PreflopDecision.IS_GIVEN_UP] = 1
    return CALL


@kernel(allocates=False)
def _note(table: Table, seen: Seen, notes: Notes, spent: Ints, node: Ints, action: int, own: int) -> None:
    """Note what the position to act is about to do."""
    position, counts = node[Node.TO_ACT], notes.counts
    if action == FOLD:
        counts[position, 3] = node[Node.ROUND]
    else:
        chips = to_call(table.rules, spent, node)
        kind = LearnerLastAction.RAISE if action > 0 else LearnerLastAction.CALL
        if action > 0:
            counts[position, 2] += 1
            if node[Node.ROUND] == 0 and seen.acted[position] == 0:
                seen.raised_first[position] = 1
        else:
            seen.callers[0] += 1
            if chips > 0:
                counts[position, 0] += 1
                counts[position, 1] += legal_raise(table.rules, spent, node)[1] > 0
        notes.last[0], notes.last[1] = position, kind
        if position != own and (action > 0 or chips > 0):
            notes.last[2], notes.last[3] = position, kind
    if node[Node.ROUND] == 0:
        seen.acted[position] += 1


@kernel(allocates=False)
def _observe(table: Table, learner: Learner, notes: Notes, spent: Ints, node: Ints) -> None:
    """Count what everybody did in a finished hand."""
    n = integer(table.rules[Rule.GENERAL, General.NUM_PLAYERS])
    hand = table.hand[0]
    if not learner.knows_names:
        learner.hands[0] += 1
        hands = learner.hands[0]
        for position in range(n):
            seat = (position + hand) % n
            total, added = learner.counts[seat], notes.counts[position]
            total[0] += node[Node.ROUND] > 0 and added[3] != 0
            total[1] += added[1] if learner.as_meant else added[0]
            total[2] += added[2]
            if total[1] > 0:
                factor = total[2] / total[1]
            else:
                factor = np.inf if learner.as_meant and total[2] > 0 else 1.0
            is_loose = learner.as_meant and total[0] / hands > 0.28  # as printed, nobody is
            learner.last_players[seat] = 2 * is_loose + (factor <= 1.0)
    position = notes.last[2]
    if position >= 0:
        is_all_in = spent[position] >= table.rules[Rule.STACK, position]
        learner.before[0] = (position + hand) % n
        learner.before[1] = LearnerLastAction.RAISE if is_all_in else notes.last[3]


@kernel()
def play_hands(table: Table, learner: Learner, script: Script, num_hands: int) -> None:
    """Play some more hands; `table` and `learner` are updated in place."""
    rules = table.rules
    n = integer(rules[Rule.GENERAL, General.NUM_PLAYERS])
    num_cards = 2 * n + integer(table.board_ends[table.board_ends.shape[0] - 1])
    deck, hand_cards = np.empty(table.deck.shape[0], np.uint8), np.empty(num_cards - 2 * n + 2, np.uint8)
    spent, node = np.zeros(MAX_PLAYERS, np.int64), np.zeros(NODE_SIZE, np.int64)
    seen = Seen(
        np.zeros(num_cards, np.uint8), table.hand, np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n),
        np.zeros(n, np.int64), np.zeros(1, np.int64), np.zeros(table.cards.shape[0], np.uint32),
    )  # fmt: skip
    notes = Notes(
        np.zeros(MAX_DECISIONS, np.int64), np.zeros(MAX_DECISIONS, np.int64), np.zeros((n, 4), np.int64),
        np.zeros(4, np.int64), np.zeros(table.cards.shape[0], np.uint32), np.zeros(NUM_ENTRIES, np.int64),
    )  # fmt: skip
    ranks, verdicts = np.zeros(n, np.int64), np.zeros(n, np.int64)
    remaining, won, raising = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS), np.zeros(n)
    for _ in range(num_hands):
        hand = integer(table.hand[0])
        own = (n - hand % n) % n
        _deal(table, deck, seen.cards)
        begin_betting(rules, spent, node)
        seen.callers[0] = 0
        notes.last[:] = -1
        notes.decisions[:] = 0
        notes.decisions[PreflopDecision.SEEDED_FOR] = -1
        for position in range(n):
            seen.acted[position] = seen.raised_first[position] = 0
            seen.rounds[position] = -1
            notes.counts[position, :3] = 0
            notes.counts[position, 3] = -1
            seat = (position + hand) % n
            raising[position] = table.raising[seat, 1] / table.raising[seat, 0]
        while node[Node.TO_ACT] >= 0:
            seat = integer((node[Node.TO_ACT] + hand) % n)
            if script.kinds[seat] == RuleKind.LEARNER:
                action = _learner_action(table, learner, seen, notes, spent, node)
            else:
                num_board = integer(table.board_ends[node[Node.ROUND]])
                action = rule_action(rules, spent, node, seat, script, seen, num_board, raising)
            _note(table, seen, notes, spent, node, action, own)
            apply_action(rules, spent, node, action)

        folded = integer(node[Node.FOLDED])
        num_left = n - count_bits(folded)
        if num_left > 1:
            for place in range(2 * n, num_cards):
                hand_cards[place - 2 * n + 2] = seen.cards[place]
            for position in range(n):
                hand_cards[0], hand_cards[1] = seen.cards[2 * position], seen.cards[2 * position + 1]
                ranks[position] = rank_hand(script.ranking, hand_cards)
        settle(rules, spent, folded, ranks, remaining, won)
        for position in range(n):
            seat = (position + hand) % n
            table.chips[seat] += won[position]
            table.raising[seat, 0] += seen.acted[position] > 0
            table.raising[seat, 1] += seen.raised_first[position]
        table.squares[0] += won[own] * won[own]
        _observe(table, learner, notes, spent, node)
        if learner.learns:
            learner.hands[1] += 1
            shown = num_left - (1 - (folded >> own & 1))
            if num_left > 1 and 0 < shown <= learner.most_shown:
                judge(learner, notes, hand, seen.cards, ranks, folded, own, verdicts)
        table.hand[0] += 1
