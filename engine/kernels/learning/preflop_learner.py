"""A pre-flop learner of the Poker Learner thesis for compiled loops: what it knows, chooses and learns.

``clients.learners.preflop`` explains it, and plays it at other tables; the choices are the same, bit for bit.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.mersenne import number_below, random_number, seed_generator
from engine.kernels.splitmix import GOLDEN, mixed
from engine.support.arrays import Bools, Bytes, Ints, Words32

MAX_DECISIONS: Final = 256
"""The most decisions of one player before the flop; a betting round has fewer actions."""


class Way(IntEnum):
    """Columns of the values of a state."""

    FOLD = 0
    CALL = 1
    RAISE = 2
    UPDATES = 3
    HOLE_CARDS = 4
    WINNING_HAND = 5


NUM_VALUES: Final = len(Way)


class LearnerLastAction(IntEnum):
    """The last player's action in a state."""

    BLIND = 0
    CALL = 1
    RAISE = 2


class Learner(NamedTuple):
    """A learner: its settings, and what it knows; arrays of what it knows are changed in place."""

    learns: bool
    """Whether it learns from showdowns."""
    seed: int
    """The seed of its choices."""
    judges_by: int
    """`Way.HOLE_CARDS`, `Way.WINNING_HAND`, or -1 if it learns which of them."""
    draws: bool
    """Whether it draws actions in proportion to their values, instead of taking the greatest."""
    knows_names: bool
    """Whether it tells opponents apart by name, instead of by style."""
    as_meant: bool
    """Whether styles are classified as the thesis means it, instead of as it is printed."""
    ties_win: bool
    """Whether a split pot counts as a win of the best five cards."""
    each_opponent: bool
    """Whether the best five cards are compared with those of each opponent, instead of the winner's."""
    each_comparison: bool
    """Whether a way of judging is penalised for each wrong comparison, instead of once."""
    most_shown: int
    """The most opponents at a showdown that is learnt from."""
    blind_as: int
    """The last action if nobody has acted yet, a `LearnerLastAction`; -1 for the last hand's."""
    hand_groups: Ints
    """The group of the hole cards a and b, at ``52 * a + b``; shape (2704,)."""
    hole_values: Ints
    """The value of the hole cards a and b, at ``52 * a + b``; shape (2704,)."""
    positions: Ints
    """By position: early, middle or late."""
    steps: Ints
    """The changes of the values by action taken, verdict (0, 1, -1) and action; shape (3, 3, 3)."""
    last_players: Ints
    """By seat, the number of the name or of the style."""
    counts: Ints
    """Flops seen, calls and raises by seat, shape (players, 3)."""
    before: Ints
    """The seat that last called or raised in the hand before, and its action; -1 for nobody."""
    hands: Ints
    """The number of hands seen at this table, and learnt from in all; shape (2,)."""
    values: Ints
    """The values of each state by its key, shape (states, NUM_VALUES)."""
    is_known: Bools
    """Whether each state has been met, by its key."""


class Notes(NamedTuple):
    """Notes on a hand, filled in place."""

    keys: Ints
    """The keys of the states in which the learner decided before the flop, shape (MAX_DECISIONS,)."""
    actions: Ints
    """The `Way` it chose in each of them, shape (MAX_DECISIONS,)."""
    counts: Ints
    """By position: calls, calls where a raise was legal, raises, and the round of the fold or -1."""
    last: Ints
    """The position that last called or raised and how; then the same without the learner."""
    generator: Words32
    """The generator of the learner's random choices (``engine.kernels.mersenne``)."""
    decisions: Ints
    """The entries of `PreflopDecision`, shape (NUM_ENTRIES,)."""


class PreflopDecision(IntEnum):
    """Entries of `Notes.decisions`."""

    NUM_NOTED = 0
    """The number of decisions before the flop."""
    NUM = 1
    """The number of decisions in all."""
    SEEDED_FOR = 2
    """The decision that the generator is seeded for, or -1."""
    IS_GIVEN_UP = 3
    """1 once the learner has given the hand up."""


NUM_ENTRIES: Final = len(PreflopDecision)


@kernel(allocates=False)
def _derived(seed: np.uint64, index: np.uint64) -> np.uint64:
    """``engine.support.seeds.derive_seed``."""
    return mixed((mixed(seed + GOLDEN) ^ index) + GOLDEN) >> np.uint64(32)


