"""Weight tables: how likely a player is to hold each of the 1326 combos (Poki 3.3.3).

A weight lies between 0 and 1; the greatest of a table is 1.  Combos with known cards (board cards, our own
hole cards) have weight zero.  A table never becomes empty: a possible combo keeps some weight, whatever the
player does.
"""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from engine.hands.hand_strength import check_weights
from engine.poker.cards import NUM_RANKS, RANKS
from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.support.arrays import Floats, read_only


def _scaled(given: ArrayLike) -> Floats:
    weights = check_weights(given)
    greatest = float(weights.max())
    if greatest <= 0.0:
        raise ValueError("weights: expected some weight on a hand that the player can hold, got none")
    return read_only(weights / greatest)


@attrs.frozen(eq=False)
class WeightTable:
    """The weights of one player's combos; an immutable value.

    Raises:
        ValueError: not of shape (1326,), a weight that is negative or not finite, or none that is positive.
    """

    weights: Floats = attrs.field(converter=_scaled)
    """Shape (1326,), from 0 to 1, the greatest 1; read-only."""

    def grid(self) -> Floats:
        """The 13 x 13 view of Fig. 3.6, shape (169,) by starting hand: the maximum over a cell's combos."""
        grid = np.zeros(NUM_STARTING_HANDS)
        np.maximum.at(grid, STARTING_HAND_OF_COMBO, self.weights)
        return grid


_SHADES: Final = " ░▒▓█"


def format_grid(grid: Floats, *, numbers: bool = False) -> str:
    """The 13 x 13 view as text: suited hands in the upper right, aces first; darker is more likely.

    Args:
        grid: shape (169,), from 0 to 1.
        numbers: write hundredths instead of shades.
    """
    cells = grid.reshape(NUM_RANKS, NUM_RANKS)[::-1, ::-1]
    ranks = RANKS[::-1]
    lines = ["   " + " ".join(f"{rank:>2}" for rank in ranks)]
    for rank, row in zip(ranks, cells, strict=True):
        shown = [
            f"{min(99, round(100 * value)):>2}"
            if numbers
            else _SHADES[min(len(_SHADES) - 1, int(value * len(_SHADES)))] * 2
            for value in row
        ]
        lines.append(f"{rank}  " + " ".join(shown))
    return "\n".join(lines)
