"""The expected share of the pot of known hands whenever cards are dealt, over all cards that may still come.

It is exact for two players of hold'em at every moment, and for any number from the flop on.  Before the flop
with three or more players, and in other games whenever more than `MOST_RUN_OUTS` boards could come, the share
is a mean over boards drawn at random.  A correction stays unbiased with such a mean, because

* the boards depend only on the hand's number and its hole cards, as if drawn before anybody acted: their mean
  is an unbiased estimate of the equity, independent of the cards that came and of what players did;
* the same boards are used in two changes: that of the deal, where the mean is compared with an equal share,
  and that of the flop, where it is the expectation before it.  Each of the two has mean zero by itself.

This loses a little of the reduction of variance: a 400th for six players.  The cards of players who have
folded are removed from the deck.  They must be: what players did depends on them, and a change that has mean
zero only if they are ignored would not have it among the hands in which they folded.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import random
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import attrs
import numpy as np

from engine.poker.rules import GameDefinition, hand_rank
from engine.support.arrays import Bytes, Floats, Ints
from engine.support.seeds import derive_seed

SAMPLES: Final = 256
"""The number of boards drawn where not all can be enumerated."""

MOST_RUN_OUTS: Final = 2000
"""In games other than hold'em: up to this number, all boards that may come are enumerated."""

_REMEMBERED: Final = 1 << 16
_HANDS_AT_ONCE: Final = 4096
"""The hands that a thread takes at a time: some tenths of a second of work."""


@attrs.frozen(eq=False)
class KnownCards:
    """The cards of hands, a row for each."""

    numbers: Ints
    """Numbers that tell hands with equal cards apart.  Shape (hands,)."""
    holes: Bytes
    """The hole cards of all positions.  Shape (hands, positions, hole cards)."""
    boards: Bytes
    """The board cards; where none was dealt, the number means nothing.  Shape (hands, board cards)."""


def pot_shares(game: GameDefinition, cards: KnownCards, moments: Ints) -> Floats:
    """The share of the pot that each position expects at some moments, if nobody folds any more.

    Args:
        game: the game played.
        cards: the hands' cards.
        moments: a moment in each row: the hand's row, the positions that share the pot as bits, the number
            of board cards dealt; those of a hand together.  Shape (moments, 3).

    Returns:
        Shape (moments, positions); positions that do not share the pot have 0, the others add up to 1.
    """
    if game.is_holdem and len(moments):
        return _holdem_shares(game.num_players, cards, moments)
    shares = [
        _plain_shares(
            game,
            tuple(map(tuple, cards.holes[hand].tolist())),
            sharing,
            tuple(cards.boards[hand, :out].tolist()),
        )
        for hand, sharing, out in moments.tolist()
    ]
    return np.array(shares, np.float64).reshape(-1, game.num_players)


def _holdem_shares(num_players: int, cards: KnownCards, moments: Ints) -> Floats:
    # Imported here so that small games do without the compiler.
    from engine.evidence.pair_equities import combos_of, pair_equities
    from engine.kernels.evidence.pot_shares import fill_pot_shares
    from engine.kernels.poker.tables import ranking_table

    holes, boards, numbers = cards.holes, cards.boards, cards.numbers
    shares = np.empty((len(moments), num_players))
    by_table = (moments[:, 2] == 0) & (num_players == 2)
    if by_table.any():
        met = combos_of(holes)[moments[by_table, 0]]
        first = pair_equities(met[:, 0], met[:, 1])
        shares[by_table] = np.stack([first, 1.0 - first], axis=-1)
    if not by_table.all():
        dealt = np.empty((int((~by_table).sum()), num_players))
        table, dealt_out = ranking_table(), moments[~by_table]

        def fill(part: slice) -> None:
            fill_pot_shares(table, holes, boards, numbers, dealt_out[part], SAMPLES, dealt[part])

        one, *others = _parts(dealt_out[:, 0])
        fill(one)  # compiles the kernel, unless it is compiled already
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(fill, others))
        shares[~by_table] = dealt
    return shares


def _parts(hands: Ints) -> list[slice]:
    """Slices of moments for threads: those of a hand stay together."""
    starts = np.flatnonzero(np.diff(hands, prepend=-1))
    bounds = [*starts[::_HANDS_AT_ONCE].tolist(), len(hands)]
    return [slice(start, end) for start, end in itertools.pairwise(bounds)]


@functools.lru_cache(maxsize=_REMEMBERED)
def _plain_shares(
    game: GameDefinition, hole_cards: tuple[tuple[int, ...], ...], sharing: int, board: tuple[int, ...]
) -> tuple[float, ...]:
    """The shares at one moment of any game, by its rules.

    If there are too many boards, some are drawn; they depend only on the hole cards and on how many cards are
    out.
    """
    held = {card for cards in hole_cards for card in cards}
    left = [card for card in game.deck if card not in held and card not in board]
    to_come = game.board_ends[-1] - len(board)
    boards: Iterable[tuple[int, ...]]
    if math.comb(len(left), to_come) <= MOST_RUN_OUTS:
        boards = itertools.combinations(left, to_come)
    else:
        seed = functools.reduce(derive_seed, [card for cards in hole_cards for card in cards], len(board))
        draw = random.Random(seed)
        boards = [tuple(draw.sample(left, to_come)) for _ in range(SAMPLES)]
    shares = [0.0] * len(hole_cards)
    live = [position for position in range(len(hole_cards)) if sharing >> position & 1]
    count = 0
    for cards in boards:
        count += 1
        ranks = [hand_rank((*hole_cards[position], *board, *cards)) for position in live]
        best = max(ranks)
        part = 1.0 / ranks.count(best)
        for position, rank in zip(live, ranks, strict=True):
            if rank == best:
                shares[position] += part
    return tuple([share / count for share in shares])
