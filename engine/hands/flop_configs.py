"""Flop configurations: the value of a starting hand, computed from the flops on which it would be bet.

A *FlopHand* is a pair of hole cards with a flop; a *FlopConfig* adds what the others have done: how many have
called, with which hands, for which pot.  Its value is `bettable_value` of the hand odds against those hands;
a player who does not like the flop folds at no further cost, so the value is never negative.  That is why AKs
is the better hand although 22 wins more often against it: 22 has many flops that are worth a little and few
that are worth much.

    EV(call) = sum of p(FlopConfig) EV(FlopConfig) - call
    EV(raise) = p0 pot + sum of p(FlopConfig) EV(FlopConfig) - (1 - p0) raise
    EV(fold) = 0

The probabilities p add up to 1, together with p0, the probability that everybody folds to the raise.  The
paper also divides the sums by the number of configurations, which is wrong, since they are means already.

**The book.**  Hand odds do not depend on pot and bets.  So the book keeps, for each starting hand, their
distribution over the flops: the means of `BINS` equally likely parts in ascending order, against 1, 2 and 4
opponents who hold one of the best 12, 25, 50 or 100 % of the hands.  The values for any pot, bets and rake
follow from it, exactly except for the one part in which the odds cross the price.  Against one opponent it
covers all 1755 distinct flops with all their run-outs; against more, a sample of flops with all run-outs,
with the opponents independent of each other on every final board.

Source: *Hold'em Killer*, "Beyond the Sklansky Preflop".
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Final

import attrs
import numpy as np

from engine.hands.equity import all_hand_equities
from engine.hands.hand_odds import all_final_boards
from engine.hands.hand_strength import all_hand_strengths
from engine.hands.reflective_odds import playable_before_flop
from engine.poker.combos import NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO, combos_without
from engine.poker.rules import Rake
from engine.poker.rules.game_definition import NO_RAKE
from engine.support.arrays import Bytes, Floats, Floats32, read_only
from engine.support.files.archive import Archive, array_of, decode_archive

SCHEMA_VERSION: Final = 1
_KIND: Final = "riverboat flop book"

SHARES: Final = (0.12, 0.25, 0.50, 1.0)
"""Stereotypes of opponents: the shares of hands, from the best down, that they may hold."""
OPPONENTS: Final = (1, 2, 4)
BINS: Final = 32
"""The number of equally likely parts of the flops."""


# --- flops ---------------------------------------------------------------------------------------------


@functools.cache
def different_flops() -> tuple[Bytes, Floats]:
    """One flop of each class under suit renamings.

    Returns:
        The flops, shape (1755, 3), and the probabilities of the classes, shape (1755,).
    """
    flops, sizes = [], []
    for flop in itertools.combinations(range(51, -1, -1), 3):
        masks = [0, 0, 0, 0]
        for card in flop:
            masks[card & 3] |= 1 << (card >> 2)
        if masks == sorted(masks, reverse=True):
            flops.append(flop)
            repeats = [masks.count(mask) for mask in set(masks)]
            sizes.append(24 // math.prod(map(math.factorial, repeats)))
    chances = np.array(sizes, np.float64)
    return np.array(flops, np.uint8), chances / chances.sum()


def flop_odds(flop: Sequence[int], weights: Floats) -> Floats:
    """The exact hand odds of every combo on a flop against one opponent: shape (1326,), nan if impossible.

    Raises:
        ValueError: wrong cards or weights.
    """
    return all_hand_equities([int(card) for card in flop], weights)


def odds_on_final_boards(flop: Bytes, tables: Sequence[Floats]) -> Floats:
    """The hand odds of every combo against each number of `OPPONENTS` with each weight table.

    The power is taken on each final board by itself; ties are shared by two.

    Returns:
        Shape (tables, numbers of opponents, 1326).
    """
    sums = np.zeros((len(tables), len(OPPONENTS), NUM_COMBOS))
    counts = np.zeros(NUM_COMBOS)
    for board in all_final_boards(flop.tolist()).tolist():
        counts += combos_without(board)
        for number, table in enumerate(tables):
            strengths = all_hand_strengths(board, table)
            sums[number, 0] += strengths
            squared = strengths * strengths
            sums[number, 1] += squared
            sums[number, 2] += squared * squared
    assert OPPONENTS == (1, 2, 4)
    with np.errstate(invalid="ignore"):
        return sums / np.where(counts > 0, counts, np.nan)


# --- values --------------------------------------------------------------------------------------------


def flop_values(odds: Floats, pot: float, bets: float, opponents: int = 1, rake: Rake = NO_RAKE) -> Floats:
    """The value of flop hands by their odds: `bettable_value`, for arrays.

    Args:
        odds: probabilities of winning, of any shape; nan stays nan.
        pot: the pot at the flop.
        bets: what we, and each opponent, still put in.
        opponents: the number of opponents who have called.
        rake: the rake of the final pot.

    Returns:
        Values in the unit of the pot, of the same shape.
    """
    won = pot + opponents * bets - rake.amount(pot + (opponents + 1) * bets)
    return np.maximum(odds * won - (1 - odds) * bets, 0.0)


@attrs.frozen
class FlopConfig:
    """One way in which the flop may be reached, with its probability."""

    chance: float
    callers: int
    """The number of opponents who see the flop, at least 1."""
    share: float
    """The share of all hands, from the best down, that each of them may hold."""
    pot: float
    """The pot at the flop."""
    bets: float
    """What we, and each of them, are expected to put in from there on."""


@attrs.frozen(eq=False)
class FlopBook:
    """The distribution of each starting hand's odds over the flops."""

    odds: Floats32
    """Shape (len(SHARES), len(OPPONENTS), 169, BINS), ascending along the last axis, read-only."""
    made_by: str
    """The command that makes it."""

    def value(self, hand: int, config: FlopConfig, rake: Rake = NO_RAKE) -> float:
        """The mean value of the flops that a starting hand may see, in the unit of the pot.

        Between stereotypes, and between numbers of opponents, the odds are interpolated; beyond them the
        nearest ones are used.

        Args:
            hand: the starting hand, 0 to 168.
            config: what the others have done.
            rake: the rake of the final pot.
        """
        odds = self.odds_against(hand, config.share, config.callers)
        return float(flop_values(odds, config.pot, config.bets, config.callers, rake).mean())

    def odds_against(self, hand: int, share: float, callers: int) -> Floats:
        """The odds of a hand on `BINS` equally likely parts of its flops, ascending; shape (BINS,)."""
        at = np.interp(math.log(max(share, 1e-6)), np.log(SHARES), range(len(SHARES)))
        among = np.interp(callers, OPPONENTS, range(len(OPPONENTS)))
        low, few = int(at), int(among)
        high, many = min(low + 1, len(SHARES) - 1), min(few + 1, len(OPPONENTS) - 1)
        right, more = at - low, among - few
        by_share = [
            (1 - right) * self.odds[low, column, hand] + right * self.odds[high, column, hand]
            for column in (few, many)
        ]
        return ((1 - more) * by_share[0] + more * by_share[1]).astype(np.float64)


