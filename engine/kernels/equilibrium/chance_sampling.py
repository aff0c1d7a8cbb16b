"""Public chance sampling by the lane: all hands on one board, at all betting sequences of a round at once.

Rows of lanes (`engine.kernels.equilibrium.lanes`) are vector code.  The chances of playing from a round's
start to a place depend on a hand's bucket alone; hands themselves are only looked at where a round begins and
where it ends.

Source: Johanson, Bard, Lanctot, Gibson, Bowling, *Efficient Nash Equilibrium Approximation through Monte
Carlo Counterfactual Regret Minimization* (2012); Johanson, Bard, Burch, Bowling, *Finding Optimal Abstract
Strategies in Extensive-Form Games* (2012), for answers on the river (CFR-BR).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.equilibrium.lanes import (
    LIVE_CARDS,
    LIVE_HANDS,
    RIVER,
    Hands,
    Kind,
    Learning,
    Place,
    RiverRoom,
    Room,
    Rooms,
    Round,
    Rounds,
)
from engine.kernels.equilibrium.river_ends import compare_within, pay_ends


@kernel(allocates=False)
def descend(rounds: Rounds, rooms: Rooms, hands: Hands, learning: Learning) -> None:
    """A pass begins: everybody's chances of playing to the starts and places of all rounds but the river.

    Args:
        rounds: preflop to turn.
        rooms: for them, overwritten.
        hands: of the board.
        learning: who does, and how.
    """
    for hand in range(LIVE_HANDS):
        rooms[0].mine[hand, 0] = 1.0
        rooms[0].reach[hand, 0] = 1.0
    for betting_round in range(RIVER):
        room, buckets = rooms[betting_round], hands.buckets[betting_round]
        _match(rounds[betting_round], room, hands.first_rows[betting_round], 0, learning)
        _add_up(room.mine, buckets, room.own)
        room.values[:] = 0.0
        room.worth[:] = 0.0
        places = rounds[betting_round].places
        width = room.own.shape[1]
        if betting_round == RIVER - 1:
            continue
        for place in range(places.shape[0]):
            if places[place, Place.KIND] == Kind.NEXT:
                below = rooms[betting_round + 1]
                first = width * places[place, Place.LEAF]
                _spread(room.mine, room.ours[place], buckets, below.mine, first)
                _spread(room.reach, room.theirs[place], buckets, below.reach, first)


@kernel(allocates=False)
def ascend(rounds: Rounds, rooms: Rooms, hands: Hands, learning: Learning) -> None:
    """A pass ends: regrets and sums of all rounds but the river, changed in place.

    Args:
        rounds: preflop to turn.
        rooms: for them, after `descend`, and `take_back` of what the river is worth.
        hands: of the board.
        learning: who does, and how.
    """
    for betting_round in range(RIVER - 1, -1, -1):
        room, buckets = rooms[betting_round], hands.buckets[betting_round]
        places = rounds[betting_round].places
        width = room.own.shape[1]
        if betting_round < RIVER - 1:
            for place in range(places.shape[0]):
                if places[place, Place.KIND] == Kind.NEXT:
                    first = width * places[place, Place.LEAF]
                    take_back(room, buckets, place, rooms[betting_round + 1].worth, first)
        for place in range(places.shape[0]):
            if places[place, Place.KIND] == Kind.FOLD:
                sign = -1.0 if places[place, Place.PLAYER] == learning.player else 1.0
                _pay_fold(room, hands, buckets, place, rounds[betting_round].chips[place], sign)
        _climb(rounds[betting_round], room, hands.first_rows[betting_round], 0, learning)


@kernel(allocates=False)
def play_river(
    rnd: Round,
    room: Room,
    river: RiverRoom,
    turn: Room,
    hands: Hands,
    start: tuple[int, int],
    learning: Learning,
) -> None:
    """The river after one place of the turn, from all of the turn's lanes; leaves `room.worth` behind.

    Args:
        rnd: the river, whose regrets and sums are changed in place, in the lanes of `start`.
        room: for it, overwritten.
        river: overwritten.
        turn: where `descend` has been.
        hands: of the board.
        start: a `Kind.NEXT` of the turn, and its number among its like.
        learning: who does, and how.
    """
    place, first = start[0], turn.own.shape[1] * start[1]
    buckets = hands.buckets[RIVER - 1]
    _spread(turn.reach, turn.theirs[place], buckets, room.reach, 0)
    _spread(turn.mine, turn.ours[place], buckets, room.mine, 0)
    _add_up(room.mine, hands.buckets[RIVER], room.own)
    _match(rnd, room, hands.first_rows[RIVER], first, learning)
    if learning.answers:
        _answer(rnd, room, river, hands, first, learning)
    compare_within(room.reach, hands, river)
    pay_ends(rnd, room, river, hands, first, learning.player)
    _climb(rnd, room, hands.first_rows[RIVER], first, learning)


@kernel(allocates=False)
def _spread(
    reach: NDArray[np.float32],
    chances: NDArray[np.float32],
    buckets: NDArray[np.int64],
    below: NDArray[np.float32],
    first: int,
) -> None:
    """Chances of playing on to a place, by hand; `below` is filled from the lane `first`."""
    width = chances.shape[1]
    for hand in range(LIVE_HANDS):
        row, factor, out = reach[hand], chances[buckets[hand]], below[hand, first : first + width]
        for lane in range(width):
            out[lane] = row[lane] * factor[lane]


@kernel(allocates=False)
def _add_up(rows: NDArray[np.float32], buckets: NDArray[np.int64], sums: NDArray[np.float32]) -> None:
    """Sums of hands' rows by bucket."""
    width = sums.shape[1]
    sums[:] = 0.0
    for hand in range(LIVE_HANDS):
        row, out = rows[hand], sums[buckets[hand]]
        for lane in range(width):
            out[lane] += row[lane]


