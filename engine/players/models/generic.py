"""The generic model: everybody is a reasonable player, who follows the formula.

Source: Loki, "Opponent modeling" (the formula strategy read as what a reasonable player would do).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from engine.players.models.formula import formula_triples, traits_array
from engine.players.models.model import Decision, FixedModel
from engine.support.arrays import Floats

_REASONABLE_TABLE: Final = traits_array({})


class GenericModel(FixedModel):
    """A reasonable player among reasonable players, with the default parameters."""

    @property
    def state(self) -> Hashable:
        """All are alike."""
        return GenericModel

    def triples(self, decision: Decision) -> Floats:
        """The formula's triple for every combo, shape (1326, 3)."""
        return formula_triples(decision.situation, decision.values, decision.weights, _REASONABLE_TABLE)
