"""Numbers of a model that come from a memory file: checked before anybody counts on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.support.arrays import Floats


def saved_numbers(data: Mapping[str, Any], name: str, shape: tuple[int, ...], least: float = 0.0) -> Floats:
    """The numbers of a name, an array of a shape.

    Args:
        data: of a file that may hold anything.
        name: of the numbers.
        shape: what they must have; -1 for a length that may be any.
        least: what each of them is at least.

    Raises:
        ValueError: they are missing, no finite numbers, too small, or of another shape.
    """
    try:
        array = np.array(data[name], np.float64)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"model: {name} is missing or no array of numbers ({error})") from None
    fits = array.ndim == len(shape) and all(
        of in (-1, have) for of, have in zip(shape, array.shape, strict=True)
    )
    if not fits or not np.isfinite(array).all() or (array < least).any():
        raise ValueError(f"model: {name} does not hold {shape} valid numbers")
    return array
