"""How far a player decides without the hand: learnt from showdowns, by kind of decision and who is left.

One part of the decisions whether to fold may be blind to the hand, another part of those whether to raise.
Each pair of such parts has the log odds that its chances of what was done have earned, beside those it had
before anything was shown.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels.players.records import NOISE_SHAPE, Noise
from engine.kernels.players.triples import chances_by_noise
from engine.players.probability_triple import ProbabilityTriple

Floats = NDArray[np.float64]

NOISE_PLACES: Final = NOISE_SHAPE[0]
"""How many places there are, of ``engine.poker.records.noise_index``."""
_GRID: Final = np.linspace(0.0, 1.0, 11)
_FADES: Final = 0.997
"""What a showdown counts after the next."""
_LEAST: Final = 0.02
"""Least chance of an action at a showdown, so that one surprise does not settle everything."""
_ALL_DICE: Final = -5.0
"""Log odds before any showdown that a part is 1: about one player in fifty throws nothing but dice."""
_LESS_THAN_ALL: Final = np.maximum(_GRID[:-1], 0.02)
_PRIOR: Final = np.append(np.log(_LESS_THAN_ALL) + 4 * np.log(1 - _LESS_THAN_ALL), _ALL_DICE)
"""The same of each part of the grid: beta-distributed, 2 to 5, but for the last."""
_LENT: Final = 0.25
"""What a showdown against one opponent counts in hands against several, and the other way round."""


def no_noise_known() -> Floats:
    """The evidence before any showdown: by place, by the noise of folds and by that of raises.  Log odds."""
    return np.zeros((NOISE_PLACES, len(_GRID), len(_GRID)))


def faded(evidence: Floats) -> Floats:
    """The count of the evidence at the next showdown."""
    return _FADES * evidence


def weigh_noise(known: Floats, sharp: Floats, mean: ProbabilityTriple, action: int) -> None:
    """Add what was done with a hand that has been shown to the evidence of a place, in place.

    Args:
        known: the evidence of the place.
        sharp: what the hand decides, shape (3,).
        mean: how often the player does what, whatever the hand.
        action: a `TripleIndex`.
    """
    chances = np.empty_like(known)
    chances_by_noise(sharp, mean, action, _GRID, chances)
    known += np.log(np.maximum(chances, _LEAST)) - math.log(max(mean[action], _LEAST))


def noises_of(evidence: Floats) -> Floats:
    """How far the player decides without the hand, 0 to 1, shape `NOISE_SHAPE`.

    What was shown against one opponent says something of pots with several, and the other way round.
    """
    together = evidence + _PRIOR[:, None] + _PRIOR
    together[1:] += _LENT * evidence[:0:-1]
    chances = np.exp(together - together.max(axis=(1, 2), keepdims=True))
    chances /= chances.sum(axis=(1, 2), keepdims=True)
    noises = np.empty(NOISE_SHAPE)
    noises[:, Noise.FOLDS] = chances.sum(axis=2) @ _GRID
    noises[:, Noise.RAISES] = chances.sum(axis=1) @ _GRID
    return noises


def of_all_pots(evidence: Floats) -> Floats:
    """By place, from evidence that did not tell apart who is left.

    evidence: before the flop and after it.
    """
    before, after = evidence
    return np.array([before, after / (1 + _LENT), after / (1 + _LENT)])
