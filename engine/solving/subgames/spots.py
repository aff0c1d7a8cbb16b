"""Spots: subgames as people ask about them, what they cost, and the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import attrs
import numpy as np

from engine.kernels.solving.forest import BLOCK, NodeColumn
from engine.poker.combos import combos_without
from engine.solving.subgames.menus import STREETS, BettingPlan
from engine.solving.subgames.solver import Board, Place, Ranges, Subgame, alike_boards, meeting
from engine.solving.subgames.tree import Point, StreetTree, street_trees
from engine.support.arrays import Floats, Ints

_NS: Final = 2.2
"""Nanoseconds of an update of a hand at an edge, by one thread."""
_NS_OF_CALL: Final = 100_000.0
"""Nanoseconds of a pass over a board before the river, or over all rivers after it, beside that."""
_USUAL_ITERATIONS: Final = 150
"""With which a time is estimated where a target may be reached sooner."""

_LEAST_WEIGHT: Final = 1e-6
"""A range whose hands all weigh less holds none: tables are of single precision."""


@attrs.frozen(kw_only=True, eq=False)
class SolvableSpot:
    """A subgame that begins a street."""

    board: Board
    ranges: Ranges
    pot: float
    stack: float
    betting: BettingPlan
    target: float = 0.3
    """The part of the pot, in per cent, that the answer may be exploitable by."""
    iterations: int = 1000
    """At most so many."""
    memory: float = 4.0
    """At most so many gigabytes."""

    @property
    def start(self) -> Point:
        """The point at which it begins."""
        return Point(len(self.board) - 3, self.pot, self.stack)


@attrs.frozen
class Cost:
    """The cost of solving a spot."""

    nodes: int
    """Of the betting on all boards that are told apart."""
    bytes: int
    seconds: float
    """Of one thread, for the usual number of iterations."""


def cost(spot: SolvableSpot) -> Cost:
    """What a spot costs, before anything is allocated.

    Raises:
        TooLarge: the betting alone is too large.
        ValueError: a range holds nothing that the board leaves.
    """
    trees = street_trees(spot.start, spot.betting)
    held = [weights * combos_without(spot.board) for weights in spot.ranges]
    for name, weights in zip(("first", "second"), held, strict=True):
        if weights.max() < _LEAST_WEIGHT:
            raise ValueError(f"the range of the {name} player holds no hand that the board leaves")
    hands = [int(np.count_nonzero(weights)) for weights in held]
    boards, nodes, entries, calls = [spot.board], 0, 0, 1
    for tree in trees:
        edges = tree.forest.edges
        nodes += len(boards) * len(tree.points)
        entries += len(boards) * sum(-(-hands[p] // BLOCK) * BLOCK * edges[p] for p in range(2))
        if tree is not trees[-1]:
            calls += len(boards)
            boards = [
                each.board for board in boards for each in alike_boards(board, spot.ranges, len(spot.board))
            ]
    iterations = min(_USUAL_ITERATIONS, spot.iterations) if spot.target > 0 else spot.iterations
    return Cost(nodes, 8 * entries, 2 * iterations * 1e-9 * (_NS * entries + _NS_OF_CALL * calls))


@attrs.frozen(eq=False)
class BoardAnswer:
    """Both players' strategies on one board of a spot, and what follows from them."""

    tree: StreetTree
    board: Board
    combos: tuple[Ints, Ints]
    """Both players' hands, in the order of all arrays by hand."""
    strategies: list[Floats]
    """By node, the chances of its actions for the player to act, shape (hands, actions)."""
    reaches: list[tuple[Floats, Floats]]
    """By node, both players' weights, shape (hands,)."""
    values: list[tuple[Floats, Floats]]
    """By node, what both players' hands win in chips, half of the first pot counted as each player's; 0 where
    they meet no hand of the other's."""

    def frequencies(self, node: int) -> Floats:
        """How often the player to act takes each action, weighted by its hands."""
        shares = self._shares(node, self.player(node))
        return shares @ self.strategies[node] if shares.any() else self.strategies[node].mean(axis=0)

    def met(self, node: int, player: int) -> Floats:
        """The weight of the other player's hands that go with each hand of a player's."""
        weights = np.zeros(1326)
        weights[self.combos[1 - player]] = self.reaches[node][1 - player]
        return meeting(weights)[self.combos[player]]

    def player(self, node: int) -> int:
        """The player to act."""
        return int(self.tree.forest.nodes[node, NodeColumn.PLAYER])

    def worth(self, node: int, player: int) -> float:
        """The mean winnings of a player from a node on, of the pot and of what is still put in."""
        return float(self._shares(node, player) @ self.values[node][player]) + self._put_in(node, player)

    def action_values(self, node: int) -> Floats:
        """The winnings of each hand of the player to act from a node on, shape (hands, actions)."""
        player = self.player(node)
        after = [self.values[child][player] for child in self.tree.children(node)]
        return np.stack(after, axis=1) + self._put_in(node, player)

    def _shares(self, node: int, player: int) -> Floats:
        """The part of a player's hands that each is at a node; 0 where nobody comes."""
        weights = self.reaches[node][player] * self.met(node, player)
        return weights / (weights.sum() or 1.0)

    def _put_in(self, node: int, player: int) -> float:
        point = self.tree.points[node]
        return point.pot / 2 + point.bets[player]


