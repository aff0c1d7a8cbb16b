"""The options of the formula bot."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import attrs

from clients.bots.opponent_book import DEFAULT_NOISE, DEFAULT_POTENTIAL, ModelName, check_model
from engine.players.models.formula import Parameters
from engine.players.table_reader import PotentialName


@attrs.frozen
class FormulaConfig:
    """How a formula bot plays.

    Raises:
        ValueError: a number outside 0..1, or an unknown model.
    """

    tightness: float = 0.5
    """0 loose to 1 tight."""
    aggression: float = 0.5
    """0 passive to 1 aggressive."""
    deception: float = 0.5
    """0 straightforward; .5 bluffs as often as makes a caller indifferent; 1 twice as often."""
    model: ModelName = "specific"
    """How opponents are modelled."""
    noise: float = DEFAULT_NOISE
    """Noise factor of the re-weighting: 0 believes actions as the model reads them, 1 not at all."""
    memory: Path | None = None
    """File that keeps the models between matches."""
    potential: PotentialName = DEFAULT_POTENTIAL
    """Against what the potential of hands is reckoned: a random hand, or the opponents' weight tables."""

    def __attrs_post_init__(self) -> None:
        for name in ("tightness", "aggression", "deception", "noise"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name}: expected 0 to 1, got {value}")
        check_model(self.model)
        if self.potential not in get_args(PotentialName):
            raise ValueError(f"potential: expected plain or weighted, got {self.potential!r}")

    def parameters(self) -> Parameters:
        """The formula's parameters."""
        return Parameters(tightness=self.tightness, aggression=self.aggression, deception=self.deception)
