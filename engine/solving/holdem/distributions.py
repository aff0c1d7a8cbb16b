"""Hands in buckets by how strong they may become, on boards of several classes: k-means.

A hand on the flop or the turn has a distribution of its final strength against a random hand, over all boards
to come.  The distance of two hands is the Euclidean distance of their cumulative distributions.  Its square
is Cramér's distance; like the earth mover's distance (the sum of the absolute differences) it knows that a
strength of .9 is nearer to .8 than to .1.  Unlike a percentile of E[HS²], it tells a draw from a middling
pair.  Buckets are the clusters that k-means finds; before the flop they are the 169 starting hands.  On the
river a bucket is a stretch of the hands in order of strength, narrower at the top, where the money goes in.

`Distributions` may tell boards apart by the number of cards of one suit and by pairs; each class has buckets
of its own.  `Clusters` tell flops and turns apart by k-means on boards.  The features of a board are the
values of the 169 starting hands on it (their mean strength, and how it spreads over the boards to come) and
the number of cards of one suit.  So a strategy can tell whether a board is good for the player who raised
before the flop, which a hand's own strength does not say.

Sources: Gilpin, Sandholm, Sørensen, *Potential-Aware Automated Abstraction of Sequential Games* (2007);
Johanson, Burch, Valenzano, Bowling, *Evaluating State-Space Abstractions in Extensive-Form Games* (2013).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.hands.flop_configs import different_flops
from engine.kernels.poker.tables import ranking_table
from engine.kernels.solving.strengths import fill_distribution, fill_distributions, find_nearest
from engine.poker.cards import NUM_CARDS, NUM_SUITS
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.solving.holdem.abstraction import (
    NO_BUCKET,
    SUIT_NAMES,
    positions_on,
    renamed_card,
    renamed_combos,
)
from engine.support.arrays import Bytes, Floats, Floats32, Ints, Words16

BINS: Final = 20
"""Bins of equal width for strengths from 0 to 1."""
NUM_FLOPS: Final = 1755
"""Flops that differ in more than the names of suits."""
BOARD_CLASSES: Final = (1, 2, 4, 8)
"""The numbers of classes into which the boards of a round can be divided."""
_DEAD: Final = 255
"""In place of the bucket of a combo that shares a card with the flop."""
_TURNS: Final = 600
"""Random boards of four cards from whose hands the centres of the turn are found."""
_HANDS: Final = 60_000
"""Hands drawn for k-means to work on."""
_ROUNDS: Final = 25
"""Iterations of k-means."""
MOST_CLUSTERS: Final = 255
"""The most clusters of flops or turns: their numbers are kept as bytes."""
NUM_TURNS: Final = 16_432
"""Boards of four cards that differ in more than the names of suits."""
FEATURES: Final = 2 * NUM_STARTING_HANDS + 1
"""Features of a board: two for each starting hand, and one for its suits."""
_SUITED: Final = 0.1
"""The distance that one more card of a suit makes, compared with strengths from 0 to 1."""
_BOARDS: Final = 6000
"""Boards drawn for k-means to work on."""


class Distributions:
    """Buckets by distribution of strength.

    Args:
        flops: the bucket of each combo on each of the 1755 different flops, 255 for dead combos; shape (1755,
            1326), uint8.
        turns: the centres of the turn's buckets, shape (bins, buckets), float32.
        river: the number of buckets on a river board.
        board_classes: the number of classes of boards on flop, turn and river, each of `BOARD_CLASSES`;
            each class has buckets of its own.

    Raises:
        ValueError: an array has another shape or type, or a number is out of range.
    """

    kind: Final = "distributions"

    def __init__(
        self, flops: Bytes, turns: Floats32, river: int, board_classes: tuple[int, int, int]
    ) -> None:
        if flops.shape != (NUM_FLOPS, NUM_COMBOS) or flops.dtype != np.uint8:
            raise ValueError("expected 1755 x 1326 buckets of flops")
        if turns.ndim != 2 or turns.shape[0] != BINS or turns.dtype != np.float32 or not turns.size:
            raise ValueError(f"expected centres of turns in {BINS} dimensions")
        if not np.isfinite(turns).all():
            raise ValueError("expected finite centres of turns")
        if not 1 <= river <= 1000:
            raise ValueError(f"expected 1 to 1000 buckets on the river, got {river}")
        for each in board_classes:
            if each not in BOARD_CLASSES:
                raise ValueError(f"expected 1, 2, 4 or 8 classes of boards, got {each}")
        self._flops, self._turns, self.river, self.board_classes = flops, turns, river, board_classes
        number = int(flops[flops != _DEAD].max()) + 1
        self.buckets_on_a_board = (NUM_STARTING_HANDS, number, turns.shape[1], river)
        """The number of buckets of one class of boards, by round."""
        classes = (1, *board_classes)
        self.num_buckets = tuple(
            each * kind for each, kind in zip(self.buckets_on_a_board, classes, strict=True)
        )
        self.notes: Mapping[str, Any] = {
            "buckets": [number, turns.shape[1], river],
            "textures": list(board_classes),
        }

    @staticmethod
    def made(
        flop: int, turn: int, seed: int, show: Callable[[int], None] = lambda _: None
    ) -> tuple[Bytes, Floats32]:
        """The arrays `flops` and `turns` of new buckets; takes half a minute.

        Args:
            flop: the number of buckets on the flop, up to 255.
            turn: the number of buckets on the turn.
            seed: the seed for drawing hands and turns, and for the first centres.
            show: called with the number of flops done, of 1755.
        """
        generator = np.random.default_rng((seed, 169))
        boards, chances = different_flops()
        points = np.empty((len(boards), NUM_COMBOS, BINS), np.float32)
        for number, board in enumerate(boards):
            points[number] = distributions_on(board)
            show(number + 1)
        live = points[..., -1] > 0.5
        weights = np.where(live, chances[:, None], 0.0).ravel()
        flat = points.reshape(-1, BINS)
        sample = generator.choice(len(flat), _HANDS, p=weights / weights.sum())
        flops = np.full(live.shape, _DEAD, np.uint8)
        flops[live] = nearest_of(points[live], centres_of(flat[sample], flop, generator))
        turns = np.concatenate(
            [_live_on(generator.permutation(52)[:4].astype(np.uint8)) for _ in range(_TURNS)]
        )
        sample = generator.choice(len(turns), _HANDS)
        return flops, centres_of(turns[sample], turn, generator)

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that a file must hold to make it again."""
        return {"flops": self._flops, "turns": self._turns}

    def buckets(self, board: Sequence[int]) -> Ints:
        """The bucket of each combo on a board of 0, 3, 4 or 5 cards, or `NO_BUCKET`; shape (1326,)."""
        if not board:
            return STARTING_HAND_OF_COMBO.astype(np.int64)
        first = self._first(board)
        if len(board) == 3:
            number, names = flop_number(board)
            found = self._flops[number][renamed_combos(names)].astype(np.int64)
            return np.where(found == _DEAD, NO_BUCKET, first + found)
        if len(board) == 4:
            points = distributions_on(np.array(board, np.uint8))
            return np.where(points[:, -1] > 0.5, first + nearest_of(points, self._turns), NO_BUCKET)
        positions = positions_on(board)
        return np.where(positions < 0, NO_BUCKET, first + _stretch(positions, self.river))

    def bucket(self, combo: int, board: Sequence[int]) -> int:
        """The bucket of one combo that shares no card with the board."""
        if len(board) != 4:
            return int(self.buckets(board)[combo])
        counts = np.empty(BINS, np.uint16)
        first, second = map(int, COMBO_CARDS[combo])
        fill_distribution(ranking_table(), first, second, np.array(board, np.uint8), counts)
        return self._first(board) + int(nearest_of(_cumulative(counts[None]), self._turns)[0])

    def _first(self, board: Sequence[int]) -> int:
        """The first bucket of the class of the board."""
        betting_round = len(board) - 2
        return self.buckets_on_a_board[betting_round] * _board_class(
            board, self.board_classes[betting_round - 1]
        )


