"""Solves a subgame of hold'em for two from a board of 3, 4 or 5 cards to its end, with every hand apart.

Values are in chips and zero-sum: half of the pot at the start counts as each player's.  A *counterfactual
value* of a hand is added up over the opponent's hands, each with its reach and with the chance of the cards
to come; two hands meet 45 turns and 44 rivers.

Boards that differ only in the names of suits are solved once, where that leaves both ranges as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import attrs
import numpy as np

from engine.hands.hand_rank import board_ranks
from engine.kernels.solving.forest import (
    BLOCK,
    LANES,
    Forest,
    Mode,
    NodeColumn,
    Pass,
    PassScratch,
    SideTables,
    come_up,
    gather,
    go_down,
    pass_rivers,
    scatter,
    value_folds,
)
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS, combos_without
from engine.solving.holdem.abstraction import SUIT_NAMES, renamed_card, renamed_combos
from engine.solving.subgames.menus import STREETS, BettingPlan
from engine.solving.subgames.schedules import SCHEDULES, Schedule
from engine.solving.subgames.tree import Point, StreetTree, street_trees
from engine.support.arrays import Floats, Floats32, Ints, Ints32, as_chances

Board = tuple[int, ...]
Ranges = tuple[Floats, Floats]
"""The weights of both players' hands, each of shape (1326,)."""
Place = tuple[int, int, int]
"""A board of a subgame: the number of streets before it, the level, and the board's number there."""


