"""The models of the players of a trial.

How they act is computed as by the models at the table (``engine.kernels.players.triples``).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Kind(IntEnum):
    """Kinds of players."""

    RANDOM = 0
    """Takes any legal action whatever its hand: no model."""
    REASONABLE = 1
    """Plays the formula as if among reasonable players: the generic model."""
    OURS = 2
    """Plays the formula with what is known of the others."""
    COUNTED = 3
    """The specific model: counts, drawn towards the generic model."""
    FIXED = 4
    """Acts with the frequencies of a table, by the hand except for a part that ignores it."""


class Players(NamedTuple):
    """The models of the players, by position."""

    kinds: NDArray[np.int64]
    """The `Kind` of each player, shape (10,)."""
    traits: NDArray[np.float64]
    """The traits of each player, shape (10, NUM_TRAITS)."""
    usual_traits: NDArray[np.float64]
    """The traits of reasonable players, shape (10, NUM_TRAITS)."""
    parameters: NDArray[np.float64]
    """Our parameters of the formula, shape (NUM_PARAMETERS,)."""
    usual_parameters: NDArray[np.float64]
    """The parameters of reasonable players, shape (NUM_PARAMETERS,)."""
    noise: NDArray[np.float64]
    """How far a player ignores its hand, shape (10, *NOISE_SHAPE)."""
    contexts: NDArray[np.float64]
    """Actions seen of a COUNTED player, or frequencies of a FIXED one; shape (10, NUM_CONTEXTS, 3)."""
    groups: NDArray[np.float64]
    """For COUNTED players, as in `Counts`, like the next fourteen fields.  Shape (10, NUM_GROUPS, 3)."""
    details: NDArray[np.float64]
    """Shape (10, NUM_DETAILS, 3)."""
    corrections: NDArray[np.float64]
    """Shape (10, NUM_CONTEXTS, NUM_CORRECTIONS, 3)."""
    detail_corrections: NDArray[np.float64]
    """Shape (10, NUM_DETAILS, NUM_CORRECTIONS, 3)."""
    folds: NDArray[np.float64]
    """Shape (10, *FOLDS_SHAPE)."""
    company: NDArray[np.float64]
    """Shape (10, NUM_GROUPS, NUM_COMPANIES, 2, 3)."""
    company_weight: NDArray[np.float64]
    """Shape (10, 1)."""
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
    """Shape (10, 2 * NUM_CONTEXTS)."""
    sizes: NDArray[np.float64]
    """The chance that a raise has a size or a smaller one, before and after the flop; of our own, where there
    are several opponents.

    Shape (10, 2, NUM_SIZES).
    """
    reweighting_noise: float
    """The noise factor by which ranges are re-weighted within a trial."""