@kernel(allocates=False)
def take_back(
    room: Room, buckets: NDArray[np.int64], place: int, worth: NDArray[np.float32], first: int
) -> None:
    """What hands are worth where the next round begins, from the lane `first` on, is added to this one."""
    width = room.own.shape[1]
    for hand in range(LIVE_HANDS):
        row = worth[hand, first : first + width]
        values, chances = room.values[place, buckets[hand]], room.ours[place, buckets[hand]]
        out = room.worth[hand]
        for lane in range(width):
            values[lane] += row[lane]
        for lane in range(width):
            out[lane] += chances[lane] * row[lane]


@kernel(allocates=False)
def _match(rnd: Round, room: Room, first_row: int, first: int, learning: Learning) -> None:
    """Strategies of both players in a round, by matching regrets; chances of playing to each place."""
    places = rnd.places
    num_buckets, width = room.own.shape
    none = np.float32(0.0)
    for place in range(places.shape[0]):
        if places[place, Place.KIND] != Kind.DECISION:
            continue
        child, num_actions = places[place, Place.FIRST], places[place, Place.NUM_ACTIONS]
        even = np.float32(1.0 / num_actions)
        for bucket in range(num_buckets):
            total = room.values[place, bucket]  # not yet needed for values
            total[:] = none
            for action in range(child, child + num_actions):
                regrets = rnd.regrets[action - 1, first_row + bucket, first : first + width]
                for lane in range(width):
                    total[lane] += max(regrets[lane], none)
            for action in range(child, child + num_actions):
                regrets = rnd.regrets[action - 1, first_row + bucket, first : first + width]
                chances = room.chances[action, bucket]
                for lane in range(width):
                    chances[lane] = max(regrets[lane], none) / total[lane] if total[lane] > none else even
    _play(places, room, learning)


@kernel(allocates=False)
def _play(places: NDArray[np.int64], room: Room, learning: Learning) -> None:
    """Chances of playing from a round's start to each place, by the chances of actions."""
    num_buckets, width = room.own.shape
    meant = np.float32(1.0 - learning.slips)
    room.ours[0] = 1.0
    room.theirs[0] = 1.0
    for place in range(places.shape[0]):
        if places[place, Place.KIND] != Kind.DECISION:
            continue
        child, num_actions = places[place, Place.FIRST], places[place, Place.NUM_ACTIONS]
        acts, waits, part = room.theirs, room.ours, meant
        if places[place, Place.PLAYER] == learning.player:
            acts, waits, part = room.ours, room.theirs, np.float32(1.0)
        slip = (np.float32(1.0) - part) * np.float32(1.0 / num_actions)
        for bucket in range(num_buckets):
            for action in range(child, child + num_actions):
                chances = room.chances[action, bucket]
                before, after = acts[place, bucket], acts[action, bucket]
                for lane in range(width):
                    after[lane] = before[lane] * (part * chances[lane] + slip)
                before, after = waits[place, bucket], waits[action, bucket]
                for lane in range(width):
                    after[lane] = before[lane]


