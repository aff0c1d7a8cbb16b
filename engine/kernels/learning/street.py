"""The training loop of a street-learner, which plays hands by the hundred thousand and learns from them.

``engine.learning.street`` explains its choices, its values and how they are learnt.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.learning.action_values import (
    NUM_OFFERS,
    CellValues,
    Hand,
    Offers,
    Prior,
    best_offer,
    consider_in_loop,
    learn,
    random_offer,
)
from engine.kernels.learning.scripted_players import ScriptKind, ScriptTrait, scripted_action
from engine.kernels.learning.situations import NUM_COUNTERS, count_decision
from engine.kernels.poker.betting import (
    MAX_PLAYERS,
    NODE_SIZE,
    General,
    Node,
    Rule,
    apply_action,
    begin_betting,
    pot_of,
    settle,
)
from engine.kernels.splitmix import random_number
from engine.support.arrays import Bytes, Floats, Ints, Words, Words16

STRENGTH_STEPS: Final = 255
"""Strengths in a pool of deals are multiples of 1 / STRENGTH_STEPS."""

NO_LEARNING: Final = -1.0
"""In place of `Method.decay`, for a learner that does not learn."""

_EXPLORED_DECISIONS: Final = 6
"""A decision left to chance is one of the first six of a hand."""

RECORD_SIZE: Final = 520
"""The length of a recorded hand; longer hands are recorded in part.  A hand has fewer decisions than this."""


class Record(IntEnum):
    """Entries of a recorded hand, an array of shape (RECORD_SIZE,), int64."""

    DEAL = 0
    POSITION = 1
    """The learner's position."""
    NUM_ACTIONS = 2
    ACTIONS = 3
    """The first of the actions: each is followed by the learner's cell, or by -1 for other players."""


class StreetDecision(IntEnum):
    """Entries of a decision of the learner, an array of shape (NUM_DECISION_COLUMNS,), int64."""

    ANY_CELL = 0
    STYLE_CELL = 1
    OFFER = 2
    POT = 3
    """The pot before it, in chips."""
    SPENT = 4
    """What the learner had spent before it, in chips."""


_NUM_DECISION_COLUMNS: Final = len(StreetDecision)


class StreetDeals(NamedTuple):
    """A pool of deals, by deal and position."""

    strengths: Bytes
    """Hand strengths by betting round, in steps of 1 / STRENGTH_STEPS; shape (deals, players, 4)."""
    buckets: Bytes
    """Buckets by betting round, shape (deals, players, 4)."""
    ranks: Words16
    """Ranks at showdown, shape (deals, players)."""


class Opponents(NamedTuple):
    """The opponents that a learner is trained against."""

    population: Floats
    """Scripted opponents, of which one is drawn for each seat and session; shape (num, NUM_TRAITS)."""
    former: CellValues
    """The values of former selves of the learner."""


class Method(NamedTuple):
    """How the learner plays and learns."""

    exploring: float
    """The share of hands in which one decision, drawn beforehand, is left to chance.

    Decisions before it are not learnt from; those after it are the learner's own.
    """
    decay: float
    """How fast the steps of learning get smaller (`learn`), or `NO_LEARNING`."""
    prior: Prior


class Schedule(NamedTuple):
    """The deals and sessions to play."""

    first_deal: int
    """The deal of the pool to begin with; deals are used in order, again and again."""
    session: int
    """The number of hands after which each seat gets another opponent."""
    seed: int


@kernel(allocates=False)
def _learn_from_hand(
    learnt: CellValues, decisions: Ints, first: int, last: int, won: float, decay: float
) -> None:
    """Learn from the outcome of a hand's decisions, from `first` up to but not including `last`.

    decisions: shape (RECORD_SIZE, NUM_DECISION_COLUMNS).
    won: the chips the learner has won in the hand.
    """
    for index in range(first, last):
        decision = decisions[index]
        target = (won + decision[StreetDecision.SPENT]) / max(1, decision[StreetDecision.POT])
        learn(learnt, decision[StreetDecision.ANY_CELL], decision[StreetDecision.OFFER], target, decay)
        if decision[StreetDecision.STYLE_CELL] != decision[StreetDecision.ANY_CELL]:
            learn(learnt, decision[StreetDecision.STYLE_CELL], decision[StreetDecision.OFFER], target, decay)


class _StreetTable(NamedTuple):
    """The scratch arrays of the loop; the learner sits in seat 0."""

    random_state: Words
    spent: Ints
    node: Ints
    remaining: Ints
    """Scratch, shape (MAX_PLAYERS,)."""
    won: Floats
    """Chips won by position, shape (MAX_PLAYERS,)."""
    offers: Offers
    drawn: Ints
    """The row of the population that sits in each seat, shape (MAX_PLAYERS,)."""
    seen: Floats
    """The counters of this session by seat, shape (MAX_PLAYERS, NUM_COUNTERS)."""
    counters: Floats
    """The same by position."""
    decisions: Ints
    """The learner's decisions in this hand, shape (RECORD_SIZE, NUM_DECISION_COLUMNS)."""
    record: Ints
    """Recorded hands, shape (num_hands or 0, RECORD_SIZE)."""


@kernel(allocates=False)
def _begin_session(table: _StreetTable, population: Floats, num_players: int) -> None:
    """Draw an opponent for each seat, and clear what has been counted."""
    for seat in range(num_players):
        table.drawn[seat] = integer(random_number(table.random_state) * population.shape[0])
        for counter in range(NUM_COUNTERS):
            table.seen[seat, counter] = 0.0


