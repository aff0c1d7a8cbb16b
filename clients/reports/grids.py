"""Pictures of the 169 starting hands: 13 x 13 cells, suited hands upper right, aces first.

Colours are told apart by everybody (Okabe and Ito's, and matplotlib's cividis, which is made for it), and
numbers stand in the cells where they fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from clients.core.figure import new_figure
from engine.poker.cards import RANKS
from engine.poker.combos import STARTING_HAND_NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["strategy_figure", "values_figure", "weights_figure"]

_FOLD, _CALL, _RAISE = "#d9d9d9", "#56b4e9", "#e69f00"
_MOST_WITH_NUMBERS: Final = 3
"""Grids in a picture whose cells have room for names and numbers."""
_PER_ROW: Final = 5


def _cells(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values by starting hand as rows and columns of a picture; shape (169, ...) to (13, 13, ...)."""
    return values.reshape(13, 13, *values.shape[1:])[::-1, ::-1]


def _name(row: int, column: int) -> str:
    return STARTING_HAND_NAMES[(12 - row) * 13 + (12 - column)]


def _ticks(axes: Axes, *, with_labels: bool) -> None:
    ranks = list(reversed(RANKS)) if with_labels else []
    axes.set_xticks(range(13) if with_labels else [], ranks)
    axes.set_yticks(range(13) if with_labels else [], ranks)
    axes.tick_params(length=0, labelsize=8)
    axes.xaxis.tick_top()
    for line in np.arange(0.5, 12.5):
        axes.axhline(line, color="white", linewidth=0.6)
        axes.axvline(line, color="white", linewidth=0.6)


def strategy_figure(shares: NDArray[np.float64], title: str) -> Figure:
    """What a player does with each starting hand: each cell is divided as fold, call and raise are.

    Args:
        shares: of folding, calling and raising, shape (169, 3); zeros for hands that cannot be held.
        title: stands above.

    Raises:
        PlotError: matplotlib is missing.
    """
    from matplotlib.patches import Patch, Rectangle

    figure = new_figure(8.6, 9.2)
    axes = figure.add_subplot()
    axes.set(xlim=(-0.5, 12.5), ylim=(12.5, -0.5), aspect="equal")
    cells = _cells(shares)
    for row in range(13):
        for column in range(13):
            left = column - 0.5
            parts = zip(cells[row, column, ::-1], (_RAISE, _CALL, _FOLD), strict=True)
            for share, colour in parts:
                axes.add_patch(Rectangle((left, row - 0.5), share, 1, facecolor=colour, linewidth=0))
                left += share
            if cells[row, column].any():
                raised = f"\n{100 * cells[row, column, 2]:.0f}"
                text, colour = _name(row, column) + raised, "black"
            else:
                text, colour = _name(row, column), "0.7"
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color=colour)
    _ticks(axes, with_labels=True)
    figure.suptitle(title)
    names = ("raise (number: per cent)", "call or check", "fold")
    handles = [Patch(color=c, label=name) for c, name in zip((_RAISE, _CALL, _FOLD), names, strict=True)]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


def weights_figure(grids: Sequence[NDArray[np.float64]], titles: Sequence[str], title: str) -> Figure:
    """Weight tables, from 0 to 1 on one colour scale, up to five beside one another.

    Args:
        grids: of `WeightTable.grid`, shape (169,) each.
        titles: one above each.
        title: above all of them.

    Raises:
        PlotError: matplotlib is missing.
    """
    columns = min(len(grids), _PER_ROW)
    rows = -(-len(grids) // columns)
    has_numbers = len(grids) <= _MOST_WITH_NUMBERS
    size = 6.2 if has_numbers else 3.4
    figure = new_figure(size * columns + 1.0, (size + 0.3) * rows + 0.9)
    figure.set_layout_engine("compressed")  # cells are square
    figure.suptitle(title)
    drawn = []
    image = None
    for index, (grid, above) in enumerate(zip(grids, titles, strict=True)):
        axes = figure.add_subplot(rows, columns, index + 1)
        cells = _cells(grid)
        image = axes.imshow(cells, cmap="cividis", vmin=0, vmax=1)
        _ticks(axes, with_labels=True)
        axes.set_title(above, fontsize=10)
        drawn.append(axes)
        if has_numbers:
            _write_numbers(
                axes, cells, [[f"{100 * value:.0f}" for value in row] for row in cells], cells < 0.5
            )
    if image is not None:
        bar = figure.colorbar(image, ax=drawn, shrink=0.8, aspect=30)
        bar.set_label("weight: 1 likeliest, 0 impossible" + (" (numbers: hundredths)" if has_numbers else ""))
    return figure


def values_figure(values: NDArray[np.float64], title: str, label: str) -> Figure:
    """A share of something for each starting hand, in per cent; NaN where there is none.

    Args:
        values: from 0 to 1, shape (169,).
        title: stands above.
        label: of the colour scale.

    Raises:
        PlotError: matplotlib is missing.
    """
    figure = new_figure(9.4, 8.6)
    figure.set_layout_engine("compressed")
    axes = figure.add_subplot()
    cells = _cells(values)
    image = axes.imshow(cells, cmap="cividis", vmin=0, vmax=1)
    _ticks(axes, with_labels=True)
    texts = [["" if np.isnan(value) else f"{100 * value:.0f}" for value in row] for row in cells]
    _write_numbers(axes, cells, texts, np.nan_to_num(cells, nan=1.0) < 0.5)
    figure.suptitle(title)
    figure.colorbar(image, ax=axes, shrink=0.8).set_label(label)
    return figure


def _write_numbers(
    axes: Axes, cells: NDArray[np.float64], texts: Sequence[Sequence[str]], is_dark: NDArray[np.bool_]
) -> None:
    """Name and number in every cell, light on dark."""
    for row in range(len(cells)):
        for column in range(len(cells)):
            text = f"{_name(row, column)}\n{texts[row][column]}".rstrip()
            colour = "white" if is_dark[row, column] else "black"
            axes.text(column, row, text, ha="center", va="center", fontsize=7, color=colour)
