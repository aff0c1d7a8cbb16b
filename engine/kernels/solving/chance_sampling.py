"""Public chance sampling: all hands on one board, at all betting sequences of a round side by side.

The sequences are *lanes* (`engine.kernels.solving.lanes`), so that loops over them become vector code.
The chances of playing from a round's start to a place depend on a hand's bucket alone; single hands are only
looked at where a round begins and where it ends.

Source: Johanson, Bard, Lanctot, Gibson, Bowling, *Efficient Nash Equilibrium Approximation through Monte
Carlo Counterfactual Regret Minimization* (2012); Johanson, Bard, Burch, Bowling, *Finding Optimal Abstract
Strategies in Extensive-Form Games* (2012), for best responses on the river (CFR-BR).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.solving.lanes import (
    LIVE_CARDS,
    LIVE_HANDS,
    RIVER,
    Hands,
    Kind,
    Learning,
    Place,
    RiverRoom,
    Room,
    Round,
    Side,
)
from engine.kernels.solving.river_ends import compare_within, pay_ends


@kernel(allocates=False)
def descend(ours: Side, theirs: Side, learning: Learning) -> None:
    """Begin a pass: fill in both sides' chances of playing to all starts and places before the river.

    Args:
        ours: the side that learns; its rooms are overwritten.
        theirs: the opponent; its rooms are overwritten.
        learning: who learns, and how.
    """
    _come_down(ours, learning.player, 0.0)
    _come_down(theirs, 1 - learning.player, learning.trembles)


@kernel(allocates=False)
def _come_down(side: Side, player: int, trembles: float) -> None:
    """`descend` for one side, with a part of trembles."""
    rounds, rooms, hands = side.rounds, side.rooms, side.hands
    for hand in range(LIVE_HANDS):
        rooms[0].reach[hand, 0] = 1.0
    for betting_round in range(RIVER):
        room, buckets = rooms[betting_round], hands.buckets[betting_round]
        places = rounds[betting_round].places
        _match(rounds[betting_round], room, hands.first_rows[betting_round], 0, player)
        _play(places, room.chances, room.plays, player, 0.0)
        if trembles > 0.0:
            _play(places, room.chances, room.seen, player, trembles)
        _add_up(room.reach, buckets, room.own)
        room.values[:] = 0.0
        room.worth[:] = 0.0
        width = room.own.shape[1]
        if betting_round == RIVER - 1:
            continue
        for place in range(places.shape[0]):
            if places[place, Place.KIND] == Kind.NEXT:
                below = rooms[betting_round + 1]
                _spread(room.reach, room.seen[place], buckets, below.reach, width * places[place, Place.LEAF])


@kernel(allocates=False)
def ascend(ours: Side, theirs: Side, learning: Learning) -> None:
    """End a pass: change the regrets and sums of all rounds before the river in place.

    Args:
        ours: the side that learns, after `descend` and after `take_back` of the value of the river.
        theirs: the opponent; if it learns as well, after the same.
        learning: who learns, and how.
    """
    _come_back(ours, theirs, learning.player, learning.weight)
    if learning.opponent_learns:
        _come_back(theirs, ours, 1 - learning.player, learning.weight)


@kernel(allocates=False)
def _come_back(ours: Side, theirs: Side, player: int, weight: float) -> None:
    """`ascend` for one side."""
    rounds, rooms, hands = ours.rounds, ours.rooms, ours.hands
    for betting_round in range(RIVER - 1, -1, -1):
        room, other, buckets = rooms[betting_round], theirs.rooms[betting_round], hands.buckets[betting_round]
        places = rounds[betting_round].places
        width = room.own.shape[1]
        if betting_round < RIVER - 1:
            for place in range(places.shape[0]):
                if places[place, Place.KIND] == Kind.NEXT:
                    first = width * places[place, Place.LEAF]
                    take_back(room, buckets, place, rooms[betting_round + 1].worth, first)
        for place in range(places.shape[0]):
            if places[place, Place.KIND] == Kind.FOLD:
                sign = -1.0 if places[place, Place.PLAYER] == player else 1.0
                chips = rounds[betting_round].chips[place]
                met = theirs.hands.buckets[betting_round]
                _pay_fold(room, other, hands, buckets, met, place, chips, sign)
        _climb(rounds[betting_round], room, hands.first_rows[betting_round], 0, player, weight)


@kernel(allocates=False)
def play_river(
    rnd: Round,
    rooms: tuple[Room, Room],
    river: RiverRoom,
    turns: tuple[Side, Side],
    start: tuple[int, int],
    learning: Learning,
) -> None:
    """Play and learn the river after one place of the turn, in all of the turn's lanes.

    The result is the value of each hand at the start of the river, `Room.worth`.  On the river both sides
    have the same buckets.

    Args:
        rnd: the river; its regrets and sums are changed in place, in the lanes that follow `start`.
        rooms: rooms for the side that learns and for the opponent; overwritten.
        river: room for showdowns; overwritten.
        turns: both sides, after `descend`.
        start: the number of a `Kind.NEXT` place of the turn, and its number among these places.
        learning: who learns, and how.
    """
    ours, theirs = rooms
    hands, player = turns[0].hands, learning.player
    place, first = start[0], ours.own.shape[1] * start[1]
    for number in range(2):
        turn, buckets = turns[number].rooms[RIVER - 1], turns[number].hands.buckets[RIVER - 1]
        _spread(turn.reach, turn.seen[place], buckets, rooms[number].reach, 0)
    _add_up(ours.reach, hands.buckets[RIVER], ours.own)
    first_row = hands.first_rows[RIVER]
    _match(rnd, ours, first_row, first, player)
    _play(rnd.places, ours.chances, ours.plays, player, 0.0)
    if learning.best_responses:
        compare_within(ours.reach, hands, river)
        pay_ends(rnd, theirs, ours, river, hands, first, 1 - player, (True, False))
        _respond(rnd.places, theirs, river, 1 - player)
        if learning.opponent_learns:
            _play(rnd.places, theirs.chances, theirs.plays, 1 - player, 0.0)
            pay_ends(rnd, theirs, ours, river, hands, first, 1 - player, (False, True))
    else:
        _match(rnd, theirs, first_row, first, 1 - player)
    _play(rnd.places, theirs.chances, theirs.seen, 1 - player, learning.trembles)
    compare_within(theirs.reach, hands, river)
    pay_ends(rnd, ours, theirs, river, hands, first, player, (True, True))
    _climb(rnd, ours, first_row, first, player, learning.weight)


@kernel(allocates=False)
def _spread(
    reach: NDArray[np.float32],
    chances: NDArray[np.float32],
    buckets: NDArray[np.int64],
    below: NDArray[np.float32],
    first: int,
) -> None:
    """Multiply hands' reach by the chances of their buckets; fills `below` from the lane `first` on."""
    width = chances.shape[1]
    for hand in range(LIVE_HANDS):
        row, factor, out = reach[hand], chances[buckets[hand]], below[hand, first : first + width]
        for lane in range(width):
            out[lane] = row[lane] * factor[lane]


