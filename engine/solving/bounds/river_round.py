"""A best response in the river's betting: one board at a time, after many earlier bettings side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np

from engine.kernels.solving.rivers import ALL, Field, LiveHands, Room, respond_on_river
from engine.poker.combos import COMBO_CARDS
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, BettingState, GameDefinition
from engine.solving.betting_tree import DECISION, BettingTree
from engine.solving.bounds.players import Player
from engine.solving.bounds.sample import Board
from engine.solving.holdem.abstraction import by_strength
from engine.solving.holdem.betting import is_heads_up_limit_holdem
from engine.support.arrays import Floats32, Ints

_LANES: Final = 64
"""Bettings worked on side by side; with half as many it took a quarter longer."""


@attrs.frozen
class RoundNode:
    """A point of a round at which somebody is to act.

    Nodes are numbered, parents first; -1 stands for none.
    """

    position: int
    fold: int
    """Chips that the player to act has put in during the round, lost by a fold; -1 if it cannot fold."""
    call: int
    """Chips that each player has put in during the round once a call has ended it; -1 if a call does not."""
    after_call: int
    """The node after a call that does not end the round."""
    after_raise: int
    """The node after a raise."""


Shape = tuple[RoundNode, ...]
"""The betting tree of a round, the same whatever went before: its nodes by number."""
Bettings = Sequence[Sequence[BettingState]]


@attrs.frozen(eq=False)
class BettingRound:
    """A round of betting, with all bettings that begin it.

    Starts are ordered by start of the round before, then by the end of that round, as its nodes are.
    """

    shape: Shape
    staked: Floats32
    """Chips that each player has put in before the round, shape (starts,).

    Before the flop they are 0, and the blinds count as put in during the round.
    """
    bettings: Bettings
    """By start, the betting at each node."""

    @property
    def num_ends(self) -> int:
        """The number of nodes whose calls end the round."""
        return sum(node.call >= 0 for node in self.shape)


def rounds_of(game: GameDefinition) -> tuple[BettingRound, ...]:
    """The betting of a game, round by round.

    Args:
        game: heads-up limit hold'em without antes.

    Raises:
        ValueError: the game is another one.
    """
    if not is_heads_up_limit_holdem(game) or game.has_antes:
        raise ValueError("expected limit hold'em for two, without antes")
    tree = BettingTree(game)
    starts, found = np.zeros(1, np.int64), []
    for betting_round in range(game.num_rounds):
        rows = tree.round_from(starts)
        model = rows[:, 0]
        is_asked = (tree.kinds[model] == DECISION) & (tree.rounds[model] == betting_round)
        numbers = {int(node): number for number, node in enumerate(model[is_asked])}
        staked = tree.spent[starts].max(axis=1) if betting_round else np.zeros(1, np.int64)
        nodes, ends = [], []
        for node in numbers:
            position = int(tree.players[node])
            after = dict(zip(tree.actions[node], tree.children(node), strict=True))
            called, raised = after[CALL], after.get(LIMIT_RAISE, -1)
            fold = int(tree.spent[node, position] - staked[0]) if FOLD in after else -1
            call = -1 if called in numbers else int(tree.spent[called].max() - staked[0])
            nodes.append(RoundNode(position, fold, call, numbers.get(called, -1), numbers.get(raised, -1)))
            if call >= 0:
                ends.append(called)
        bettings = [[tree.bettings[node] for node in column] for column in rows[is_asked].T]
        found.append(BettingRound(tuple(nodes), staked.astype(np.float32), bettings))
        starts = rows[np.isin(model, ends)].T.ravel()
    return tuple(found)


@attrs.frozen(eq=False)
class Batch:
    """Bettings that begin the river side by side, all after the same end of the turn's betting."""

    end: int
    """The number of that end."""
    columns: slice
    """Which of the turn's bettings, as given to `RiverRound.lanes`, these are."""
    turns: tuple[int, ...]
    """The betting that began the turn, for each lane: indices of the turn's starts."""
    stakes: Floats32
    """Chips lost by a fold and at a showdown at each node, shape (nodes, 2, lanes)."""
    reach: Floats32
    """The opponent's reach here with each combo, shape (1326, lanes)."""
    worth: Floats32
    """Chips the best response wins with each combo, times the opponent's reach, shape (1326, lanes).

    Added up over boards.
    """
    room: Room
    """Scratch arrays, shared by all lanes of the same number."""


