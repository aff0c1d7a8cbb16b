"""A best response on the river: all hands on a board at once, and many earlier bettings side by side.

A *lane* is a betting that starts the round.  All lanes share the betting tree of the round and the order of
hands by strength; they differ in the chips at stake and in the opponent's reach.  So every step of the walk
does the same to all lanes of a row of memory, which becomes vector code.

At a showdown, a hand wins the opponent's reach below it less the reach above it: twice what is below, and
once what ties, less all (``walk_in_order`` in ``engine.kernels.solving.lanes``).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from engine.kernels._jit import kernel
from engine.kernels.solving.lanes import walk_in_order
from engine.support.arrays import Floats32, Ints

ALL: int = 52
"""The row of sums over all cards, after those of the cards."""


class Field(IntEnum):
    """Columns of the nodes of a round."""

    RESPONDS = 0
    """1 where the best response acts, 0 where the opponent acts."""
    FOLD = 1
    """Whether the player to act can fold."""
    CALL = 2
    """Whether a call ends the round."""
    AFTER_CALL = 3
    """The node after a call, or -1."""
    AFTER_RAISE = 4
    """The node after a raise, or -1."""
    REACH = 5
    """The row of `Room.reach` that holds the opponent's reach here."""
    VALUE = 6
    """The row of `Room.value` that is filled."""
    CHANCES = 7
    """The row of the opponent's chances, or -1."""


class LiveHands(NamedTuple):
    """The hands on a full board, in ascending order of strength."""

    combos: Ints
    """Indices of combos, shape (hands,)."""
    cards: Ints
    """The two cards of each hand, shape (hands, 2)."""
    ends: Ints
    """Where each group of equally strong hands ends, shape (groups,)."""
    classes: Ints
    """The opponent's class of each hand, shape (hands,)."""


class Room(NamedTuple):
    """Scratch arrays; the last axis is the lane."""

    reach: Floats32
    """The opponent's reach at the nodes, shape (rows, hands, lanes)."""
    folded: Floats32
    called: Floats32
    """The opponent's reach of a fold and of a call, times the chips at stake; shape (hands, lanes)."""
    value: Floats32
    """The value of nodes, shape (2, hands, lanes)."""
    twice_below: Floats32
    """What `walk_in_order` fills in, shape (hands, lanes)."""
    sums: Floats32
    fold_sums: Floats32
    """Sums by card, and in row `ALL` over all hands; shape (53, lanes)."""


@kernel(allocates=False)
def respond_on_river(
    nodes: Ints,
    hands: LiveHands,
    images: Ints,
    reach: Floats32,
    stakes: Floats32,
    chances: Floats32,
    room: Room,
    worth: Floats32,
) -> None:
    """Add what a best response wins on one board, by hand and lane, against all hands of the opponent.

    Args:
        nodes: the nodes of the round, parents first, shape (nodes, len(Field)).
        hands: the hands on the board.
        images: the combo that each combo becomes on each board that differs from this one at most in the
            names of suits; shape (boards, 1326).
        reach: the opponent's reach at the start of the round with each combo, shape (1326, lanes).
        stakes: chips lost by a fold at each node, and at a showdown after a call; shape (nodes, 2, lanes).
        chances: the opponent's chances to fold, call and raise at its own nodes, shape (nodes, 3, classes,
            lanes).
        room: overwritten.
        worth: chips times the opponent's reach, shape (1326, lanes); the winnings on all boards are added.
    """
    size, lanes = hands.combos.shape[0], reach.shape[1]
    for place in range(size):
        combo = hands.combos[place]
        for lane in range(lanes):
            room.reach[0, place, lane] = reach[combo, lane]
    _spread(nodes, hands, chances, room, lanes)
    for number in range(nodes.shape[0] - 1, -1, -1):
        node = nodes[number]
        buffer, after = node[Field.VALUE], node[Field.AFTER_RAISE]
        value = room.value[buffer]
        if not node[Field.CALL]:
            if after >= 0:
                _join(node[Field.RESPONDS], room.value, size, lanes)
            continue
        theirs = room.reach[node[Field.REACH]]
        if not _comes_here(theirs, size, lanes):
            if after < 0:
                for place in range(size):
                    for lane in range(lanes):
                        value[place, lane] = 0.0
            continue
        if node[Field.RESPONDS]:
            _respond(hands, theirs, stakes[number], node[Field.FOLD] != 0, after >= 0, room, value)
        else:
            table = chances[node[Field.CHANCES]]
            _meet(hands, theirs, stakes[number], table, after >= 0, room, value)
    for board in range(images.shape[0]):
        for place in range(size):
            combo = images[board, hands.combos[place]]
            for lane in range(lanes):
                worth[combo, lane] += room.value[0, place, lane]


