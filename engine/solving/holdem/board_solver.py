"""Solving heads-up limit hold'em on buckets: boards are sampled one by one, with all hands on each at once.

An iteration is one board, on which each player in turn learns against the other's current strategy.  Regrets
and strategies of iteration t count t times (linear CFR).  Several threads share the river by the leaves of
the turn and prepare the next board meanwhile; the result depends on the seed alone.

Source: Johanson and others (2012), see `engine.kernels.solving.chance_sampling`; Brown and Sandholm,
*Solving Imperfect-Information Games via Discounted Regret Minimization* (2019), for the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.chance_sampling import ascend, descend, play_river, take_back
from engine.kernels.solving.lanes import (
    LIVE_CARDS,
    LIVE_HANDS,
    RIVER,
    BatchHands,
    BatchNode,
    Learning,
    NodeKind,
    RiverWorkspace,
    Round,
    Rounds,
    Side,
    Workspace,
    Workspaces,
)
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import COMBO_CARDS
from engine.poker.rules import GameDefinition
from engine.solving.betting_tree import DECISION
from engine.solving.holdem.abstraction import Abstraction, by_strength
from engine.solving.holdem.betting import HoldemBetting, holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.support.arrays import Floats, Floats32, Ints
from engine.support.files.archive import check_state

_BOARD_SIZES: Final = (0, 3, 4, 5)

_OPPONENTS: Final = 990
"""The number of hands an opponent may hold on a full board."""
_VECTOR: Final = 8
"""The turn's lanes are padded to a multiple of this, for whole vectors."""

BothHands = tuple[BatchHands, BatchHands]
"""The hands on a board in the buckets of the player who learns, and in those of the opponent."""


@attrs.frozen(eq=False)
class RoundTree:
    """The betting tree of a round as arrays."""

    nodes: Ints
    """The nodes of the tree, shape (nodes, len(BatchNode))."""
    chips: Floats32
    """Chips that change hands at each end, per possible hand of the opponent; shape (nodes, lanes)."""
    slots: Ints
    """The slot of each action with the first bucket, shape (nodes - 1, lanes); -1 in an empty lane."""
    num_actions: Ints
    """The distance from a bucket's slot to the next bucket's, shape (nodes - 1,)."""

    @property
    def lanes(self) -> int:
        """The number of lanes: sequences that begin the round, and empty lanes."""
        return int(self.chips.shape[1])


