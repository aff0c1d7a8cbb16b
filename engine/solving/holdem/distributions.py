"""Hands in buckets by how strong they may become: k-means on distributions of strength.

A hand on the flop or the turn has a distribution of its final strength against a random hand, over all boards
to come.  The distance of two hands is the Euclidean distance of their cumulative distributions.  Its square
is Cramér's distance; like the earth mover's distance (the sum of the absolute differences) it knows that a
strength of .9 is nearer to .8 than to .1.  Unlike a percentile of E[HS²], it tells a draw from a middling
pair.  Buckets are the clusters that k-means finds; before the flop they are the 169 starting hands.

On the river a bucket is a stretch of the hands in order of strength, narrower at the top, where the money
goes in.  In each round boards may also be told apart by *texture*: the number of cards of one suit, and
pairs.

Sources: Gilpin, Sandholm, Sørensen, *Potential-Aware Automated Abstraction of Sequential Games* (2007);
Johanson, Burch, Valenzano, Bowling, *Evaluating State-Space Abstractions in Extensive-Form Games* (2013).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.hands.flop_configs import different_flops
from engine.kernels.poker.tables import ranking_table
from engine.kernels.solving.strengths import fill_distribution, fill_distributions, find_nearest
from engine.poker.cards import NUM_SUITS
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.solving.holdem.abstraction import NO_BUCKET, positions_on
from engine.solving.holdem.buckets import renamed_card, renamed_combos

__all__ = ["BINS", "NUM_FLOPS", "TEXTURES", "Distributions"]

BINS: Final = 20
"""Bins of equal width for strengths from 0 to 1."""
NUM_FLOPS: Final = 1755
"""Flops that differ in more than the names of suits."""
TEXTURES: Final = (1, 2, 4, 8)
"""The numbers of kinds into which the boards of a round can be divided."""
_DEAD: Final = 255
"""In place of the bucket of a combo that shares a card with the flop."""
_TURNS: Final = 600
"""Random boards of four cards from whose hands the centres of the turn are found."""
_SAMPLE: Final = 60_000
"""Hands drawn for k-means to work on."""
_ROUNDS: Final = 25
"""Iterations of k-means."""


class Distributions:
    """Buckets by distribution of strength.

    Args:
        flops: the bucket of each combo on each of the 1755 different flops, 255 for dead combos; shape (1755,
            1326), uint8.
        turns: the centres of the turn's buckets, shape (bins, buckets), float32.
        river: the number of buckets on a river board.
        textures: the number of kinds of boards on flop, turn and river, each of `TEXTURES`; each kind has
            buckets of its own.

    Raises:
        ValueError: an array has another shape or type, or a number is out of range.
    """

    kind: Final = "distributions"

    def __init__(
        self,
        flops: NDArray[np.uint8],
        turns: NDArray[np.float32],
        river: int,
        textures: tuple[int, int, int],
    ) -> None:
        if flops.shape != (NUM_FLOPS, NUM_COMBOS) or flops.dtype != np.uint8:
            raise ValueError("expected 1755 x 1326 buckets of flops")
        if turns.ndim != 2 or turns.shape[0] != BINS or turns.dtype != np.float32 or not turns.size:
            raise ValueError(f"expected centres of turns in {BINS} dimensions")
        if not np.isfinite(turns).all():
            raise ValueError("expected finite centres of turns")
        if not 1 <= river <= 1000:
            raise ValueError(f"expected 1 to 1000 buckets on the river, got {river}")
        for each in textures:
            if each not in TEXTURES:
                raise ValueError(f"expected 1, 2, 4 or 8 textures, got {each}")
        self._flops, self._turns, self.river, self.textures = flops, turns, river, textures
        number = int(flops[flops != _DEAD].max()) + 1
        self._by_round = (NUM_STARTING_HANDS, number, turns.shape[1], river)
        kinds = (1, *textures)
        self.num_buckets = tuple(each * kind for each, kind in zip(self._by_round, kinds, strict=True))
        """The number of buckets in each betting round."""

    @staticmethod
    def made(
        flop: int, turn: int, seed: int, show: Callable[[int], None] = lambda _: None
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
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
        sample = generator.choice(len(flat), _SAMPLE, p=weights / weights.sum())
        flops = np.full(live.shape, _DEAD, np.uint8)
        flops[live] = nearest_of(points[live], centres_of(flat[sample], flop, generator))
        turns = np.concatenate(
            [_live_on(generator.permutation(52)[:4].astype(np.uint8)) for _ in range(_TURNS)]
        )
        sample = generator.choice(len(turns), _SAMPLE)
        return flops, centres_of(turns[sample], turn, generator)

    @property
    def buckets_on_a_board(self) -> tuple[int, ...]:
        """The number of buckets of one texture, by round."""
        return self._by_round

    @property
    def notes(self) -> Mapping[str, Any]:
        """The settings that it is made from besides the arrays, in terms of JSON."""
        return {"buckets": list(self._by_round[1:]), "textures": list(self.textures)}

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that a file must hold to make it again."""
        return {"flops": self._flops, "turns": self._turns}

    def buckets(self, board: Sequence[int]) -> NDArray[np.int64]:
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
        """The first bucket of the board's texture."""
        betting_round = len(board) - 2
        return self._by_round[betting_round] * _texture(board, self.textures[betting_round - 1])


def distributions_on(board: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The cumulative distribution of each combo's final strength, shape (1326, bins), float32.

    It is taken over all boards to come.  The last column is 1, or 0 for combos that share a card with the
    board.

    Args:
        board: 3, 4 or 5 cards.
    """
    counts = np.empty((NUM_COMBOS, BINS), np.uint16)
    fill_distributions(ranking_table(), board, COMBO_CARDS, counts)
    return _cumulative(counts)


def _cumulative(counts: NDArray[np.uint16]) -> NDArray[np.float32]:
    """Cumulative distributions from counts by bin, in the same shape; rows without counts are 0."""
    sums = counts.cumsum(axis=1, dtype=np.float32)
    shares: NDArray[np.float32] = sums / np.maximum(sums[:, -1:], np.float32(1))
    return shares


def _live_on(board: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The cumulative distributions of the live combos on a board, shape (live combos, bins)."""
    points = distributions_on(board)
    return points[points[:, -1] > 0.5]


def nearest_of(points: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.int64]:
    """The number of the centre nearest to each point, shape (points,); see `find_nearest`."""
    nearest = np.empty(len(points), np.int64)
    find_nearest(points, centres, nearest)
    return nearest


def centres_of(
    points: NDArray[np.float32], number: int, generator: np.random.Generator
) -> NDArray[np.float32]:
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


def _stretch(positions: NDArray[np.float64], number: int) -> NDArray[np.int64]:
    """The stretch of each hand on the river, from the share of hands that are weaker; the weakest is 0.

    Args:
        positions: the share of weaker hands, -1 for dead hands.
        number: the number of stretches.
    """
    above = np.maximum(positions, 0.0)
    stretches: NDArray[np.int64] = (number * (above + above * above) / 2).astype(np.int64)
    return stretches


def _texture(board: Sequence[int], textures: int) -> int:
    """The kind of a board, of so many `textures`."""
    suits = [int(card) % NUM_SUITS for card in board]
    suited = max(map(suits.count, range(NUM_SUITS)))
    pairs = len(board) - len({int(card) // NUM_SUITS for card in board})
    if textures < 8:
        return (2 * (pairs > 0) + (suited >= 3)) % textures
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
