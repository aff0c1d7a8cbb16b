"""The arrays of public chance sampling: betting rounds by the lane, rooms to work in, the hands of a board.

All sequences that begin a betting round (its *starts*) have the same betting tree, so one tree of *places*
serves them all, and what is said of a place is a row with one number for each start: the *lanes*.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

LIVE_HANDS: Final = 1081
LIVE_CARDS: Final = 47
"""On a full board.  Row `LIVE_CARDS` of sums by card is the sum of all hands."""
RIVER: Final = 3


class Place(IntEnum):
    """Columns of `Round.places`; a place's children have greater numbers and stand side by side."""

    KIND = 0
    PLAYER = 1
    """Who is to act; who has folded."""
    PARENT = 2
    FIRST = 3
    """The first child."""
    NUM_ACTIONS = 4
    LEAF = 5
    """At `NEXT`, its number among its like."""


class Kind(IntEnum):
    """What is at a place, its first column."""

    DECISION = 0
    FOLD = 1
    NEXT = 2
    """The next round begins."""
    SHOWDOWN = 3


class Round(NamedTuple):
    """The betting of a round, and what has been learnt there; a place but the first stands for an action."""

    places: NDArray[np.int64]
    """Shape (places, len(Place))."""
    chips: NDArray[np.float32]
    """What changes hands at the ends, over the hands an opponent may hold; shape (places, lanes)."""
    regrets: NDArray[np.float32]
    """What both players match, shape (places - 1, buckets, lanes)."""
    gains: NDArray[np.float32]
    """What is learnt is added here; the same array, for one who learns."""
    sums: NDArray[np.float32]
    """Strategies summed up, in the same shape; without buckets where nobody asks for them."""


class Room(NamedTuple):
    """Room for one side in a round; `w` lanes."""

    chances: NDArray[np.float32]
    """Of each of the side's actions at its parent, shape (places, buckets, w)."""
    plays: NDArray[np.float32]
    """The side's chance of playing from the start to a place as it means to, in the same shape."""
    seen: NDArray[np.float32]
    """The same with its slips, as the other side meets it."""
    values: NDArray[np.float32]
    """What the hands of a bucket are worth there, added up."""
    own: NDArray[np.float32]
    """The side's chances of having played to the start, added up by bucket, shape (buckets, w)."""
    reach: NDArray[np.float32]
    """The same by hand, shape (hands, w)."""
    worth: NDArray[np.float32]
    """What a hand is worth at the start, in the same shape."""
    totals: NDArray[np.float32]
    """The other side's sums by card at the ends, shape (places, LIVE_CARDS + 1, w)."""


class RiverRoom(NamedTuple):
    """Room for showdowns."""

    by_card: NDArray[np.float32]
    """The opponent's chances by bucket and card, shape (buckets, LIVE_CARDS + 1, w)."""
    within: NDArray[np.float32]
    """What a hand wins of its own bucket, shape (hands, w)."""
    within_sums: NDArray[np.float32]
    """The same by bucket, shape (buckets, w)."""
    beaten: NDArray[np.float32]
    """Chances of weaker hands less those of stronger ones, shape (places, LIVE_CARDS + 1, w)."""
    margin: NDArray[np.float32]
    """The same at one end, or its weighted sum over the ends, by card, shape (2, LIVE_CARDS + 1, w)."""
    rows: NDArray[np.float32]
    """Shape (4, w)."""


class Hands(NamedTuple):
    """The live hands on a full board, in ascending order of strength."""

    cards: NDArray[np.int64]
    """Of each hand, as numbers among the live cards, shape (hands, 2)."""
    ends: NDArray[np.int64]
    """Where each group of equal strength ends."""
    buckets: NDArray[np.int64]
    """Among those of such boards, shape (4, hands); on the river ascending, and equal within a group."""
    bounds: NDArray[np.int64]
    """Where the river's buckets begin and end, shape (buckets + 1,)."""
    counts: NDArray[np.float32]
    """Hands of a river bucket that hold a card, shape (buckets, LIVE_CARDS + 1); the last: all, negative."""
    first_rows: NDArray[np.int64]
    """Where this board's buckets begin among all, by round."""


class Learning(NamedTuple):
    """A pass over a board."""

    player: int
    """Who learns."""
    weight: float
    """How much the pass counts."""
    slips: float
    """In this part of its actions the opponent does anything that is allowed, each as often."""
    answers: bool
    """On the river the opponent answers best, by bucket, what the player would do on this very board."""
    opponent_learns: bool
    """The opponent learns as well, for itself; on the river it answers."""


Rounds = tuple[Round, Round, Round]
Rooms = tuple[Room, Room, Room]
"""Of all rounds but the river."""


class Side(NamedTuple):
    """The player who learns, or the opponent: what it has learnt, and what it knows of the hands."""

    rounds: Rounds
    rooms: Rooms
    hands: Hands
