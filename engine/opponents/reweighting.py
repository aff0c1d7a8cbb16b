"""From an action to a new weight table; from frequencies to thresholds (Fig. 3.5; Papp 1998).

A player who raises a share r of the time is taken to raise with the best hands he may hold: the share fixes
a threshold among his combos, by their weights, and what lies around it within a spread is mixed.  Likewise
for folding.  That is the theses' rule, in which an action has a mean threshold and a spread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.combos import NUM_COMBOS
from engine.evaluation.hand_strength import check_weights
from engine.kernels.opponents import triples as kernels
from engine.kernels.opponents.triples import SPREAD
from engine.opponents.models.formula import HandValues
from engine.opponents.probability_triple import checked

__all__ = ["SPREAD", "implied_thresholds", "threshold_triples"]


def implied_thresholds(
    weights: ArrayLike, values: HandValues, frequencies: ArrayLike, spread: float = SPREAD
) -> tuple[float, float]:
    """The thresholds from which on a player calls and raises, if he acts so often by the strength of his
    hand.

    Args:
        weights: his table, shape (1326,).
        values: of his combos.
        frequencies: of folding, calling and raising, shape (3,).
        spread: half the width of the mixing zone.

    Returns:
        The thresholds of calling (on the chance at showdown after the flop, on the value before it) and of
        raising (on the value).

    Raises:
        ValueError: wrong weights, or frequencies that are no triple.
    """
    table = check_weights(weights)
    fold, _, raise_ = checked([float(f) for f in np.asarray(frequencies)])
    return kernels.implied_thresholds(
        table, values.value, _staying(values), fold, raise_, spread, *np.empty((2, NUM_COMBOS))
    )


def _staying(values: HandValues) -> NDArray[np.float64]:
    return values.showdown if values.showdown.any() else values.value


def threshold_triples(
    weights: ArrayLike, values: HandValues, frequencies: ArrayLike, noise: float, spread: float = SPREAD
) -> NDArray[np.float64]:
    """The triples of a player with these frequencies, if a part `noise` of his actions is blind to his hand.

    Their mean by weight is the frequencies again.

    Args:
        weights: his table, shape (1326,).
        values: of his combos.
        frequencies: of folding, calling and raising, shape (3,).
        noise: 0: his hand decides; 1: the frequencies are all there is.
        spread: half the width of the mixing zone.

    Returns:
        Shape (1326, 3).

    Raises:
        ValueError: as `implied_thresholds`, or a noise outside 0..1.
    """
    if not 0 <= noise <= 1:
        raise ValueError(f"noise lies between 0 and 1, got {noise}")
    table, triple = check_weights(weights), checked([float(f) for f in np.asarray(frequencies)])
    return unchecked_threshold_triples(table, values, triple, noise, spread)


def unchecked_threshold_triples(
    weights: NDArray[np.float64],
    values: HandValues,
    frequencies: tuple[float, float, float],
    noise: float = 0.0,
    spread: float = SPREAD,
) -> NDArray[np.float64]:
    """`threshold_triples` where the arguments are known to be sound."""
    staying = _staying(values)
    fold, _, raise_ = frequencies
    call_at, raise_at = kernels.implied_thresholds(
        weights, values.value, staying, fold, raise_, spread, *np.empty((2, NUM_COMBOS))
    )
    triples = np.empty((NUM_COMBOS, 3))
    kernels.fill_threshold_triples(
        values.value, staying, call_at, raise_at, spread, noise, np.array(frequencies), triples
    )
    return triples