@kernel(allocates=False)
def _answer(rnd: Round, room: Room, river: RiverRoom, hands: Hands, first: int, learning: Learning) -> None:
    """The opponent's chances of actions on the river become a best response, by bucket, to the player's."""
    places = rnd.places
    num_buckets, width = room.own.shape
    none = np.float32(0.0)
    other = Room(
        room.chances, room.theirs, room.ours, room.values, room.own, room.reach, room.mine, room.worth,
        room.totals,
    )  # fmt: skip
    compare_within(other.reach, hands, river)
    pay_ends(rnd, other, river, hands, first, 1 - learning.player)
    for place in range(places.shape[0] - 1, -1, -1):
        if places[place, Place.KIND] != Kind.DECISION:
            continue
        child, num_actions = places[place, Place.FIRST], places[place, Place.NUM_ACTIONS]
        is_theirs = places[place, Place.PLAYER] != learning.player
        for bucket in range(num_buckets):
            value, worth = room.values[place, bucket], room.values[child, bucket]
            for lane in range(width):
                value[lane] = worth[lane]
            for action in range(child + 1, child + num_actions):
                worth = room.values[action, bucket]
                for lane in range(width):
                    value[lane] = max(value[lane], worth[lane]) if is_theirs else value[lane] + worth[lane]
            if not is_theirs:
                continue
            left = river.rows[3]
            left[:] = np.float32(1.0)
            for action in range(child, child + num_actions):
                worth, chances = room.values[action, bucket], room.chances[action, bucket]
                for lane in range(width):
                    chances[lane] = left[lane] if worth[lane] == value[lane] else none
                    left[lane] -= chances[lane]
    _play(places, room, learning)


@kernel(allocates=False)
def _climb(rnd: Round, room: Room, first_row: int, first: int, learning: Learning) -> None:
    """What decisions of a round are worth, from its ends up, and the player's regrets and strategy."""
    places = rnd.places
    num_buckets, width = room.own.shape
    scale = np.float32(learning.weight)
    for place in range(places.shape[0] - 1, -1, -1):
        if places[place, Place.KIND] != Kind.DECISION:
            continue
        child, num_actions = places[place, Place.FIRST], places[place, Place.NUM_ACTIONS]
        is_ours = places[place, Place.PLAYER] == learning.player
        for bucket in range(num_buckets):
            value = room.values[place, bucket]
            value[:] = np.float32(0.0)
            for action in range(child, child + num_actions):
                worth, chances = room.values[action, bucket], room.chances[action, bucket]
                if is_ours:
                    for lane in range(width):
                        value[lane] += chances[lane] * worth[lane]
                else:
                    for lane in range(width):
                        value[lane] += worth[lane]
            if not is_ours:
                continue
            own = room.own[bucket]
            for action in range(child, child + num_actions):
                worth, ours = room.values[action, bucket], room.ours[action, bucket]
                gains = rnd.gains[action - 1, first_row + bucket, first : first + width]
                sums = rnd.sums[action - 1, first_row + bucket, first : first + width]
                for lane in range(width):
                    gains[lane] += scale * (worth[lane] - value[lane])
                for lane in range(width):
                    sums[lane] += scale * (own[lane] * ours[lane])


@kernel(allocates=False)
def _pay_fold(
    room: Room,
    hands: Hands,
    buckets: NDArray[np.int64],
    place: int,
    chips: NDArray[np.float32],
    sign: float,
) -> None:
    """What a fold before the river is worth: chips, times the opponent's hands that there can be."""
    width = room.own.shape[1]
    by_card = room.totals[place]
    by_card[:] = np.float32(0.0)
    everyone = by_card[LIVE_CARDS]
    factor = np.float32(sign)
    for hand in range(LIVE_HANDS):
        first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
        reach, theirs = room.reach[hand], room.theirs[place, buckets[hand]]
        for lane in range(width):
            x = reach[lane] * theirs[lane]
            first[lane] += x
            second[lane] += x
            everyone[lane] += x
    for hand in range(LIVE_HANDS):
        first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
        reach, theirs = room.reach[hand], room.theirs[place, buckets[hand]]
        ours, value, worth = (
            room.ours[place, buckets[hand]],
            room.values[place, buckets[hand]],
            room.worth[hand],
        )
        met = room.totals[0, 0]  # the first place is no end
        for lane in range(width):
            x = everyone[lane] - first[lane] - second[lane] + reach[lane] * theirs[lane]
            met[lane] = factor * chips[lane] * x
        for lane in range(width):
            value[lane] += met[lane]
        for lane in range(width):
            worth[lane] += ours[lane] * met[lane]
