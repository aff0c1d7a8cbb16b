"""The pictures of ``riverboat odds``, ``preflop`` and ``weights`` with ``--plot``, and of experiments.

This module is imported only when a picture is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.reports.figure import new_figure, save_figure
from engine.cards import RANKS, format_cards
from engine.combos import STARTING_HAND_NAMES, combos_without

__all__ = [
    "Curve",
    "draw_curves",
    "draw_grid",
    "draw_spectrum",
    "draw_weights",
]

_OURS, _THEIRS, _REMOVED = "#1f5fa8", "#c0392b", "#e3b7b1"
_BINS = 160


@attrs.frozen
class Curve:
    """A line of a plot, its points in order of x."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    half_widths: Sequence[float] | None = None
    """Half the height of a band around the line, point by point."""


_FILE_KINDS: Final = (".png", ".svg")


def draw_curves(
    path: Path,
    curves: Sequence[Curve],
    *,
    title: str,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    levels: Sequence[tuple[str, float]] = (),
) -> list[Path]:
    """Draws lines with bands, as PNG and as SVG; the same numbers give the same files.

    Args:
        path: of the files, less the ending.
        curves: drawn in this order.
        title: stands above.
        x_label: under the axis.
        y_label: beside the axis.
        log_x: logarithmic x axis.
        log_y: logarithmic y axis.
        levels: dashed horizontal lines, such as somebody else's result.

    Returns:
        The files.

    Raises:
        PlotError: matplotlib is missing, or a file cannot be written.
    """
    figure = new_figure(8.0, 5.0)
    axes = figure.add_subplot()
    for index, curve in enumerate(curves):
        color = f"C{index}"
        x, y = np.asarray(curve.x, np.float64), np.asarray(curve.y, np.float64)
        axes.plot(x, y, marker="o", markersize=3, linewidth=1.2, color=color, label=curve.label)
        if curve.half_widths is not None:
            half = np.asarray(curve.half_widths, np.float64)
            axes.fill_between(x, y - half, y + half, color=color, alpha=0.18, linewidth=0)
    for label, level in levels:
        axes.axhline(level, color="0.45", linestyle="--", linewidth=0.9)
        axes.annotate(
            label, (0.005, level), xycoords=("axes fraction", "data"), va="bottom", fontsize=8, color="0.35"
        )
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    axes.set_title(title)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(color="0.92")
    if len(curves) > 1:
        axes.legend(fontsize=8)
    files = [path.with_name(path.name + kind) for kind in _FILE_KINDS]
    for file in files:
        save_figure(figure, str(file))
    return files


def draw_grid(path: str, values: NDArray[np.float64], title: str) -> None:
    """Draws a value for each starting hand as the 13 x 13 grid, suited hands above the diagonal.

    Args:
        path: File to write; its ending chooses the format.
        values: shape (169,), by starting hand.
        title: Stands above.

    Raises:
        PlotError: matplotlib is missing, or the file cannot be written.
    """
    figure = new_figure(9.5, 9.0)
    axes = figure.add_subplot()
    # Aces first; rows by the higher rank of suited hands.
    grid = values.reshape(13, 13)[::-1, ::-1]
    limit = float(np.abs(grid).max()) or 1.0
    axes.imshow(np.sign(grid) * np.sqrt(np.abs(grid) / limit), cmap="RdYlGn", vmin=-1, vmax=1)
    for row in range(13):
        for column in range(13):
            name = STARTING_HAND_NAMES[(12 - row) * 13 + (12 - column)]
            axes.text(column, row, f"{name}\n{grid[row, column]:+.0f}", ha="center", va="center", fontsize=8)
    ranks = list(reversed(RANKS))
    axes.set_xticks(range(13), ranks)
    axes.set_yticks(range(13), ranks)
    axes.set_title(title)
    save_figure(figure, path)


