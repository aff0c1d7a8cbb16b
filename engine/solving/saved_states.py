"""Checks on a solver's saved state, arrays by name, before the solver is restored from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_state"]


def check_state(found: Mapping[str, NDArray[Any]], own: Mapping[str, NDArray[Any]]) -> None:
    """Check that a saved state fits a solver.

    Args:
        found: the saved state.
        own: the solver's present state, which has the right names, shapes and kinds of numbers.

    Raises:
        ValueError: an array is missing, has another shape or kind, or holds a number that is not finite.
    """
    for name, array in own.items():
        saved = found.get(name)
        if saved is None or saved.shape != array.shape or saved.dtype.kind != array.dtype.kind:
            raise ValueError(f"expected {name!r}, an array of shape {array.shape} of numbers")
        if not np.all(np.isfinite(saved)):
            raise ValueError(f"expected finite numbers in {name!r}")
