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
    """How actions are evaluated: section 2.1 or 2.2 of the report."""
    aggression: bool = True
    """Continued aggression: who raised last in one round rather raises in the next."""
    randomness: float = 0.5
    """How evenly it draws among profitable actions: weights are values to the power of one over it; 0 takes
    the best."""
    enough: int = 30
    """Hands that went on alike before their outcome counts; it counts fully from four times as many."""
    model: PredictorName = "counts"
    """Who says how likely opponents fold."""
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