class BoardSolver:
    """A solver of heads-up limit hold'em.

    Args:
        game: the game.
        abstraction: the buckets of the strategy.
        seed: the seed of the boards.
        jobs: the number of threads; the result does not depend on it.
        trembles: the part of the opponent's actions that are trembles, 0 to 1; see `Learning`.
        best_responses: whether the opponent plays a best response on the river, on each board.
        opponent: the buckets of the opponent on flop and turn; on the river it has those of `abstraction`.
            The opponent then learns a strategy of its own, against the player's.  None for an opponent that
            plays the player's own strategy of the other seat.

    Raises:
        ValueError: the game is another one, or an opponent that learns plays no best responses on the river.
    """

    def __init__(
        self,
        game: GameDefinition,
        abstraction: Abstraction,
        *,
        seed: int = 0,
        jobs: int = 1,
        trembles: float = 0.0,
        best_responses: bool = False,
        opponent: Abstraction | None = None,
    ) -> None:
        if opponent is not None and not best_responses:
            raise ValueError("expected an opponent that plays best responses on the river, as it learns")
        self.game = game
        self.abstraction = abstraction
        self.betting = holdem_betting(game, abstraction.num_buckets)
        self.iterations = 0
        """The number of iterations so far, each on one board."""
        self._seed, self._jobs, self._trembles, self._best_responses = seed, jobs, trembles, best_responses
        self._trees = round_trees(self.betting)
        preflop, flop, turn, river = map(_fresh_round, self._trees, abstraction.num_buckets)
        self._rounds = (preflop, flop, turn, river)
        self._opponent = opponent
        knows = opponent or abstraction
        upper = self._trees[:RIVER]
        self._their_rounds: Rounds | None = None
        if opponent is not None:
            preflop, flop, turn = (
                _fresh_round(tree, buckets, is_averaged=False)
                for tree, buckets in zip(upper, opponent.num_buckets[:RIVER], strict=True)
            )
            self._their_rounds = (preflop, flop, turn)
        self._spaces = [
            _spaces(upper, each.buckets_on_a_board, trembles)
            for each, trembles in ((abstraction, 0.0), (knows, trembles))
        ]
        nodes, buckets, width = (
            len(self._trees[RIVER].nodes),
            abstraction.buckets_on_a_board[RIVER],
            upper[-1].lanes,
        )
        leaves = upper[-1].nodes[:, BatchNode.KIND] == NodeKind.NEXT
        self._leaves = [int(node) for node in np.flatnonzero(leaves)]
        self._rivers = [
            (
                (_space(nodes, buckets, width, 0.0), _space(nodes, buckets, width, trembles)),
                _river_space(nodes, buckets, width),
            )
            for _ in (self._leaves if jobs > 1 else self._leaves[:1])
        ]

    def run(self, iterations: int) -> None:
        """Run some more iterations."""
        boards = range(self.iterations, self.iterations + iterations)
        if self._jobs == 1:
            self._learn_all(map(self._hands, boards), None)
            return
        with ThreadPoolExecutor(self._jobs) as pool:
            self._learn_all(_one_ahead(pool, self._hands, boards), pool)

    def _learn_all(self, boards: Iterable[BothHands], pool: ThreadPoolExecutor | None) -> None:
        """An iteration on each board."""
        for hands in boards:
            for player in (0, 1):
                self._learn(hands, player, float(self.iterations + 1), pool)
            self.iterations += 1

    def learn_on(self, board: tuple[int, ...], player: int) -> None:
        """Let one player learn on a given board, with weight 1; this is not counted as an iteration."""
        self._learn(self._hands_on(board), player, 1.0, None)

    def _learn(self, hands: BothHands, player: int, weight: float, pool: ThreadPoolExecutor | None) -> None:
        """One player's pass on a board."""
        river, own = self._rounds[RIVER], self._rounds[:RIVER]
        opponent_learns = self._their_rounds is not None
        learning = Learning(player, weight, self._trembles, self._best_responses, opponent_learns)
        ours = Side(own, self._spaces[0], hands[0])
        theirs = Side(self._their_rounds or own, self._spaces[1], hands[1])
        descend(ours, theirs, learning)

        def play(leaf: int) -> tuple[Workspace, Workspace]:
            spaces, space = self._rivers[leaf % len(self._rivers)]
            play_river(river, spaces, space, (ours, theirs), (self._leaves[leaf], leaf), learning)
            return spaces

        leaves = range(len(self._leaves))
        played = map(play, leaves) if pool is None else pool.map(play, leaves)
        for leaf, spaces in zip(self._leaves, played, strict=True):
            for side, space in list(zip((ours, theirs), spaces, strict=True))[: 1 + opponent_learns]:
                take_back(side.spaces[RIVER - 1], side.hands.buckets[RIVER - 1], leaf, space.worth, 0)
        ascend(ours, theirs, learning)

    def average(self) -> BucketedStrategy:
        """The average strategy so far."""
        return BucketedStrategy.of(self.game, self.abstraction, self.by_slot("sums"))

    def by_slot(self, what: Literal["regrets", "sums"]) -> Floats:
        """The regrets or the summed strategies, by slot of `betting`."""
        found = np.zeros(self.betting.num_slots)
        for tree, rnd in zip(self._trees, self._rounds, strict=True):
            array = rnd.regrets if what == "regrets" else rnd.sums
            buckets = np.arange(array.shape[1])[None, :, None]
            slots = tree.slots[:, None, :] + tree.num_actions[:, None, None] * buckets
            is_there = np.broadcast_to(tree.slots[:, None, :] >= 0, slots.shape)
            found[slots[is_there]] = array[is_there]
        return found

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to continue exactly from here, as arrays by name."""
        arrays = {f"regrets{number}": rnd.regrets.copy() for number, rnd in enumerate(self._rounds)}
        arrays |= {f"sums{number}": rnd.sums.copy() for number, rnd in enumerate(self._rounds)}
        for number, rnd in enumerate(self._their_rounds or ()):
            arrays[f"opponent{number}"] = rnd.regrets.copy()
        return arrays | {"iterations": np.array(self.iterations)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from the `state` of a solver of the same game, abstraction and seed.

        Raises:
            ValueError: it is not such a state.
        """
        check_state(state, self.state())
        for number, rnd in enumerate(self._rounds):
            rnd.regrets[:], rnd.sums[:] = state[f"regrets{number}"], state[f"sums{number}"]
        for number, rnd in enumerate(self._their_rounds or ()):
            rnd.regrets[:] = state[f"opponent{number}"]
        self.iterations = int(state["iterations"])

    def _hands(self, number: int) -> BothHands:
        """The hands on the board of an iteration."""
        generator = np.random.default_rng((self._seed, number))
        return self._hands_on(tuple(int(card) for card in generator.permutation(NUM_CARDS)[:5]))

    def _hands_on(self, board: tuple[int, ...]) -> BothHands:
        """The hands on a full board, for both sides."""
        ours = hands_on(board, self.abstraction)
        return ours, ours if self._opponent is None else hands_on(board, self._opponent)


def _one_ahead(
    pool: ThreadPoolExecutor, make: Callable[[int], BothHands], numbers: range
) -> Iterator[BothHands]:
    """The results of `make`; each is made while the one before is being used."""
    upcoming = pool.submit(make, numbers[0]) if numbers else None
    for number in numbers:
        assert upcoming is not None
        found = upcoming.result()
        if number + 1 in numbers:
            upcoming = pool.submit(make, number + 1)
        yield found


