"""Models of opponents as the players of a trial: the arrays from which a kernel computes their actions.

Opponents act as their models predict; we ourselves act by the formula, with what is known of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np

from engine.kernels.players.player import FEATURES, Curve
from engine.kernels.players.trials import players as kernels
from engine.kernels.players.trials.players import Kind
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.players.bet_sizes import BetSizes
from engine.players.models.formula import DEFAULT_PARAMETERS, Parameters, parameters_array, traits_array
from engine.players.models.frequencies import FrequencyModel
from engine.players.models.generic import GenericModel
from engine.players.models.model import NoModel, OpponentModel
from engine.players.models.player import PlayerModel, curve_of
from engine.poker.records import NUM_CONTEXTS, NUM_SIZES

_USUAL_SIZES: Final = BetSizes()


@attrs.frozen
class OwnStrategy:
    """Marks our own position, which plays on by the formula after the action that is simulated."""

    parameters: Parameters = DEFAULT_PARAMETERS


def simulated_players(
    models: Sequence[OpponentModel | OwnStrategy], noise: float = 0.0, sizes: Sequence[BetSizes] | None = None
) -> kernels.Players:
    """The players of a table.

    Args:
        models: by position, a NoModel, GenericModel, PlayerModel, FrequencyModel, or our own strategy.
        noise: the noise factor of the re-weighting within a trial.
        sizes: by position, the players' bet sizes in no-limit games.

    Raises:
        TypeError: a model of a kind that trials cannot play.
    """
    count = MAX_PLAYERS
    players = kernels.Players(
        kinds=np.zeros(count, np.int64),
        traits=traits_array(
            {p: model.traits for p, model in enumerate(models) if not isinstance(model, OwnStrategy)}
        ),
        usual_traits=traits_array({}),
        parameters=parameters_array(DEFAULT_PARAMETERS),
        usual_parameters=parameters_array(DEFAULT_PARAMETERS),
        contexts=np.zeros((count, NUM_CONTEXTS, 3)),
        folds=_curves(models, 0),
        raises=_curves(models, 1),
        sizes=np.ones((count, 2, NUM_SIZES)),
        reweighting_noise=float(noise),
    )
    for position, model in enumerate(models):
        chances = (_USUAL_SIZES if sizes is None else sizes[position]).chances
        players.sizes[position] = np.cumsum(chances, axis=1)
        if isinstance(model, OwnStrategy):
            players.kinds[position] = Kind.OURS
            players = players._replace(parameters=parameters_array(model.parameters))
        elif isinstance(model, NoModel):
            players.kinds[position] = Kind.RANDOM
        elif isinstance(model, GenericModel):
            players.kinds[position] = Kind.REASONABLE
        elif isinstance(model, FrequencyModel):
            players.kinds[position] = Kind.FIXED
            players.contexts[position] = model.frequencies
        elif isinstance(model, PlayerModel):
            players.kinds[position] = Kind.MODELLED
        else:
            raise TypeError(f"a trial cannot let a {type(model).__name__} act")
    return players


def _curves(models: Sequence[OpponentModel | OwnStrategy], which: int) -> Curve:
    """The curves of folds, 0, or raises, 1, of modelled players, by position."""
    number = len(FEATURES[which])
    curves = curve_of(which, np.zeros((MAX_PLAYERS, number)), np.zeros((MAX_PLAYERS, number, number)))
    for position, model in enumerate(models):
        if isinstance(model, PlayerModel):
            curve = model.player[which]
            curves.mean[position], curves.covariance[position] = curve.mean, curve.covariance
    return curves
