"""Plays a no-limit hand by solving, at the table, what is left of it: the strategy of one seat as a function.

Before a round the blueprint is played.  From then on a hand is solved from the start of the round to its end,
with all hands, and again after a bet that the tree does not have.  Everything follows from the betting and
the board alone, so a question about a hand that nobody plays is answered like any other, and nothing is
carried from hand to hand.

Our range is what we really played.  The opponent is held to its range only in part: the rest of its reach is
its own choice between the subgame and what it could have in the blueprint, hand by hand (`Resolve` with
estimates, mixed, in `gadgets`).  After a bet outside the tree its range is that of its raises in the tree,
and what it could have is the best of its bets there.

Source: Brown and Sandholm, *Safe and Nested Subgame Solving for Imperfect-Information Games* (2017).
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Final

import attrs
import numpy as np

from engine.kernels.solving.forest import NodeColumn
from engine.poker.combos import NUM_COMBOS, combos_without
from engine.poker.rules import CALL, FOLD, Action, ActionKind, BettingState, parse_betting, raise_to
from engine.poker.rules.action import COMMITTED
from engine.solving.holdem.bucketed import BucketedStrategy, Chances
from engine.solving.subgames.gadgets import Resolve
from engine.solving.subgames.menus import STREETS, BettingPlan, Menu, Size, Where, parse_menu, parse_sizes
from engine.solving.subgames.schedules import SCHEDULES
from engine.solving.subgames.solver import Board, Place, Subgame
from engine.solving.subgames.tree import Point, StreetTree, amounts
from engine.support.arrays import Floats

_KEPT: Final = 12
"""Solutions that are remembered; one of a turn has some 10 MB."""
_SLOWER: Final = 1.5
"""How much longer a solution may take to begin than those that have been seen."""
_RIVER: Final = 3
_INNER = parse_menu("100%, a / a")
_TURN = parse_menu("50%, 100%, a / 100%, a")
_ANY: Final = parse_sizes("50%, 100%, 200%, a", is_raise=True)
_ALONE = Menu(_ANY, (_ANY, parse_sizes("100%, a", is_raise=True)))
_MENUS: Final = {
    1: dict.fromkeys(("flop", "turn", "river"), (_INNER, _INNER)),
    2: {"turn": (_TURN, _TURN), "river": (_INNER, _INNER)},
    _RIVER: {"river": (_ALONE, _ALONE)},
}
"""By the round that is solved from."""

ChanceOf = Callable[[BettingState, int, Action], Floats]
"""How likely the player in a position takes an action after a betting with each combo, on any scale."""


def usual_betting(betting: BettingState, played: Mapping[Where, float] | None = None) -> BettingPlan:
    """The bets of a subgame that begins in the round of a betting, beside those really made."""
    return BettingPlan(
        menus=_MENUS[betting.betting_round],
        most_raises=0 if betting.betting_round == _RIVER else 2,
        most_of_left=COMMITTED,
        unit=1.0,
        least_bet=betting.game.big_blind,
        played=played or {},
    )


def player_in(betting: BettingState, position: int) -> int:
    """The player of a subgame in a position: 0 is the first to act after the flop."""
    return int(position != betting.game.first_positions[betting.betting_round])


def point_of(betting: BettingState) -> Point:
    """A betting after the flop as the start of a subgame."""
    this_round = (state for state, _, _ in betting.steps() if state.betting_round == betting.betting_round)
    before = next(this_round, betting).max_spent
    first = betting.game.first_positions[betting.betting_round]
    most = min(betting.game.betting_stacks)
    bets = [float(min(betting.spent[position], most) - before) for position in (first, 1 - first)]
    assert betting.position_to_act is not None
    return Point(
        betting.betting_round - 1, 2.0 * before, float(most - before), (bets[0], bets[1]),
        player_in(betting, betting.position_to_act), betting.raises_in_round,
    )  # fmt: skip


def as_played(before: BettingState, action: Action) -> Action:
    """An action as subgames have it: chips that nobody can call are not bet."""
    most = min(before.game.betting_stacks)
    return raise_to(most) if action.raise_to is not None and action.raise_to > most else action


def reaches(betting: BettingState, board: Board, chance_of: ChanceOf) -> list[Floats]:
    """Both positions' chances of having played to a betting with each combo that is not on the board.

    A position that plays so with no hand may have any.
    """
    live = combos_without(board[: betting.num_board_cards]).astype(np.float64)
    found = [live, live]
    for before, actor, action in betting.steps():
        found[actor] = found[actor] * chance_of(before, actor, action)
    return [each if each.any() else live for each in found]


def chance_in(found: Chances, action: Action) -> Floats:
    """The chance of an action with each combo; a raise of a size that is not known counts as any raise."""
    actions, chances = found
    if action in actions:
        return chances[:, actions.index(action)]
    return chances[:, [each.kind is ActionKind.RAISE for each in actions]].sum(axis=1)


@attrs.frozen(kw_only=True)
class Effort:
    """How a subgame is solved."""

    iterations: int = 100
    seconds: float | None = None
    """Stop after the iteration in which they run out; answers then depend on the machine."""
    first_round: int = _RIVER
    """The first round that is solved: 2 or 3."""
    mixed: float = 0.8
    """The part of the opponent's reach that is its range whatever it could choose; 1 is unsafe."""
    threads: int = 1
    """How many work on a turn's rivers; answers do not depend on it."""