def distributions_on(board: Bytes) -> Floats32:
    """The cumulative distribution of each combo's final strength, shape (1326, bins), float32.

    It is taken over all boards to come.  The last column is 1, or 0 for combos that share a card with the
    board.

    Args:
        board: 3, 4 or 5 cards.
    """
    counts = np.empty((NUM_COMBOS, BINS), np.uint16)
    fill_distributions(ranking_table(), board, counts)
    return _cumulative(counts)


def _cumulative(counts: Words16) -> Floats32:
    """Cumulative distributions from counts by bin, in the same shape; rows without counts are 0."""
    sums = counts.cumsum(axis=1, dtype=np.float32)
    return sums / np.maximum(sums[:, -1:], np.float32(1))


def _live_on(board: Bytes) -> Floats32:
    """The cumulative distributions of the live combos on a board, shape (live combos, bins)."""
    points = distributions_on(board)
    return points[points[:, -1] > 0.5]


def nearest_of(points: Floats32, centres: Floats32) -> Ints:
    """The number of the centre nearest to each point, shape (points,); see `find_nearest`."""
    nearest = np.empty(len(points), np.int64)
    find_nearest(points, centres, nearest)
    return nearest


def centres_of(points: Floats32, number: int, generator: np.random.Generator) -> Floats32:
    """The centres that k-means finds, shape (dimensions, centres), float32.

    The first centres are points, each drawn by its squared distance from those before it (k-means++).

    Args:
        points: shape (points, dimensions).
        number: the number of centres.
        generator: draws the first centres.
    """
    away = np.full(len(points), np.inf)
    chosen = [points[generator.integers(len(points))]]
    while len(chosen) < number:
        away = np.minimum(away, np.square(points - chosen[-1]).sum(axis=1, dtype=np.float64))
        total = away.sum()
        chosen.append(points[generator.choice(len(points), p=away / total) if total > 0 else 0])
    centres = np.ascontiguousarray(np.array(chosen, np.float32).T)
    for _ in range(_ROUNDS):
        nearest = nearest_of(points, centres)
        sizes = np.bincount(nearest, minlength=number)
        for dimension in range(points.shape[1]):
            sums = np.bincount(nearest, weights=points[:, dimension], minlength=number)
            np.divide(sums, sizes, out=centres[dimension], where=sizes > 0, casting="unsafe")
    return centres


