"""A network of two layers that learns how a player's actions differ from a reasonable player's.

Its three outputs are added to the logarithms of what the generic model expects, and are 0 at first: so it
begins as the generic model.  Every action it learns from is kept for a while and looked at again, a few with
each new one, by gradient descent (Adam).  Weights are drawn towards what they were at first, the less the
more has been seen, as by a prior.

Sources: Davidson, *Using Artificial Neural Networks to Model Opponents in Texas Hold'em* (1999);
Kingma and Ba, *Adam: A Method for Stochastic Optimization* (2015).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.players.models.saved import saved_numbers
from engine.players.predictors.features import NAMES

Floats = NDArray[np.float64]

_HIDDEN: Final = 8
_SEED: Final = 1
"""For the first weights of the hidden layer: all networks begin alike."""
_KEPT: Final = 2000
"""Actions that are looked at again."""
_BATCH: Final = 32
_STEP: Final = 0.003
_PRIOR: Final = 6.0
"""Observations by which weights are held where they began, one for each unit of distance."""
_DIGITS: Final = 4
"""Of the numbers that are kept, so that they go into a file as they are."""
_MEAN_FADES, _SQUARE_FADES = 0.9, 0.99
_TINY: Final = 1e-8
_STRIDE: Final = 0.6180339887498949
"""Actions to look at again lie so far apart, as parts of all that are kept: evenly, in no order."""
_LEAST: Final = 1e-3
"""Least chance that is expected of what is allowed."""

_INPUTS: Final = len(NAMES) + 1


class Network:
    """A network that has seen nothing yet."""

    def __init__(self) -> None:
        self._weights = [each.copy() for each in _first_weights()]
        self._means = [np.zeros_like(each) for each in self._weights]
        self._squares = [np.zeros_like(each) for each in self._weights]
        self._steps = 0
        self._kept = np.zeros((_KEPT, len(NAMES) + 6))
        """Of each action: features, what was expected, what came."""

    def copy(self) -> Network:
        """The same, free to learn more."""
        copied = Network()
        for name in ("_weights", "_means", "_squares"):
            setattr(copied, name, [each.copy() for each in getattr(self, name)])
        copied._steps, copied._kept = self._steps, self._kept.copy()
        return copied

    def chances(self, features: Floats, expected: Floats, legal: NDArray[np.bool_]) -> Floats:
        """How likely each action is, shape (3,).

        Args:
            features: of the decision, those of ``features.NAMES``.
            expected: what the generic model says, shape (3,).
            legal: which actions are allowed.
        """
        _, said = self._forward(_inputs(features[None]), _logarithms(_allowed(expected, legal)[None]))
        found: Floats = said[0]
        return found

    def learn(self, features: Floats, expected: Floats, legal: NDArray[np.bool_], action: int) -> None:
        """The player did this; arguments as in `chances`."""
        place = self._steps % _KEPT
        row = [*features, *_allowed(expected, legal), *(np.arange(3) == action)]
        self._kept[place] = np.round(row, _DIGITS)
        self._steps += 1
        known = min(self._steps, _KEPT)
        again = (np.arange(1, _BATCH) + self._steps * _BATCH) * _STRIDE % 1.0 * known
        rows = self._kept[np.append(again.astype(np.int64), place)]
        features, expected, came = np.split(rows, (len(NAMES), len(NAMES) + 3), axis=1)
        self._step(_inputs(features), _logarithms(expected), came, _PRIOR / known)

    # --- files ---------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """The arrays of a memory file."""
        parts = {"weights": self._weights, "means": self._means, "squares": self._squares}
        arrays = {
            f"{name}_{layer}": array.tolist()
            for name, layers in parts.items()
            for layer, array in enumerate(layers)
        }
        return {**arrays, "steps": self._steps, "kept": self._kept[: min(self._steps, _KEPT)].tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Network:
        """The network that `as_dict` was called on.

        Raises:
            ValueError: something is missing, no number, or of another shape.
        """
        network = cls()
        network._steps = int(saved_numbers(data, "steps", ()))
        kept = saved_numbers(data, "kept", (-1, network._kept.shape[1]))
        if len(kept) != min(network._steps, _KEPT):
            raise ValueError(f"model: after {network._steps} steps kept has {len(kept)} rows")
        network._kept[: len(kept)] = kept
        for name in ("weights", "means", "squares"):
            least = 0.0 if name == "squares" else -np.inf
            for layer, array in enumerate(getattr(network, f"_{name}")):
                array[:] = saved_numbers(data, f"{name}_{layer}", array.shape, least)
        return network

    # --- arithmetic ----------------------------------------------------------------------------------------

    def _forward(self, inputs: Floats, logarithms: Floats) -> tuple[Floats, Floats]:
        """The hidden layer with a constant, and the chances."""
        hidden = np.tanh(inputs @ self._weights[0])
        hidden = np.concatenate([hidden, np.ones((len(hidden), 1))], axis=1)
        outputs = hidden @ self._weights[1] + logarithms
        chances = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return hidden, chances

    def _step(self, inputs: Floats, logarithms: Floats, came: Floats, prior: float) -> None:
        """A step downhill."""
        hidden, chances = self._forward(inputs, logarithms)
        wrong = (chances - came) / len(came)
        back = wrong @ self._weights[1][:-1].T * (1.0 - hidden[:, :-1] ** 2)
        for number, slope in enumerate((inputs.T @ back, hidden.T @ wrong)):
            mean, square, weights = self._means[number], self._squares[number], self._weights[number]
            slope += prior * (weights - _first_weights()[number])
            mean += (1 - _MEAN_FADES) * (slope - mean)
            square += (1 - _SQUARE_FADES) * (slope**2 - square)
            size = np.sqrt(square / (1 - _SQUARE_FADES**self._steps)) + _TINY
            weights -= _STEP * (mean / (1 - _MEAN_FADES**self._steps) / size)


@functools.cache
def _first_weights() -> tuple[Floats, Floats]:
    """First weights: of the hidden layer, small and all different; of the outputs, 0.  Not to be changed."""
    generator = np.random.default_rng(_SEED)
    return generator.normal(0.0, 1.0 / np.sqrt(_INPUTS), (_INPUTS, _HIDDEN)), np.zeros((_HIDDEN + 1, 3))


def _inputs(features: Floats) -> Floats:
    """The features around 0, and a constant.  Shape (rows, inputs)."""
    return np.concatenate([2.0 * features - 1.0, np.ones((len(features), 1))], axis=1)


def _allowed(expected: Floats, legal: NDArray[np.bool_]) -> Floats:
    """The expected chances, 0 for illegal actions and for no others."""
    return np.where(legal, np.maximum(expected, _LEAST), 0.0)


def _logarithms(expected: Floats) -> Floats:
    """The logits of expected chances; an illegal action, a 0, stays out of reach of any output."""
    return np.where(expected > 0, np.log(np.maximum(expected, _LEAST)), -1e3)
