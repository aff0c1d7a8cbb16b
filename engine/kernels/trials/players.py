"""The players of a trial: what is known of them.

The arithmetic that makes them act is that of the models at the table (``engine.kernels.opponents.triples``).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Kind(IntEnum):
    """Kinds of players."""

    RANDOM = 0
    """Does anything that is legal, whatever they hold: no model."""
    REASONABLE = 1
    """The formula among reasonable players: the generic model."""
    OURS = 2
    """The formula, with what is known of the others."""
    COUNTED = 3
    """The specific model: counts, drawn towards the generic model."""
    FIXED = 4
    """Acts as often as a table says, by the hand but for a part that is blind to it."""


class Players(NamedTuple):
    """What is known of the players, by position."""

    kinds: NDArray[np.int64]
    """A `Kind` for each, shape (10,)."""
    traits: NDArray[np.float64]
    """Shape (10, NUM_TRAITS)."""
    usual_traits: NDArray[np.float64]
    """Those of reasonable players, shape (10, NUM_TRAITS)."""
    parameters: NDArray[np.float64]
    """Our own, shape (NUM_PARAMETERS,)."""
    usual_parameters: NDArray[np.float64]
    """Those of reasonable players, shape (NUM_PARAMETERS,)."""
    noise: NDArray[np.float64]
    """How far a player decides without the hand, before and after the flop, by `Noise`; shape (10, 2, 2)."""
    contexts: NDArray[np.float64]
    """COUNTED: actions seen; FIXED: frequencies.  Shape (10, NUM_CONTEXTS, 3)."""
    groups: NDArray[np.float64]
    """COUNTED: as in `Counts`, as are the next eleven.  Shape (10, NUM_GROUPS, 3)."""
    details: NDArray[np.float64]
    """Shape (10, NUM_DETAILS, 3)."""
    corrections: NDArray[np.float64]
    """Shape (10, NUM_CONTEXTS, NUM_CORRECTIONS, 3)."""
    detail_corrections: NDArray[np.float64]
    """Shape (10, NUM_DETAILS, NUM_CORRECTIONS, 3)."""
    counts_weight: NDArray[np.float64]
    """Shape (10, NUM_GROUPS)."""
    borrowing: NDArray[np.float64]
    """Shape (10, NUM_GROUPS, NUM_LOANS)."""
    neutral_share: NDArray[np.float64]
    """Shape (10, 1)."""
    pot_odds: NDArray[np.float64]
    """Shape (10, NUM_CONTEXTS, 2)."""
    steepness: NDArray[np.float64]
    """Shape (10, 1)."""
    bars: NDArray[np.float64]
    """Shape (10, NUM_BAR_PLACES, NUM_BARS)."""
    bars_weight: NDArray[np.float64]
    """Shape (10, NUM_BAR_PLACES)."""
    bars_moved: NDArray[np.float64]
    """Shape (10, NUM_CONTEXTS)."""
    sizes: NDArray[np.float64]
    """The chance that a raise has this size or a smaller one, before and after the flop: shape (10, 2,
    NUM_SIZES)."""
    reweighting_noise: float
    """The noise factor of the re-weighting within a trial."""
