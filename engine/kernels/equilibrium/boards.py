"""Public chance sampling: all hands of both players on one board at once, through a whole betting tree.

The betting is a list of *steps*, made once: a node is opened, each of its actions gone down and come back
from, and closed; so no recursion is needed.  Hands are the live ones of a full board, in ascending order of
strength.

Source: Johanson, Bard, Lanctot, Gibson, Bowling, *Efficient Nash Equilibrium Approximation through Monte
Carlo Counterfactual Regret Minimization* (2012).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.cards.bits import card_bits
from engine.kernels.evaluation.combo_strength import order_combos
from engine.kernels.evaluation.equity import list_run_outs

MOST_ACTIONS: Final = 3
OPPONENTS: Final = 990
"""Hands an opponent may hold on a full board."""


class Step(IntEnum):
    """What is done, the first column of `Betting.steps`."""

    OPEN = 0
    GO = 1
    BACK = 2
    CLOSE = 3
    FOLD = 4
    SHOWDOWN = 5


class Column(IntEnum):
    """Columns of `Betting.steps`."""

    STEP = 0
    PLAYER = 1
    """Who is to act; who has folded."""
    ACTION = 2
    """At GO and BACK its number; at OPEN and CLOSE how many there are."""
    DEPTH = 3
    SLOT = 4
    """The first slot of the node.  At the end of a hand, the chips that change hands."""
    ROUND = 5


class Hands(NamedTuple):
    """The live hands on a full board, in ascending order of strength."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    """Their cards."""
    ends: NDArray[np.int64]
    """Where each group of equal strength ends."""
    buckets: NDArray[np.int64]
    """Shape (rounds, hands)."""


class Room(NamedTuple):
    """Room for a pass; the first axis is the depth of a node."""

    theirs: NDArray[np.float64]
    """The opponent's chance of having played to here, by the opponent's hand."""
    ours: NDArray[np.float64]
    worth: NDArray[np.float64]
    """By our hand, against all of the opponent's."""
    actions: NDArray[np.float64]
    """What each action is worth, shape (depths, MOST_ACTIONS, hands)."""
    chances: NDArray[np.float64]
    """Shape (depths, MOST_ACTIONS, hands)."""
    mix: NDArray[np.float64]
    """Chances by bucket, shape (buckets, MOST_ACTIONS)."""
    by_card: NDArray[np.float64]
    """Shape (52,)."""


