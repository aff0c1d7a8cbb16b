"""The curves and bars of a report as SVG inside its page.

A picture contains no text of others: the page names the players beside it.  Colours are variables of the
page's style (``var(--ink)``), so pictures follow it in dark mode and in print.

matplotlib is loaded only when a picture is drawn.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LINE_COLOURS", "bankroll_picture", "won_picture"]

LINE_COLOURS: Final = 10
"""The number of colours for players in pictures: ``var(--line-0)`` to ``var(--line-9)``."""

_COLOURS: Final = {
    "#010101": "ink",
    "#020202": "faint",
    "#030303": "grid",
    "#040404": "gain",
    "#050505": "loss",
    **{f"#0a0a{k:02x}": f"line-{k}" for k in range(LINE_COLOURS)},
}
"""The colours that matplotlib draws with, and the variables that replace them."""
_INK, _FAINT, _GRID, _GAIN, _LOSS, *_LINES = _COLOURS
_TICK_POINTS: Final = 9
_CUTS: Final = [
    (re.compile(pattern, re.DOTALL), replacement)
    for pattern, replacement in (
        (r"<metadata>.*?</metadata>|<!--.*?-->|<style .*?</style>|<g/>", ""),
        (r'\s(?:xmlns|xmlns:xlink|version)="[^"]*"', ""),
        (r'(<svg[^>]*?)\swidth="[^"]*"', r"\1"),
        (r'(<svg[^>]*?)\sheight="[^"]*"', r"\1"),
        (r'<g id="[^"]*"', "<g"),
        (r"font-family: [^;\"]*; |font: [\d.]+px [^;\"]*; ", ""),
        (r' transform="rotate\(-0 [^)]*\)"', ""),
        (r"\s*\n\s*", "\n"),
    )
]
"""What is removed from matplotlib's SVG: addresses, names that could clash in a page, its own fonts."""


def bankroll_picture(
    bankroll: Mapping[str, Any], players: Sequence[int], *, height: float = 3.6, unit: str = "hands"
) -> str:
    """The bankrolls of some players with their bands, and dashed with luck taken out.

    Args:
        bankroll: the bankrolls from `content`.
        players: the players' numbers, which also select their colours.
        height: the height in inches; the width is 9.
        unit: the unit of the x axis.
    """
    figure, axes = _new(9.0, height, left=0.85, bottom=0.5)
    x = bankroll["deals"]
    for player in players:
        curve, colour = bankroll["players"][player], _LINES[player % LINE_COLOURS]
        won, half = curve["won"], curve["half_width"]
        low = [value - spread for value, spread in zip(won, half, strict=True)]
        high = [value + spread for value, spread in zip(won, half, strict=True)]
        axes.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)
        axes.plot(x, won, color=colour, linewidth=1.7)
        corrected = curve.get("luck_corrected")
        if corrected is not None:
            axes.plot(x, corrected, color=colour, linewidth=1.5, linestyle=(0, (4, 2)))
    axes.axhline(0, color=_FAINT, linewidth=0.8)
    axes.set_xlim(0, x[-1])
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel(unit, color=_INK)
    axes.set_ylabel("big blinds won", color=_INK)
    return _svg(figure)


def won_picture(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """Bars of what was won in each kind of hands, as parts of the whole rate, with intervals."""
    rows = [(name, part) for name, part in parts.items() if part.get("mbb_per_hand_of_all") is not None]
    letters = max([len(name) for name, _ in rows], default=0)
    figure, axes = _new(4.3, 0.5 + 0.26 * max(1, len(rows)), left=0.15 + 0.085 * letters, bottom=0.3)
    for k, (_, part) in enumerate(rows):
        rate, half = part["mbb_per_hand_of_all"], part["ci95_of_all"]
        axes.barh(k, rate, color=_GAIN if rate >= 0 else _LOSS, height=0.62)
        if half is not None:
            axes.errorbar(rate, k, xerr=half, color=_INK, linewidth=1, capsize=2.5)
    axes.axvline(0, color=_FAINT, linewidth=0.8)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_ylim(max(1, len(rows)) - 0.4, -0.6)
    axes.locator_params(axis="x", nbins=5)
    return _svg(figure)


def _new(width: float, height: float, left: float, bottom: float) -> tuple[Figure, Axes]:
    """An empty picture; sizes and margins are in inches.  Computing margins would take as long as drawing."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    figure.subplots_adjust(left / width, bottom / height, 1 - 0.3 / width, 1 - 0.08 / height)
    figure.patch.set_visible(False)
    axes = figure.add_subplot()
    axes.patch.set_visible(False)
    axes.grid(color=_GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_INK, labelsize=_TICK_POINTS, length=0)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(_FAINT)
    axes.xaxis.label.set_fontsize(_TICK_POINTS)
    axes.yaxis.label.set_fontsize(_TICK_POINTS)
    return figure, axes


def _svg(figure: Figure) -> str:
    """The picture as an ``<svg>`` element without names that could clash, addresses and its own fonts."""
    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "riverboat"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    for pattern, replacement in _CUTS:
        text = pattern.sub(replacement, text)
    for drawn, variable in _COLOURS.items():
        text = text.replace(drawn, f"var(--{variable})")
    return text.replace("<svg", '<svg role="img"', 1)
