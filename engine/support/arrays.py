"""Names of numpy's array types, so that a signature tells what its arrays hold in one word; small helpers."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Number = TypeVar("_Number", bound=np.generic)

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
"""Cards, mostly."""
Words16 = NDArray[np.uint16]
Words32 = NDArray[np.uint32]
Words = NDArray[np.uint64]
"""States of generators."""


def read_only(array: NDArray[_Number]) -> NDArray[_Number]:
    """The array itself, which nobody can change any more."""
    array.flags.writeable = False
    return array


def as_chances(weights: Floats, axis: int) -> Floats:
    """Weights divided by their sums along an axis; where that is 0, all are equal."""
    total = weights.sum(axis=axis, keepdims=True)
    return np.divide(weights, total, out=np.full(weights.shape, 1.0 / weights.shape[axis]), where=total > 0)
