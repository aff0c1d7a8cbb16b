"""Models of opponents as the players of a trial: what a kernel needs to let them act.

Everybody acts as his model predicts; we ourselves by the formula, with what is known of the others.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.kernels.opponents.thresholds import NUM_TRAITS
from engine.kernels.rules.betting import MAX_PLAYERS
from engine.kernels.trials import players as kernels
from engine.opponents.action_context import NUM_CONTEXTS, NUM_GROUPS
from engine.opponents.bet_sizes import BetSizes
from engine.opponents.models.formula import DEFAULT_PARAMETERS, Parameters, average_traits, habits_array
from engine.opponents.models.frequencies import FrequencyModel
from engine.opponents.models.generic import GenericModel
from engine.opponents.models.model import NoModel, OpponentModel
from engine.opponents.models.specific import PRIORS, SpecificModel

__all__ = ["OwnStrategy", "simulated_players"]

Floats = NDArray[np.float64]


@attrs.frozen
class OwnStrategy:
    """How we play on after the action that is simulated: by the formula."""

    parameters: Parameters = DEFAULT_PARAMETERS


def simulated_players(
    models: Sequence[OpponentModel | OwnStrategy],
    noise: float = 0.0,
    sizes: Sequence[BetSizes] | None = None,
) -> kernels.Players:
    """The players of a table.

    Args:
        models: by position, of NoModel, GenericModel, SpecificModel, FrequencyModel, or our own strategy.
        noise: the noise factor of the re-weighting within a trial.
        sizes: by position, how much they raise in no-limit games.

    Raises:
        TypeError: a model of a kind that a trial cannot let act.
    """
    count = MAX_PLAYERS
    usual = average_traits()
    traits = np.tile(np.array(usual.row), (count, 1))
    players = kernels.Players(
        kinds=np.zeros(count, np.int64),
        traits=traits,
        usual_traits=np.tile(np.array(usual.row), (count, 1)),
        habits=habits_array(DEFAULT_PARAMETERS),
        usual_habits=habits_array(DEFAULT_PARAMETERS),
        noise=np.zeros(count),
        contexts=np.zeros((count, NUM_CONTEXTS, 3)),
        groups=np.zeros((count, NUM_GROUPS, 3)),
        corrections=np.zeros((count, NUM_CONTEXTS, 9)),
        neutral=np.zeros(count),
        say=np.zeros((count, NUM_GROUPS)),
        priors=np.array(PRIORS),
        sizes=np.ones((count, 2, kernels.NUM_SIZES)),
        reweighting_noise=np.array([noise]),
    )
    assert traits.shape[1] == NUM_TRAITS
    default_sizes = _default_chances()
    for position, model in enumerate(models):
        chances = default_sizes if sizes is None else sizes[position].chances
        players.sizes[position] = np.cumsum(chances, axis=1)
        if isinstance(model, OwnStrategy):
            players.kinds[position] = kernels.OURS
            players = players._replace(habits=habits_array(model.parameters))
            continue
        traits[position] = model.traits.row
        if isinstance(model, NoModel):
            players.kinds[position] = kernels.BLIND
        elif isinstance(model, GenericModel):
            players.kinds[position] = kernels.REASONABLE
        elif isinstance(model, FrequencyModel):
            players.kinds[position] = kernels.FIXED
            players.contexts[position] = model.frequencies
            players.noise[position] = model.noise
        elif isinstance(model, SpecificModel):
            players.kinds[position] = kernels.COUNTED
            players.noise[position] = model.noise
            counted = _counted(_Knowing(model.state, model))
            players.contexts[position] = counted.contexts
            players.groups[position] = counted.groups
            players.corrections[position] = counted.corrections
            players.say[position] = counted.say
            players.neutral[position] = model.neutral_share
        else:
            raise TypeError(f"a trial cannot let a {type(model).__name__} act")
    return players


@attrs.frozen
class _Knowing:
    """A specific model as it stands: two are equal if they know the same."""

    state: Hashable
    model: SpecificModel = attrs.field(eq=False)


@attrs.frozen(eq=False)
class _Counted:
    """What a trial needs of a specific model, in the shapes of a position's part of `Players`."""

    contexts: Floats
    groups: Floats
    corrections: Floats
    say: Floats


@functools.lru_cache(maxsize=64)
def _counted(knowing: _Knowing) -> _Counted:
    """The arrays of a model; they are asked for at each decision and change from hand to hand."""
    counts = knowing.model.counts()
    return _Counted(
        counts["contexts"],
        counts["groups"],
        np.concatenate([counts["observed"], counts["expected"], np.exp(counts["offsets"])], axis=1),
        1 / (1 + np.exp(-counts["counts_evidence"])),
    )


@functools.cache
def _default_chances() -> Floats:
    return BetSizes().chances
