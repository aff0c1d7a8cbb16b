"""Curves and bars as SVG inside pages.

A picture contains no text of others: the page names the players beside it.  Colours are variables of the
page's style (``var(--ink)``), so pictures follow it in dark mode and in print.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import attrs

from engine.support.palette import SERIES

_POINTS: Final = 400
"""The most steps of a curve: more than a page has room for."""
_WIDTH: Final = 900
_LEFT: Final = 85
_RIGHT: Final = 36
_TOP: Final = 10
_BOTTOM: Final = 42
_ROW: Final = 26
"""The height of a bar with the space around it."""
_LETTER: Final = 8
"""The width of a letter, at most."""

Scale = Callable[[float], float]


@attrs.frozen
class Curve:
    """A line in a box of some width and height."""

    points: str
    """For a ``polyline``."""
    zero: float
    """The height of 0, from the top."""
    low: float
    high: float


def kept(last: int) -> list[int]:
    """The indices of the points of a curve that are drawn: the first, the last, and enough between."""
    return [*range(0, last, max(1, math.ceil(last / _POINTS))), last]


def curve(values: Sequence[float], width: float, height: float) -> Curve:
    """The line of some values; 0 is always in the picture."""
    low, high = min([0, *values]), max([0, *values])
    x, y = _scale(0, max(1, len(values) - 1), 0, width), _scale(high, low, 0, height)
    return Curve(_points([(x(k), y(values[k])) for k in kept(len(values) - 1)]), y(0), low, high)


def _scale(first: float, last: float, start: float, end: float) -> Scale:
    """A scale from values to places; the first value is drawn at the start, the last one at the end."""
    factor = (end - start) / ((last - first) or 1)
    return lambda value: round(start + (value - first) * factor, 1)


def _points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join([f"{x:g},{y:g}" for x, y in places])


def bankroll_picture(
    curves: Sequence[Mapping[str, Sequence[float]]], colours: Sequence[int], played: str, height: int = 340
) -> str:
    """The bankrolls of some players.

    Args:
        curves: each with ``deals`` and what was ``won`` by then in big blinds, and perhaps the ``half_width``
            of a band around it, and the same ``luck_corrected``, which is dashed.
        colours: of the curves.
        played: what is counted from left to right.
        height: of the picture, which is 900 wide.
    """
    parts: list[str] = []
    heights = [0.0]
    for each in curves:
        half = each.get("half_width") or [0.0] * len(each["won"])
        pairs = list(zip(each["won"], half, strict=True))
        heights += [*[won + spread for won, spread in pairs], *[won - spread for won, spread in pairs]]
        heights += each.get("luck_corrected", ())
    low, high = min(heights), max(heights)
    if low == high:
        low, high = -1.0, 1.0
    right = max([each["deals"][-1] for each in curves], default=0) or 1
    x = _scale(0, right, _LEFT, _WIDTH - _RIGHT)
    y = _scale(high, low, _TOP, height - _BOTTOM)
    for tick in _ticks(low, high):
        parts.append(_rule((_LEFT, y(tick)), (_WIDTH - _RIGHT, y(tick)), "grid" if tick else "faint"))
        parts.append(_text(_LEFT - 8, y(tick) + 4, _number(tick), "end"))
    parts += [_text(x(tick), height - 24, _number(tick), "middle") for tick in _ticks(0, right)]
    caption = f"{played}; big blinds won"
    parts.append(_text((_LEFT + _WIDTH) // 2, height - 5, caption, "middle", colour="faint"))
    for each, number in zip(curves, colours, strict=True):
        colour, places = f"var(--line-{number % len(SERIES)})", [x(deals) for deals in each["deals"]]
        if "half_width" in each:
            pairs = list(zip(each["won"], each["half_width"], strict=True))
            above = list(zip(places, [y(won + half) for won, half in pairs], strict=True))
            below = list(zip(places, [y(won - half) for won, half in pairs], strict=True))
            band = _points([*above, *reversed(below)])
            parts.append(f'<polygon points="{band}" style="fill: {colour}; fill-opacity: 0.13"/>')
        for kind, dashes in (("won", ""), ("luck_corrected", "; stroke-dasharray: 6 3")):
            if kind in each:
                line = _points(zip(places, map(y, each[kind]), strict=True))
                style = f"fill: none; stroke: {colour}; stroke-width: 1.7{dashes}"
                parts.append(f'<polyline points="{line}" style="{style}"/>')
    return _svg(_WIDTH, height, parts, caption)


def won_picture(rates: Mapping[str, Mapping[str, Any]]) -> str:
    """Bars of what was won in each kind of hands, as parts of the whole rate, with intervals."""
    rows = [(name, part) for name, part in rates.items() if part.get("mbb_per_hand_of_all") is not None]
    bars = [(part["mbb_per_hand_of_all"], part["ci95_of_all"] or 0.0) for _, part in rows]
    left = 15 + _LETTER * max([len(name) for name, _ in rows], default=0)
    width, bottom = 430, _TOP + _ROW * max(1, len(rows))
    ends = [0.0, *[rate - half for rate, half in bars], *[rate + half for rate, half in bars]]
    low, high = (min(ends), max(ends)) if any(ends) else (-1.0, 1.0)
    x = _scale(low, high, left, width - _RIGHT)
    parts: list[str] = []
    for tick in _ticks(low, high, 4):
        parts.append(_rule((x(tick), _TOP), (x(tick), bottom), "grid" if tick else "faint"))
        parts.append(_text(x(tick), bottom + 16, _number(tick), "middle"))
    for k, ((name, _), (rate, half)) in enumerate(zip(rows, bars, strict=True)):
        middle = _TOP + _ROW * k + _ROW // 2
        start, end = sorted([x(0), x(rate)])
        colour = "gain" if rate >= 0 else "loss"
        parts.append(
            f'<rect x="{start:g}" y="{middle - 8}" width="{end - start:.1f}" height="16" '
            f'style="fill: var(--{colour})"/>'
        )
        parts.append(_text(left - 8, middle + 4, name, "end"))
        if half:
            start, end = x(rate - half), x(rate + half)
            parts.append(_rule((start, middle), (end, middle), "ink"))
            parts += [_rule((at, middle - 3), (at, middle + 3), "ink") for at in (start, end)]
    return _svg(width, bottom + 26, parts, "Milli big blinds per hand")


def _svg(width: int, height: int, parts: Iterable[str], label: str) -> str:
    head = f'<svg role="img" aria-label="{label}" viewBox="0 0 {width} {height}" font-size="12">'
    return "\n".join([head, *parts, "</svg>"])


def _rule(start: tuple[float, float], end: tuple[float, float], colour: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" style="stroke: var(--{colour})"/>'


def _text(x: float, y: float, text: str, anchor: str, *, colour: str = "ink") -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
    return f'<text {place} style="fill: var(--{colour})">{text}</text>'


def _ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two bounds, `most` steps apart at most."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _number(value: float) -> str:
    return f"{value:,.6g}".replace("-", "−")
