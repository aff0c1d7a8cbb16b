"""Probability triples {f, c, r}: the probabilities of folding, calling and raising, always in this order.

A triple is a mixed strategy at one point of a hand, computed for a known hand or averaged over a weight
table.  This module is plain Python; arrays of shape (..., 3) hold the triples of many hands, with an action's
probability at its `TripleIndex`.  Their numbers come from ``engine.kernels.players.triples``.

Source: Poki 3.4; Loki, "Probability triples".
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from engine.poker.records import ProbabilityTriple, TripleIndex
from engine.poker.rules.action import Action, ActionKind

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from engine.poker.rules import LegalActions
    from engine.support.arrays import Floats

TRIPLE_INDEX: Final = {
    ActionKind.FOLD: TripleIndex.FOLD,
    ActionKind.CALL: TripleIndex.CALL,
    ActionKind.RAISE: TripleIndex.RAISE,
}
"""The index of an action's probability in a triple."""

CERTAIN: Final = {
    ActionKind.FOLD: ProbabilityTriple(1, 0, 0),
    ActionKind.CALL: ProbabilityTriple(0, 1, 0),
    ActionKind.RAISE: ProbabilityTriple(0, 0, 1),
}
"""The triple of a player who does one thing for certain."""

_TOLERANCE: Final = 1e-6


def checked(triple: Sequence[float]) -> ProbabilityTriple:
    """Three numbers as a triple.

    Raises:
        ValueError: not three, one negative or not finite, or a sum that is not one.
    """
    if len(triple) != 3:
        raise ValueError(f"a probability triple has 3 chances, got {len(triple)}")
    if not all(math.isfinite(chance) and chance >= 0 for chance in triple):
        raise ValueError(f"chances are finite and 0 or more, got {tuple(triple)}")
    if abs(sum(triple) - 1) > _TOLERANCE:
        raise ValueError(f"the chances of a triple add up to 1, got {sum(triple)} from {tuple(triple)}")
    return ProbabilityTriple(*(float(chance) for chance in triple))


def triple_of(chances: Iterable[tuple[Action, float]]) -> ProbabilityTriple:
    """The chances of folding, calling and raising to any size, of the chances of some actions."""
    triple = [0.0, 0.0, 0.0]
    for action, chance in chances:
        triple[TRIPLE_INDEX[action.kind]] += chance
    return ProbabilityTriple(*triple)


def mix(triples: Sequence[Sequence[float]], weights: Sequence[float]) -> ProbabilityTriple:
    """The mixture of some triples by their weights.

    Raises:
        ValueError: different numbers of triples and weights, a negative weight, or none that is positive.
    """
    if len(triples) != len(weights) or min(weights, default=-1.0) < 0 or sum(weights) <= 0:
        raise ValueError(
            f"expected a weight of 0 or more for each triple, one positive, got {tuple(weights)} for "
            f"{len(triples)} triples"
        )
    total = sum(weights)
    mixed = [0.0, 0.0, 0.0]
    for triple, weight in zip(triples, weights, strict=True):
        for index, chance in enumerate(checked(triple)):
            mixed[index] += weight / total * chance
    return ProbabilityTriple(*mixed)


def legal_triple(triple: Sequence[float], can_fold: bool, can_raise: bool) -> ProbabilityTriple:
    """The triple with the probability of illegal actions given to calling, which is always legal."""
    fold, call, raise_ = checked(triple)
    if not can_fold:
        fold, call = 0.0, call + fold
    if not can_raise:
        raise_, call = 0.0, call + raise_
    return ProbabilityTriple(fold, call, raise_)


def legal_triples(triples: ArrayLike, legal: LegalActions) -> Floats:
    """The triples of many hands as they count at a table, shape (hands, 3): scaled to one, illegal actions
    are calls, and hands without any chance, such as those that share a card with the board, call.

    Raises:
        ValueError: other shapes, a chance that is negative or not finite, or none that is positive.
    """
    import numpy as np

    found = np.array(triples, np.float64)
    if found.ndim != 2 or found.shape[1] != 3 or not np.isfinite(found).all() or (found < 0).any():
        raise ValueError(f"expected chances of 0 or more, shape (hands, 3), got shape {found.shape}")
    if not found.any():
        raise ValueError("expected chances of 0 or more, one positive, got none")
    for column, is_legal in ((0, legal.can_fold), (2, legal.can_raise)):
        if not is_legal:
            found[:, 1] += found[:, column]
            found[:, column] = 0.0
    found[found.sum(axis=1) == 0] = (0.0, 1.0, 0.0)
    return found / found.sum(axis=1, keepdims=True)


def sample(triple: Sequence[float], rng: random.Random) -> ActionKind:
    """An action drawn by its probability, with one number of the generator.

    Source: Poki 3.4: "a uniform random number is generated between 0 and 1".
    """
    fold, _, raise_ = triple
    drawn = rng.random()
    if drawn < fold:
        return ActionKind.FOLD
    return ActionKind.RAISE if drawn >= 1 - raise_ else ActionKind.CALL
