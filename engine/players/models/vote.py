"""Several models that vote on what a player will do, weighted by how well each has predicted that player.

The weight of a model is proportional to the product of the chances it gave to what then came, old ones
fading: w_k ~ exp(sum over t of fading^(T-t) ln p_k(a_t)).  A model that is wrong about a player has lost its
vote after some dozens of actions, and gets it back when the player changes.

Source: T. Saukonoja and T. A. Pasanen, report C-2008-41, section 3.1 ("the different methods can vote for the
answer given by the opponent modeller, weighted by the past accuracy of these methods").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from engine.players.probability_triple import mix
from engine.poker.records import ProbabilityTriple

_LEAST: Final = 1e-3
"""Least chance that a prediction is held to, so that no single surprise silences a model."""
_FADING: Final = 0.99
"""What an action counts after the next."""


class Vote:
    """The weights of some models for one player.

    Args:
        models: how many there are.

    Raises:
        ValueError: no models.
    """

    def __init__(self, models: int) -> None:
        if models < 1:
            raise ValueError(f"expected one model or more, got {models}")
        self._scores = [0.0] * models

    @property
    def weights(self) -> tuple[float, ...]:
        """The models' weights, adding up to 1; equal at first."""
        best = max(self._scores)
        shares = [math.exp(score - best) for score in self._scores]
        total = sum(shares)
        return tuple(share / total for share in shares)

    def mixed(self, predictions: Sequence[Sequence[float]]) -> ProbabilityTriple:
        """The models' triples, mixed by weight.

        Raises:
            ValueError: not one triple for each model.
        """
        return mix(predictions, self.weights)

    def observe(self, predictions: Sequence[Sequence[float]], action: int) -> None:
        """What the models said, and the `TripleIndex` of what came.

        Raises:
            ValueError: not one triple for each model.
        """
        self._scores = [
            _FADING * score + math.log(max(triple[action], _LEAST))
            for score, triple in zip(self._scores, predictions, strict=True)
        ]
