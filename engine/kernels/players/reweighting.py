"""From an action to new weights (Fig. 3.5)."""

from __future__ import annotations

from typing import Final

from engine.kernels._jit import kernel
from engine.support.arrays import Floats

LEAST_CHANCE: Final = 0.01
"""No action multiplies a weight by less: nobody is sure what anybody will do (Papp's low weight)."""


@kernel(allocates=False, inlined=True)
def likelihood(chance: float, noise: float) -> float:
    """How likely an action seen is with a hand: its chance, smeared by the noise factor and never none.

    Source: Poki 3.3.3, "Noise-Factors".
    """
    return max(chance * (1.0 - noise) + noise / 3.0, LEAST_CHANCE)


@kernel(allocates=False)
def reweight(weights: Floats, triples: Floats, action: int, noise: float) -> None:
    """Multiplies each weight by the chance of the action seen (Fig. 3.5), smeared by the noise factor.

    weights: shape (1326,), in place; scaled so that the greatest is 1.  triples: shape (1326, 3).
    action: a `TripleIndex`.
    """
    greatest = 0.0
    for combo in range(weights.shape[0]):
        weights[combo] *= likelihood(triples[combo, action], noise)
        greatest = max(greatest, weights[combo])
    if greatest > 0.0:
        for combo in range(weights.shape[0]):
            # Never to zero by rounding: a hand that was possible stays possible.
            if weights[combo] > 0.0:
                weights[combo] = max(weights[combo] / greatest, 1e-12)
