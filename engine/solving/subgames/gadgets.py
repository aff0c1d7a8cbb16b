"""Gadgets: what an opponent may do before a subgame begins, so that solving it anew is safe.

A player solves a subgame again; of the opponent it takes for granted not a range, but what each of its hands
can have elsewhere: its *alternative*, a counterfactual value.  A gadget says with which reach each hand
enters, and learns from the values that hands find there.

============ =================================================================================================
`Resolve`    each hand enters, or leaves for its alternative
`Maxmargin`  the opponent chooses the one hand that gains the most over its alternative
============ =================================================================================================

Arrays may have axes before that of the hands: subgames side by side, each apart.

Source: Burch, Johanson and Bowling, *Solving Imperfect Information Games Using Decomposition* (2014), for
`Resolve`; Moravčík and others, *Refining Subgames in Large Imperfect Information Games* (2016), for
`Maxmargin`; Brown and Sandholm, *Safe and Nested Subgame Solving for Imperfect-Information Games* (2017), for
gifts, and for estimates as alternatives.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from engine.solving.subgames.schedules import Factors
from engine.support.arrays import Floats


class Gadget(Protocol):
    """A choice of the opponent's before a subgame."""

    def reach(self) -> Floats:
        """The opponent's reach with each hand."""

    def learn(self, values: Floats, factors: Factors) -> None:
        """Learn from the opponent's counterfactual values at the start of the subgame."""


def _matched(regrets: Floats, axis: int) -> Floats:
    """Chances by regret matching along an axis."""
    good = np.maximum(regrets, 0.0)
    total = good.sum(axis=axis, keepdims=True)
    found: Floats = np.divide(good, total, out=np.full(good.shape, 1.0 / good.shape[axis]), where=total > 0)
    return found


def _discounted(regrets: Floats, added: Floats, factors: Factors) -> Floats:
    positive, negative, _, floor = factors
    found: Floats = np.maximum(regrets * np.where(regrets > 0, positive, negative) + added, floor)
    return found


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
        enters = _matched(self._regrets, 0)[0]
        if self._is_scaled and enters.sum() > 0:
            enters = enters * (self._weights.sum() / enters.sum())
        found: Floats = self._mixed * self._weights + (1 - self._mixed) * enters
        return found

    def learn(self, values: Floats, factors: Factors) -> None:
        """Learn from the opponent's counterfactual values at the start of the subgame."""
        both = np.stack([values, self._alternatives])
        mean = (_matched(self._regrets, 0) * both).sum(axis=0)
        self._regrets = _discounted(self._regrets, both - mean, factors)


class Maxmargin:
    """The opponent enters with the one hand that gains the most over its alternative.

    Args:
        alternatives: counterfactual values, shape (..., hands).
        met: the player's reach that each hand meets; hands that meet none never enter.
    """

    def __init__(self, alternatives: Floats, met: Floats) -> None:
        self._alternatives, self._met = alternatives, met
        self._is_met = met > 0
        self._regrets = np.where(self._is_met, 0.0, -1.0)

    def _chances(self) -> Floats:
        even = self._is_met / np.maximum(1, self._is_met.sum(axis=-1, keepdims=True))
        found: Floats = np.where(
            (self._regrets > 0).any(axis=-1, keepdims=True), _matched(self._regrets, -1), even
        )
        return found

    def reach(self) -> Floats:
        """The opponent's reach with each hand."""
        return np.divide(self._chances(), self._met, out=np.zeros(self._met.shape), where=self._is_met)

    def learn(self, values: Floats, factors: Factors) -> None:
        """Learn from the opponent's counterfactual values at the start of the subgame."""
        margins = np.divide(
            values - self._alternatives, self._met, out=np.zeros(self._met.shape), where=self._is_met
        )
        mean = (self._chances() * margins).sum(axis=-1, keepdims=True)
        self._regrets = np.where(self._is_met, _discounted(self._regrets, margins - mean, factors), -1.0)
