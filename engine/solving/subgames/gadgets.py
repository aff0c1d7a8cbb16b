"""A gadget: what an opponent may do before a subgame begins, so that solving it anew is safe.

A player solves a subgame again; of the opponent it takes for granted not a range, but what each of its hands
can have elsewhere: its *alternative*, a counterfactual value.  The gadget, `Resolve`, says with which reach
each hand enters, and learns from the values that hands find there.

Arrays may have axes before that of the hands: subgames side by side, each apart.

Source: Burch, Johanson and Bowling, *Solving Imperfect Information Games Using Decomposition* (2014), for
`Resolve`; Brown and Sandholm, *Safe and Nested Subgame Solving for Imperfect-Information Games* (2017), for
estimates as alternatives.
"""

from __future__ import annotations

import numpy as np

from engine.solving.subgames.schedules import Factors
from engine.support.arrays import Floats, as_chances


def _matched(regrets: Floats) -> Floats:
    """Chances by regret matching along the first axis."""
    return as_chances(np.maximum(regrets, 0.0), axis=0)


class Resolve:
    """The opponent enters with each hand, or leaves for its alternative.

    Args:
        alternatives: counterfactual values, shape (..., hands).
        mixed: the part of the reach that is the opponent's range whatever it chooses: 1 is unsafe.
        weights: that range, in the same shape.
        is_scaled: whether what enters by choice is scaled to the total of the range.
    """

    def __init__(
        self,
        alternatives: Floats,
        mixed: float = 0.0,
        weights: Floats | None = None,
        *,
        is_scaled: bool = False,
    ) -> None:
        self._alternatives = alternatives
        self._mixed, self._is_scaled = mixed, is_scaled
        self._weights = np.zeros(alternatives.shape) if weights is None else weights
        self._regrets = np.zeros((2, *alternatives.shape))

    def reach(self) -> Floats:
        """The opponent's reach with each hand."""
        enters = _matched(self._regrets)[0]
        if self._is_scaled and enters.sum() > 0:
            enters = enters * (self._weights.sum() / enters.sum())
        return self._mixed * self._weights + (1 - self._mixed) * enters

    def learn(self, values: Floats, factors: Factors) -> None:
        """Learn from the opponent's counterfactual values at the start of the subgame."""
        both = np.stack([values, self._alternatives])
        mean = (_matched(self._regrets) * both).sum(axis=0)
        positive, negative, _, floor = factors
        kept = self._regrets * np.where(self._regrets > 0, positive, negative)
        self._regrets = np.maximum(kept + (both - mean), floor)