@kernel(allocates=False)
def _play_hand(
    rules: Ints,
    deals: StreetDeals,
    opponents: Opponents,
    learnt: CellValues,
    method: Method,
    table: _StreetTable,
    deal: int,
    hand: int,
) -> float:
    """Play a hand and learn from it; returns the chips that the learner has won."""
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    spent, node, counters, decisions = table.spent, table.node, table.counters, table.decisions
    # Seats move one position each hand.
    shift = hand % num_players
    learner = (num_players - shift) % num_players
    for position in range(num_players):
        for counter in range(NUM_COUNTERS):
            counters[position, counter] = table.seen[(position + shift) % num_players, counter]
    explores_at = -1
    if random_number(table.random_state) < method.exploring:
        explores_at = integer(random_number(table.random_state) * _EXPLORED_DECISIONS)
    num_decisions = num_actions = 0
    begin_betting(rules, spent, node)
    while node[Node.TO_ACT] >= 0:
        position = node[Node.TO_ACT]
        strength = integer(deals.strengths[deal, position, node[Node.ROUND]]) / STRENGTH_STEPS
        traits = opponents.population[table.drawn[(position + shift) % num_players]]
        cell = -1
        if position == learner or integer(traits[ScriptTrait.KIND]) == ScriptKind.FORMER_SELF:
            in_round = Hand(integer(deals.buckets[deal, position, node[Node.ROUND]]), strength)
            is_former = position != learner
            cells = consider_in_loop(
                rules, spent, node, counters, in_round, opponents.former if is_former else learnt,
                method.prior, table.offers,
            )  # fmt: skip
            offer = best_offer(table.offers.values)
            is_random = num_decisions == explores_at
            if is_former:
                is_random = random_number(table.random_state) < traits[ScriptTrait.NOISE]
            if is_random:
                offer = random_offer(table.offers.actions, table.random_state)
            if not is_former:
                decision = decisions[num_decisions]
                decision[StreetDecision.ANY_CELL] = cells.any
                decision[StreetDecision.STYLE_CELL] = cells.style
                decision[StreetDecision.OFFER] = offer
                decision[StreetDecision.POT] = pot_of(rules, spent)
                decision[StreetDecision.SPENT] = spent[position]
                num_decisions += 1
                cell = cells.style
            action = integer(table.offers.actions[offer])
        else:
            action = scripted_action(rules, spent, node, traits, strength, table.random_state)
        column = Record.ACTIONS + 2 * num_actions
        if table.record.shape[0] > 0 and column + 1 < RECORD_SIZE:
            table.record[hand, column] = action
            table.record[hand, column + 1] = cell
        num_actions += 1
        count_decision(counters[position], rules, spent, node, action)
        apply_action(rules, spent, node, action)
    settle(rules, spent, integer(node[Node.FOLDED]), deals.ranks[deal], table.remaining, table.won)
    for position in range(num_players):
        for counter in range(NUM_COUNTERS):
            table.seen[(position + shift) % num_players, counter] = counters[position, counter]
    if table.record.shape[0] > 0:
        table.record[hand, Record.DEAL] = deal
        table.record[hand, Record.POSITION] = learner
        table.record[hand, Record.NUM_ACTIONS] = num_actions
    chips = float(table.won[learner])
    if method.decay != NO_LEARNING:
        _learn_from_hand(learnt, decisions, max(0, explores_at), num_decisions, chips, method.decay)
    return chips


@kernel()
def play_hands(
    rules: Ints,
    deals: StreetDeals,
    opponents: Opponents,
    learnt: CellValues,
    method: Method,
    schedule: Schedule,
    results: Floats,
    record: Ints,
) -> None:
    """Play hands of one learner against opponents drawn from a population, and learn from them.

    rules: the game, as in ``engine.kernels.poker.betting``.
    learnt: the learner's values, changed in place.
    results: chips won by the learner in each hand, shape (num_hands,), filled in place.
    record: the hands as they were played, shape (num_hands or 0, RECORD_SIZE), filled in place.
    """
    random_state = np.zeros(1, np.uint64)
    random_state[0] = np.uint64(schedule.seed)
    table = _StreetTable(
        random_state,
        np.zeros(MAX_PLAYERS, np.int64),
        np.zeros(NODE_SIZE, np.int64),
        np.zeros(MAX_PLAYERS, np.int64),
        np.zeros(MAX_PLAYERS, np.float64),
        Offers(np.zeros(NUM_OFFERS, np.int64), np.zeros(NUM_OFFERS, np.float64)),
        np.zeros(MAX_PLAYERS, np.int64),
        np.zeros((MAX_PLAYERS, NUM_COUNTERS), np.float64),
        np.zeros((MAX_PLAYERS, NUM_COUNTERS), np.float64),
        np.zeros((RECORD_SIZE, _NUM_DECISION_COLUMNS), np.int64),
        record,
    )
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    for hand in range(results.shape[0]):
        if hand % schedule.session == 0:
            _begin_session(table, opponents.population, num_players)
        deal = (schedule.first_deal + hand) % deals.strengths.shape[0]
        results[hand] = _play_hand(rules, deals, opponents, learnt, method, table, deal, hand)
