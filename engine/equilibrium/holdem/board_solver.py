"""Solving heads-up limit hold'em on buckets: boards drawn one after the other, all hands on each at once.

An iteration is a board, on which each player in turn learns against what the other plays just then.  Regrets
and strategies of iteration t count t times (linear CFR).  With several threads the river is shared out by the
leaves of the turn, and the next board is prepared meanwhile: the result depends on the seed alone.

Source: Johanson and others (2012), see `engine.kernels.equilibrium.chance_sampling`; Brown and Sandholm,
*Solving Imperfect-Information Games via Discounted Regret Minimization* (2019), for the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from engine.cards import NUM_CARDS
from engine.combos import COMBO_CARDS, NUM_COMBOS
from engine.equilibrium.holdem.abstraction import Abstraction
from engine.equilibrium.holdem.betting import holdem_betting
from engine.equilibrium.holdem.bucketed import BucketedStrategy
from engine.equilibrium.holdem.rounds import RoundTree, round_trees
from engine.equilibrium.saved_states import check_state
from engine.kernels.cards.tables import ranking_table
from engine.kernels.equilibrium.chance_sampling import ascend, descend, play_river, take_back
from engine.kernels.equilibrium.lanes import (
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
)
from engine.kernels.evaluation.combo_strength import order_combos
from engine.rules import GameDefinition

__all__ = ["BoardSolver", "hands_on"]

_BOARD_SIZES: Final = (0, 3, 4, 5)


class BoardSolver:
    """Heads-up limit hold'em that is being solved.

    Args:
        game: what is played.
        abstraction: which hands are taken for the same.
        seed: for the boards.
        jobs: threads; the result does not depend on it.
        slips: the part of the opponent's actions that are slips, 0 to 1; see `Learning`.
        answers: on the river the opponent answers best what the learning player would do on each board.

    Raises:
        ValueError: another game.
    """

    def __init__(
        self,
        game: GameDefinition,
        abstraction: Abstraction,
        *,
        seed: int = 0,
        jobs: int = 1,
        slips: float = 0.0,
        answers: bool = False,
    ) -> None:
        self.game = game
        self.abstraction = abstraction
        self.betting = holdem_betting(game, abstraction.num_buckets)
        self.iterations = 0
        """Boards so far."""
        self._seed, self._jobs, self._slips, self._answers = seed, jobs, slips, answers
        self._trees = round_trees(self.betting)
        preflop, flop, turn, river = map(_fresh_round, self._trees, abstraction.num_buckets)
        self._rounds = (preflop, flop, turn, river)
        on_a_board = abstraction.buckets_on_a_board
        widths = [tree.lanes for tree in self._trees[:RIVER]]
        rooms = [
            _room(len(tree.places), buckets, width)
            for tree, buckets, width in zip(self._trees[:RIVER], on_a_board[:RIVER], widths, strict=True)
        ]
        self._upper = (rooms[0], rooms[1], rooms[2])
        places, buckets, width = len(self._trees[RIVER].places), on_a_board[RIVER], widths[-1]
        leaves = self._trees[RIVER - 1].places[:, Place.KIND] == Kind.NEXT
        self._leaves = [int(place) for place in np.flatnonzero(leaves)]
        self._rivers = [
            (_room(places, buckets, width), _river_room(places, buckets, width))
            for _ in (self._leaves if jobs > 1 else self._leaves[:1])
        ]

    @property
    def num_information_sets(self) -> int:
        """Of both players, by bucket."""
        return self.betting.num_information_sets

    def run(self, iterations: int) -> None:
        """Go on for some iterations."""
        boards = range(self.iterations, self.iterations + iterations)
        if self._jobs == 1:
            self._learn_all(map(self._hands, boards), None)
            return
        with ThreadPoolExecutor(self._jobs) as pool:
            self._learn_all(_one_ahead(pool, self._hands, boards), pool)

    def _learn_all(self, boards: Iterable[Hands], pool: ThreadPoolExecutor | None) -> None:
        for hands in boards:
            for player in (0, 1):
                self._learn(hands, player, float(self.iterations + 1), pool)
            self.iterations += 1

    def learn_on(self, board: tuple[int, ...], player: int) -> None:
        """One player learns on a board, outside of all iterations; it counts once."""
        self._learn(hands_on(board, self.abstraction), player, 1.0, None)

    def _learn(self, hands: Hands, player: int, weight: float, pool: ThreadPoolExecutor | None) -> None:
        """One player's pass on a board."""
        turn, river = self._upper[RIVER - 1], self._rounds[RIVER]
        learning = Learning(player, weight, self._slips, self._answers)
        descend(self._rounds[:RIVER], self._upper, hands, learning)

        def play(leaf: int) -> Room:
            room, own = self._rivers[leaf % len(self._rivers)]
            play_river(river, room, own, turn, hands, (self._leaves[leaf], leaf), learning)
            return room

        leaves = range(len(self._leaves))
        played = map(play, leaves) if pool is None else pool.map(play, leaves)
        for leaf, room in zip(self._leaves, played, strict=True):
            take_back(turn, hands.buckets[RIVER - 1], leaf, room.worth, 0)
        ascend(self._rounds[:RIVER], self._upper, hands, learning)

    def average(self) -> BucketedStrategy:
        """The average strategy so far."""
        return BucketedStrategy.of(self.game, self.abstraction, self.by_slot("sums"))

    def by_slot(self, what: Literal["regrets", "sums"]) -> NDArray[np.float64]:
        """What has been learnt, by slot of `betting`."""
        found = np.zeros(self.betting.num_slots)
        for tree, rnd in zip(self._trees, self._rounds, strict=True):
            array = rnd.regrets if what == "regrets" else rnd.sums
            buckets = np.arange(array.shape[1])[None, :, None]
            slots = tree.slots[:, None, :] + tree.num_actions[:, None, None] * buckets
            is_there = np.broadcast_to(tree.slots[:, None, :] >= 0, slots.shape)
            found[slots[is_there]] = array[is_there]
        return found

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to go on exactly here, as arrays by name."""
        arrays = {f"regrets{number}": rnd.regrets.copy() for number, rnd in enumerate(self._rounds)}
        arrays |= {f"sums{number}": rnd.sums.copy() for number, rnd in enumerate(self._rounds)}
        return arrays | {"iterations": np.array(self.iterations)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a `state` of a solver of the same game, abstraction and seed.

        Raises:
            ValueError: it is none.
        """
        check_state(state, self.state())
        for number, rnd in enumerate(self._rounds):
            rnd.regrets[:], rnd.sums[:] = state[f"regrets{number}"], state[f"sums{number}"]
        self.iterations = int(state["iterations"])

    def _hands(self, number: int) -> Hands:
        generator = np.random.default_rng((self._seed, number))
        board = tuple(int(card) for card in generator.permutation(NUM_CARDS)[:5])
        return hands_on(board, self.abstraction)


