"""Deals in advance: cards, hand strengths and showdowns, for programs that play millions of hands.

A hand that is played for training needs the strength of every player's hole cards in every betting round, and
computing these costs far more than playing the hand.  A pool is dealt once and played many times.  It is made
board by board, since on one board the strengths of all combos cost little more than that of one: some flops,
some turns on each, some rivers on each, and several deals of hole cards on each board of five.  Then it is
shuffled, so that neighbours have nothing in common.

The strength is the *effective hand strength* of Poki, eq. 3.5, with both potentials and all cards to come::

    EHS = HS (1 - NPot) + (1 - HS) PPot

against one random hand.  That is the equity of the hand (``engine.hands.hand_strength`` says why), and
on the river the hand strength.  Before the flop it is the equity as well.

A *bucket* is a range of strengths.  In each betting round the edges cut off the same shares of all hands
(`SHARES_BELOW`), which are finer towards the top, where most of the money goes in.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.hands.equity import all_hand_equities, equity_against
from engine.hands.hand_rank import hand_ranks
from engine.hands.preflop.tables import shipped_tables
from engine.kernels.learning import situations, street as kernels
from engine.poker.combos import COMBOS_PER_STARTING_HAND, NUM_COMBOS, STARTING_HAND_OF_COMBO, starting_hand
from engine.support.arrays import Bytes, Floats, Words16, read_only
from engine.support.files.cache import cached

SHARES_BELOW: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.58, 0.66, 0.74, 0.8, 0.85, 0.89, 0.92, 0.95, 0.97, 0.985)
"""The share of all hands below each edge."""

NUM_BUCKETS: Final = len(SHARES_BELOW) + 1
"""The number of buckets in each betting round."""
assert NUM_BUCKETS == situations.NUM_BUCKETS

STRENGTH_STEPS: Final = kernels.STRENGTH_STEPS
"""A pool keeps strengths in this many steps; buckets come from the exact strength."""

_CACHED_SCHEMA: Final = 1
"""Of the pools that are kept; to be raised with other edges of the buckets."""

# The quantiles of some thousand random boards for each round; a test compares them with other boards.
_EDGES_AFTER_PREFLOP: Final = (
    (0.248, 0.311, 0.368, 0.424, 0.477, 0.527, 0.575, 0.634, 0.690, 0.740, 0.785, 0.818, 0.852, 0.890, 0.928),
    (0.193, 0.266, 0.336, 0.409, 0.482, 0.535, 0.605, 0.680, 0.742, 0.794, 0.836, 0.866, 0.908, 0.942, 0.962),
    (0.100, 0.186, 0.298, 0.398, 0.492, 0.580, 0.667, 0.746, 0.813, 0.864, 0.902, 0.929, 0.956, 0.975, 0.993),
)


@functools.cache
def bucket_edges() -> Floats:
    """The least strength of each bucket except the lowest, by betting round.

    Returns:
        Shape (4, NUM_BUCKETS - 1), ascending, read-only.
    """
    strengths = shipped_tables().raw_odds[:, 0]
    order = np.argsort(strengths, kind="stable")
    below = np.cumsum(COMBOS_PER_STARTING_HAND[order], dtype=np.float64) / NUM_COMBOS
    preflop = strengths[order[np.searchsorted(below, SHARES_BELOW)]]
    return read_only(np.array([preflop, *_EDGES_AFTER_PREFLOP]))


def strength_of(hole_cards: Sequence[int], board: Sequence[int]) -> float:
    """The effective hand strength of two cards on a board of 0, 3, 4 or 5.

    Raises:
        ValueError: wrong cards.
    """
    if not board:
        return float(shipped_tables().raw_odds[starting_hand(*hole_cards), 0])
    return equity_against(hole_cards, board)


def bucket_of(betting_round: int, strength: float) -> int:
    """The bucket of a strength in a betting round, 0 to NUM_BUCKETS - 1."""
    return bisect.bisect_right(_edge_lists()[betting_round], strength)


@functools.cache
def _edge_lists() -> list[list[float]]:
    return bucket_edges().tolist()


@attrs.frozen
class PoolSize:
    """The numbers of boards and deals in a pool."""

    flops: int = 1024
    turns: int = 16
    """Turns on each flop."""
    rivers: int = 4
    """Rivers on each turn."""
    deals: int = 32
    """Hands dealt on each board, over all players: for two players half as many deals, and so on."""

    def deals_on_board(self, num_players: int) -> int:
        """The number of deals on each board for a number of players."""
        return max(1, self.deals // num_players)

    def num_deals(self, num_players: int) -> int:
        """The number of deals in the pool for a number of players."""
        return self.flops * self.turns * self.rivers * self.deals_on_board(num_players)


@attrs.frozen(eq=False)
class DealPool:
    """Deals for a number of players, in random order.  C-contiguous arrays; the first axis is the deal."""

    hole_cards: Bytes
    """Shape (num_deals, num_players, 2)."""
    boards: Bytes
    """Shape (num_deals, 5)."""
    strengths: Bytes
    """The strength of each player in each betting round, in steps of 1 / STRENGTH_STEPS.

    Shape (num_deals, num_players, 4).
    """
    buckets: Bytes
    """The bucket of each strength.  Shape (num_deals, num_players, 4)."""
    ranks: Words16
    """Hand ranks at the showdown.  Shape (num_deals, num_players)."""

    @property
    def num_players(self) -> int:
        """The number of players dealt to."""
        return int(self.hole_cards.shape[1])

    @property
    def played(self) -> kernels.StreetDeals:
        """The deals in the form that kernels take."""
        return kernels.StreetDeals(self.strengths, self.buckets, self.ranks)

    def __len__(self) -> int:
        return len(self.boards)


def make_pool(
    num_players: int,
    seed: int,
    size: PoolSize | None = None,
    progress: Callable[[float], object] | None = None,
) -> DealPool:
    """Deal a pool: some 15 s for the default size on one core.

    Args:
        num_players: 2 to 10.
        seed: the same seed gives the same deals.
        size: the size of the pool; by default a million deals for two players.
        progress: called from time to time with the share that is done.

    Raises:
        ValueError: not 2 to 10 players.
    """
    if not 2 <= num_players <= 10:
        raise ValueError(f"a pool is for 2 to 10 players, got {num_players}")
    size = PoolSize() if size is None else size
    rng = np.random.default_rng(seed)
    boards_per_flop = size.turns * size.rivers
    deals = size.deals_on_board(num_players)
    per_flop = boards_per_flop * deals
    total = size.num_deals(num_players)
    hole = np.empty((total, num_players, 2), np.uint8)
    boards = np.empty((total, 5), np.uint8)
    exact = np.empty((total, num_players, situations.NUM_ROUNDS))

    for flop in range(size.flops):
        block = slice(flop * per_flop, (flop + 1) * per_flop)
        cards = rng.permutation(52).astype(np.uint8)
        on_flop = _equities(cards[:3])
        by_turn = np.empty((size.turns, NUM_COMBOS))
        by_river = np.empty((boards_per_flop, NUM_COMBOS))
        dealt = np.empty((boards_per_flop, 5), np.uint8)
        for turn in range(size.turns):
            rest = rng.permutation(cards[3:])
            by_turn[turn] = _equities(np.append(cards[:3], rest[0]))
            for river in range(size.rivers):
                at = turn * size.rivers + river
                dealt[at, :3] = cards[:3]
                dealt[at, 3] = rest[0]
                dealt[at, 4] = rest[1 + rng.integers(48)]
                by_river[at] = _equities(dealt[at])
        # Hole cards: the first of all cards in random order, with those of the board put last.
        order = rng.random((per_flop, 52))
        np.put_along_axis(order, np.repeat(dealt, deals, axis=0).astype(np.int64), 2.0, axis=1)
        picked = np.argpartition(order, 2 * num_players, axis=1)[:, : 2 * num_players]
        # A partition leaves an order that depends on the numbers; by those it is random again.
        by_number = np.argsort(np.take_along_axis(order, picked, axis=1), axis=1)
        picked = np.take_along_axis(picked, by_number, axis=1).reshape(per_flop, num_players, 2)
        high, low = picked.max(axis=2), picked.min(axis=2)
        combos = high * (high - 1) // 2 + low
        river_of = np.repeat(np.arange(boards_per_flop), deals)[:, None]
        hole[block] = picked
        boards[block] = np.repeat(dealt, deals, axis=0)
        exact[block, :, 0] = shipped_tables().raw_odds[STARTING_HAND_OF_COMBO[combos], 0]
        exact[block, :, 1] = on_flop[combos]
        exact[block, :, 2] = by_turn[river_of // size.rivers, combos]
        exact[block, :, 3] = by_river[river_of, combos]
        if progress is not None and (flop + 1) % 64 == 0:
            progress((flop + 1) / size.flops)

    shuffled = rng.permutation(total)
    hole, boards, exact = hole[shuffled], boards[shuffled], exact[shuffled]
    buckets = np.empty(exact.shape, np.uint8)
    for betting_round, edges in enumerate(bucket_edges()):
        buckets[:, :, betting_round] = np.searchsorted(edges, exact[:, :, betting_round], side="right")
    strengths = np.rint(exact * STRENGTH_STEPS).astype(np.uint8)
    ranks = np.empty((total, num_players), np.uint16)
    for player in range(num_players):
        ranks[:, player] = hand_ranks(np.concatenate([hole[:, player], boards], axis=1))
    return DealPool(hole, boards, strengths, buckets, ranks)


def deal_pool(
    num_players: int,
    seed: int = 0,
    size: PoolSize | None = None,
    progress: Callable[[float], object] | None = None,
) -> DealPool:
    """The pool of `make_pool`, read from the user's cache directory or stored there.

    Raises:
        ValueError: not 2 to 10 players.
    """
    size = PoolSize() if size is None else size
    name = f"deals/{num_players}-{seed}-{size.flops}-{size.turns}-{size.rivers}-{size.deals}"
    num_deals = size.num_deals(num_players)
    by_round = (num_deals, num_players, situations.NUM_ROUNDS)
    expected = {
        "hole_cards": ((num_deals, num_players, 2), np.uint8),
        "boards": ((num_deals, 5), np.uint8),
        "strengths": (by_round, np.uint8),
        "buckets": (by_round, np.uint8),
        "ranks": ((num_deals, num_players), np.uint16),
    }

    def make() -> dict[str, NDArray[Any]]:
        return attrs.asdict(make_pool(num_players, seed, size, progress), recurse=False)

    return DealPool(**cached(name, _CACHED_SCHEMA, expected, make))


def _equities(board: Bytes) -> Floats:
    return all_hand_equities(board.tolist())
