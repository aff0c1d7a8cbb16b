"""From frequencies to thresholds, and from thresholds to triples (Papp 1998).

A player who raises in a share r of cases is assumed to raise with the best hands they may hold.  The share
determines a threshold among their combos, by weight; around it, within a spread, actions are mixed.  Folding
works in the same way.  This is the theses' rule, in which an action has a mean threshold and a spread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.hands.hand_strength import check_weights
from engine.kernels.players import reweighting as kernels, triples as triple_kernels
from engine.kernels.players.triples import SPREAD
from engine.players.hand_values import HandValues
from engine.players.probability_triple import ProbabilityTriple, checked
from engine.poker.combos import NUM_COMBOS
from engine.support.arrays import Floats

__all__ = ["SPREAD", "implied_thresholds", "implied_triples", "threshold_triples"]


def implied_thresholds(
    weights: ArrayLike, values: HandValues, frequencies: ArrayLike, spread: float = SPREAD
) -> tuple[float, float]:
    """The thresholds above which a player calls and raises, given the frequencies of their actions.

    Args:
        weights: the player's table, shape (1326,).
        values: the values of the player's combos.
        frequencies: the frequencies of folding, calling and raising, shape (3,).
        spread: half the width of the mixing zone.

    Returns:
        The thresholds of calling (on the chance at showdown after the flop, on the value before it) and of
        raising (on the value).

    Raises:
        ValueError: wrong weights, or frequencies that are no triple.
    """
    triple = checked([float(f) for f in np.asarray(frequencies)])
    return _implied_thresholds(check_weights(weights), values, triple, spread)


def _implied_thresholds(
    weights: Floats, values: HandValues, frequencies: ProbabilityTriple, spread: float
) -> tuple[float, float]:
    spreads = np.full(NUM_COMBOS, spread)
    return kernels.implied_thresholds(
        weights, values.value, values.call, spreads, spreads, frequencies, np.empty((3, NUM_COMBOS))
    )


def threshold_triples(
    weights: ArrayLike, values: HandValues, frequencies: ArrayLike, noise: float, spread: float = SPREAD
) -> Floats:
    """The triples of a player with these frequencies, a share `noise` of whose actions ignores the hand.

    Their weighted mean equals the frequencies.

    Args:
        weights: the player's table, shape (1326,).
        values: the values of the player's combos.
        frequencies: the frequencies of folding, calling and raising, shape (3,).
        noise: 0: the hand alone decides; 1: only the frequencies count.
        spread: half the width of the mixing zone.

    Returns:
        Shape (1326, 3).

    Raises:
        ValueError: as `implied_thresholds`, or a noise outside 0..1.
    """
    if not 0 <= noise <= 1:
        raise ValueError(f"noise lies between 0 and 1, got {noise}")
    table, triple = check_weights(weights), checked([float(f) for f in np.asarray(frequencies)])
    triples = implied_triples(table, values, triple, spread)
    triple_kernels.blend_with_triple(triples, triple, noise, triples)
    return triples


def implied_triples(
    weights: Floats, values: HandValues, frequencies: ProbabilityTriple, spread: float = SPREAD
) -> Floats:
    """`threshold_triples` without noise, for arguments that are known to be valid."""
    call_at, raise_at = _implied_thresholds(weights, values, frequencies, spread)
    triples = np.empty((NUM_COMBOS, 3))
    triple_kernels.fill_threshold_triples(values.value, values.call, call_at, raise_at, spread, triples)
    return triples