class RiverRound:
    """A best response on the river.

    Args:
        rounds: the betting of the game.
        player: the opponent.
        position: the position of the best response.
    """

    def __init__(self, rounds: Sequence[BettingRound], player: Player, position: int) -> None:
        *_, turn, river = rounds
        self._player = player
        self._nodes = river_nodes(river.shape, position)
        self._put_in = np.array([(node.fold, node.call) for node in river.shape], np.float32)
        self._asked = np.flatnonzero(self._nodes[:, Field.CHANCES] >= 0)
        ends = [slice(end, None, turn.num_ends) for end in range(turn.num_ends)]
        self._staked = [river.staked[end] for end in ends]
        self._bettings = [river.bettings[end] for end in ends]
        self._known: dict[tuple[int, tuple[int, ...]], Floats32] = {}

    def lanes(self, turns: Sequence[int], ends: Sequence[Floats32]) -> list[Batch]:
        """The bettings to go through, in lanes; bettings that the opponent never reaches are left out.

        Args:
            turns: the bettings that began the turn, as indices of the turn's starts.
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
                stakes = self._put_in[:, :, None] + self._staked[end][list(numbers)]
                room = rooms.setdefault(len(numbers), _room(self._nodes, len(numbers)))
                worth = np.zeros_like(theirs)
                found.append(Batch(end, columns, numbers, stakes, theirs, worth, room))
        return found

    def add(self, board: Board, names: Ints, lanes: Sequence[Batch]) -> None:
        """Add a board to the lanes' `worth`, and with it boards that differ only in the names of suits.

        Args:
            board: five cards.
            names: the combo that each combo becomes on each of these boards, shape (boards, 1326).
            lanes: the bettings to go through; their `worth` is added to in place.
        """
        hands = _live_hands(board)
        kinds: Ints | None = None
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

    def _fixed_chances(self, lanes: Batch, board: Board) -> Floats32:
        """The chances of a fixed player, remembered: they are the same on all boards."""
        key = lanes.end, lanes.turns
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._chances(lanes, board)[1]
        return found

    def _chances(self, lanes: Batch, board: Board) -> tuple[Ints, Floats32]:
        """The opponent's classes, and its chances at its own nodes, shape (nodes, 3, classes, lanes)."""
        starts = [self._bettings[lanes.end][number] for number in lanes.turns]
        asked = [bettings[node] for node in self._asked.tolist() for bettings in starts]
        classes, chances = self._player.chances(asked, board)
        by_node = chances.reshape(len(self._asked), len(starts), 3, -1)
        return classes, np.ascontiguousarray(by_node.transpose(0, 2, 3, 1))


def _live_hands(board: Board) -> LiveHands:
    """The live hands on a board, all in one class."""
    held, ends = by_strength(board)
    return LiveHands(held, COMBO_CARDS[held], ends, np.zeros(len(held), np.int64))


def _room(nodes: Ints, lanes: int) -> Room:
    """Scratch arrays for a number of lanes."""
    rows, hands = int(nodes[:, Field.REACH].max()) + 1, 1081
    return Room(
        np.zeros((rows, hands, lanes), np.float32),
        np.zeros((hands, lanes), np.float32),
        np.zeros((hands, lanes), np.float32),
        np.zeros((2, hands, lanes), np.float32),
        np.zeros((hands, lanes), np.float32),
        np.zeros((ALL + 1, lanes), np.float32),
        np.zeros((ALL + 1, lanes), np.float32),
    )


def river_nodes(shape: Shape, responder: int) -> Ints:
    """The river's tree as `engine.kernels.solving.rivers` walks it, shape (nodes, len(Field)), int64.

    Args:
        shape: the tree of the last round.
        responder: the position of the best response.
    """
    table = np.full((len(shape), len(Field)), -1, np.int64)
    table[0, Field.REACH] = table[0, Field.VALUE] = 0
    reaches, asked = 1, 0
    for number, node in enumerate(shape):
        row = table[number]
        assert node.call >= 0 or number == 0  # only the first check leads on
        row[Field.RESPONDS] = responds = int(node.position == responder)
        row[Field.FOLD], row[Field.CALL] = node.fold >= 0, node.call >= 0
        row[Field.AFTER_CALL], row[Field.AFTER_RAISE] = node.after_call, node.after_raise
        if not responds:
            row[Field.CHANCES] = asked
            asked += 1
        for place, after in enumerate((node.after_call, node.after_raise)):
            if after < 0:
                continue
            table[after, Field.REACH] = row[Field.REACH] if responds else reaches
            reaches += not responds
            table[after, Field.VALUE] = place if node.call < 0 else row[Field.VALUE]
    return table