def draw_weights(path: str, grids: Sequence[NDArray[np.float64]], titles: Sequence[str]) -> None:
    """Draws weight tables side by side as Poki's Fig. 3.6 and 3.7: the darker a cell, the likelier.

    Args:
        path: File to write; its ending chooses the format.
        grids: Of `WeightTable.grid`, shape (169,) each.
        titles: One above each.

    Raises:
        PlotError: matplotlib is missing, or the file cannot be written.
    """
    figure = new_figure(5.0 * len(grids), 5.2)
    ranks = list(reversed(RANKS))
    for index, (grid, title) in enumerate(zip(grids, titles, strict=True)):
        axes = figure.add_subplot(1, len(grids), index + 1)
        axes.imshow(grid.reshape(13, 13)[::-1, ::-1], cmap="Greys", vmin=0, vmax=1)
        axes.set_xticks(range(13), ranks)
        axes.set_yticks(range(13), ranks)
        axes.xaxis.tick_top()
        axes.set_title(title)
    save_figure(figure, path)


def draw_spectrum(
    path: str,
    hole_cards: Sequence[int],
    board: Sequence[int],
    *,
    playing: float | None = None,
    looseness: float = 1.0,
    seed: int = 1,
) -> None:
    """Draws Killer's spectrum: the final hands we make above the line, an opponent's below it.

    The opponent's hands that a sound player would not have played before the flop are drawn pale and crossed.

    Args:
        path: File to write; its ending chooses the format.
        hole_cards: Our two cards.
        board: 0, 3, 4 or 5 cards.
        playing: Per cent of the starting hands that opponents play; 25, Killer's example, if None.
        looseness: Scales ``playing``.
        seed: Draws final boards when there is no board.

    Raises:
        PlotError: matplotlib is missing, or the file cannot be written.

    Source: *Hold'em Killer*, "Raw Hand Odds", section 3, and "Computing Actual Hand Odds", sections 1 and 2.
    """
    from engine.evaluation.hand_odds import final_boards, final_rank_counts
    from engine.evaluation.hand_rank import NUM_HAND_RANKS, HandCategory, hand_category
    from engine.evaluation.reflective_odds import playable_before_flop

    figure = new_figure(11.0, 5.0)
    top = 25.0 if playing is None else playing
    weights = np.array(
        [combos_without(hole_cards).astype(np.float64), playable_before_flop(min(top / 100, 1.0), looseness)]
    )
    boards = final_boards(hole_cards, board, rng=np.random.default_rng(seed), samples=2000)
    ours, theirs = final_rank_counts(hole_cards, boards, weights)
    edges = np.linspace(0, NUM_HAND_RANKS, _BINS + 1)
    ranks = np.arange(NUM_HAND_RANKS)

    def shares(counts: NDArray[np.float64], total: float) -> NDArray[np.float64]:
        histogram: NDArray[np.float64] = np.histogram(ranks, bins=edges, weights=counts)[0]
        return histogram / total

    own = shares(ours, ours.sum())
    everything = shares(theirs[0], theirs[0].sum())
    kept = shares(theirs[1], theirs[0].sum())
    axes = figure.add_subplot()
    width = edges[1] - edges[0]
    places = edges[:-1] + width / 2
    bars: dict[str, Any] = {"width": width}
    axes.bar(places, own, color=_OURS, label=f"{format_cards(hole_cards)}, final hands", **bars)
    axes.bar(places, -kept, color=_THEIRS, label="opponent, hands that are played", **bars)
    removed = everything - kept
    axes.bar(places, -removed, bottom=-kept, color=_REMOVED, label="opponent, filtered out", **bars)
    crossed = removed > 0.05 * max(float(everything.max()), 1e-12)
    axes.plot(places[crossed], -(kept + removed / 2)[crossed], "x", color=_THEIRS, markersize=4)

    categories = np.array([hand_category(rank) for rank in range(NUM_HAND_RANKS)])
    for category in HandCategory:
        members = np.flatnonzero(categories == category)
        axes.axvline(members[0], color="0.8", linewidth=0.6, zorder=0)
        name = category.name.lower().replace("_", " ")
        axes.text(members.mean(), 1.01, name, transform=axes.get_xaxis_transform(), rotation=60, fontsize=7)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlim(0, NUM_HAND_RANKS)
    axes.set_xlabel(
        f"final hand, worst to best; board {format_cards(board) or 'none'}; "
        f"top {min(100.0, top * looseness):g} % of starting hands played"
    )
    axes.set_ylabel("share of final hands")
    axes.legend(loc="upper left", fontsize=8)
    save_figure(figure, path)