@kernel(allocates=False)
def _spread(nodes: Ints, hands: LiveHands, chances: Floats32, room: Room, lanes: int) -> None:
    """Fill in the opponent's reach at all nodes, from its reach at the first."""
    for number in range(nodes.shape[0]):
        node = nodes[number]
        if node[Field.RESPONDS]:
            continue
        theirs = room.reach[node[Field.REACH]]
        for action in range(1, 3):
            after = node[Field.AFTER_CALL] if action == 1 else node[Field.AFTER_RAISE]
            if after < 0:
                continue
            table = chances[node[Field.CHANCES], action]
            below = room.reach[nodes[after, Field.REACH]]
            for place in range(hands.combos.shape[0]):
                row = hands.classes[place]
                for lane in range(lanes):
                    below[place, lane] = theirs[place, lane] * table[row, lane]


@kernel(allocates=False)
def _comes_here(theirs: Floats32, size: int, lanes: int) -> bool:
    """Whether the opponent plays to a node with any hand in any lane."""
    for place in range(size):
        for lane in range(lanes):
            if theirs[place, lane] != 0.0:
                return True
    return False


@kernel(allocates=False)
def _join(responds: int, value: Floats32, size: int, lanes: int) -> None:
    """Fill in the value of a node at which neither a call nor a raise ends the round."""
    for place in range(size):
        for lane in range(lanes):
            if responds:
                value[0, place, lane] = max(value[0, place, lane], value[1, place, lane])
            else:
                value[0, place, lane] += value[1, place, lane]


@kernel(allocates=False)
def _respond(
    hands: LiveHands,
    theirs: Floats32,
    stakes: Floats32,
    can_fold: bool,
    goes_on: bool,
    room: Room,
    value: Floats32,
) -> None:
    """Fill in the best of folding, calling and, if it `goes_on`, raising, whose value is in `value`."""
    sums, lanes = room.sums, theirs.shape[1]
    sums[:] = 0.0
    walk_in_order(hands.cards, hands.ends, (0, hands.ends.shape[0]), theirs, sums, room.twice_below)
    everyone = sums[ALL]
    for place in range(hands.combos.shape[0]):
        first, second = sums[hands.cards[place, 0]], sums[hands.cards[place, 1]]
        twice_below, own, out = room.twice_below[place], theirs[place], value[place]
        for lane in range(lanes):
            # Without our cards; the opponent's hand that is ours was taken out twice, here and there.
            met = everyone[lane] - first[lane] - second[lane]
            best = stakes[1, lane] * (twice_below[lane] - met)
            if can_fold:
                best = max(-stakes[0, lane] * (met + own[lane]), best)
            out[lane] = max(best, out[lane]) if goes_on else best


@kernel(allocates=False)
def _meet(
    hands: LiveHands,
    theirs: Floats32,
    stakes: Floats32,
    chances: Floats32,
    goes_on: bool,
    room: Room,
    value: Floats32,
) -> None:
    """Fill in the value of the opponent's folds and calls; if it `goes_on`, add it to that of its raises."""
    sums, fold_sums, folded, called = room.sums, room.fold_sums, room.folded, room.called
    folds, calls, lanes = chances[0], chances[1], theirs.shape[1]
    sums[:] = 0.0
    fold_sums[:] = 0.0
    for place in range(hands.combos.shape[0]):
        row, a, b = hands.classes[place], hands.cards[place, 0], hands.cards[place, 1]
        for lane in range(lanes):
            weight = theirs[place, lane] * folds[row, lane] * stakes[0, lane]
            folded[place, lane] = weight
            called[place, lane] = theirs[place, lane] * calls[row, lane] * stakes[1, lane]
            fold_sums[a, lane] += weight
            fold_sums[b, lane] += weight
            fold_sums[ALL, lane] += weight
    walk_in_order(hands.cards, hands.ends, (0, hands.ends.shape[0]), called, sums, room.twice_below)
    for card in range(ALL + 1):
        for lane in range(lanes):
            fold_sums[card, lane] -= sums[card, lane]
    everyone = fold_sums[ALL]
    for place in range(hands.combos.shape[0]):
        first, second = fold_sums[hands.cards[place, 0]], fold_sums[hands.cards[place, 1]]
        twice_below, own, out = room.twice_below[place], folded[place], value[place]
        for lane in range(lanes):
            won = twice_below[lane] + (everyone[lane] - first[lane] - second[lane]) + own[lane]
            out[lane] = out[lane] + won if goes_on else won