@kernel(allocates=False)
def _add_up(rows: NDArray[np.float32], buckets: NDArray[np.int64], sums: NDArray[np.float32]) -> None:
    """Add up the rows of hands by bucket; `sums` is filled in place."""
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
    """Add the value of the next round to the round before it.

    Args:
        room: the room of the round before; `values` and `worth` are added to in place.
        buckets: the buckets of the hands in that round, shape (hands,).
        place: the place after which the next round begins.
        worth: the value of each hand where the next round begins, shape (hands, lanes).
        first: the first lane of `worth` that belongs to `place`.
    """
    width = room.own.shape[1]
    for hand in range(LIVE_HANDS):
        row = worth[hand, first : first + width]
        values, chances = room.values[place, buckets[hand]], room.plays[place, buckets[hand]]
        out = room.worth[hand]
        for lane in range(width):
            values[lane] += row[lane]
        for lane in range(width):
            out[lane] += chances[lane] * row[lane]


@kernel(allocates=False)
def _match(rnd: Round, room: Room, first_row: int, first: int, player: int) -> None:
    """Fill in `Room.chances` of a player's actions in a round by regret matching."""
    places = rnd.places
    num_buckets, width = room.own.shape
    none = np.float32(0.0)
    for place in range(places.shape[0]):
        if places[place, Place.KIND] != Kind.DECISION or places[place, Place.PLAYER] != player:
            continue
        child, num_actions = places[place, Place.FIRST], places[place, Place.NUM_ACTIONS]
        even = np.float32(1.0 / num_actions)
        for bucket in range(num_buckets):
            total = room.values[place, bucket]  # free until values are filled in
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


@kernel(allocates=False)
def _play(
    places: NDArray[np.int64],
    chances: NDArray[np.float32],
    plays: NDArray[np.float32],
    player: int,
    trembles: float,
) -> None:
    """Fill in a player's chances of playing from a round's start to each place; `plays` is overwritten."""
    num_buckets, width = plays.shape[1:]
    meant = np.float32(1.0 - trembles)
    plays[0] = 1.0
    for place in range(places.shape[0]):
        if places[place, Place.KIND] != Kind.DECISION:
            continue
        child, num_actions = places[place, Place.FIRST], places[place, Place.NUM_ACTIONS]
        acts = places[place, Place.PLAYER] == player
        tremble = (np.float32(1.0) - meant) * np.float32(1.0 / num_actions)
        for bucket in range(num_buckets):
            before = plays[place, bucket]
            for action in range(child, child + num_actions):
                chance, after = chances[action, bucket], plays[action, bucket]
                if acts:
                    for lane in range(width):
                        after[lane] = before[lane] * (meant * chance[lane] + tremble)
                else:
                    for lane in range(width):
                        after[lane] = before[lane]


