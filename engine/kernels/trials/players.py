"""Who plays in a trial: what is known of the players, and how that makes them act.

The arithmetic is that of the models at the table: ``engine.opponents.models.formula`` and ``specific``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel

NUM_SIZES: Final = 5
"""Sizes of a raise: the smallest, half the pot, the pot, twice the pot, all in.  Limit games have one."""

# Kinds of players.
BLIND: Final = 0
"""Does anything that is legal, whatever he holds."""
REASONABLE: Final = 1
"""The formula among reasonable players: the generic model."""
OURS: Final = 2
"""The formula, with what is known of the others."""
COUNTED: Final = 3
"""The specific model: counts, drawn towards the generic model."""
FIXED: Final = 4
"""Acts as often as a table says, by his hand but for a part that is blind to it."""

APART: Final = 0.10
"""Distance from the generic frequencies (total variation) from which on the implied thresholds decide."""
NEAR: Final = 0.01
"""Difference from a generic frequency that is let be where only the thresholds could undo it."""


class Players(NamedTuple):
    """What is known of the players, by position."""

    kinds: NDArray[np.int64]
    """Shape (10,)."""
    traits: NDArray[np.float64]
    """Shape (10, NUM_TRAITS)."""
    usual_traits: NDArray[np.float64]
    """Those of reasonable players, shape (10, NUM_TRAITS)."""
    habits: NDArray[np.float64]
    """Our own parameters, shape (NUM_HABITS,)."""
    usual_habits: NDArray[np.float64]
    """Shape (NUM_HABITS,)."""
    noise: NDArray[np.float64]
    """Shape (10,)."""
    contexts: NDArray[np.float64]
    """COUNTED: actions seen; FIXED: frequencies.  Shape (10, NUM_CONTEXTS, 3)."""
    groups: NDArray[np.float64]
    """Actions seen, shape (10, NUM_GROUPS, 3)."""
    corrections: NDArray[np.float64]
    """Actions seen, actions expected, and factors, shape (10, NUM_CONTEXTS, 9)."""
    neutral: NDArray[np.float64]
    """COUNTED: how far anything legal is expected, and not what is reasonable.  Shape (10,)."""
    say: NDArray[np.float64]
    """The part of the counts, by group; the rest is the corrections'.  Shape (10, NUM_GROUPS)."""
    priors: NDArray[np.float64]
    """Of groups, contexts and corrections, shape (3,)."""
    sizes: NDArray[np.float64]
    """The chance that a raise has this size or a smaller one, before and after the flop: shape (10, 2,
    NUM_SIZES)."""
    reweighting_noise: NDArray[np.float64]
    """Shape (1,)."""


@kernel(allocates=False, inlined=True)
def potentials_against(
    positive: float, negative: float, betting_round: int, several: int
) -> tuple[float, float]:
    """What the potentials of a hand for one card come to by the showdown against several opponents.

    Returns:
        The chance that a hand which is ahead of all stays ahead, and that one which is behind comes ahead.
    """
    if betting_round == 1:
        positive *= 2.0 - positive
        negative *= 2.0 - negative
    kept = 1.0
    for _ in range(several):
        kept *= 1.0 - negative
    if several > 1:
        positive /= np.sqrt(float(several))
    return kept, positive


@kernel(allocates=False, inlined=True)
def postflop_value(
    strength: float, positive: float, kept: float, gained: float, protect: float
) -> tuple[float, float]:
    """The value of a hand and its chance at the showdown, as in ``engine.opponents.models.formula``.

    positive: potential for one card.  kept, gained: of `potentials_against`.
    """
    behind = 1.0 - strength
    showdown = strength * kept + behind * gained
    return protect * (strength + behind * positive) + (1.0 - protect) * showdown, showdown


@kernel(allocates=False)
def legal_frequencies(frequencies: NDArray[np.float64], can_fold: bool, can_raise: bool) -> None:
    """Scales three frequencies to one, without what is not allowed, which becomes a call; in place."""
    total = frequencies[0] + frequencies[1] + frequencies[2]
    for action in range(3):
        frequencies[action] /= total
    if not can_fold:
        frequencies[1] += frequencies[0]
        frequencies[0] = 0.0
    if not can_raise:
        frequencies[1] += frequencies[2]
        frequencies[2] = 0.0


@kernel(allocates=False)
def counted_frequencies(
    players: Players,
    position: int,
    context: int,
    group: int,
    mean: NDArray[np.float64],
    can_fold: bool,
    can_raise: bool,
    counts: NDArray[np.float64],
    corrected: NDArray[np.float64],
    frequencies: NDArray[np.float64],
) -> None:
    """How often a counted player acts: ``SpecificModel.frequencies``.  `frequencies` is filled in place.

    mean: the generic model's frequencies, shape (3,).  counts, corrected: scratch, shape (3,) or more.
    """
    neutral = players.neutral[position]
    legal = 1.0 / (1.0 + can_fold + can_raise)
    cases = 0.0
    in_group = 0.0
    for action in range(3):
        chance = 0.0 if (action == 0 and not can_fold) or (action == 2 and not can_raise) else legal
        frequencies[action] = mean[action] + neutral * (chance - mean[action])  # to be expected
        counts[action] = players.groups[position, group, action] + players.priors[0] * frequencies[action]
        in_group += counts[action]
        cases += players.corrections[position, context, action]
    for action in range(3):
        usual = frequencies[action]
        counts[action] = (
            players.contexts[position, context, action] + players.priors[1] * counts[action] / in_group
        )
        prior = players.priors[2] * usual + 1e-9
        seen = players.corrections[position, context, action]
        expected = players.corrections[position, context, 3 + action]
        if neutral > 0.0:
            chance = 0.0 if (action == 0 and not can_fold) or (action == 2 and not can_raise) else legal
            expected += neutral * (cases * chance - expected)
        corrected[action] = usual * (seen + prior) / (expected + prior)
    legal_frequencies(counts, can_fold, can_raise)
    legal_frequencies(corrected, can_fold, can_raise)
    say = players.say[position, group]
    for action in range(3):
        both = say * counts[action] + (1.0 - say) * corrected[action]
        frequencies[action] = both * players.corrections[position, context, 6 + action]
    legal_frequencies(frequencies, can_fold, can_raise)


@kernel(allocates=False)
def own_share(mean: NDArray[np.float64], frequencies: NDArray[np.float64]) -> float:
    """How far a counted player's own thresholds decide, and not the formula: as in the specific model."""
    apart = 0.0
    for action in range(3):
        apart += abs(mean[action] - frequencies[action])
    share = min(apart / (2.0 * APART), 1.0)
    for action in range(3):
        missing = mean[action] - frequencies[action]
        if missing > NEAR:
            share = max(share, missing / mean[action])
    return share if share > 0.01 else 0.0
