"""Bankrolls as lines: points of an SVG, thinned out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

_MOST_POINTS: Final = 400


@attrs.frozen
class Curve:
    """A line in a box of some width and height."""

    points: str
    """For a ``polyline``."""
    zero: float
    """The height of 0, from the top."""
    low: int
    high: int


def curve(values: Sequence[int], width: float, height: float) -> Curve:
    """The line of some values; 0 is always in the picture."""
    low, high = min(0, min(values, default=0)), max(0, max(values, default=0))
    span = max(1, high - low)

    def y(value: float) -> float:
        return round((high - value) / span * height, 1)

    last = max(1, len(values) - 1)
    step = max(1, -(-len(values) // _MOST_POINTS))
    kept = sorted({*range(0, len(values), step), len(values) - 1})
    points = " ".join([f"{round(index / last * width, 1):g},{y(values[index]):g}" for index in kept])
    return Curve(points, y(0), low, high)