@attrs.frozen(eq=False)
class Solution:
    """A subgame that was solved for one player."""

    game: Subgame
    root: BettingState
    player: int
    """The player in the subgame who solved it; the other is bounded by a gadget."""

    def find(self, betting: BettingState, board: Board) -> tuple[Place, int, BettingState | None]:
        """A betting in the subgame: its board and node, and None.

        If the tree lacks an action, the place where it was taken, and the betting after it.
        """
        place, node = (0, 0, 0), 0
        for before, _, action in betting.steps()[len(self.root.steps()) :]:
            tree, done = self.game.trees[place[0]], as_played(before, action)
            child = next(
                (each for each in tree.children(node) if self.action(tree, node, each) == done), None
            )
            after = before.apply(action)
            if child is None:
                return place, node, after
            node = child
            if after.betting_round > before.betting_round and place[0] + 1 < len(self.game.trees):
                below = self.game.levels[place[0]][place[1]].first_below + place[2]
                node = int(np.flatnonzero(tree.forest.end_lanes[:, 0] == node)[0])
                boards = self.game.levels[place[0] + 1][below].boards
                place = place[0] + 1, below, boards.index(board[: after.num_board_cards])
        return place, node, None

    def action(self, tree: StreetTree, node: int, child: int) -> Action:
        """The action at the table that leads from a node to a child."""
        name = tree.actions[node][child - tree.children(node)[0]]
        if name == "fold":
            return FOLD
        if name in ("check", "call"):
            return CALL
        point = tree.points[child]
        before = self.root.max_spent - max(self.game.start.bets) + (point.pot - self.game.start.pot) / 2
        return raise_to(round(before + max(point.bets)))

    def chances(self, place: Place, node: int) -> Chances:
        """The chances of each combo of the player to act at a node; hands that never come there call."""
        tree = self.game.trees[place[0]]
        actions = tuple(self.action(tree, node, child) for child in tree.children(node))
        combos = self.game.levels[place[0]][place[1]].combos[place[2]][
            int(tree.forest.nodes[node, NodeColumn.PLAYER])
        ]
        found = np.zeros((NUM_COMBOS, len(actions)))
        found[:, actions.index(CALL)] = 1.0
        found[combos] = self.game.average(place, node)[: len(combos)]
        return actions, found