def answers(subgame: Subgame, places: Iterable[Place] = ((0, 0, 0),)) -> dict[Place, BoardAnswer]:
    """The answers on some boards of a subgame; the board before each must be among them, and come first."""
    places = list(places)
    kept = [subgame.node_values(player, places) for player in range(2)]
    found: dict[Place, BoardAnswer] = {}
    for place in places:
        depth, number, board = place
        level, tree = subgame.levels[depth][number], subgame.trees[depth]
        combos = level.combos[board][0], level.combos[board][1]
        starts = _starts(subgame, place, found)
        strategies, reaches = [], list(starts)
        for node, actions in enumerate(tree.actions):
            player = int(tree.forest.nodes[node, NodeColumn.PLAYER])
            chances = subgame.average(place, node)[: len(combos[player])] if actions else np.empty((0, 0))
            strategies.append(chances)
            for column in range(len(actions)):
                below = [*reaches[node]]
                below[player] = below[player] * chances[:, column]
                reaches.append((below[0], below[1]))
        answer = BoardAnswer(tree, level.boards[board], combos, strategies, reaches, [])
        for node in range(len(tree.points)):
            pair = []
            for player in range(2):
                met = answer.met(node, player)
                worth = kept[player][place][node, : len(met)]
                pair.append(np.divide(worth, met, out=np.zeros(len(met)), where=met > 1e-12))
            answer.values.append((pair[0], pair[1]))
        found[place] = answer
    return found


def _starts(
    subgame: Subgame, place: Place, found: dict[Place, BoardAnswer]
) -> Iterator[tuple[Floats, Floats]]:
    """Both players' reach at the roots of a board."""
    depth, number, board = place
    if depth == 0:
        combos = subgame.levels[0][0].combos[0]
        first, second = (subgame.reach[p][np.searchsorted(subgame.combos[p], combos[p])] for p in range(2))
        yield first, second
        return
    level = subgame.levels[depth][number]
    above = found[subgame.above(place)]
    places = [level.sides[p].places[board, : len(level.combos[board][p])] for p in range(2)]
    for node, _, _ in above.tree.forest.end_lanes.tolist():
        yield above.reaches[node][0][places[0]], above.reaches[node][1][places[1]]


def equity(spot: SolvableSpot) -> tuple[float, Floats]:
    """The first player's equity: in the mean, and of each combo, shape (1326,); nan for hands not held."""
    game = Subgame(spot.board, spot.ranges, Point(spot.start.street, 2.0, 0.0), BettingPlan(menus={}))
    answer = answers(game)[0, 0, 0]
    shares = np.full(1326, np.nan)
    shares[answer.combos[0]] = (1 + answer.values[0][0]) / 2
    return answer.worth(0, 0) / 2, shares


def largest_menu(spot: SolvableSpot) -> str:
    """The street with the most sizes, from which one should be dropped first; of several the last."""
    menus = spot.betting.menus
    sizes = {
        street: sum(len(menu.bets) + sum(map(len, menu.raises)) for menu in menus.get(street, ()))
        for street in STREETS
    }
    return max(STREETS, key=lambda street: (sizes[street], STREETS.index(street)))
