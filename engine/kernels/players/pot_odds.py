"""How folds depend on the price: their log odds fall with the logarithm of the pot odds.

A context does not know the pot.  What is counted there holds at the pot odds that were usual there; at
others the log odds of a fold are moved in proportion, by a slope that is learnt of each player: one who folds
by the price, or whom a greater pot finds with better hands, has a great one, one who throws dice none.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import kernel

MOST_DISTANCE: Final = 1.2
"""Pot odds farther from the usual ones than this, in logarithms, count as if they were no farther."""


@kernel(allocates=False, inlined=True)
def odds_distance(log_pot_odds: float, usual: float) -> float:
    """How far pot odds are from the usual ones, both as logarithms."""
    return float(min(max(log_pot_odds - usual, -MOST_DISTANCE), MOST_DISTANCE))


@kernel(allocates=False, inlined=True)
def with_odds(chance: float, times: float) -> float:
    """The chance whose odds are those of another, multiplied."""
    multiplied = chance * times
    return float(multiplied / (multiplied + 1.0 - chance))


@kernel(allocates=False, inlined=True)
def fold_at_odds(fold: float, steepness: float, distance: float) -> float:
    """The chance of a fold at pot odds that are not the usual ones.

    fold: at the usual ones.  distance: of `odds_distance`.
    """
    return with_odds(fold, float(np.exp(-steepness * distance)))