def call_value(
    book: FlopBook, hand: int, configs: Iterable[FlopConfig], call: float, rake: Rake = NO_RAKE
) -> float:
    """EV(PreflopHand with a call).

    Args:
        book: the book of odds.
        hand: the starting hand, 0 to 168.
        configs: the configurations, whose chances add up to 1.
        call: what the call costs.
        rake: the rake of the final pots.

    Raises:
        ValueError: chances that do not add up to 1.

    Source: *Hold'em Killer*, "Beyond the Sklansky Preflop", "EV(PreflopHand)", without its division.
    """
    return _mean_value(book, hand, configs, 1.0, rake) - call


def raise_value(
    book: FlopBook, hand: int, configs: Iterable[FlopConfig], pot: float, raise_: float, rake: Rake = NO_RAKE
) -> float:
    """EV(PreflopHand with a raise).

    Args:
        book: the book of odds.
        hand: the starting hand, 0 to 168.
        configs: the configurations, whose chances add up to 1 - p0, where p0 is the probability that all
            opponents fold.
        pot: the pot before the raise.
        raise_: what the raise costs if it is called.
        rake: the rake of the final pots.

    Raises:
        ValueError: chances that add up to more than 1.

    Source: *Hold'em Killer*, "Beyond the Sklansky Preflop", "EV(PreflopHand)", without its division.
    """
    configs = tuple(configs)
    seen = math.fsum(config.chance for config in configs)
    if seen > 1 + 1e-9:
        raise ValueError(f"the chances of flop configurations add up to {seen:.6f}: expected at most 1")
    nobody = max(0.0, 1 - seen)
    return nobody * pot + _mean_value(book, hand, configs, seen, rake) - (1 - nobody) * raise_


def _mean_value(
    book: FlopBook, hand: int, configs: Iterable[FlopConfig], expected: float, rake: Rake
) -> float:
    configs = tuple(configs)
    total = math.fsum(config.chance for config in configs)
    if abs(total - expected) > 1e-9:
        raise ValueError(f"the chances of flop configurations add up to {total:.6f}: expected {expected:.6f}")
    return math.fsum(config.chance * book.value(hand, config, rake) for config in configs)