class TableSolver:
    """The strategy of a blueprint whose last rounds are solved at the table.

    Args:
        blueprint: what is played before, and what opponents are measured by.
        effort: how subgames are solved.
    """

    def __init__(self, blueprint: BucketedStrategy, effort: Effort) -> None:
        self.blueprint, self.effort = blueprint, effort
        self.solved: list[tuple[str, int]] = []
        """The bettings that were solved, each with the number of iterations."""
        self.deadline = math.inf
        """When solutions stop whatever their effort, by `time.monotonic`; without time for one iteration the
        blueprint is played."""
        self._begins = [0.0] * 4
        """Most seconds to the end of a first iteration, by round."""
        self._late: deque[tuple[object, ...]] = deque(maxlen=100)
        """Bettings without time, which stay the blueprint's."""
        self._known: dict[tuple[object, ...], Solution] = {}
        """By what was solved, the latest used last."""

    def rehearse(self) -> None:
        """Learn how long a solution takes to begin, by one of a large subgame."""
        betting = parse_betting(self.blueprint.game, "cc/cc/cc/"[: 3 * self.effort.first_round])
        other = TableSolver(self.blueprint, attrs.evolve(self.effort, iterations=1))
        other.chances(betting, (0, 17, 34, 51, 8), betting.game.first_positions[betting.betting_round])
        self._begins = other._begins

    def chances(self, betting: BettingState, board: Board, position: int) -> Chances:
        """The chances of each combo of the player to act, as a position sees them; dead combos call."""
        board = board[: betting.num_board_cards]
        asked = position, betting.text, board
        if betting.betting_round >= self.effort.first_round and asked not in self._late:
            try:
                solution, place, node = self._in_force(betting, board, position)
            except TimeoutError:
                self._late.append(asked)
                self.solved.append((betting.text, 0))
            else:
                return solution.chances(place, node)
        actions, chances = self.blueprint.chances_of_all(betting, board)
        chances[np.isnan(chances[:, 0])] = [action == CALL for action in actions]
        return actions, chances

    def _in_force(self, betting: BettingState, board: Board, position: int) -> tuple[Solution, Place, int]:
        """The solution that holds at a betting, and where in it that is."""
        first = self.effort.first_round
        states = [before for before, _, _ in betting.steps()] + [betting]
        number = next(k for k, state in enumerate(states) if state.betting_round >= first)
        root, taken = states[number], states[number + 1 : number + 2]
        # A first bet of the opponent's becomes part of the tree.
        extra = taken[0].max_spent - root.max_spent if taken and root.position_to_act != position else 0
        solution = self._from_start(root, board[: root.num_board_cards], position, extra)
        while True:
            place, node, missed = solution.find(betting, board)
            if missed is None:
                return solution, place, node
            solution = self._nested(solution, place, node, missed, board[: missed.num_board_cards], position)

    def reaches(self, betting: BettingState, board: Board, position: int) -> list[Floats]:
        """Both positions' chances of having played to a betting with each combo, as one position sees it."""
        return reaches(
            betting, board,
            lambda before, _, action: chance_in(self.chances(before, board, position), action),
        )  # fmt: skip

    def _from_start(self, root: BettingState, board: Board, position: int, extra: int) -> Solution:
        """The solution from the start of a round, with an extra first bet of so many chips unless 0."""
        start = point_of(root)
        if extra in amounts(start, usual_betting(root), start.stack):
            extra = 0
        key = position, root.text, board, extra
        if key in self._known:
            return self._keep(key, self._known.pop(key))
        player = player_in(root, position)
        other = 1 - player
        reach, begun = self.reaches(root, board, position), self._begun(root)
        betting = usual_betting(root, {start.where: extra} if extra else None)
        game = self._subgame(board, start, betting, player, reach[position])
        estimates = self.of_blueprint(root, board, game, player).expected(other)
        gadget = self._gadget(estimates, reach[1 - position][game.combos[other]])
        return self._keep(key, self._solve(game, root, player, gadget, begun))

    def _nested(
        self, solution: Solution, place: Place, node: int, after: BettingState, board: Board, position: int
    ) -> Solution:
        """The solution after an action that the one in force does not have."""
        key = position, after.text, board, self.effort
        if key in self._known:
            return self._keep(key, self._known.pop(key))
        reach, begun = self.reaches(after, board, position), self._begun(after)
        player, other = solution.player, 1 - solution.player
        values = solution.game.node_values(other, [place], responds=True)[place][node]
        combos = solution.game.levels[place[0]][place[1]].combos[place[2]][other]
        best = np.zeros(NUM_COMBOS)
        best[combos] = values[: len(combos)]
        game = self._subgame(board, point_of(after), usual_betting(after), player, reach[position])
        gadget = self._gadget(best[game.combos[other]], reach[1 - position][game.combos[other]])
        return self._keep(key, self._solve(game, after, player, gadget, begun))

    def _subgame(
        self, board: Board, start: Point, betting: BettingPlan, player: int, reach: Floats
    ) -> Subgame:
        """A subgame with a player's hands as it may have them, and all of the other's that are live."""
        pair = [combos_without(board).astype(np.float64)] * 2
        pair[player] = (reach > 0).astype(np.float64)
        game = Subgame(
            board, (pair[0], pair[1]), start, betting, self._schedule, self.effort.threads, merges_suits=False
        )
        game.reach[player] = reach[game.combos[player]]
        return game

    def _gadget(self, alternatives: Floats, weights: Floats) -> Resolve:
        return Resolve(alternatives, self.effort.mixed, weights, is_scaled=True)

    def _begun(self, betting: BettingState) -> float:
        """The time at which a solution begins.

        Raises:
            TimeoutError: it would come too late.
        """
        now = time.monotonic()
        if now + _SLOWER * self._begins[betting.betting_round] > self.deadline:
            raise TimeoutError
        return now

    def _solve(
        self, game: Subgame, root: BettingState, player: int, gadget: Resolve, begun: float
    ) -> Solution:
        other, total = 1 - player, self.effort.iterations
        until = min(self.deadline, time.monotonic() + (self.effort.seconds or math.inf))
        schedule = SCHEDULES[self._schedule]
        while game.iterations < total:
            for mover in range(2):
                game.reach[other] = gadget.reach()
                values = game.learn(mover, total)
                if mover == other:
                    gadget.learn(values, schedule(game.iterations, total))
            game.iterations += 1
            now = time.monotonic()
            if game.iterations == 1:
                self._begins[root.betting_round] = max(self._begins[root.betting_round], now - begun)
            if now > until:
                break
        self.solved.append((root.text, game.iterations))
        return Solution(game, root, player)

    def of_blueprint(self, root: BettingState, board: Board, like: Subgame, player: int) -> Subgame:
        """A subgame with the hands and reach of another, in which both play the blueprint on its own tree."""
        menus = {}
        for street in STREETS[root.betting_round - 1 :]:
            bets, *raises = (
                tuple(Size(is_all_in=True) if math.isinf(each) else Size(pot=each) for each in sizes)
                for sizes in self.blueprint.betting.menu_of(1 + STREETS.index(street))
            )
            menus[street] = (Menu(bets, tuple(raises) or (bets,)),) * 2
        betting = attrs.evolve(usual_betting(root), menus=menus, most_raises=0)
        game = Subgame(board, like.ranges, like.start, betting, merges_suits=False)
        game.reach[player] = like.reach[player]
        self.play_blueprint(Solution(game, root, player), (0, 1))
        return game

    def play_blueprint(self, played: Solution, players: Collection[int]) -> None:
        """Let players of a subgame play the blueprint, whatever they learnt; raises become the nearest."""
        game, bettings = played.game, [played.root]
        for depth, tree in enumerate(game.trees):
            states: list[BettingState] = [*bettings]
            for node in range(len(tree.points)):
                states += [
                    states[node].apply(played.action(tree, node, child)) for child in tree.children(node)
                ]
            nodes = [k for k, own in enumerate(tree.actions) if own and tree.points[k].to_act in players]
            tables = [self._by_bucket(played, tree, node, states[node]) for node in nodes]
            for number, level in enumerate(game.levels[depth]):
                for place, cards in enumerate(level.boards):
                    # What hands that the board excludes would play is not read.
                    buckets = np.maximum(self.blueprint.abstraction.buckets(cards), 0)
                    for node, table in zip(nodes, tables, strict=True):
                        game.set_average((depth, number, place), node, table[buckets])
            bettings = [states[end] for end in tree.forest.end_lanes[:, 0]]

    def _by_bucket(self, played: Solution, tree: StreetTree, node: int, betting: BettingState) -> Floats:
        """Chances of the blueprint at a node, shape (buckets, actions); its raises become the nearest."""
        own = [played.action(tree, node, child) for child in tree.children(node)]
        actions, chances = self.blueprint.chances_of_buckets(betting)
        found = np.zeros((len(chances), len(own)))
        for action, column in zip(actions, chances.T, strict=True):
            raises = [each.raise_to is not None for each in own]
            if action in own or action.kind is not ActionKind.RAISE or not any(raises):
                target = own.index(action if action in own else CALL)
            else:
                distances = [abs((each.raise_to or math.inf) - (action.raise_to or 0)) for each in own]
                target = int(np.argmin(distances))
            found[:, target] += column
        return found

    @property
    def _schedule(self) -> str:
        return "hs" if self.effort.seconds is None else "dcfr"

    def _keep(self, key: tuple[object, ...], solution: Solution) -> Solution:
        self._known[key] = solution
        while len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        return solution
