"""The options of the heuristic bot."""

from __future__ import annotations

from typing import Literal, get_args

import attrs

from clients.bots.opponent_book import check_model

__all__ = ["HeuristicConfig", "MethodName", "PredictorName"]

MethodName = Literal["direct", "strategic"]

PredictorName = Literal["counts", "generic", "specific", "tree", "network", "vote"]


@attrs.frozen
class HeuristicConfig:
    """How a heuristic bot plays.

    Raises:
        ValueError: a number out of range, or a word that is none of those expected.
    """

    method: MethodName = "direct"
    """How actions are evaluated: strategic (section 2.1 of the report) or direct (2.2)."""
    aggression: bool = True
    """Continued aggression: it raises more often if it raised last in the round before."""
    randomness: float = 0.5
    """How evenly it draws among profitable actions: weights are values to the power of 1 / randomness; 0
    takes the best."""
    enough: int = 30
    """Hands of the same kind from which on their outcomes count; four times as many count fully."""
    model: PredictorName = "counts"
    """What predicts how likely opponents are to fold."""
    looseness: float = 1.0
    """Scales the share of the starting hands that is played."""

    def __attrs_post_init__(self) -> None:
        if self.method not in ("direct", "strategic"):
            raise ValueError(f"method: expected direct or strategic, got {self.method!r}")
        check_model(self.model, get_args(PredictorName))
        if not 0 <= self.randomness <= 10:
            raise ValueError(f"randomness: expected 0 to 10, got {self.randomness}")
        if self.enough < 1:
            raise ValueError(f"enough: expected 1 or more, got {self.enough}")
        if not 0 <= self.looseness <= 5:
            raise ValueError(f"looseness: expected 0 to 5, got {self.looseness}")
