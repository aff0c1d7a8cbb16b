"""The public tree of a subgame: for each street, its bettings after all ends of the street before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np

from engine.kernels.solving.forest import Forest, NodeColumn
from engine.solving.subgames.menus import STREETS, BettingPlan, Menu, Size, Where
from engine.solving.walk import TooLarge

CHECK: Final = "check"
CALL: Final = "call"
FOLD: Final = "fold"
ALL_IN: Final = "all-in"
MOST_NODES: Final = 100_000
"""The most points of the betting on a street; several gigabytes on 48 rivers."""
_CLOSE: Final = 1e-9


@attrs.frozen
class Point:
    """A point of the betting in a subgame."""

    street: int
    """Index of `STREETS`."""
    pot: float
    """Chips that were in the pot when the street began."""
    stack: float
    """Chips behind each player then; the smaller stack if they differ."""
    bets: tuple[float, float] = (0.0, 0.0)
    """Chips put in by each player on this street."""
    to_act: int = 0
    """The player to act; player 0 is the first on every street."""
    raises: int = 0
    """Bets and raises on this street."""
    folded: int = -1
    """Who has folded."""
    aggressor: int = -1
    """Who bet last on the street before."""
    actions: tuple[str, ...] = ()
    """What has been done since the start of the subgame, with ``/`` between streets."""

    @property
    def to_call(self) -> float:
        """Chips to call."""
        return max(self.bets) - self.bets[self.to_act]

    @property
    def where(self) -> Where:
        """The point as `BettingPlan.played` names it, different from all others where somebody is to act."""
        return self.street, self.pot, self.bets, self.to_act

    @property
    def loses(self) -> float:
        """The loss of the loser of an end: half of the pot when the street began, and the smaller bet."""
        return self.pot / 2 + min(self.bets)

    def after(self, action: str, amount: float = 0.0) -> Point:
        """The point after an action; raises are to an amount.  Where a street ends, the next one begins."""
        me, taken = self.to_act, (*self.actions, action)
        if action == FOLD:
            return attrs.evolve(self, folded=me, actions=taken)
        if amount > max(self.bets) + _CLOSE:
            bets = (amount, self.bets[1]) if me == 0 else (self.bets[0], amount)
            return attrs.evolve(self, bets=bets, to_act=1 - me, raises=self.raises + 1, actions=taken)
        if action == CHECK and me == 0:
            return attrs.evolve(self, to_act=1, actions=taken)
        put_in = max(self.bets)
        return Point(
            self.street + 1, self.pot + 2 * put_in, self.stack - put_in,
            aggressor=1 - me if self.raises else -1, actions=(*taken, "/"),
        )  # fmt: skip


def amounts(point: Point, betting: BettingPlan, start: float) -> list[float]:
    """What a player may bet or raise to at a point, ascending.

    Args:
        point: where somebody is to act.
        betting: the sizes.
        start: chips behind at the start of the subgame.
    """
    found = _by_menu(point, betting, start)
    played = betting.played.get(point.where)
    return found if played is None else sorted({*found, min(played, point.stack)})


def _by_menu(point: Point, betting: BettingPlan, start: float) -> list[float]:
    level, most = max(point.bets), point.stack
    if level >= most - _CLOSE or (betting.most_raises and point.raises >= betting.most_raises):
        return []
    own = betting.menus.get(STREETS[point.street], (Menu(), Menu()))[point.to_act]
    pot = point.pot + 2 * level
    if point.raises:
        sizes: Sequence[Size] = own.raises[min(point.raises - 1, len(own.raises) - 1)]
    else:
        is_lead = own.leads is not None and point.to_act == 0 and point.aggressor == 1
        sizes = own.leads if is_lead and own.leads is not None else own.bets
    least = level + max(level - min(point.bets), betting.least_bet)
    found = {min(max(_amount(size, point, pot), least), most) for size in sizes}
    if betting.unit:
        found = {min(round(each / betting.unit) * betting.unit, most) for each in found}
    if sizes and most - level <= betting.add_all_in_to * pot:
        found.add(most)
    spent, own_bet = start - point.stack, point.bets[point.to_act]
    found = {
        most
        if most - each <= betting.all_in_from * (pot + 2 * (each - level)) + _CLOSE * max(1.0, most)
        or each + spent > betting.most_of_stack * start
        or each - own_bet > betting.most_of_left * (most - own_bet)
        else each
        for each in found
        if each > level + _CLOSE
    }
    return merged(sorted(found), level, pot, betting.merging)


def _amount(size: Size, point: Point, pot: float) -> float:
    level = max(point.bets)
    if size.is_all_in:
        return point.stack
    if size.times:
        return level * size.times
    if size.geometric < 0:
        return level + size.pot * pot
    bets = size.geometric or len(STREETS) - point.street
    ratio = (pot + 2 * (point.stack - level)) / pot
    return float(level + pot * (ratio ** (1 / bets) - 1) / 2)


def merged(found: Sequence[float], level: float, pot: float, threshold: float) -> list[float]:
    """The amounts, from the largest down, without those nearly as large as the last that was kept.

    A bet of y pots is left out after one of x if (1 + x) / (1 + y) < 1 + threshold, the rule of PioSOLVER.
    """
    kept: list[float] = []
    for each in reversed(found):
        if not kept or (pot + kept[-1] - level) / (pot + each - level) >= 1 + threshold:
            kept.append(each)
    return kept[::-1]


class StreetTree:
    """The betting of one street after several starts.

    Args:
        starts: the points at which it begins; all on the same street.
        betting: the sizes.
        stack: chips behind at the start of the subgame.

    Raises:
        TooLarge: there are too many points.
    """

    def __init__(self, starts: Sequence[Point], betting: BettingPlan, stack: float) -> None:
        self.street = starts[0].street
        self.points = list(starts)
        """By node."""
        self.actions: list[tuple[str, ...]] = []
        """By node, the names of its actions; none at an end."""
        rows = [[number] * 2 for number in range(len(starts))]  # of reach, by node and player
        nodes: list[list[int]] = []
        folds: list[int] = []
        ends: list[int] = []
        edges, reaches = [0, 0], [len(starts)] * 2
        for number, point in enumerate(self.points):  # which grow meanwhile
            if len(self.points) > MOST_NODES:
                raise TooLarge(
                    f"the betting on the {STREETS[self.street]} has more than {MOST_NODES:,} points"
                )
            after = [] if self._is_over(point) else _options(point, betting, stack)
            player = point.to_act
            nodes.append([player, len(self.points), len(after), edges[player], *rows[number]])
            edges[player] += len(after)
            self.actions.append(tuple(each.actions[-1 - (each.street > point.street)] for each in after))
            for each in after:
                below = rows[number].copy()
                below[player] = reaches[player]
                reaches[player] += 1
                rows.append(below)
                self.points.append(each)
            if not after:
                (ends if point.folded < 0 else folds).append(number)
        is_river = self.street == len(STREETS) - 1
        lost = [[-1 if self.points[fold].folded == player else 1 for fold in folds] for player in range(2)]
        fold_lanes, end_lanes = (
            np.array([[each, *rows[each]] for each in lanes], np.int32).reshape(-1, 3)
            for lanes in (folds, ends)
        )
        self.forest = Forest(
            np.array(nodes, np.int32), len(starts), (edges[0], edges[1]), fold_lanes, end_lanes,
            np.array(lost, np.float32) * np.array([self.points[fold].loses for fold in folds], np.float32),
            np.array([self.points[end].loses if is_river else 1.0 for end in ends], np.float32),
        )  # fmt: skip
        self.ends = [attrs.evolve(self.points[end], street=self.street + 1) for end in ends]
        """By lane, the point with which the next street begins."""

    def children(self, node: int) -> range:
        """The nodes after each action."""
        first = int(self.forest.nodes[node, NodeColumn.FIRST])
        return range(first, first + len(self.actions[node]))

    def _is_over(self, point: Point) -> bool:
        """Whether nobody acts on this street any more."""
        return (
            point.folded >= 0 or point.street > self.street or (point.stack <= _CLOSE and not any(point.bets))
        )


def _options(point: Point, betting: BettingPlan, stack: float) -> list[Point]:
    """The points after each action."""
    if point.to_call > _CLOSE:
        found = [point.after(FOLD), point.after(CALL, max(point.bets))]
    else:
        found = [point.after(CHECK)]
    verb = "raise" if any(point.bets) else "bet"
    for amount in amounts(point, betting, stack):
        found.append(point.after(ALL_IN if amount >= point.stack - _CLOSE else f"{verb} {amount:g}", amount))
    return found


def street_trees(start: Point, betting: BettingPlan) -> list[StreetTree]:
    """The forests of a subgame, from its first street to the river."""
    starts, found = [start], []
    for _ in range(start.street, len(STREETS)):
        found.append(StreetTree(starts, betting, start.stack))
        starts = found[-1].ends
    return found
