"""The form of what players did in finished hands: filled by a compiled reader or by the rules, without it."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.support.arrays import Ints

RAISES: Final = 0
CALLS: Final = 1
CHECKS: Final = 2
KINDS: Final = 3
"""The kinds of actions that `Walked.actions` counts."""


class Walked(NamedTuple):
    """What the players of some hands did, with a row for each hand; filled in place.

    All entries must be 0 beforehand, except for `fold_round`, which must be -1.  Sets of positions are
    integers: bit p is position p.
    """

    spent: Ints
    """Chips each position has put in, without antes; shape (hands, positions)."""
    folded: Ints
    """The positions that folded, as bits; shape (hands,)."""
    final_round: Ints
    """The last betting round reached, even if it was only dealt out; shape (hands,)."""
    last_round: Ints
    """The betting round of the last action; shape (hands,)."""
    fold_round: Ints
    """The betting round in which each position folded, -1 if it did not; shape (hands, positions)."""
    decided: Ints
    """The positions that had to act before the flop, as bits; shape (hands,)."""
    could_three_bet: Ints
    """The positions that could have raised a second bet before the flop, as bits; shape (hands,)."""
    three_bet: Ints
    """The positions that did raise it, as bits; shape (hands,)."""
    actions: Ints
    """The number of raises, calls and checks; shape (hands, KINDS, positions, rounds)."""
    left: Ints
    """The positions still in the hand when a round's betting began, as bits; 0 where there was no betting.

    Shape (hands, rounds).
    """
    pots: Ints
    """The pot at that time, in chips; shape (hands, rounds)."""

    @classmethod
    def blank(cls, hands: int, players: int, rounds: int) -> Walked:
        """The entries before anything is filled in."""
        by_hand, by_position, by_round = (hands,), (hands, players), (hands, rounds)
        shapes = {
            "spent": by_position,
            "fold_round": by_position,
            "actions": (hands, KINDS, players, rounds),
            "left": by_round,
            "pots": by_round,
        }
        found = cls(*[np.zeros(shapes.get(name, by_hand), np.int64) for name in cls._fields])
        found.fold_round[:] = -1
        return found
