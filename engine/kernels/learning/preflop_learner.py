"""What a pre-flop learner of the Poker Learner thesis knows, chooses and learns, for compiled loops.

It does what ``clients.learners.preflop`` says, which explains all of it and is what plays at other tables;
its choices are the same as there, bit for bit.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.mersenne import number_below, random_number, seed_generator
from engine.kernels.splitmix import GOLDEN, mixed

MAX_DECISIONS: Final = 256
"""Of one player before the flop: a betting round has fewer actions."""


class Way(IntEnum):
    """Columns of the values of a state."""

    FOLD = 0
    CALL = 1
    RAISE = 2
    UPDATES = 3
    HOLE_CARDS = 4
    WINNING_HAND = 5


NUM_VALUES: Final = len(Way)


class LastAction(IntEnum):
    """What the last player of a state did."""

    BLIND = 0
    CALL = 1
    RAISE = 2


class Learner(NamedTuple):
    """What is told apart, how it is judged, and what is known; arrays are changed in place."""

    learns: bool
    seed: int
    judges_by: int
    """`Way.HOLE_CARDS`, `Way.WINNING_HAND`, or -1: it learns which."""
    draws: bool
    """Actions by their values, instead of the greatest."""
    knows_names: bool
    as_meant: bool
    """The classifier of styles."""
    ties_win: bool
    """A split is a win of the best five cards."""
    each_opponent: bool
    """The best five cards are compared with those of each."""
    each_comparison: bool
    """A way of judging loses by each comparison."""
    most_shown: int
    """Opponents at the showdowns that are learnt from."""
    blind_as: int
    """Where nobody has acted yet: `LastAction.BLIND`, `.CALL`, or -1, what was done before."""
    hand_groups: NDArray[np.int64]
    """Of the cards a and b at ``52 * a + b``."""
    hole_values: NDArray[np.int64]
    """Likewise: what hole cards are worth."""
    positions: NDArray[np.int64]
    """Early, middle, late."""
    steps: NDArray[np.int64]
    """What an action's values change by: shape (3, 3, 3), by action, and verdict 0, 1, -1."""
    last_players: NDArray[np.int64]
    """By seat: number of the name, or of the style."""
    counts: NDArray[np.int64]
    """By seat: flops seen, calls, raises; shape (players, 3)."""
    before: NDArray[np.int64]
    """Seat and action of who last called or raised; -1 for nobody."""
    hands: NDArray[np.int64]
    """Shape (2,): seen at this table; learnt from in all."""
    values: NDArray[np.int64]
    """By key of the state; shape (states, NUM_VALUES)."""
    is_known: NDArray[np.bool_]
    """By key."""


class Notes(NamedTuple):
    """What is noted in a hand, filled in place."""

    keys: NDArray[np.int64]
    """Of the states that decisions were made in."""
    actions: NDArray[np.int64]
    """What was chosen."""
    counts: NDArray[np.int64]
    """By position: calls, calls where a raise was possible, raises, and round of the fold or -1."""
    last: NDArray[np.int64]
    """Who last called or raised, and what he did (`LastAction`); the same of all but the learner."""
    generator: NDArray[np.uint32]
    """Of the learner's chances."""
    decisions: NDArray[np.int64]
    """How many before the flop; how many in all; the one that the generator is seeded for, or -1; whether
    the hand is given up."""


class Decision(IntEnum):
    """Entries of `Notes.decisions`."""

    NUM_NOTED = 0
    NUM = 1
    SEEDED_FOR = 2
    IS_GIVEN_UP = 3


NUM_ENTRIES: Final = len(Decision)


@kernel(allocates=False)
def _derived(seed: np.uint64, index: np.uint64) -> np.uint64:
    """``engine.seeds.derive_seed``."""
    return mixed((mixed(seed + GOLDEN) ^ index) + GOLDEN) >> np.uint64(32)


@kernel(allocates=False)
def begin_values(values: NDArray[np.int64], seed: int, key: int) -> None:
    """The values of a state that was never met before."""
    own = _derived(np.uint64(seed), np.uint64(key))
    for column in range(NUM_VALUES):
        values[column] = 0
        if column != Way.UPDATES:
            values[column] = integer(_derived(own, np.uint64(column)) % np.uint64(100))


@kernel(allocates=False)
def _prepare_chances(learner: Learner, notes: Notes, hand: int) -> None:
    """Have the generator stand as it does in the last decision."""
    number = notes.decisions[Decision.NUM] - 1
    if notes.decisions[Decision.SEEDED_FOR] != number:
        seed_generator(notes.generator, number, hand, learner.seed)
        notes.decisions[Decision.SEEDED_FOR] = number


@kernel(allocates=False)
def chosen(learner: Learner, notes: Notes, hand: int, values: NDArray[np.int64]) -> int:
    """The action that is chosen by the values of a state."""
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
    learner: Learner,
    way: int,
    cards: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    folded: int,
    own: int,
    verdicts: NDArray[np.int64],
) -> int:
    """Fill in the comparisons with the opponents who have shown, 1, 0 or -1; returns how many."""
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
    cards: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    folded: int,
    own: int,
    verdicts: NDArray[np.int64],
) -> None:
    """Learn from a showdown."""
    for number in range(notes.decisions[Decision.NUM_NOTED]):
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