# --- making the book -------------------------------------------------------------------------------------


def binned(odds: Floats, chances: Floats) -> Floats32:
    """The odds of all starting hands in `BINS` equally likely parts, ascending; shape (169, BINS).

    Args:
        odds: the odds of every combo on some flops, shape (flops, 1326); nan if impossible.
        chances: the probabilities of the flops, shape (flops,).
    """
    result = np.zeros((NUM_STARTING_HANDS, BINS), np.float32)
    marks = np.linspace(0.0, 1.0, BINS + 1)
    for hand in range(NUM_STARTING_HANDS):
        columns = odds[:, hand == STARTING_HAND_OF_COMBO]
        weights = np.repeat(chances[:, None], columns.shape[1], axis=1)[~np.isnan(columns)]
        values = columns[~np.isnan(columns)]
        order = np.argsort(values, kind="stable")
        values, weights = values[order], weights[order] / weights.sum()
        # The integral of the odds up to each mark, a share of the flops.
        shares = np.concatenate([[0.0], np.cumsum(weights)])
        sums = np.concatenate([[0.0], np.cumsum(weights * values)])
        result[hand] = np.diff(np.interp(marks, shares / shares[-1], sums)) * BINS
    return result


def sampled_flops(number: int) -> Bytes:
    """Flops spread evenly over all, in their order and by their probabilities; shape (number, 3)."""
    flops, chances = different_flops()
    places = (np.arange(number) + 0.5) / number
    return flops[np.minimum(np.searchsorted(np.cumsum(chances), places), len(flops) - 1)]


def odds_against_one(share: float, every: int = 1) -> Floats32:
    """The part of the book against one opponent who holds one of the best hands; shape (169, BINS).

    Args:
        share: the share of all hands, from the best down, that the opponent may hold.
        every: use only every n-th flop; 1 is exact.
    """
    flops, chances = different_flops()
    table = playable_before_flop(share)
    odds = np.array([flop_odds(flop, table) for flop in flops[::every]])
    return binned(odds, chances[::every])


def odds_against_more(flops: Bytes) -> Floats:
    """The odds of all combos on some flops, for the parts of the book against more than one opponent.

    Args:
        flops: shape (number, 3).

    Returns:
        Shape (number, len(SHARES), len(OPPONENTS) - 1, 1326); nan if impossible.
    """
    tables = [playable_before_flop(share) for share in SHARES]
    return np.array([odds_on_final_boards(flop, tables)[:, 1:] for flop in flops])


def make_book(made_by: str, against_one: Sequence[Floats32], against_more: Floats) -> FlopBook:
    """Put the parts of the book together.

    Args:
        made_by: the command, which is stored in it.
        against_one: the results of `odds_against_one`, for each of `SHARES`.
        against_more: the results of `odds_against_more`, on all of `sampled_flops`.
    """
    odds = np.empty((len(SHARES), len(OPPONENTS), NUM_STARTING_HANDS, BINS), np.float32)
    odds[:, 0] = against_one
    equal = np.full(len(against_more), 1 / len(against_more))
    for number, column in itertools.product(range(len(SHARES)), range(1, len(OPPONENTS))):
        odds[number, column] = binned(against_more[:, number, column - 1], equal)
    return FlopBook(read_only(odds), made_by)


def format_book(book: FlopBook) -> bytes:
    """The book as an archive, odds in half precision."""
    meta = {"made_by": book.made_by, "shares": SHARES, "opponents": OPPONENTS}
    return Archive(_KIND, SCHEMA_VERSION, meta, {"odds": book.odds.astype(np.float16)}).encode()


def parse_book(data: bytes) -> FlopBook:
    """The book of an archive made by `format_book`.

    Raises:
        ArchiveError: another kind or version of file, or arrays that do not fit.
    """
    archive = decode_archive(data, _KIND, SCHEMA_VERSION, "the flop book")
    with archive.checked():
        meta = archive.meta
        if [*meta["shares"], *meta["opponents"]] != [*SHARES, *OPPONENTS]:
            raise ValueError(f"expected opponents {OPPONENTS} with the shares {SHARES} of hands")
        shape = (len(SHARES), len(OPPONENTS), NUM_STARTING_HANDS, BINS)
        odds = array_of(archive.arrays, "odds", shape, "f", 0, 1).astype(np.float32)
        return FlopBook(read_only(odds), str(meta["made_by"]))


@functools.cache
def shipped_book() -> FlopBook:
    """The book that comes with Riverboat, read once."""
    return parse_book(resources.files("engine").joinpath("data/preflop/flop_book.npz").read_bytes())
