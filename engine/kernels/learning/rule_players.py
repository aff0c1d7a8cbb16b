"""Players who play by rules, as at the tables of the pre-flop learners' thesis.

The rules are those of the bots with the same names, which explain them; the numbers come from there.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from engine.kernels._jit import integer, kernel
from engine.kernels.hands.strength import hand_strength
from engine.kernels.mersenne import random_number, seed_generator
from engine.kernels.poker.betting import (
    CALL,
    FOLD,
    MAX_PLAYERS,
    General,
    Node,
    Rule,
    legal_raise,
    pot_after_call,
    to_call,
)
from engine.support.arrays import Bytes, Floats, Ints, Words16, Words32


class RuleKind(IntEnum):
    """Kinds of players in a seat."""

    LEARNER = 0
    ALWAYS_CALL = 1
    ALWAYS_ALL_IN = 2
    HAND_STRENGTH = 3
    """Plays by hand strength, whoever else is in."""
    SIMPLE = 4
    """Plays as the simple bot before the flop, and calls after it."""
    LISTED = 5
    """Plays by a list of hands before the flop, and calls after it."""


class Strength(IntEnum):
    """Columns of `Script.numbers` for `RuleKind.HAND_STRENGTH`."""

    CALL = 0
    BET = 1
    RAISE = 2
    MOST_RAISES = 3


class Simple(IntEnum):
    """Columns of `Script.numbers` for `RuleKind.SIMPLE`."""

    COMMITTED = 0
    ALL_IN = 1
    PRIOR_HANDS = 2
    PRIOR_RAISES = 3
    OPEN = 4
    """The first of ten, by the number of players behind."""


class Listed(IntEnum):
    """Columns of `Script.numbers` for `RuleKind.LISTED`."""

    OTHERS = 0
    """How often a hand that would be folded calls a bet of at most a big blind."""
    RAISES_BELOW = 1
    """The number of raises below which the first kind of hands raises; two columns on is the next kind's."""
    CALLS_BELOW = 2
    """The number of raises below which the first kind of hands calls; two columns on is the next kind's."""


NUM_NUMBERS: Final = Simple.OPEN + MAX_PLAYERS
"""The number of columns of `Script.numbers`."""


class Script(NamedTuple):
    """The rules by which the players play."""

    kinds: Ints
    """The `RuleKind` of each seat, shape (players,)."""
    numbers: Floats
    """The settings of each seat, in the columns of its kind; shape (players, NUM_NUMBERS)."""
    lookup: Floats
    """By seat, the percentile or the kind of the starting hand of cards a and b, at ``52 * a + b``.

    Shape (players, 2704).
    """
    seeds: Ints
    """The seeds of players who leave something to chance, by seat; shape (players,)."""
    ranking: Words16
    """``ranking_table()``."""
    no_weights: Floats
    """An empty array, shape (0,): weights that are all 1."""


class Seen(NamedTuple):
    """A hand so far; most arrays are by position, and all are filled in place."""

    cards: Bytes
    """All cards of the hand: hole cards by position, then the board."""
    hand: Ints
    """The number of the hand, shape (1,)."""
    acted: Ints
    """The number of actions of each position before the flop."""
    raised_first: Ints
    """1 if a position's first action before the flop was a raise."""
    strengths: Floats
    """The hand strength of each position, in the round of `rounds`."""
    rounds: Ints
    """The betting round for which `strengths` was computed; -1 for none."""
    callers: Ints
    """The number of calls so far, shape (1,)."""
    generator: Words32
    """The generator of random choices (``engine.kernels.mersenne``)."""


@kernel(allocates=False)
def raise_near(rules: Ints, spent: Ints, node: Ints, total: int) -> int:
    """The legal raise nearest to a total; a call if no raise is legal."""
    low, high = legal_raise(rules, spent, node)
    if high <= 0:
        return CALL
    return integer(min(max(total, low), high))


@kernel(allocates=False)
def fold_or_check(spent: Ints, node: Ints) -> int:
    """A fold if there is something to call, else a check."""
    return FOLD if spent[node[Node.TO_ACT]] != node[Node.MAX_SPENT] else CALL


@kernel()
def _by_strength(
    rules: Ints, spent: Ints, node: Ints, seat: int, script: Script, seen: Seen, num_board: int
) -> int:
    """The action of a player who plays by hand strength.  `num_board`: the number of board cards."""
    position, betting_round = node[Node.TO_ACT], node[Node.ROUND]
    numbers = script.numbers[seat]
    if seen.rounds[position] != betting_round:
        first, second = integer(seen.cards[2 * position]), integer(seen.cards[2 * position + 1])
        if num_board == 0:
            seen.strengths[position] = script.lookup[seat, 52 * first + second]
        else:
            start = 2 * rules[Rule.GENERAL, General.NUM_PLAYERS]
            board = seen.cards[start : start + num_board]
            ahead, tied, behind = hand_strength(script.ranking, first, second, board, script.no_weights)
            seen.strengths[position] = (ahead + tied / 2) / (ahead + tied + behind)
        seen.rounds[position] = betting_round
    strength = seen.strengths[position]
    chips = to_call(rules, spent, node)
    least = numbers[Strength.RAISE] if chips > 0 else numbers[Strength.BET]
    if strength >= least and node[Node.RAISES] < numbers[Strength.MOST_RAISES]:
        low, high = legal_raise(rules, spent, node)
        if high > 0:
            share = 1.0 if strength >= numbers[Strength.RAISE] else 0.5
            total = integer(node[Node.MAX_SPENT] + share * pot_after_call(rules, spent, node))
            return integer(min(max(total, low), high))
    return CALL if chips <= 0 or strength >= numbers[Strength.CALL] else FOLD