@kernel(allocates=False)
def begin_values(values: Ints, seed: int, key: int) -> None:
    """Fill in the first values of a state, which depend on the seed and its key alone."""
    own = _derived(np.uint64(seed), np.uint64(key))
    for column in range(NUM_VALUES):
        values[column] = 0
        if column != Way.UPDATES:
            values[column] = integer(_derived(own, np.uint64(column)) % np.uint64(100))


@kernel(allocates=False)
def _prepare_chances(learner: Learner, notes: Notes, hand: int) -> None:
    """Seed the generator for the latest decision, unless it already is."""
    number = notes.decisions[PreflopDecision.NUM] - 1
    if notes.decisions[PreflopDecision.SEEDED_FOR] != number:
        seed_generator(notes.generator, number, hand, learner.seed)
        notes.decisions[PreflopDecision.SEEDED_FOR] = number


@kernel(allocates=False)
def chosen(learner: Learner, notes: Notes, hand: int, values: Ints) -> int:
    """The `Way` that is chosen by the values of a state: `Way.FOLD`, `.CALL` or `.RAISE`."""
    fold, call, raise_ = values[Way.FOLD], values[Way.CALL], values[Way.RAISE]
    if learner.draws:
        total = fold + call + raise_
        if total == 0:
            fold, call, total = 1, 1, 3
        _prepare_chances(learner, notes, hand)
        drawn = random_number(notes.generator) * total
        if drawn < fold:
            return integer(Way.FOLD)
        return integer(Way.CALL) if drawn < fold + call else integer(Way.RAISE)
    best = max(fold, call, raise_)
    equals = 0
    for action in range(3):
        equals += values[action] == best
    place = 0
    if equals > 1:
        _prepare_chances(learner, notes, hand)
        place = number_below(notes.generator, equals)
    for action in range(3):
        if values[action] == best:
            if place == 0:
                return action
            place -= 1
    return -1


@kernel(allocates=False)
def _verdicts(
    learner: Learner, way: int, cards: Bytes, ranks: Ints, folded: int, own: int, verdicts: Ints
) -> int:
    """Fill in the comparisons with opponents at the showdown, each 1, 0 or -1; returns how many there are."""
    num, best = 0, -1
    for position in range(ranks.shape[0]):
        if position == own or folded >> position & 1:
            continue
        best = max(best, ranks[position])
        if way == Way.HOLE_CARDS:
            ours = learner.hole_values[52 * integer(cards[2 * own]) + integer(cards[2 * own + 1])]
            theirs = learner.hole_values[52 * integer(cards[2 * position]) + integer(cards[2 * position + 1])]
        else:
            ours, theirs = ranks[own], ranks[position]
        verdicts[num] = integer(ours > theirs) - integer(ours < theirs)
        num += 1
    if way == Way.WINNING_HAND and not learner.each_opponent:
        verdicts[0] = integer(ranks[own] > best) - integer(ranks[own] < best)
        if learner.ties_win and verdicts[0] == 0:
            verdicts[0] = 1
        num = 1
    return num


@kernel(allocates=False)
def judge(
    learner: Learner,
    notes: Notes,
    hand: int,
    cards: Bytes,
    ranks: Ints,
    folded: int,
    own: int,
    verdicts: Ints,
) -> None:
    """Learn from a showdown.

    hand: the number of the hand.
    cards: all cards of the hand, hole cards by position first.
    ranks: by position.  folded: positions that have folded, as bits.  own: the learner's position.
    verdicts: scratch, shape (players,).
    """
    for number in range(notes.decisions[PreflopDecision.NUM_NOTED]):
        values, action = learner.values[notes.keys[number]], notes.actions[number]
        way = learner.judges_by
        if way < 0:
            difference = values[Way.HOLE_CARDS] - values[Way.WINNING_HAND]
            if difference == 0:
                _prepare_chances(learner, notes, hand)
                way = Way.HOLE_CARDS + number_below(notes.generator, 2)
            else:
                way = integer(Way.HOLE_CARDS if difference > 0 else Way.WINNING_HAND)
        num = _verdicts(learner, way, cards, ranks, folded, own, verdicts)
        right = wrong = 0
        for verdict in verdicts[:num]:
            if verdict != 0:
                for column in range(3):
                    step = learner.steps[action, 1 if verdict > 0 else 2, column]
                    values[column] = max(0, values[column] + step)
                values[Way.UPDATES] += 1
                is_right = verdict < 0 if action == Way.FOLD else verdict > 0
                right += is_right
                wrong += not is_right
        if learner.judges_by < 0:
            values[way] -= wrong if learner.each_comparison else integer(wrong > right)