def hands_on(board: tuple[int, ...], abstraction: Abstraction) -> BatchHands:
    """The live hands on a full board in ascending order of strength, with their buckets in each round."""
    held, ends = by_strength(board)
    numbers = np.zeros(NUM_CARDS, np.int64)
    numbers[[card for card in range(NUM_CARDS) if card not in board]] = np.arange(LIVE_CARDS)
    cards = numbers[COMBO_CARDS[held]]
    buckets = np.ascontiguousarray([abstraction.buckets(board[:size])[held] for size in _BOARD_SIZES])
    on_a_board = np.array(abstraction.buckets_on_a_board, np.int64)
    first_rows = buckets[:, 0] // on_a_board * on_a_board
    buckets -= first_rows[:, None]
    number = abstraction.buckets_on_a_board[RIVER]
    counts = np.zeros((number, LIVE_CARDS + 1), np.float32)
    np.add.at(counts, (buckets[RIVER][:, None], cards), 1)
    counts[:, LIVE_CARDS] = -np.bincount(buckets[RIVER], minlength=number)
    bounds = np.searchsorted(buckets[RIVER], np.arange(number + 1))
    return BatchHands(cards, ends, buckets, bounds, counts, first_rows)


def _fresh_round(tree: RoundTree, buckets: int, *, is_averaged: bool = True) -> Round:
    """A round of which nothing has been learnt; it sums up strategies only if `is_averaged`."""
    shape = (len(tree.nodes) - 1, buckets, tree.lanes)
    regrets = np.zeros(shape, np.float32)
    sums = np.zeros(shape if is_averaged else (shape[0], 0, shape[2]), np.float32)
    return Round(tree.nodes, tree.chips, regrets, sums)


def _spaces(trees: Sequence[RoundTree], buckets: Sequence[int], trembles: float) -> Workspaces:
    """Scratch arrays of one side for all rounds but the river."""
    preflop, flop, turn = (
        _space(len(tree.nodes), number, tree.lanes, trembles)
        for tree, number in zip(trees, buckets[:RIVER], strict=True)
    )
    return preflop, flop, turn


def _space(nodes: int, buckets: int, width: int, trembles: float) -> Workspace:
    """Scratch arrays of one side for one round."""

    def by_node() -> Floats32:
        return np.zeros((nodes, buckets, width), np.float32)

    def by_hand() -> Floats32:
        return np.zeros((LIVE_HANDS, width), np.float32)

    plays = by_node()
    return Workspace(
        by_node(), plays, by_node() if trembles else plays, by_node(),
        np.zeros((buckets, width), np.float32), by_hand(), by_hand(),
        np.zeros((nodes, LIVE_CARDS + 1, width), np.float32),
    )  # fmt: skip


def _river_space(nodes: int, buckets: int, width: int) -> RiverWorkspace:
    """Scratch arrays for showdowns on the river."""

    def by_card(number: int) -> Floats32:
        return np.zeros((number, LIVE_CARDS + 1, width), np.float32)

    return RiverWorkspace(
        by_card(buckets), np.zeros((LIVE_HANDS, width), np.float32), np.zeros((buckets, width), np.float32),
        by_card(nodes), by_card(2), np.zeros((4, width), np.float32),
    )  # fmt: skip


def round_trees(betting: HoldemBetting) -> tuple[RoundTree, ...]:
    """The betting trees of all rounds, preflop to river, each the same for all sequences that begin it."""
    tree = betting.tree
    paid = np.where(tree.kinds == DECISION, 0.0, tree.spent.min(axis=1) / _OPPONENTS)
    starts = np.zeros(1, np.int64)
    found = []
    for betting_round in range(betting.game.num_rounds):
        if betting_round == RIVER - 1:
            starts = np.pad(starts, (0, -len(starts) % _VECTOR), constant_values=-1)
        rows = tree.round_from(starts)
        rows = rows[np.argsort(tree.depths[rows.max(axis=1)], kind="stable")]  # children become neighbours
        is_there, model = rows >= 0, rows.max(axis=1)
        is_next = (tree.kinds[model] == DECISION) & (tree.rounds[model] > betting_round)
        num_actions = np.array([len(tree.actions[node]) for node in model]) * ~is_next
        parents = np.repeat(np.arange(len(rows)), num_actions)
        nodes = np.zeros((len(rows), len(BatchNode)), np.int64)
        nodes[:, BatchNode.KIND] = np.choose(
            tree.kinds[model], (NodeKind.DECISION, NodeKind.FOLD, NodeKind.SHOWDOWN)
        )
        nodes[is_next, BatchNode.KIND] = NodeKind.NEXT
        nodes[~is_next, BatchNode.PLAYER] = tree.players[model][~is_next]
        nodes[1:, BatchNode.PARENT] = parents
        nodes[:, BatchNode.FIRST] = 1 + np.cumsum(num_actions) - num_actions
        nodes[:, BatchNode.NUM_ACTIONS] = num_actions
        nodes[is_next, BatchNode.LEAF] = np.arange(is_next.sum())
        chosen = np.arange(1, len(rows)) - nodes[parents, BatchNode.FIRST]
        slots = betting.firsts[rows[parents], 0] + chosen[:, None]
        found.append(
            RoundTree(
                nodes,
                np.where(is_there, paid[rows], 0.0).astype(np.float32),
                np.where(is_there[1:], slots, -1),
                num_actions[parents],
            )
        )
        starts = rows[is_next].ravel()
    return tuple(found)
