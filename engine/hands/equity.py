"""Equity: the share of the pot that hands and ranges win at showdown if nobody bets any more.

===================================  ======================================================================
``hand_equity(hands, board)``        known hands, exact
``equity_against(hole, board, w)``   a hand against a weighted range, exact
``all_hand_equities(board, w)``      every combo against a weighted range, exact, by the range trick
``range_equities(ranges, board)``    several ranges with card removal; exact if affordable, otherwise sampled
``monte_carlo_equities(...)``        the same, sampled, with standard errors
``preflop_equities()``               the exact 169 x 169 matrix, which comes with Riverboat
===================================  ======================================================================

A range is a weight table of shape (1326,), as in ``engine.hands.hand_strength``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from importlib import resources
from typing import Final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from engine.hands.hand_rank import ANY_BOARD, check_board, check_cards, check_hand_and_board
from engine.hands.hand_strength import check_weights, hand_potential, hand_strength
from engine.kernels.hands import showdown as kernels
from engine.kernels.hands.strength import shares_of_all_hands
from engine.kernels.poker.tables import ranking_table
from engine.poker.cards import format_cards
from engine.poker.combos import (
    COMBO_HIGH,
    COMBO_LOW,
    NUM_COMBOS,
    NUM_STARTING_HANDS,
    combo_cards,
    combos_without,
    starting_hand,
    suit_renamings,
)
from engine.support.arrays import Bytes, Floats, Ints, read_only
from engine.support.files.archive import array_of, decode_archive

MAX_EXACT_PAIRS: Final = 150
"""Pairs of hands before the flop up to which `range_equities` enumerates: 30 ms each at most."""
MAX_EXACT_SHOWDOWNS: Final = 50_000_000
"""The number of showdowns up to which `range_equities` enumerates: about a second."""

_MOST_HELD: Final = 100_000
"""Hands that are laid beside those of other ranges, at each of them: some 10 ms."""
_COMBO_CARDS: Final = np.column_stack([COMBO_HIGH, COMBO_LOW])


@attrs.frozen
class Equity:
    """The share of the pot that one hand or range wins."""

    win: float
    """The probability of winning alone."""
    tie: float
    """The probability of sharing the pot."""
    value: float
    """The mean share of the pot; a pot shared by k players counts 1/k."""
    standard_error: float
    """The standard error of `value`; 0 if it is exact."""


def _check_hands_and_board(hands: Sequence[Sequence[int]], board: Sequence[int]) -> Bytes:
    everything = list(check_board(board, ANY_BOARD))
    for number, hand in enumerate(hands):
        if len(hand) != 2:
            raise ValueError(f"hand {number}: expected 2 cards, got {len(hand)}: {format_cards(hand)!r}")
        everything += hand
    check_cards(everything, "hands and board")
    return np.array(hands, np.uint8)


def hand_equity(hands: Sequence[Sequence[int]], board: Sequence[int] = ()) -> tuple[Equity, ...]:
    """The exact equities of two or more known hands, by enumerating every board to come.

    Without a board there are 1,712,304 boards for two hands, which take some 30 ms.

    Args:
        hands: hole cards of each player, two cards each.
        board: 0, 3, 4 or 5 cards.

    Raises:
        ValueError: fewer than two hands, wrong numbers of cards, a number outside 0..51, or a card twice.

    Source: showdown odds as in Killer, "Hand Odds".
    """
    if len(hands) < 2:
        raise ValueError(f"hands: expected 2 or more, got {len(hands)}")
    holes = _check_hands_and_board(hands, board)
    results = np.zeros((len(holes), 3))
    total = kernels.add_showdowns(ranking_table(), holes, np.array(tuple(board), np.uint8), 0, 1.0, results)
    return _exact(results, total)


def _exact(results: Floats, total: float) -> tuple[Equity, ...]:
    return tuple(
        [Equity(won / total, tied / total, share / total, 0.0) for won, tied, share in results.tolist()]
    )


def equity_against(
    hole_cards: Sequence[int], board: Sequence[int] = (), weights: ArrayLike | None = None
) -> float:
    """The equity of a hand against one opponent's range, exact.

    From the flop on this takes a tenth of a millisecond.  Without a board it comes from the preflop matrix if
    the opponent's hand is random; against a range every hand of it is enumerated, in 15 ms each.

    Args:
        hole_cards: our two cards.
        board: 0, 3, 4 or 5 cards.
        weights: the opponent's weight table, shape (1326,); None for a random hand.

    Raises:
        ValueError: wrong cards or weights, or weights that leave the opponent no hand.
    """
    hole, checked_board = check_hand_and_board(hole_cards, board, ANY_BOARD)
    if len(checked_board) == 5:
        return hand_strength(hole, checked_board, weights).value
    if checked_board:
        return hand_potential(hole, checked_board, weights).final_strength
    if weights is None:
        return float(preflop_equities_against_random()[starting_hand(*hole)])
    table = np.where(combos_without(hole), check_weights(weights), 0.0)
    won = total = 0.0
    for opponent, weight in _distinct_opponents(hole, table):
        won += weight * _heads_up(hole, opponent)
        total += weight
    if total == 0.0:
        raise ValueError("weights: expected some weight on a hand that the opponent can hold, got none")
    return won / total


def _distinct_opponents(hole: tuple[int, ...], weights: Floats) -> list[tuple[tuple[int, int], float]]:
    """The opponent's hands with their weights; hands that a renaming of suits makes equal are merged."""
    together: dict[tuple[int, int], float] = {}
    for combo in np.flatnonzero(weights).tolist():
        high, low = int(COMBO_HIGH[combo]), int(COMBO_LOW[combo])
        # Suits that our hand shows keep their names; the others are named in the order in which they appear.
        shown = {card & 3 for card in hole}
        free = [suit for suit in range(4) if suit not in shown]
        renamed = {suit: suit for suit in shown}
        for card in (high, low):
            if card & 3 not in renamed:
                renamed[card & 3] = free.pop(0)
        key = ((high & ~3) | renamed[high & 3], (low & ~3) | renamed[low & 3])
        together[key] = together.get(key, 0.0) + float(weights[combo])
    return list(together.items())


