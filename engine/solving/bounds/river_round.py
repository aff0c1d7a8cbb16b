"""A best response in the river's betting: one board at a time, after many earlier bettings side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.rivers import ALL, Field, LiveHands, Room, respond_on_river
from engine.poker.combos import COMBO_CARDS
from engine.solving.bounds.players import Player
from engine.solving.bounds.sample import Board
from engine.solving.bounds.shapes import Bettings, river_nodes
from engine.solving.holdem.abstraction import by_strength

__all__ = ["Lanes", "RiverRound"]

Floats = NDArray[np.float32]

_LANES: Final = 64
"""Bettings worked on side by side; with half as many it took a quarter longer."""


@attrs.frozen(eq=False)
class Lanes:
    """Bettings that begin the river side by side, all after the same end of the turn's betting."""

    end: int
    """The number of that end."""
    columns: slice
    """Which of the turn's bettings, as given to `RiverRound.lanes`, these are."""
    turns: tuple[int, ...]
    """The betting that began the turn, for each lane: indices of `Bettings.turns`."""
    stakes: Floats
    """Chips lost by a fold and at a showdown at each node, shape (nodes, 2, lanes)."""
    reach: Floats
    """The opponent's reach here with each combo, shape (1326, lanes)."""
    worth: Floats
    """Chips the best response wins with each combo, times the opponent's reach, shape (1326, lanes).

    Added up over boards.
    """
    room: Room
    """Scratch arrays, shared by all lanes of the same number."""


class RiverRound:
    """A best response on the river.

    Args:
        bettings: all bettings of the game.
        player: the opponent.
        position: the position of the best response.
    """

    def __init__(self, bettings: Bettings, player: Player, position: int) -> None:
        self._player = player
        self._nodes = river_nodes(bettings.river_shape, position)
        self._put_in = np.array([(node.fold, node.call) for node in bettings.river_shape], np.float32)
        self._asked = np.flatnonzero(self._nodes[:, Field.CHANCES] >= 0)
        ends = len(bettings.turns[0].ends)
        self._starts = [bettings.rivers[end::ends] for end in range(ends)]
        self._known: dict[tuple[int, tuple[int, ...]], Floats] = {}

    def lanes(self, turns: Sequence[int], ends: Sequence[Floats]) -> list[Lanes]:
        """The bettings to go through, in lanes; bettings that the opponent never reaches are left out.

        Args:
            turns: the bettings that began the turn, as indices of `Bettings.turns`.
            ends: the opponent's reach at each end of the turn's betting, each of shape (1326, turns).
        """
        found = []
        rooms: dict[int, Room] = {}
        for end, reach in enumerate(ends):
            for first in range(0, len(turns), _LANES):
                columns = slice(first, first + _LANES)
                theirs = np.ascontiguousarray(reach[:, columns], np.float32)
                if not theirs.any():
                    continue
                numbers = tuple(turns[columns])
                staked = np.array([self._starts[end][number].staked for number in numbers], np.float32)
                stakes = self._put_in[:, :, None] + staked
                room = rooms.setdefault(len(numbers), _room(self._nodes, len(numbers)))
                worth = np.zeros_like(theirs)
                found.append(Lanes(end, columns, numbers, stakes, theirs, worth, room))
        return found

    def add(self, board: Board, names: NDArray[np.int64], lanes: Sequence[Lanes]) -> None:
        """Add a board to the lanes' `worth`, and with it boards that differ only in the names of suits.

        Args:
            board: five cards.
            names: the combo that each combo becomes on each of these boards, shape (boards, 1326).
            lanes: the bettings to go through; their `worth` is added to in place.
        """
        hands = _live_hands(board)
        kinds: NDArray[np.int64] | None = None
        if self._player.is_fixed:
            classes = self._player.classes(board)[hands.combos]
            kinds, places = np.unique(classes, return_inverse=True)
            hands = hands._replace(classes=places.astype(np.int64))
        for each in lanes:
            if kinds is not None:  # only a few of the many classes occur on one board
                chances = np.ascontiguousarray(self._fixed_chances(each, board)[:, :, kinds])
            else:
                classes, chances = self._chances(each, board)
                hands = hands._replace(classes=classes[hands.combos])
            respond_on_river(
                self._nodes, hands, names, each.reach, each.stakes, chances, each.room, each.worth
            )

    def _fixed_chances(self, lanes: Lanes, board: Board) -> Floats:
        """The chances of a fixed player, remembered: they are the same on all boards."""
        key = lanes.end, lanes.turns
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._chances(lanes, board)[1]
        return found

    def _chances(self, lanes: Lanes, board: Board) -> tuple[NDArray[np.int64], Floats]:
        """The opponent's classes, and its chances at its own nodes, shape (nodes, 3, classes, lanes)."""
        starts = [self._starts[lanes.end][number] for number in lanes.turns]
        asked = [start.bettings[node] for node in self._asked for start in starts]
        classes, chances = self._player.chances(asked, board)
        by_node = chances.reshape(len(self._asked), len(starts), 3, -1)
        return classes, np.ascontiguousarray(by_node.transpose(0, 2, 3, 1))


def _live_hands(board: Board) -> LiveHands:
    """The live hands on a board, all in one class."""
    held, ends = by_strength(board)
    return LiveHands(
        held,
        np.ascontiguousarray(COMBO_CARDS[held, 0]),
        np.ascontiguousarray(COMBO_CARDS[held, 1]),
        ends,
        np.zeros(len(held), np.int64),
    )


def _room(nodes: NDArray[np.int64], lanes: int) -> Room:
    """Scratch arrays for a number of lanes."""
    rows, hands = int(nodes[:, Field.REACH].max()) + 1, 1081
    return Room(
        np.zeros((rows, hands, lanes), np.float32),
        np.zeros((hands, lanes), np.float32),
        np.zeros((hands, lanes), np.float32),
        np.zeros((2, hands, lanes), np.float32),
        np.zeros((ALL + 1, lanes), np.float32),
        np.zeros((ALL + 1, lanes), np.float32),
    )