@kernel(allocates=False)
def _sized(stack: int, total: int, all_in: float) -> int:
    """The total of a raise: all-in if it would take the part `all_in` of the stack or more."""
    return stack if total >= all_in * stack else total


@kernel(allocates=False)
def _simple(
    rules: Ints, spent: Ints, node: Ints, seat: int, script: Script, seen: Seen, raising: Floats
) -> int:
    """The action of the simple player before the flop.  `raising`: how often each position raises."""
    position, raises = node[Node.TO_ACT], node[Node.RAISES]
    numbers = script.numbers[seat]
    stack = rules[Rule.STACK, position]
    num_behind, most = 0, 0.0
    for other in range(rules[Rule.GENERAL, General.NUM_PLAYERS]):
        is_out = node[Node.FOLDED] >> other & 1 or spent[other] >= rules[Rule.STACK, other]
        if other != position and seen.acted[other] == 0 and not is_out:
            num_behind += 1
            most = max(most, raising[other])
    calling = 0.0
    if raises == 0:
        callers = seen.callers[0]
        share = numbers[Simple.OPEN + num_behind]
        if num_behind:
            share *= 1.2 - 0.8 * most
        total = _sized(stack, (3 + callers) * rules[Rule.GENERAL, General.BIG_BLIND], numbers[Simple.ALL_IN])
        if callers:
            share, calling = 0.5 * share, 1.5 * share
    else:
        often = raising[node[Node.LAST_RAISER]]
        total = _sized(stack, 3 * node[Node.MAX_SPENT], numbers[Simple.ALL_IN])
        if to_call(rules, spent, node) >= numbers[Simple.COMMITTED] * (stack - spent[position]):
            held = often * (1.0 if raises == 1 else 0.3 if raises == 2 else 0.1)
            share, calling, total = 0.25 * held, 0.5 * held, stack
        elif raises == 1:
            share, calling = 0.3 * often, (0.6 if num_behind else 0.9) * often
        else:
            share, calling = 0.1 * often, 0.35 * often
    first, second = integer(seen.cards[2 * position]), integer(seen.cards[2 * position + 1])
    better = 1.0 - script.lookup[seat, 52 * first + second]
    if better <= share:
        return raise_near(rules, spent, node, integer(total))
    return CALL if better <= calling else fold_or_check(spent, node)


@kernel(allocates=False)
def _listed(rules: Ints, spent: Ints, node: Ints, seat: int, script: Script, seen: Seen) -> int:
    """The action of a player with a list of hands, before the flop."""
    position, raises = node[Node.TO_ACT], node[Node.RAISES]
    numbers = script.numbers[seat]
    first, second = integer(seen.cards[2 * position]), integer(seen.cards[2 * position + 1])
    row = 2 * integer(script.lookup[seat, 52 * first + second])
    if raises < numbers[Listed.RAISES_BELOW + row]:
        return raise_near(rules, spent, node, 0)
    if raises < numbers[Listed.CALLS_BELOW + row]:
        return CALL
    chips = to_call(rules, spent, node)
    if 0 < chips <= rules[Rule.GENERAL, General.BIG_BLIND]:
        seed_generator(seen.generator, seen.acted[position], seen.hand[0], script.seeds[seat])
        if random_number(seen.generator) < numbers[Listed.OTHERS]:
            return CALL
    return fold_or_check(spent, node)


@kernel()
def rule_action(
    rules: Ints,
    spent: Ints,
    node: Ints,
    seat: int,
    script: Script,
    seen: Seen,
    num_board: int,
    raising: Floats,
) -> int:
    """The action of the player to act.

    seat: the seat of the player.  num_board: the number of board cards dealt.
    raising: how often each position raises.
    """
    kind = script.kinds[seat]
    if kind == RuleKind.ALWAYS_ALL_IN:
        return raise_near(rules, spent, node, integer(rules[Rule.STACK, node[Node.TO_ACT]]))
    if kind == RuleKind.HAND_STRENGTH:
        return _by_strength(rules, spent, node, seat, script, seen, num_board)
    if kind == RuleKind.SIMPLE and node[Node.ROUND] == 0:
        return _simple(rules, spent, node, seat, script, seen, raising)
    if kind == RuleKind.LISTED and node[Node.ROUND] == 0:
        return _listed(rules, spent, node, seat, script, seen)
    return CALL