@kernel(allocates=False)
def _respond(places: NDArray[np.int64], room: Room, river: RiverRoom, player: int) -> None:
    """Turn a player's chances into a best response by bucket, given the values of the ends."""
    num_buckets, width = room.own.shape
    none = np.float32(0.0)
    for place in range(places.shape[0] - 1, -1, -1):
        if places[place, Place.KIND] != Kind.DECISION:
            continue
        child, num_actions = places[place, Place.FIRST], places[place, Place.NUM_ACTIONS]
        is_its = places[place, Place.PLAYER] == player
        for bucket in range(num_buckets):
            value, worth = room.values[place, bucket], room.values[child, bucket]
            for lane in range(width):
                value[lane] = worth[lane]
            for action in range(child + 1, child + num_actions):
                worth = room.values[action, bucket]
                for lane in range(width):
                    value[lane] = max(value[lane], worth[lane]) if is_its else value[lane] + worth[lane]
            if not is_its:
                continue
            left = river.rows[3]
            left[:] = np.float32(1.0)
            for action in range(child, child + num_actions):
                worth, chances = room.values[action, bucket], room.chances[action, bucket]
                for lane in range(width):
                    chances[lane] = left[lane] if worth[lane] == value[lane] else none
                    left[lane] -= chances[lane]


@kernel(allocates=False)
def _climb(rnd: Round, room: Room, first_row: int, first: int, player: int, weight: float) -> None:
    """Fill in the values of a round's decisions from its ends up, and learn the player's regrets and sums."""
    places = rnd.places
    num_buckets, width = room.own.shape
    scale = np.float32(weight)
    for place in range(places.shape[0] - 1, -1, -1):
        if places[place, Place.KIND] != Kind.DECISION:
            continue
        child, num_actions = places[place, Place.FIRST], places[place, Place.NUM_ACTIONS]
        is_ours = places[place, Place.PLAYER] == player
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
            for action in range(child, child + num_actions):
                worth = room.values[action, bucket]
                regrets = rnd.regrets[action - 1, first_row + bucket, first : first + width]
                for lane in range(width):
                    regrets[lane] += scale * (worth[lane] - value[lane])
            if rnd.sums.shape[1] == 0:
                continue
            own = room.own[bucket]
            for action in range(child, child + num_actions):
                plays = room.plays[action, bucket]
                sums = rnd.sums[action - 1, first_row + bucket, first : first + width]
                for lane in range(width):
                    sums[lane] += scale * (own[lane] * plays[lane])


@kernel(allocates=False)
def _pay_fold(
    ours: Room,
    theirs: Room,
    hands: Hands,
    buckets: NDArray[np.int64],
    met: NDArray[np.int64],
    place: int,
    chips: NDArray[np.float32],
    sign: float,
) -> None:
    """Add the value of a fold before the river: chips, times the reach of the opponent's possible hands.

    Args:
        ours: the room of the side whose values are wanted; `values` and `worth` are added to in place.
        theirs: the room of the other side.
        hands: the hands on the board.
        buckets: the buckets of our side in this round, shape (hands,).
        met: the buckets of the other side, shape (hands,).
        place: the fold.
        chips: chips that change hands, shape (lanes,).
        sign: 1 if our side wins them, -1 if it loses them.
    """
    width = ours.own.shape[1]
    by_card = ours.totals[place]
    by_card[:] = np.float32(0.0)
    everyone = by_card[LIVE_CARDS]
    factor = np.float32(sign)
    for hand in range(LIVE_HANDS):
        first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
        reach, seen = theirs.reach[hand], theirs.seen[place, met[hand]]
        for lane in range(width):
            x = reach[lane] * seen[lane]
            first[lane] += x
            second[lane] += x
            everyone[lane] += x
    for hand in range(LIVE_HANDS):
        first, second = by_card[hands.cards[hand, 0]], by_card[hands.cards[hand, 1]]
        reach, seen = theirs.reach[hand], theirs.seen[place, met[hand]]
        plays, value = ours.plays[place, buckets[hand]], ours.values[place, buckets[hand]]
        worth, paid = ours.worth[hand], ours.totals[0, 0]  # the first place is no end
        for lane in range(width):
            x = everyone[lane] - first[lane] - second[lane] + reach[lane] * seen[lane]
            paid[lane] = factor * chips[lane] * x
        for lane in range(width):
            value[lane] += paid[lane]
        for lane in range(width):
            worth[lane] += plays[lane] * paid[lane]