@functools.lru_cache(maxsize=1 << 16)
def _heads_up(hole: tuple[int, ...], opponent: tuple[int, int]) -> float:
    return hand_equity((hole, opponent))[0].value


def all_hand_equities(board: Sequence[int], weights: ArrayLike | None = None) -> Floats:
    """The equity of every combo against one opponent's range on a board, exact.

    Args:
        board: 3, 4 or 5 cards.
        weights: the opponent's weight table, shape (1326,); None for a random hand.

    Returns:
        Shape (1326,); nan for combos that share a card with the board or that no hand of the range can meet.

    Raises:
        ValueError: wrong cards or weights.
    """
    cards = np.array(check_board(board), np.uint8)
    equities = np.empty(NUM_COMBOS)
    shares_of_all_hands(
        ranking_table(), cards, 5 - len(cards), check_weights(weights), math.nan, math.nan, equities
    )
    return equities


def _check_ranges(
    ranges: ArrayLike, board: Sequence[int], dead: Sequence[int]
) -> tuple[Floats, tuple[int, ...]]:
    checked_board = check_board(board, ANY_BOARD)
    check_cards([*checked_board, *dead], "board and dead cards")
    tables = np.asarray(ranges, dtype=np.float64)
    if tables.ndim != 2 or not 2 <= tables.shape[0] <= 10 or tables.shape[1] != NUM_COMBOS:
        raise ValueError(f"ranges: expected shape (2..10, {NUM_COMBOS}), got {tables.shape}")
    alive = combos_without([*checked_board, *dead])
    live = []
    for number, table in enumerate(tables):
        weights = np.where(alive, check_weights(table, f"range {number}"), 0.0)
        if not weights.any():
            raise ValueError(
                f"range {number}: expected some weight on a hand without the cards that are out, got none"
            )
        live.append(weights)
    if not _may_be_held(live):
        raise ValueError("ranges: expected hands that can be held together, got none without a common card")
    return np.array(live), checked_board