def _padded(number: int, unit: int = BLOCK) -> int:
    return -(-number // unit) * unit


@attrs.frozen(eq=False)
class _Alike:
    """A board that comes next, with the boards that are like it but for the names of suits."""

    board: Board
    images: tuple[Ints, ...]
    """For each of them, the first being itself, the combo that each combo becomes there; shape (1326,)."""


def alike_boards(board: Board, ranges: Ranges, first: int) -> list[_Alike]:
    """The boards with one card more, each once for all that are alike under both ranges.

    Args:
        board: the board before.
        ranges: the weights at the start of the subgame.
        first: how many of its cards were there then; those that came later must stay what they are, since
            players have acted between them.  Below 0, no boards are alike.
    """
    kept = [
        names
        for names in SUIT_NAMES[: None if first >= 0 else 1]
        if {renamed_card(card, names) for card in board[:first]} == {*board[:first]}
        and all(renamed_card(card, names) == card for card in board[first:])
        and all(np.array_equal(weights[renamed_combos(names)], weights) for weights in ranges)
    ]
    found, seen = [], set(board)
    for card in range(NUM_CARDS):
        if card not in seen:
            images = {renamed_card(card, names): renamed_combos(names) for names in reversed(kept)}
            seen |= {*images}
            own = images.pop(card)
            found.append(_Alike((*board, card), (own, *images.values())))
    return found


class _Level:
    """All boards of a street after the same board before it, with what is learnt there.

    Args:
        tree: the betting on the street.
        boards: the boards.
        before: both players' combos on the board before.
        own: their combos at the start of the subgame.
    """

    def __init__(
        self, tree: StreetTree, boards: Sequence[_Alike], before: Sequence[Ints], own: Sequence[Ints]
    ):
        self.forest: Forest = tree.forest
        self.boards = [each.board for each in boards]
        self.first_below = 0
        """The number of the level after the first board."""
        is_river = tree.street == len(STREETS) - 1
        listed = [[_combos_on(each.board, combos, is_river) for combos in own] for each in boards]
        self.combos = listed
        """By board and player, the combos in the order of the tables."""
        self.images = [
            [_places_of(each.images, listed[number][p], before[p]) for p in range(2)]
            for number, each in enumerate(boards)
        ]
        """By board and player, where values go on the board before: shape (images, padded hands)."""
        groups = [_groups(each.board, listed[n]) if is_river else None for n, each in enumerate(boards)]
        self.sides = [self._side(player, groups) for player in range(2)]

    def _side(self, player: int, groups: Sequence[tuple[Ints, Ints] | None]) -> SideTables:
        mine = [pair[player] for pair in self.combos]
        theirs = [pair[1 - player] for pair in self.combos]
        blocks = np.array([_padded(len(combos)) // BLOCK for combos in mine], np.int32)
        edges = max(1, self.forest.edges[player])
        ends = np.cumsum(blocks * edges)
        width = int(blocks.max()) * BLOCK
        cards = np.zeros((len(mine), width, 2), np.uint8)
        twins = np.full((len(mine), width), -1, np.int32)
        places = np.full((len(mine), width), -1, np.int32)
        for number, combos in enumerate(mine):
            cards[number, : len(combos)] = COMBO_CARDS[combos]
            twins[number, : len(combos)] = _places(theirs[number])[combos]
            image = self.images[number][player][0]
            places[number, : len(image)] = image
        most = max(len(pair[player]) if pair else 1 for pair in groups)
        ended = np.zeros((len(mine), most), np.int32)
        for number, pair in enumerate(groups):
            if pair:
                ended[number] = np.pad(pair[player], (0, most - len(pair[player])), mode="edge")
        size = int(ends[-1]), BLOCK
        return SideTables(
            np.zeros(size, np.float32), np.zeros(size, np.float32),
            (ends - blocks * edges).astype(np.int32), blocks, cards, twins, ended, places,
        )  # fmt: skip


def _combos_on(board: Board, combos: Ints, is_river: bool) -> Ints:
    live = combos[combos_without(board)[combos]]
    return live[np.argsort(board_ranks(board)[live], kind="stable")] if is_river else live


def _places(combos: Ints) -> Ints32:
    """The place of each combo in a list, -1 if it is not there; shape (1326,)."""
    found = np.full(NUM_COMBOS, -1, np.int32)
    found[combos] = np.arange(len(combos))
    return found


def _places_of(images: Sequence[Ints], combos: Ints, before: Ints) -> Ints32:
    found = np.full((len(images), _padded(len(combos))), -1, np.int32)
    for row, image in zip(found, images, strict=True):
        row[: len(combos)] = _places(before)[image[combos]]
    return found


def _groups(board: Board, pair: Sequence[Ints]) -> tuple[Ints, Ints]:
    """The ends, in both lists, of each strength that one of the players may hold."""
    ranks = [board_ranks(board)[combos] for combos in pair]
    every = np.unique(np.concatenate(ranks))
    first, second = (np.searchsorted(each, every, side="right") for each in ranks)
    return first, second


class Subgame:
    """A subgame and what has been learnt of it.

    Args:
        board: 3, 4 or 5 cards.
        ranges: the weights of both players' hands; player 0 acts first on every street.
        start: the point at which it begins.
        betting: the sizes of bets.
        schedule: the name of one of `SCHEDULES`.
        threads: how many work on rivers side by side; the results are the same to the last bit.
        merges_suits: whether boards alike are solved once.

    Raises:
        ValueError: no two hands of the ranges go together on the board.
    """

    # Many parameters: all are needed to say what is solved, and how.
    def __init__(
        self,
        board: Board,
        ranges: Ranges,
        start: Point,
        betting: BettingPlan,
        schedule: str = "dcfr",
        threads: int = 1,
        merges_suits: bool = True,
    ) -> None:
        live = combos_without(board)
        self.board, self.start, self.betting = board, start, betting
        self.ranges: Ranges = (ranges[0] * live, ranges[1] * live)
        self.combos = tuple(np.flatnonzero(weights) for weights in self.ranges)
        """Both players' hands, ascending."""
        self.meetings = float(self.ranges[0] @ meeting(self.ranges[1]))
        """The weights of all pairs of hands that go together."""
        if not self.meetings > 0:
            raise ValueError("no hands of the two ranges go together on this board")
        self.reach = [self.ranges[player][self.combos[player]] for player in range(2)]
        """The reach of the root by player, shape (hands,); may be replaced between passes."""
        self.trees = street_trees(start, betting)
        self.iterations = 0
        self._schedule: Schedule = SCHEDULES[schedule]
        root = _Alike(board, (np.arange(NUM_COMBOS),))
        self.levels = [[_Level(self.trees[0], [root], self.combos, self.combos)]]
        """By street: the level of the root, then one after each board of the street before."""
        for tree in self.trees[1:]:
            below: list[_Level] = []
            for level in self.levels[-1]:
                level.first_below = len(below)
                for each, combos in zip(level.boards, level.combos, strict=True):
                    after = alike_boards(each, self.ranges, len(board) if merges_suits else -1)
                    below.append(_Level(tree, after, combos, self.combos))
            self.levels.append(below)
        self._pool = ThreadPoolExecutor(threads)
        self._rooms = [[_room(tree.forest, self.combos) for tree in self.trees] for _ in range(threads)]
        most = max(len(level.boards) for level in self.levels[-1])
        self._outs = np.empty((most, *self._rooms[0][-1].start.shape), np.float32)
        self._kept: dict[Place, Floats32] = {}

    def run(self, iterations: int, total: int | None = None) -> None:
        """Iterate so many times.

        Args:
            iterations: how many more.
            total: how many in all, for schedules that depend on it; default: these and those before.
        """
        total = self.iterations + iterations if total is None else total
        for _ in range(iterations):
            for player in range(2):
                self.learn(player, total)
            self.iterations += 1

    def learn(self, player: int, total: int = 0) -> Floats:
        """One player's pass of an iteration; returns its counterfactual values, shape (hands,)."""
        return self._values(Pass(player, Mode.LEARN, *self._schedule(self.iterations, total)))

    def expected(self, player: int) -> Floats:
        """A player's counterfactual values if both play their averages, shape (hands,)."""
        return self._values(Pass(player, Mode.VALUE, 1.0, 1.0, 1.0, 0.0))

    def best(self, player: int) -> Floats:
        """A player's counterfactual values of a best response to the other's average, shape (hands,)."""
        return self._values(Pass(player, Mode.RESPOND, 1.0, 1.0, 1.0, 0.0))

    def worth(self, player: int, values: Floats) -> float:
        """The mean winnings of a player, in chips, from counterfactual values of its hands."""
        return float(self.reach[player] @ values) / self.meetings

    def exploitability(self) -> float:
        """The mean winnings of best responses to the averages, in chips, over both players."""
        return sum(self.worth(player, self.best(player)) for player in range(2)) / 2

    def node_values(
        self, player: int, places: Sequence[Place], *, responds: bool = False
    ) -> dict[Place, Floats32]:
        """A player's counterfactual values at all nodes of some boards if both play their averages.

        Args:
            player: whose.
            places: the boards.
            responds: whether it responds best instead.

        Returns:
            By board, shape (nodes, padded hands).
        """
        self._kept = {
            (depth, level, board): np.zeros(
                (len(self.trees[depth].points), self.levels[depth][level].sides[player].cards.shape[1]),
                np.float32,
            )
            for depth, level, board in places
        }  # fmt: skip
        (self.best if responds else self.expected)(player)
        found, self._kept = self._kept, {}
        return found

    def average(self, place: Place, node: int) -> Floats:
        """The average strategy at a node, even where it has none; shape (padded hands, actions)."""
        row = self.trees[place[0]].forest.nodes[node]
        player, actions = int(row[NodeColumn.PLAYER]), int(row[NodeColumn.ACTIONS])
        table = self.table(place, player)[:, row[NodeColumn.EDGE] : row[NodeColumn.EDGE] + actions]
        return as_chances(table.transpose(0, 2, 1).reshape(-1, actions).astype(np.float64), axis=1)

    def set_average(self, place: Place, node: int, chances: Floats) -> None:
        """Let the average strategy at a node be this, by combo; shape (1326, actions)."""
        row = self.trees[place[0]].forest.nodes[node]
        player, first = int(row[NodeColumn.PLAYER]), int(row[NodeColumn.EDGE])
        combos = self.levels[place[0]][place[1]].combos[place[2]][player]
        table = self.table(place, player)[:, first : first + int(row[NodeColumn.ACTIONS])]
        rows = np.zeros((table.shape[0] * BLOCK, table.shape[1]), np.float32)
        rows[: len(combos)] = chances[combos]
        table[:] = rows.reshape(-1, BLOCK, table.shape[1]).transpose(0, 2, 1)

    def table(self, place: Place, player: int, name: str = "sums") -> Floats32:
        """A player's summed strategies or regrets on a board, shape (blocks, edges, BLOCK); not a copy."""
        depth, level, board = place
        side, edges = self.levels[depth][level].sides[player], self.trees[depth].forest.edges[player]
        first, blocks = int(side.bases[board]), int(side.blocks[board])
        found: Floats32 = getattr(side, name)[first : first + blocks * edges]
        return found.reshape(blocks, edges, BLOCK)

    def above(self, place: Place) -> Place:
        """The board that a board after the first comes after."""
        depth, number = place[0] - 1, 0
        levels = self.levels[depth]
        while number + 1 < len(levels) and levels[number + 1].first_below <= place[1]:
            number += 1
        return depth, number, place[1] - levels[number].first_below

    def _values(self, step: Pass) -> Floats:
        mine, theirs = (self.combos[player] for player in (step.player, 1 - step.player))
        before, total = (np.zeros((1, _padded(len(combos)), LANES), np.float32) for combos in (theirs, mine))
        before[0, : len(theirs), 0] = self.reach[1 - step.player]
        self._boards((0, 0), before, step, total)
        return total[0, : len(mine), 0].astype(np.float64)

    def _boards(self, at: tuple[int, int], before: Floats32, step: Pass, total: Floats32) -> None:
        """A pass over all boards of a level.

        Args:
            at: the number of streets before it, and the level's number.
            before: the opponent's reach at the ends of the street before, by lane.
            step: what the pass is for.
            total: the player's values there, by lane; added to in place.
        """
        depth, level = at[0], self.levels[at[0]][at[1]]
        lanes = level.forest.roots
        # Two hands meet all cards but theirs and the board's.
        weight = 1.0 if depth == 0 else 1.0 / (NUM_CARDS - 4 - (len(level.boards[0]) - 1))
        is_river = depth == len(self.trees) - 1
        if is_river:
            self._rivers(at, before, step)
        for number in range(len(level.boards)):
            out = self._outs[number] if is_river else self._board((*at, number), before, step)
            for image in level.images[number][step.player]:
                scatter(image, weight, lanes, out, total)

    def _board(self, place: Place, before: Floats32, step: Pass) -> Floats32:
        """A pass over a board before the river; returns the values at its roots, by lane."""
        depth, _, board = place
        level, room = self.levels[depth][place[1]], self._rooms[0][depth]
        mine, theirs = level.sides[step.player], level.sides[1 - step.player]
        forest = level.forest
        gather(theirs, board, forest.roots, before, room.start)
        go_down(forest, theirs, board, step, room)
        value_folds(mine, theirs, board, len(forest.fold_lanes), room)
        room.end_values[:] = 0.0
        self._boards((depth + 1, level.first_below + board), room.ends, step, room.end_values)
        room = room._replace(kept=self._kept.get(place, room.kept))
        come_up(forest, mine, board, step, room, room.start)
        return room.start

    def _rivers(self, at: tuple[int, int], before: Floats32, step: Pass) -> None:
        """A pass over all rivers of a level; fills in the values at their roots."""
        level = self.levels[at[0]][at[1]]
        sides = level.sides[step.player], level.sides[1 - step.player]
        bounds = np.linspace(0, len(level.boards), len(self._rooms) + 1).astype(int).tolist()

        def work(first: int, end: int, room: PassScratch) -> None:
            pass_rivers(level.forest, sides, (first, end), before, step, room, self._outs)

        parts = [(*pair, rooms[-1]) for pair, rooms in zip(pairwise(bounds), self._rooms, strict=True)]
        if len(parts) == 1:
            work(*parts[0])
        else:
            list(self._pool.map(work, *zip(*parts, strict=True)))
        for place, kept in self._kept.items():
            if place[:2] == at:
                work(place[2], place[2] + 1, self._rooms[0][-1]._replace(kept=kept))


def _room(forest: Forest, combos: Sequence[Ints]) -> PassScratch:
    most = _padded(max(map(len, combos)))

    def by_lane(lanes: int) -> Floats32:
        return np.zeros((-(-lanes // LANES), most, LANES), np.float32)

    folds, ends = len(forest.fold_lanes), len(forest.end_lanes)
    return PassScratch(
        np.empty((len(forest.nodes), BLOCK), np.float32), np.empty((2, BLOCK), np.float32),
        np.empty((NUM_CARDS + 1, LANES), np.float32), by_lane(forest.roots), by_lane(folds), by_lane(ends),
        by_lane(folds), by_lane(ends), np.empty((0, 0), np.float32),
    )  # fmt: skip


def meeting(weights: Floats) -> Floats:
    """The weight of the hands that share no card with each combo, shape (1326,)."""
    by_card = np.bincount(COMBO_CARDS.ravel(), np.repeat(weights, 2), NUM_CARDS)
    return weights.sum() - by_card[COMBO_CARDS].sum(axis=1) + weights
