"""No-limit hold'em with one card each and one on the board: solved exactly, on buckets, and again by parts.

52 cards, antes of 1, 20 chips behind, two rounds; a pair with the board beats everything, then the rank
counts.  Only ranks matter, so hands and boards are 13 each.  Arrays are by node, board and hand; a node's
*chance* is that of the action that leads to it.  Player 0 acts first in both rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import numba
import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.forest import NodeColumn
from engine.solving.subgames.menus import BettingPlan, parse_menu
from engine.solving.subgames.tree import Point, street_trees

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Chances = tuple[Floats, Floats]
"""By round."""
_N: Final = 13
_MENU: Final = (parse_menu("100%, a / 100%, a"),) * 2
_TREES: Final = street_trees(
    Point(1, 2.0, 20.0), BettingPlan(menus={"turn": _MENU, "river": _MENU}, most_of_left=0.8)
)  # fmt: skip
_PLUS: Final = (1.0, 1.0, 1.0, 0.0)
"""The factors of CFR+."""


def _ways() -> tuple[Floats, Floats]:
    """The chance of a board, a hand and another hand; the same with the sign of what the first wins."""
    board, mine, other = np.indices((_N,) * 3)
    ways = (4 - (mine == board)) * (4.0 - (other == board) - (other == mine)) * 4 / (52 * 51 * 50)
    strength = [np.where(each == board, _N, each) for each in (mine, other)]
    return ways, ways * np.sign(strength[0] - strength[1])


WAYS, WINS = _ways()
ALL: Final = np.arange(_N * _N).reshape(_N, _N)
"""Every hand on every board apart."""


@numba.njit
def _match(nodes, table, buckets, chances):  # type: ignore[no-untyped-def]
    for node in range(len(nodes)):
        first, actions = nodes[node, 1], nodes[node, 2]
        for board in range(len(buckets)):
            for hand in range(_N):
                bucket = buckets[board, hand]
                total = 0.0
                for child in range(first, first + actions):
                    total += max(table[child, bucket], 0.0)
                for child in range(first, first + actions):
                    good = max(table[child, bucket], 0.0)
                    chances[child, board, hand] = good / total if total > 0 else 1.0 / actions


@numba.njit
def _down(nodes, player, chances, reach):  # type: ignore[no-untyped-def]
    for node in range(len(nodes)):
        for child in range(nodes[node, 1], nodes[node, 1] + nodes[node, 2]):
            reach[child] = reach[node] * chances[child] if nodes[node, 0] == player else reach[node]


@numba.njit
def _up(nodes, player, responds, chances, values):  # type: ignore[no-untyped-def]
    for node in range(len(nodes) - 1, -1, -1):
        first, actions = nodes[node, 1], nodes[node, 2]
        if actions == 0:
            continue
        values[node] = (
            values[first] if responds or nodes[node, 0] != player else chances[first] * values[first]
        )
        for child in range(first + 1, first + actions):
            if nodes[node, 0] != player:
                values[node] += values[child]
            elif responds:
                values[node] = np.maximum(values[node], values[child])
            else:
                values[node] += chances[child] * values[child]


@numba.njit
def _learn(nodes, player, buckets, values, theirs, weight, regrets, sums):  # type: ignore[no-untyped-def]
    for node in range(len(nodes)):
        for child in range(nodes[node, 1], nodes[node, 1] + nodes[node, 2]):
            for board in range(len(buckets)):
                for hand in range(_N):
                    bucket = buckets[board, hand]
                    if nodes[node, 0] == player:
                        regrets[child, bucket] += values[child, board, hand] - values[node, board, hand]
                    else:
                        sums[child, bucket] += weight * theirs[child, board, hand]
            if nodes[node, 0] == player:
                regrets[child] = np.maximum(regrets[child], 0.0)


class Part:
    """The betting of a round, with tables by node and bucket.

    Args:
        number: 0 or 1.
        buckets: the bucket of each hand, shape (boards, hands); a bucket is the same on all boards.
    """

    def __init__(self, number: int, buckets: Ints) -> None:
        forest = _TREES[number].forest
        self.nodes = forest.nodes.astype(np.int64)
        self.roots, self.is_last = forest.roots, number == 1
        self.ends, self.folds = (
            forest.end_lanes[:, 0].astype(np.int64),
            forest.fold_lanes[:, 0].astype(np.int64),
        )
        self.won, self.stakes = forest.fold_chips.astype(np.float64), forest.end_chips.astype(np.float64)
        self.buckets = buckets
        self.ways = WAYS if self.is_last else WAYS.sum(axis=0, keepdims=True)
        shape = len(self.nodes), int(buckets.max()) + 1
        self.regrets, self.sums = np.zeros(shape), np.zeros(shape)

    def chances(self, table: Floats) -> Floats:
        """Chances in proportion to a table, `regrets` or `sums`; shape (nodes, boards, hands)."""
        found = np.ones((len(self.nodes), len(self.buckets), _N))
        _match(self.nodes, table, self.buckets, found)
        return found

    def reach(self, chances: Floats, player: int, start: Floats) -> Floats:
        """A player's reach at all nodes; start: at the roots, shape (roots, boards, hands)."""
        found = np.empty(chances.shape)
        found[: self.roots] = start
        _down(self.nodes, player, chances, found)
        return found

    def values(
        self,
        player: int,
        chances: Floats,
        reach: Floats,
        after: Floats | None = None,
        *,
        responds: bool = False,
    ) -> Floats:
        """A player's counterfactual values at all nodes.

        Args:
            player: whose.
            chances: both players'.
            reach: the other's, at all nodes.
            after: the values at the ends of the first round, shape (ends, 1, hands).
            responds: whether it responds best.
        """
        found = np.zeros(chances.shape)
        met = np.einsum("bij,nbj->nbi", self.ways, reach[self.folds])
        found[self.folds] = self.won[player][:, None, None] * met
        if after is not None:
            found[self.ends] = after
        else:
            shown = np.einsum("bij,nbj->nbi", WINS, reach[self.ends])
            found[self.ends] = self.stakes[:, None, None] * shown
        _up(self.nodes, player, responds, chances, found)
        return found

    def learn(self, player: int, values: Floats, theirs: Floats, weight: float) -> None:
        """CFR+: the player's regrets, and with a weight the other's sums; theirs: its reach at all nodes."""
        _learn(self.nodes, player, self.buckets, values, theirs, weight, self.regrets, self.sums)