def range_equities(
    ranges: ArrayLike,
    board: Sequence[int] = (),
    *,
    dead: Sequence[int] = (),
    trials: int = 1_000_000,
    rng: np.random.Generator | None = None,
) -> tuple[Equity, ...]:
    """The equities of two to ten ranges against each other; no card is held twice.

    They are exact if that takes at most `MAX_EXACT_SHOWDOWNS` showdowns, or before the flop at most
    `MAX_EXACT_PAIRS` pairs of hands that differ by more than the names of suits, and sampled otherwise (see
    `monte_carlo_equities`).

    Args:
        ranges: one weight table for each player, shape (2..10, 1326).
        board: 0, 3, 4 or 5 cards.
        dead: further cards that nobody holds and that do not come.
        trials: the number of deals, if they are sampled.
        rng: the generator for sampling; seeded by the operating system if None.

    Raises:
        ValueError: wrong cards or weights, or ranges that cannot be held together.
    """
    tables, checked_board = _check_ranges(ranges, board, dead)
    counts = np.count_nonzero(tables, axis=1)
    boards = math.comb(52 - len(checked_board) - len(dead) - 2 * len(tables), 5 - len(checked_board))
    if math.prod(counts.tolist()) * boards * len(tables) > MAX_EXACT_SHOWDOWNS:
        pairs = _different_pairs(tables) if len(tables) == 2 and not (checked_board or dead) else None
        if pairs is None or len(pairs[0]) > MAX_EXACT_PAIRS:
            return monte_carlo_equities(tables, checked_board, dead=dead, trials=trials, rng=rng)
        return _exact(*_of_pairs(*pairs))
    combos = np.zeros((len(tables), NUM_COMBOS), np.int64)
    for number, table in enumerate(tables):
        combos[number, : counts[number]] = np.flatnonzero(table)
    results = np.zeros((len(tables), 3))
    total = kernels.add_range_showdowns(
        ranking_table(),
        combos,
        counts.astype(np.int64),
        # All tables on one scale, so that products neither overflow nor vanish.
        tables / tables.max(axis=1, keepdims=True),
        _COMBO_CARDS,
        np.array(checked_board, np.uint8),
        _bits(dead),
        results,
    )
    if total == 0.0:
        raise ValueError("ranges: expected hands that can be held together, got none without a common card")
    return _exact(results, total)


def _may_be_held(tables: Sequence[Floats]) -> bool:
    """Whether some hands of all ranges have no card in common; True as well where that takes long to tell."""
    taken = {0}
    for table in sorted(tables, key=np.count_nonzero):
        hands = [_bits(cards) for cards in _COMBO_CARDS[np.flatnonzero(table)].tolist()]
        if len(taken) * len(hands) > _MOST_HELD:
            return True
        taken = {cards | hand for cards in taken for hand in hands if not cards & hand}
    return bool(taken)


def _bits(cards: Sequence[int]) -> int:
    return sum(1 << card for card in cards)


def _different_pairs(tables: Floats) -> tuple[Ints, Floats]:
    """Pairs of hands of two ranges, one of those that a renaming of suits makes equal, with their weights.

    Returns:
        A pair as ``1326 * one + other``, shape (n,), and the sum of the products of weights, shape (n,).
    """
    one, other = (grid.ravel() for grid in np.meshgrid(*map(np.flatnonzero, tables), indexing="ij"))
    apart = (_COMBO_CARDS[one][:, :, None] != _COMBO_CARDS[other][:, None, :]).all(axis=(1, 2))
    one, other = one[apart], other[apart]
    keys = np.full(len(one), NUM_COMBOS * NUM_COMBOS, np.int64)
    for renamed in suit_renamings():
        np.minimum(keys, NUM_COMBOS * renamed[one] + renamed[other], out=keys)
    found, places = np.unique(keys, return_inverse=True)
    return found, np.bincount(places, tables[0][one] * tables[1][other]).astype(np.float64)


def _of_pairs(pairs: Ints, weights: Floats) -> tuple[Floats, float]:
    """Chances of winning, of tying and the share of both hands, times the weights; and their sum."""
    results = np.zeros((2, 3))
    for pair, weight in zip(pairs.tolist(), weights.tolist(), strict=True):
        hands = [combo_cards(combo) for combo in divmod(pair, NUM_COMBOS)]
        shares = [(each.win, each.tie, each.value) for each in hand_equity(hands)]
        results += weight * np.array(shares)
    return results, float(weights.sum())