def _one_ahead(pool: ThreadPoolExecutor, make: Callable[[int], Hands], numbers: range) -> Iterator[Hands]:
    """What is made of each number; while one is used the next one is made."""
    upcoming = pool.submit(make, numbers[0]) if numbers else None
    for number in numbers:
        assert upcoming is not None
        found = upcoming.result()
        if number + 1 in numbers:
            upcoming = pool.submit(make, number + 1)
        yield found


def hands_on(board: tuple[int, ...], abstraction: Abstraction) -> Hands:
    """The live hands on a full board, in ascending order of strength, with their buckets in each round."""
    order, ends = np.empty(NUM_COMBOS, np.int64), np.empty(NUM_COMBOS, np.int64)
    live, groups = order_combos(ranking_table(), np.array(board, np.uint8), order, ends)
    held = order[:live]
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
    return Hands(cards, ends[:groups].copy(), buckets, bounds, counts, first_rows)


def _fresh_round(tree: RoundTree, buckets: int) -> Round:
    shape = (len(tree.places) - 1, buckets, tree.lanes)
    regrets = np.zeros(shape, np.float32)
    return Round(tree.places, tree.chips, regrets, regrets, np.zeros(shape, np.float32))


def _room(places: int, buckets: int, width: int) -> Room:
    def by_place() -> NDArray[np.float32]:
        return np.zeros((places, buckets, width), np.float32)

    def by_hand() -> NDArray[np.float32]:
        return np.zeros((LIVE_HANDS, width), np.float32)

    return Room(
        by_place(), by_place(), by_place(), by_place(), np.zeros((buckets, width), np.float32),
        by_hand(), by_hand(), by_hand(), np.zeros((places, LIVE_CARDS + 1, width), np.float32),
    )  # fmt: skip


def _river_room(places: int, buckets: int, width: int) -> RiverRoom:
    def by_card(number: int) -> NDArray[np.float32]:
        return np.zeros((number, LIVE_CARDS + 1, width), np.float32)

    return RiverRoom(
        by_card(buckets), np.zeros((LIVE_HANDS, width), np.float32), np.zeros((buckets, width), np.float32),
        by_card(places), by_card(2), np.zeros((4, width), np.float32),
    )  # fmt: skip
