"""The models of the players of a trial.

How they act is computed as by the models at the table (``engine.kernels.players.triples``).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from engine.kernels.players.player import Curve
from engine.support.arrays import Floats, Ints


class Kind(IntEnum):
    """Kinds of players."""

    RANDOM = 0
    """Takes any legal action whatever its hand: no model."""
    REASONABLE = 1
    """Plays the formula as if among reasonable players: the generic model."""
    OURS = 2
    """Plays the formula with what is known of the others."""
    MODELLED = 3
    """Acts by the curves of the player model."""
    FIXED = 4
    """Acts with the frequencies of a table, whatever its hand."""


class Players(NamedTuple):
    """The models of the players, by position."""

    kinds: Ints
    """The `Kind` of each player, shape (10,)."""
    traits: Floats
    """The traits of each player, shape (10, NUM_TRAITS); from `Trait.KNOWN` on those at the node that was
    prepared last."""
    usual_traits: Floats
    """The traits of reasonable players, shape (10, NUM_TRAITS)."""
    parameters: Floats
    """Our parameters of the formula, shape (len(Parameter),)."""
    usual_parameters: Floats
    """The parameters of reasonable players, shape (len(Parameter),)."""
    contexts: Floats
    """The frequencies of a FIXED player, shape (10, NUM_CONTEXTS, 3)."""
    folds: Curve
    """Of MODELLED players: the means and covariances have an axis more, the first, the position."""
    raises: Curve
    sizes: Floats
    """The chance that a raise has a size or a smaller one, before and after the flop; of our own, where there
    are several opponents.

    Shape (10, 2, NUM_SIZES).
    """
    reweighting_noise: float
    """The noise factor by which ranges are re-weighted within a trial."""
