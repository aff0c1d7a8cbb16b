"""The model of an opponent whose frequencies a predictor says, instead of counts by context.

The rest is the counting model's: how far the hand decides what its player does, the player's traits, and what
the trials of ``engine.players.trials`` draw on.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final, Literal, Protocol, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.players.models.formula import DEFAULT_PARAMETERS, Parameters
from engine.players.models.model import Decision, OpponentModel
from engine.players.models.specific import SpecificModel
from engine.players.predictors.features import features_of, legal_actions
from engine.players.predictors.network import Network
from engine.players.predictors.tree import GrowingTree
from engine.players.probability_triple import ProbabilityTriple

Floats = NDArray[np.float64]

PredictorName = Literal["tree", "network"]


class Predictor(Protocol):
    """Says how likely a player's next actions are, and learns from them."""

    def chances(self, features: Floats, expected: Floats, legal: NDArray[np.bool_]) -> Floats:
        """The chances of folding, calling and raising, shape (3,)."""

    def learn(self, features: Floats, expected: Floats, legal: NDArray[np.bool_], action: int) -> None:
        """The player did this, a `TripleIndex`."""

    def copy(self) -> Self:
        """The same, free to learn more."""

    def as_dict(self) -> dict[str, Any]:
        """The arrays of a memory file."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The predictor that `as_dict` was called on.

        Raises:
            ValueError: it makes no sense.
        """


PREDICTORS: Final[Mapping[PredictorName, type[GrowingTree | Network]]] = {
    "tree": GrowingTree,
    "network": Network,
}


class PredictedModel(SpecificModel):
    """One player, as a predictor sees them.

    Args:
        name: of the kind of predictor.
        parameters: of the formula a reasonable player is taken to follow.
    """

    def __init__(self, name: PredictorName, parameters: Parameters = DEFAULT_PARAMETERS) -> None:
        super().__init__(parameters)
        self._name = name
        self._predictor: Predictor = PREDICTORS[name]()
        self._is_lent = False  # the predictor, to a snapshot: it is copied before it learns
        self._said: WeakKeyDictionary[Decision, ProbabilityTriple] = WeakKeyDictionary()

    @property
    def name(self) -> PredictorName:
        """The kind of predictor."""
        return self._name

    @property
    def state(self) -> Hashable:
        """A token that changes with everything that is learned; models of other kinds have others."""
        return self._name, super().state

    def snapshot(self) -> PredictedModel:
        """A model of the same state that does not learn together with this one."""
        copied = PredictedModel(self._name, self._parameters)
        copied.adopt(self)
        return copied

    def adopt(self, other: OpponentModel) -> None:
        """Know what another model with such a predictor knows.

        Raises:
            TypeError: it is of another kind.
        """
        if not isinstance(other, PredictedModel) or other._name != self._name:
            raise TypeError(f"expected a PredictedModel with a {self._name}, got {type(other).__name__}")
        super().adopt(other)
        self._predictor, self._said = other._predictor, other._said
        self._is_lent = other._is_lent = True

    def frequencies(self, decision: Decision) -> ProbabilityTriple:
        """How often the player folds, calls and raises in a situation, whatever they hold."""
        found = self._said.get(decision)
        if found is None:
            usual = self._generic_mean(decision)
            situation = decision.situation
            chances = self._predictor.chances(
                features_of(situation, usual), np.array(usual), legal_actions(situation)
            )
            found = self._said[decision] = ProbabilityTriple(*map(float, chances))
        return found

    def observe_decision(self, decision: Decision, action: int) -> None:
        """Let the predictor learn from a decision that has been read."""
        situation = decision.situation
        if not (situation.can_fold or situation.can_raise):
            return
        super().observe_decision(decision, action)
        usual = self._generic_mean(decision)
        if self._is_lent:
            self._predictor, self._is_lent = self._predictor.copy(), False
        self._said = WeakKeyDictionary()
        self._predictor.learn(
            features_of(situation, usual), np.array(usual), legal_actions(situation), int(action)
        )

    # --- memory --------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """The arrays of a memory file."""
        return {**super().as_dict(), self._name: self._predictor.as_dict()}

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], parameters: Parameters = DEFAULT_PARAMETERS
    ) -> PredictedModel:
        """The model that `as_dict` was called on.

        Raises:
            ValueError: something is missing, no number, or of another shape.
        """
        for name, kind in PREDICTORS.items():
            if name in data:
                model = cls(name, parameters)
                SpecificModel.adopt(model, SpecificModel.from_dict(data, parameters))
                if not isinstance(data[name], Mapping):
                    raise ValueError(f"model: {name} is no object")
                model._predictor = kind.from_dict(data[name])
                return model
        raise ValueError(f"model: expected a {' or '.join(PREDICTORS)}")
