"""Hands in buckets, where flops and turns are told apart by clusters of boards.

*Clusters* of boards come from k-means.  The features of a board are the values of the 169 starting hands on
it (their mean strength, and how it spreads over the boards to come) and the number of cards of one suit.
Within a cluster, hands are classed as in `engine.solving.holdem.distributions`.  So a strategy can tell
whether a board is good for the player who raised before the flop, which a hand's own strength does not say.

Source of the idea: Johanson, Burch, Valenzano, Bowling, *Evaluating State-Space Abstractions in
Extensive-Form Games* (2013), on imperfect recall by public cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.hands.flop_configs import different_flops
from engine.poker.cards import NUM_CARDS, NUM_SUITS
from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.solving.holdem.abstraction import NO_BUCKET
from engine.solving.holdem.buckets import SUIT_NAMES, renamed_card
from engine.solving.holdem.distributions import (
    BINS,
    NUM_FLOPS,
    Distributions,
    centres_of,
    distributions_on,
    flop_number,
    nearest_of,
)

__all__ = [
    "FEATURES",
    "MOST_CLUSTERS",
    "NUM_TURNS",
    "BoardFeatures",
    "Clusters",
    "board_features",
    "cluster_boards",
]

Floats = NDArray[np.float32]

MOST_CLUSTERS: Final = 255
"""The most clusters of flops or turns: their numbers are kept as bytes."""
NUM_TURNS: Final = 16_432
"""Boards of four cards that differ in more than the names of suits."""
FEATURES: Final = 2 * NUM_STARTING_HANDS + 1
"""Features of a board: two for each starting hand, and one for its suits."""
_SUITED: Final = 0.1
"""The distance that one more card of a suit makes, compared with strengths from 0 to 1."""
_SAMPLE: Final = 6000
"""Boards drawn for k-means to work on."""


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

    def __init__(self, base: Distributions, flops: NDArray[np.uint8], turns: NDArray[np.uint8]) -> None:
        if flops.shape != (NUM_FLOPS,) or turns.shape != (NUM_FLOPS, NUM_CARDS):
            raise ValueError("expected clusters of 1755 flops, and of 52 turns on each")
        if flops.dtype != np.uint8 or turns.dtype != np.uint8:
            raise ValueError("expected clusters as bytes")
        self.base, self._flops, self._turns = base, flops, turns
        kinds = (1, int(flops.max()) + 1, int(turns.max()) + 1)
        self.num_buckets = (
            *(each * kind for each, kind in zip(base.buckets_on_a_board[:3], kinds, strict=False)),
            base.num_buckets[3],
        )
        """The number of buckets in each betting round."""

    @property
    def buckets_on_a_board(self) -> tuple[int, ...]:
        """The number of buckets of one cluster, by round."""
        return self.base.buckets_on_a_board

    @property
    def notes(self) -> Mapping[str, Any]:
        """The settings that it is made from besides the arrays, in terms of JSON."""
        on_flop, on_turn = (int(clusters.max()) + 1 for clusters in (self._flops, self._turns))
        return {**self.base.notes, "textures": [on_flop, on_turn, self.base.textures[2]]}

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that a file must hold to make it again."""
        return {**self.base.arrays(), "flop_clusters": self._flops, "turn_clusters": self._turns}

    def buckets(self, board: Sequence[int]) -> NDArray[np.int64]:
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

    flops: Floats
    """Features of the different flops, shape (1755, FEATURES)."""
    turns: Floats
    """Features of the different boards of four cards, shape (16432, FEATURES)."""
    numbers: NDArray[np.int64]
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
    turns: list[Floats] = []
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


def cluster_boards(
    features: BoardFeatures, flops: int, turns: int, seed: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
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
    drawn = generator.choice(NUM_FLOPS, _SAMPLE, p=chances / chances.sum())
    centres = centres_of(features.flops[drawn], flops, generator)
    of_flops = nearest_of(features.flops, centres).astype(np.uint8)
    drawn = generator.choice(NUM_FLOPS, _SAMPLE, p=chances / chances.sum())
    cards = generator.integers(NUM_CARDS, size=_SAMPLE)
    dealt = features.numbers[drawn, cards]
    centres = centres_of(features.turns[dealt[dealt >= 0]], turns, generator)
    of_turns = nearest_of(features.turns, centres)
    by_card = np.where(features.numbers < 0, 0, of_turns[features.numbers]).astype(np.uint8)
    return of_flops, by_card


def _named_alike(board: Sequence[int]) -> tuple[int, ...]:
    """The canonical form of a board: the same for all boards that differ only in the names of suits."""
    return min(tuple(sorted(renamed_card(card, names) for card in board)) for names in SUIT_NAMES)


def _features(board: Sequence[int]) -> Floats:
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
    found: Floats = np.array([*rows[0], *rows[1], suited], np.float32)
    return found