def _equal_groups(number: int) -> Ints:
    return np.arange(_N) * number // _N


class Game:
    """The game on so many equal groups of ranks in each round, 13 for none; pairs are a bucket apart."""

    def __init__(self, first: int = _N, second: int = _N) -> None:
        later = np.tile(_equal_groups(second), (_N, 1))
        np.fill_diagonal(later, second)
        if second == _N:
            later = ALL
        self.parts = Part(0, _equal_groups(first)[None]), Part(1, later)

    def solve(self, iterations: int) -> Chances:
        """The average strategies after so many iterations of CFR+."""
        for t in range(1, iterations + 1):
            for player in range(2):
                chances = [part.chances(part.regrets) for part in self.parts]
                values, reach = self.values(player, (chances[0], chances[1]))
                for part, value, theirs in zip(self.parts, values, reach, strict=True):
                    part.learn(player, value, theirs, t)
        return self.parts[0].chances(self.parts[0].sums), self.parts[1].chances(self.parts[1].sums)

    def values(self, player: int, chances: Chances, *, responds: bool = False) -> tuple[Chances, Chances]:
        """A player's counterfactual values at all nodes, by round, and the other's reach there."""
        one, two = self.parts
        early = one.reach(chances[0], 1 - player, np.ones((1, 1, _N)))
        late = two.reach(chances[1], 1 - player, np.repeat(early[one.ends], _N, axis=1))
        below = two.values(player, chances[1], late, responds=responds)
        after = below[: two.roots].sum(axis=1, keepdims=True)
        return (one.values(player, chances[0], early, after, responds=responds), below), (early, late)

    def worth(self, player: int, chances: Chances, *, responds: bool = False) -> float:
        """What a player wins in the mean, in antes."""
        return float(self.values(player, chances, responds=responds)[0][0][0].sum())

    def exploitability(self, chances: Chances) -> float:
        """What best responses win, in thousandths of an ante, mean over both players."""
        return 500 * sum(self.worth(player, chances, responds=True) for player in range(2))


class Gadget(Protocol):
    """A choice of the opponent's before a subgame, as `Resolve` is one."""

    def reach(self) -> Floats:
        """The opponent's reach with each hand."""

    def learn(self, values: Floats, factors: tuple[float, float, float, float]) -> None:
        """Learn from the opponent's counterfactual values at the start of the subgame."""


class Start:
    """What a player that solves the second round again knows of it: arrays of shape (ends, boards, hands).

    Args:
        game: what is played.
        trunk: the strategies before.
        player: the one who solves again.
    """

    def __init__(self, game: Game, trunk: Chances, player: int) -> None:
        one, two = game.parts
        other = 1 - player
        own = one.reach(trunk[0], player, np.ones((1, 1, _N)))[one.ends]
        self.reach = np.repeat(own, _N, axis=1)
        theirs = one.reach(trunk[0], other, np.ones((1, 1, _N)))[one.ends]
        self.weights = np.repeat(theirs, _N, axis=1)
        """The opponent's range."""
        self.best = game.values(other, trunk, responds=True)[0][1][: two.roots]
        """The opponent's values if it responds best to the trunk."""
        self.expected = game.values(other, trunk)[0][1][: two.roots]
        """The same if it plays the trunk."""


def solved_again(game: Game, trunk: Chances, make: Callable[[Start], Gadget], iterations: int) -> float:
    """The exploitability of the trunk's first round with the second solved again, for each player, mA."""
    total = 0.0
    for player in range(2):
        start = Start(game, trunk, player)
        part, gadget = Part(1, ALL), make(start)
        for t in range(1, iterations + 1):
            for mover in range(2):
                chances = part.chances(part.regrets)
                theirs = part.reach(chances, 1 - mover, gadget.reach() if mover == player else start.reach)
                values = part.values(mover, chances, theirs)
                part.learn(mover, values, theirs, t)
                if mover != player:
                    gadget.learn(values[: part.roots], _PLUS)
        found = part.chances(part.sums)
        unknown = np.zeros(found.shape, np.bool_)  # where the player's hand never came: the trunk goes on
        for row in part.nodes:
            children = slice(row[NodeColumn.FIRST], row[NodeColumn.FIRST] + row[NodeColumn.ACTIONS])
            unknown[children] = ~(part.sums[children].sum(axis=0) > 0)[ALL]
        mixed = np.where(unknown, trunk[1], found)
        total += game.worth(1 - player, (trunk[0], mixed), responds=True)
    return 500 * total