@kernel(allocates=False)
def walk(
    steps: NDArray[np.int64],
    hands: Hands,
    regrets: NDArray[np.float64],
    player: int,
    room: Room,
    gains: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """One player's pass on one board.

    Args:
        steps: the betting, shape (steps, len(Column)).
        hands: of the board.
        regrets: by slot; a node's are by bucket, then by action.
        player: whose regrets are found.
        room: overwritten; its first row of reach is filled here.
        gains: regrets of this pass, by slot, added in place.
        sums: strategies of this pass, weighted by the player's own reach, by slot, added in place.
    """
    size = hands.first.shape[0]
    for hand in range(size):
        room.theirs[0, hand] = 1.0
        room.ours[0, hand] = 1.0
    for number in range(steps.shape[0]):
        step = steps[number]
        kind, depth = step[Column.STEP], step[Column.DEPTH]
        if kind == Step.OPEN:
            _open(step, hands, regrets, room)
        elif kind == Step.GO:
            chance = room.chances[depth, step[Column.ACTION]]
            if step[Column.PLAYER] == player:
                for hand in range(size):
                    room.ours[depth + 1, hand] = room.ours[depth, hand] * chance[hand]
                    room.theirs[depth + 1, hand] = room.theirs[depth, hand]
            else:
                for hand in range(size):
                    room.ours[depth + 1, hand] = room.ours[depth, hand]
                    room.theirs[depth + 1, hand] = room.theirs[depth, hand] * chance[hand]
        elif kind == Step.BACK:
            if step[Column.PLAYER] == player:
                for hand in range(size):
                    room.actions[depth, step[Column.ACTION], hand] = room.worth[depth + 1, hand]
            elif step[Column.ACTION] == 0:
                for hand in range(size):
                    room.worth[depth, hand] = room.worth[depth + 1, hand]
            else:
                for hand in range(size):
                    room.worth[depth, hand] += room.worth[depth + 1, hand]
        elif kind == Step.CLOSE:
            if step[Column.PLAYER] == player:
                _learn(step, hands, room, gains, sums)
        elif kind == Step.FOLD:
            sign = -1.0 if step[Column.PLAYER] == player else 1.0
            pay_fold(hands, sign * step[Column.SLOT], room.theirs[depth], room.by_card, room.worth[depth])
        else:
            pay_showdown(hands, float(step[Column.SLOT]), room.theirs[depth], room.by_card, room.worth[depth])


@kernel(allocates=False)
def _open(step: NDArray[np.int64], hands: Hands, regrets: NDArray[np.float64], room: Room) -> None:
    """Match the regrets of a node, by bucket, and spread the chances over the hands."""
    num_actions, depth = step[Column.ACTION], step[Column.DEPTH]
    buckets = hands.buckets[step[Column.ROUND]]
    for bucket in range(room.mix.shape[0]):
        room.mix[bucket, 0] = -1.0  # not known yet
    for hand in range(hands.first.shape[0]):
        bucket = buckets[hand]
        if room.mix[bucket, 0] < 0.0:
            slot = step[Column.SLOT] + bucket * num_actions
            total = 0.0
            for action in range(num_actions):
                total += max(regrets[slot + action], 0.0)
            for action in range(num_actions):
                room.mix[bucket, action] = (
                    max(regrets[slot + action], 0.0) / total if total > 0.0 else 1.0 / num_actions
                )
        for action in range(num_actions):
            room.chances[depth, action, hand] = room.mix[bucket, action]


@kernel(allocates=False)
def _learn(
    step: NDArray[np.int64],
    hands: Hands,
    room: Room,
    gains: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """What a node of the player is worth, and its regrets."""
    num_actions, depth = step[Column.ACTION], step[Column.DEPTH]
    buckets = hands.buckets[step[Column.ROUND]]
    for hand in range(hands.first.shape[0]):
        worth = 0.0
        for action in range(num_actions):
            worth += room.chances[depth, action, hand] * room.actions[depth, action, hand]
        room.worth[depth, hand] = worth
        slot = step[Column.SLOT] + buckets[hand] * num_actions
        for action in range(num_actions):
            gains[slot + action] += room.actions[depth, action, hand] - worth
            sums[slot + action] += room.ours[depth, hand] * room.chances[depth, action, hand]


@kernel(allocates=False)
def pay_fold(
    hands: Hands,
    chips: float,
    theirs: NDArray[np.float64],
    by_card: NDArray[np.float64],
    worth: NDArray[np.float64],
) -> None:
    """What it is worth that one player has folded: chips, times the opponent's hands that there can be."""
    by_card[:] = 0.0
    total = 0.0
    for hand in range(hands.first.shape[0]):
        by_card[hands.first[hand]] += theirs[hand]
        by_card[hands.second[hand]] += theirs[hand]
        total += theirs[hand]
    scale = chips / OPPONENTS
    for hand in range(hands.first.shape[0]):
        met = total - by_card[hands.first[hand]] - by_card[hands.second[hand]] + theirs[hand]
        worth[hand] = scale * met


@kernel(allocates=False)
def pay_showdown(
    hands: Hands,
    chips: float,
    theirs: NDArray[np.float64],
    by_card: NDArray[np.float64],
    worth: NDArray[np.float64],
) -> None:
    """What a showdown is worth: chips from the weaker of the opponent's hands, and to the stronger."""
    by_card[:] = 0.0
    passed = 0.0
    start = 0
    for group in range(hands.ends.shape[0]):
        end = hands.ends[group]
        for hand in range(start, end):
            worth[hand] = passed - by_card[hands.first[hand]] - by_card[hands.second[hand]]
        for hand in range(start, end):
            by_card[hands.first[hand]] += theirs[hand]
            by_card[hands.second[hand]] += theirs[hand]
            passed += theirs[hand]
        start = end
    by_card[:] = 0.0
    passed = 0.0
    scale = chips / OPPONENTS
    for group in range(hands.ends.shape[0] - 1, -1, -1):
        start = hands.ends[group - 1] if group > 0 else 0
        end = hands.ends[group]
        for hand in range(start, end):
            stronger = passed - by_card[hands.first[hand]] - by_card[hands.second[hand]]
            worth[hand] = scale * (worth[hand] - stronger)
        for hand in range(start, end):
            by_card[hands.first[hand]] += theirs[hand]
            by_card[hands.second[hand]] += theirs[hand]
            passed += theirs[hand]


@kernel()
def mean_squares(
    table: NDArray[np.uint16],
    board: NDArray[np.uint8],
    cards: NDArray[np.int64],
    squares: NDArray[np.float64],
) -> None:
    """E[HS²] of every combo on a board: the mean square of its strength on all full boards.

    Args:
        table: of rankings.
        board: shape (3|4|5,).
        cards: of each combo, shape (1326, 2).
        squares: shape (1326,), filled in place; -1 for combos that share a card with the board.
    """
    size = board.shape[0]
    full = np.empty(5, np.uint8)
    for place in range(size):
        full[place] = board[place]
    to_come = np.empty((1176, 2), np.uint8)
    num_boards = list_run_outs(card_bits(board, size), 5 - size, to_come)
    order = np.empty(1326, np.int64)
    ends = np.empty(1326, np.int64)
    counts = np.zeros(1326)
    below = np.zeros(52)
    twice = np.zeros(1326)
    squares[:] = 0.0
    for index in range(num_boards):
        for place in range(size, 5):
            full[place] = to_come[index, place - size]
        _, groups = order_combos(table, full, order, ends)
        below[:] = 0.0
        beaten = 0.0
        start = 0
        for group in range(groups):
            end = integer(ends[group])
            # Twice the strength: what is beaten before its equals are counted, and after.
            for place in range(start, end):
                combo = integer(order[place])
                twice[combo] = beaten - below[cards[combo, 0]] - below[cards[combo, 1]]
            for place in range(start, end):
                combo = integer(order[place])
                below[cards[combo, 0]] += 1.0
                below[cards[combo, 1]] += 1.0
                beaten += 1.0
            for place in range(start, end):
                combo = integer(order[place])
                both = twice[combo] + beaten - below[cards[combo, 0]] - below[cards[combo, 1]] + 1.0
                strength = both / (2.0 * OPPONENTS)
                squares[combo] += strength * strength
                counts[combo] += 1.0
            start = end
    for combo in range(1326):
        squares[combo] = squares[combo] / counts[combo] if counts[combo] > 0.0 else -1.0
