"""What a solver needs to go on, as arrays by name: checked before it is taken over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_state"]


def check_state(found: Mapping[str, NDArray[Any]], own: Mapping[str, NDArray[Any]]) -> None:
    """See that a saved state is one of a solver such as this.

    Args:
        found: what was saved.
        own: the solver's state as it is, for names, shapes and kinds of numbers.

    Raises:
        ValueError: an array is missing, of another shape or kind, or holds something infinite.
    """
    for name, array in own.items():
        saved = found.get(name)
        if saved is None or saved.shape != array.shape or saved.dtype.kind != array.dtype.kind:
            raise ValueError(f"expected {name!r}, an array of shape {array.shape} of numbers")
        if not np.all(np.isfinite(saved)):
            raise ValueError(f"expected finite numbers in {name!r}")