def monte_carlo_equities(
    ranges: ArrayLike,
    board: Sequence[int] = (),
    *,
    dead: Sequence[int] = (),
    trials: int = 1_000_000,
    rng: np.random.Generator | None = None,
) -> tuple[Equity, ...]:
    """The equities of two to ten ranges against each other, from random deals, with standard errors.

    Hands are drawn by weight and rejected together if two share a card, so the probability of a deal is
    proportional to the product of its weights.

    Args:
        ranges: one weight table for each player, shape (2..10, 1326).
        board: 0, 3, 4 or 5 cards.
        dead: further cards that nobody holds and that do not come.
        trials: the number of deals, 2 or more.
        rng: seeded by the operating system if None; the same generator gives the same result.

    Raises:
        ValueError: wrong cards, weights or number of trials, or ranges that can hardly be held together.
    """
    tables, checked_board = _check_ranges(ranges, board, dead)
    if trials < 2:
        raise ValueError(f"trials: expected 2 or more, got {trials}")
    generator = np.random.default_rng() if rng is None else rng
    if len(tables) == 2 and np.count_nonzero(tables[0]) == 1 and not dead:
        return _sample_against_hand(tables, checked_board, trials, generator)
    results = np.zeros((len(tables), 4))
    max_deals = 1000 * trials + 1_000_000
    done = kernels.sample_showdowns(
        ranking_table(),
        alias_tables(tables),
        _COMBO_CARDS,
        np.array(checked_board, np.uint8),
        _bits(dead),
        trials,
        max_deals,
        int(generator.integers(1 << 62)),
        results,
    )
    if done < trials:
        raise ValueError(f"ranges: expected hands that can be held together, got {done} in {max_deals} deals")
    equities = []
    for won, tied, share, squares in results.tolist():
        mean = share / trials
        variance = max(0.0, squares / trials - mean * mean) / (trials - 1)
        equities.append(Equity(won / trials, tied / trials, mean, math.sqrt(variance)))
    return tuple(equities)


def alias_tables(weights: Floats) -> kernels.AliasTable:
    """The alias tables of rows of weights, shape (k, n)."""
    thresholds, aliases = np.empty((2, *weights.shape), np.int64)
    for row in zip(weights, thresholds, aliases, strict=True):
        kernels.fill_alias_table(*row)
    return kernels.AliasTable(thresholds, aliases)


def _sample_against_hand(
    tables: Floats, board: tuple[int, ...], trials: int, rng: np.random.Generator
) -> tuple[Equity, ...]:
    """A single combo against a range: the common case, in which no deal needs to be rejected."""
    combo = int(np.argmax(tables[0]))
    first, second = int(COMBO_HIGH[combo]), int(COMBO_LOW[combo])
    weights = np.where(combos_without((first, second)), tables[1], 0.0)
    thresholds, aliases = alias_tables(weights[None])
    results = np.empty(2, np.int64)
    kernels.sample_against_hand(
        ranking_table(),
        np.array((first, second), np.uint8),
        kernels.AliasTable(thresholds[0], aliases[0]),
        _COMBO_CARDS,
        np.array(board, np.uint8),
        trials,
        int(rng.integers(1 << 62)),
        results,
    )
    won, tied = (results / trials).tolist()
    mean = won + tied / 2
    error = math.sqrt(max(0.0, won + tied / 4 - mean * mean) / (trials - 1))
    return Equity(won, tied, mean, error), Equity(1 - won - tied, tied, 1 - mean, error)


KIND: Final = "preflop equities"
"""The kind of the file that `engine.evidence.pair_equities.format_preflop_points` makes."""
SCHEMA: Final = 1


@functools.cache
def _preflop_points() -> Ints:
    """The points of each starting hand against each: 2 per pair of combos and board won, 1 per tie."""
    data = resources.files("engine").joinpath("data/preflop/equities.npz").read_bytes()
    archive = decode_archive(data, KIND, SCHEMA, "the preflop equities", most=1 << 19)
    with archive.checked():
        return array_of(archive.arrays, "points", (NUM_STARTING_HANDS, NUM_STARTING_HANDS), "<i8")


@functools.cache
def preflop_equities() -> Floats:
    """The exact equity of each starting hand against each, averaged over their combos and all boards.

    Returns:
        Shape (169, 169), ``[ours, theirs]``, by starting hand as in ``engine.poker.combos``; read-only.
    """
    points = _preflop_points()
    return read_only(points / (points + points.T))


@functools.cache
def preflop_equities_against_random() -> Floats:
    """The exact equity of each starting hand against one random hand.  Shape (169,), read-only."""
    points = _preflop_points()
    return read_only(points.sum(axis=1) / (points + points.T).sum(axis=1))


# Each pair of combos meets on C(48, 5) boards, each worth two points.
_POINTS_PER_PAIR: Final = 2 * math.comb(48, 5)


def preflop_pair_counts() -> Ints:
    """The number of pairs of disjoint combos of two starting hands.  Shape (169, 169), int64."""
    points = _preflop_points()
    return (points + points.T) // _POINTS_PER_PAIR
