"""Bankrolls as SVG inside a page; the pictures contain no text written by others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from server.records.review.pictures import LINE_COLOURS

__all__ = ["bankroll_curves", "thinned"]

_WIDTH: Final = 900
_HEIGHT: Final = 340
_LEFT: Final = 70
_RIGHT: Final = 15
_TOP: Final = 10
_BOTTOM: Final = 42
_POINTS: Final = 200
"""Points of a curve: more than a page has room for."""
_TICKS: Final = 6

Point = tuple[float, float]


def thinned(values: Sequence[float]) -> list[Point]:
    """Running sums of some values, from 0 on: as many points as a page has room for."""
    points = [(0.0, 0.0)]
    step = max(1, math.ceil(len(values) / _POINTS))
    total = 0.0
    for number, value in enumerate(values, 1):
        total += value
        if number % step == 0 or number == len(values):
            points.append((float(number), total))
    return points


def bankroll_curves(curves: Sequence[Sequence[Point]], colours: Sequence[int]) -> str:
    """A picture of some curves.

    Args:
        curves: deals played, big blinds won.
        colours: of each, as those of `server.records.review.pictures`.
    """
    right = max([curve[-1][0] for curve in curves if curve], default=0.0) or 1.0
    heights = [y for curve in curves for _, y in curve]
    low, high = min([0.0, *heights]), max([0.0, *heights])
    if low == high:
        low, high = -1.0, 1.0

    def x(value: float) -> float:
        return _LEFT + value / right * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [f'<svg role="img" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-size="12">']
    for tick in _ticks(low, high):
        rule = "faint" if tick == 0 else "grid"
        parts.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" '
            f'style="stroke: var(--{rule})"/>'
            f'<text x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end" style="fill: var(--ink)">'
            f"{_number(tick)}</text>"
        )
    parts += [
        f'<text x="{x(tick):.1f}" y="{_HEIGHT - 24}" text-anchor="middle" style="fill: var(--ink)">'
        f"{_number(tick)}</text>"
        for tick in _ticks(0, right)
    ]
    parts.append(
        f'<text x="{(_LEFT + _WIDTH) / 2:.0f}" y="{_HEIGHT - 5}" text-anchor="middle" '
        'style="fill: var(--faint)">deals played; big blinds won</text>'
    )
    for curve, colour in zip(curves, colours, strict=True):
        line = " ".join(f"{x(deals):.1f},{y(won):.1f}" for deals, won in curve)
        parts.append(
            f'<polyline points="{line}" style="fill: none; stroke: var(--line-{colour % LINE_COLOURS}); '
            'stroke-width: 1.7"/>'
        )
    return "\n".join([*parts, "</svg>"])


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two bounds."""
    rough = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _number(value: float) -> str:
    return f"{value:,.6g}".replace("-", "−")
