"""A decision tree of a player's actions that grows, branch by branch, where its predictions are wrong.

Every node keeps, for folding, calling and raising, how often the player did it below the node, and how often
that was expected; the quotient corrects what was expected.  Predictions go from the generic model through the
corrections of all nodes on the way to a leaf.

A leaf also keeps, for each feature, observations and expectations by the feature's value.  It branches at the
feature and value where the quotients of the two sides explain what was seen so much better that chance hardly
does it: by the log likelihood ratio, the G-test.

Source: Hulten, Spencer, Domingos, *Mining Time-Changing Data Streams* (2001), for growing leaf by leaf
from counts; the corrections by quotients are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.players.models.saved import saved_numbers
from engine.players.predictors.features import NAMES

Floats = NDArray[np.float64]

_BINS: Final = 8
"""Values of a feature that are told apart."""
_PRIOR: Final = 10.0
"""Observations that weigh as much as what is expected."""
_LEAST_ON_A_SIDE: Final = 8.0
_GAIN: Final = 7.0
"""Log likelihood that a branch must gain: of some 80 branches without merit one in ten gains as much."""
_LOOKS_EVERY: Final = 8
"""Observations between two looks for a branch."""
_FADES: Final = 0.999
"""What an observation counts after the next at the same node."""


@attrs.define(eq=False)
class _Node:
    seen: Floats
    """Observations and expectations before this node's correction, shape (2, 3)."""
    by_value: Floats | None
    """The same after its correction by feature and bin, shape (2, features, bins, 3); None at a branching."""
    count: int = 0
    feature: int = 0
    limit: int = 0
    """Bins from this on go to the second child."""
    children: tuple[int, int] | None = None

    @classmethod
    def leaf(cls) -> _Node:
        return cls(np.zeros((2, 3)), np.zeros((2, len(NAMES), _BINS, 3)))

    def as_dict(self) -> dict[str, Any]:
        """The arrays of a memory file."""
        if self.by_value is None:
            assert self.children is not None  # a branching's
            parts: dict[str, Any] = {"branch": [self.feature, self.limit, *self.children]}
        else:
            parts = {"by_value": self.by_value.ravel().tolist()}
        return {"seen": self.seen.tolist(), "count": self.count, **parts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> _Node:
        """The node that `as_dict` was called on.

        Raises:
            ValueError: something is missing, no number, or out of range.
        """
        node = cls.leaf()
        node.seen[:] = saved_numbers(data, "seen", node.seen.shape)
        node.count = int(saved_numbers(data, "count", ()))
        if "branch" in data:
            feature, limit, *children = saved_numbers(data, "branch", (4,)).astype(int).tolist()
            if feature >= len(NAMES) or not 0 < limit < _BINS:
                raise ValueError("model: a tree that branches where there is nothing")
            node.by_value = None
            node.feature, node.limit, node.children = feature, limit, (children[0], children[1])
        else:
            assert node.by_value is not None  # a leaf's
            size = node.by_value.size
            node.by_value[:] = saved_numbers(data, "by_value", (size,)).reshape(node.by_value.shape)
        return node

    def copy(self) -> _Node:
        by_value = None if self.by_value is None else self.by_value.copy()
        return attrs.evolve(self, seen=self.seen.copy(), by_value=by_value)


class GrowingTree:
    """A tree that has seen nothing yet."""

    def __init__(self) -> None:
        self._nodes = [_Node.leaf()]

    @property
    def num_leaves(self) -> int:
        """Situations that are told apart."""
        return sum(node.children is None for node in self._nodes)

    def copy(self) -> GrowingTree:
        """The same, free to learn more."""
        copied = GrowingTree()
        copied._nodes = [node.copy() for node in self._nodes]
        return copied

    def chances(self, features: Floats, expected: Floats, legal: NDArray[np.bool_]) -> Floats:
        """How likely each action is, shape (3,).

        Args:
            features: of the decision, those of ``features.NAMES``.
            expected: what the generic model says, shape (3,).
            legal: which actions are allowed.
        """
        chances = expected
        for node in self._path(_bins(features)):
            chances = _corrected(node, chances, legal)
        return chances

    def learn(self, features: Floats, expected: Floats, legal: NDArray[np.bool_], action: int) -> None:
        """The player did this; arguments as in `chances`."""
        bins = _bins(features)
        chances, leaf = expected, self._nodes[0]
        for leaf in self._path(bins):
            before, chances = chances, _corrected(leaf, chances, legal)
            leaf.seen *= _FADES
            leaf.seen[0, action] += 1.0
            leaf.seen[1] += before
            leaf.count += 1
        by_value = leaf.by_value
        assert by_value is not None  # a leaf's
        rows = np.arange(len(bins))
        by_value[0, rows, bins, action] += 1.0
        by_value[1, rows, bins] += chances
        if leaf.count % _LOOKS_EVERY == 0:
            self._grow(leaf, by_value)

    def as_dict(self) -> dict[str, Any]:
        """The arrays of a memory file."""
        return {"nodes": [node.as_dict() for node in self._nodes]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GrowingTree:
        """The tree that `as_dict` was called on.

        Raises:
            ValueError: something is missing, no number, or no tree.
        """
        try:
            nodes = [_Node.from_dict(node) for node in data["nodes"]]
        except (KeyError, TypeError) as error:
            raise ValueError(f"model: no nodes of a tree ({error})") from None
        below = [child for node in nodes for child in node.children or ()]
        goes_down = all(min(node.children) > number for number, node in enumerate(nodes) if node.children)
        if not nodes or sorted(below) != list(range(1, len(nodes))) or not goes_down:
            raise ValueError("model: nodes that are no tree")
        tree = cls()
        tree._nodes = nodes
        return tree

    def _path(self, bins: NDArray[np.int64]) -> list[_Node]:
        path = [self._nodes[0]]
        while (children := path[-1].children) is not None:
            node = path[-1]
            path.append(self._nodes[children[int(bins[node.feature] >= node.limit)]])
        return path

    def _grow(self, leaf: _Node, by_value: Floats) -> None:
        """Branch, if that explains what has been seen."""
        below = by_value.cumsum(axis=2)[:, :, :-1]  # what is on the first side of each limit
        above = by_value.sum(axis=2, keepdims=True) - below
        gains = _gain(below) + _gain(above)
        gains[np.minimum(below[0].sum(axis=-1), above[0].sum(axis=-1)) < _LEAST_ON_A_SIDE] = 0.0
        feature, limit = divmod(int(gains.argmax()), gains.shape[1])
        if gains[feature, limit] < _GAIN:
            return
        leaf.feature, leaf.limit = feature, limit + 1
        leaf.children, leaf.by_value = (len(self._nodes), len(self._nodes) + 1), None
        for side in (below, above):
            child = _Node.leaf()
            child.seen[:] = side[:, feature, limit]
            self._nodes.append(child)


def _bins(features: Floats) -> NDArray[np.int64]:
    bins: NDArray[np.int64] = np.minimum(features * _BINS, _BINS - 1).astype(np.int64)
    return bins


def _corrected(node: _Node, chances: Floats, legal: NDArray[np.bool_]) -> Floats:
    """Chances times the node's quotients, each drawn towards 1."""
    observed, expected = node.seen
    total = expected.sum()
    if total == 0.0:
        return chances
    drawn = _PRIOR * expected / total + 1e-3
    corrected = np.where(legal, np.maximum(chances, 1e-4) * (observed + drawn) / (expected + drawn), 0.0)
    corrected /= corrected.sum()
    return corrected


def _gain(seen: Floats) -> Floats:
    """The log likelihood that quotients gain, shape (...).

    seen: observations and expectations, shape (2, ..., 3).
    """
    observed, expected = seen
    rate = observed / np.maximum(expected, 1e-9)
    gain: Floats = (observed * np.log(np.where(observed > 0, rate, 1.0))).sum(axis=-1)
    return gain