def _stretch(positions: Floats, number: int) -> Ints:
    """The stretch of each hand on the river, from the share of hands that are weaker; the weakest is 0.

    Args:
        positions: the share of weaker hands, -1 for dead hands.
        number: the number of stretches.
    """
    above = np.maximum(positions, 0.0)
    return (number * (above + above * above) / 2).astype(np.int64)


def _board_class(board: Sequence[int], board_classes: int) -> int:
    """The class of a board, of so many `board_classes`."""
    suits = [int(card) % NUM_SUITS for card in board]
    suited = max(map(suits.count, range(NUM_SUITS)))
    pairs = len(board) - len({int(card) // NUM_SUITS for card in board})
    if board_classes < 8:
        return (2 * (pairs > 0) + (suited >= 3)) % board_classes
    usual = 2 if len(board) == 5 else 1  # two of a suit are a draw on flop and turn, and nothing on the river
    return 3 * min(max(suited - usual, 0), 2) + min(pairs, 2)  # the most suited leave one pair at most


@functools.cache
def _numbers_of_flops() -> dict[tuple[int, ...], int]:
    """The number of each of the different flops, by its cards in ascending order."""
    return {tuple(sorted(map(int, flop))): number for number, flop in enumerate(different_flops()[0])}


def flop_number(board: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """The number of a flop among the different ones, and the renaming of suits that leads to that one."""
    masks = [0] * NUM_SUITS
    for card in board:
        masks[card % NUM_SUITS] |= 1 << (card // NUM_SUITS)
    order = sorted(range(NUM_SUITS), key=lambda suit: -masks[suit])
    names = tuple(order.index(suit) for suit in range(NUM_SUITS))
    renamed = tuple(sorted(renamed_card(int(card), names) for card in board))
    return _numbers_of_flops()[renamed], names


class Clusters:
    """Buckets by cluster of boards and, within a cluster, by distribution of strength.

    Args:
        base: the buckets within a cluster, and all buckets of the river.
        flops: the cluster of each of the 1755 different flops, shape (1755,), uint8.
        turns: the cluster of the board with each turn card after each flop, shape (1755, 52), uint8.

    Raises:
        ValueError: an array has another shape or type.
    """

    kind: Final = "clusters"

    def __init__(self, base: Distributions, flops: Bytes, turns: Bytes) -> None:
        if flops.shape != (NUM_FLOPS,) or turns.shape != (NUM_FLOPS, NUM_CARDS):
            raise ValueError("expected clusters of 1755 flops, and of 52 turns on each")
        if flops.dtype != np.uint8 or turns.dtype != np.uint8:
            raise ValueError("expected clusters as bytes")
        self.base, self._flops, self._turns = base, flops, turns
        on_flop, on_turn = int(flops.max()) + 1, int(turns.max()) + 1
        self.buckets_on_a_board = preflop, flop, turn, _ = base.buckets_on_a_board
        """The number of buckets of one cluster, by round."""
        self.num_buckets = (preflop, flop * on_flop, turn * on_turn, base.num_buckets[3])
        self.notes: Mapping[str, Any] = {**base.notes, "textures": [on_flop, on_turn, base.board_classes[2]]}

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that a file must hold to make it again."""
        return {**self.base.arrays(), "flop_clusters": self._flops, "turn_clusters": self._turns}

    def buckets(self, board: Sequence[int]) -> Ints:
        """The bucket of each combo on a board of 0, 3, 4 or 5 cards, or `NO_BUCKET`; shape (1326,)."""
        found = self.base.buckets(board)
        return np.where(found == NO_BUCKET, NO_BUCKET, found + self._first(board))

    def bucket(self, combo: int, board: Sequence[int]) -> int:
        """The bucket of one combo that shares no card with the board."""
        return self.base.bucket(combo, board) + self._first(board)

    def _first(self, board: Sequence[int]) -> int:
        """The first bucket of the board's cluster; 0 before the flop and on the river."""
        if len(board) not in (3, 4):
            return 0
        number, names = flop_number(board[:3])
        if len(board) == 3:
            cluster = self._flops[number]
        else:
            cluster = self._turns[number, renamed_card(int(board[3]), names)]
        return int(cluster) * self.buckets_on_a_board[len(board) - 2]


@attrs.frozen(eq=False)
class BoardFeatures:
    """The features of all boards of three and four cards, by which they are clustered."""

    flops: Floats32
    """Features of the different flops, shape (1755, FEATURES)."""
    turns: Floats32
    """Features of the different boards of four cards, shape (16432, FEATURES)."""
    numbers: Ints
    """The row of `turns` for each turn card after each flop, shape (1755, 52); -1 for cards on the flop."""


def board_features(show: Callable[[int], None] = lambda _: None) -> BoardFeatures:
    """The features of all boards of three and four cards; takes some minutes.

    Args:
        show: called with the number of flops done, of 1755.
    """
    boards, _ = different_flops()
    flops = np.empty((len(boards), FEATURES), np.float32)
    numbers = np.full((len(boards), NUM_CARDS), -1)
    known: dict[tuple[int, ...], int] = {}
    turns: list[Floats32] = []
    for place, flop in enumerate(boards):
        cards = [int(card) for card in flop]
        flops[place] = _features(cards)
        for card in set(range(NUM_CARDS)) - set(cards):
            turn = _named_alike((*cards, card))
            if turn not in known:
                known[turn] = len(turns)
                turns.append(_features(turn))
            numbers[place, card] = known[turn]
        show(place + 1)
    return BoardFeatures(flops, np.array(turns), numbers)


def cluster_boards(features: BoardFeatures, flops: int, turns: int, seed: int) -> tuple[Bytes, Bytes]:
    """The clusters of all different flops and of all turns after them, as `Clusters` takes them.

    Args:
        features: the features of the boards.
        flops: the number of clusters of flops.
        turns: the number of clusters of turns.
        seed: the seed for the boards that k-means works on and for its first centres.

    Returns:
        Clusters of shapes (1755,) and (1755, 52), uint8.
    """
    generator = np.random.default_rng((seed, 1755))
    _, chances = different_flops()
    drawn = generator.choice(NUM_FLOPS, _BOARDS, p=chances / chances.sum())
    centres = centres_of(features.flops[drawn], flops, generator)
    of_flops = nearest_of(features.flops, centres).astype(np.uint8)
    drawn = generator.choice(NUM_FLOPS, _BOARDS, p=chances / chances.sum())
    cards = generator.integers(NUM_CARDS, size=_BOARDS)
    dealt = features.numbers[drawn, cards]
    centres = centres_of(features.turns[dealt[dealt >= 0]], turns, generator)
    of_turns = nearest_of(features.turns, centres)
    by_card = np.where(features.numbers < 0, 0, of_turns[features.numbers]).astype(np.uint8)
    return of_flops, by_card


def _named_alike(board: Sequence[int]) -> tuple[int, ...]:
    """The canonical form of a board: the same for all boards that differ only in the names of suits."""
    return min(tuple(sorted(renamed_card(card, names) for card in board)) for names in SUIT_NAMES)


def _features(board: Sequence[int]) -> Floats32:
    """The features of a board, compared by Euclidean distance; shape (FEATURES,), float32."""
    points = distributions_on(np.array(board, np.uint8))
    live = points[:, -1] > 0.5
    hands = STARTING_HAND_OF_COMBO[live]
    above = 1.0 - points[live]
    heights = (np.arange(BINS) + 1.0) / BINS
    combos = np.bincount(STARTING_HAND_OF_COMBO, minlength=NUM_STARTING_HANDS)
    there = np.bincount(hands, minlength=NUM_STARTING_HANDS)
    rows = []
    for worth in (above.mean(axis=1), (2.0 * above * heights).mean(axis=1)):
        sums = np.bincount(hands, weights=worth, minlength=NUM_STARTING_HANDS)
        means = np.divide(sums, there, out=np.ones(NUM_STARTING_HANDS), where=there > 0)
        rows.append(means * np.sqrt(combos / combos.sum()))
    suits = [card % NUM_SUITS for card in board]
    suited = _SUITED * max(map(suits.count, range(NUM_SUITS)))
    return np.array([*rows[0], *rows[1], suited], np.float32)
