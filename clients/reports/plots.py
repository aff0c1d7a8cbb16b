"""The pictures of ``riverboat odds``, ``preflop`` and ``weights`` with ``--plot``, and of experiments.

This module is imported only when a picture is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.figure import new_figure, save_figure
from engine.poker.cards import RANKS, format_cards
from engine.poker.combos import STARTING_HAND_NAMES, combos_without

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Curve",
    "Plot",
    "draw_grid",
    "draw_plot",
    "draw_spectrum",
    "spectrum_figure",
]

_OURS, _THEIRS, _REMOVED = "#0072b2", "#d55e00", "#f3cfb3"
# Okabe and Ito's blue and vermilion, told apart by everybody.
_BINS = 160
_NAME_GAP: Final = 0.058
"""Between the middles of two names, as a part of the width."""


@attrs.frozen
class Curve:
    """A line of a plot, its points in order of x."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    half_widths: Sequence[float] | None = None
    """Half the height of a band around the line, point by point."""


_BESIDE: Final = 0.15
"""How far apart points of the same name stand, in places."""
_UPRIGHT: Final = 6
"""More names than these are written from bottom to top."""
_FILE_KINDS: Final = (".png", ".svg")


@attrs.frozen
class Plot:
    """A picture of results: lines with bands."""

    name: str
    """The name of its files, less the ending."""
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    log_x: bool = False
    log_y: bool = False
    levels: tuple[tuple[str, float], ...] = ()
    """Dashed horizontal lines with their labels, such as somebody else's result."""
    names: tuple[str, ...] = ()
    """Of the places 1, 2, 3 ... of the x axis: points with bars stand there instead of lines."""


def draw_plot(folder: Path, plot: Plot) -> list[Path]:
    """Draws lines with bands, as PNG and as SVG; the same numbers give the same files.

    Returns:
        The files.

    Raises:
        PlotError: matplotlib is missing, or a file cannot be written.
    """
    figure = new_figure(8.0, 5.0)
    axes = figure.add_subplot()
    for index, curve in enumerate(plot.curves):
        color = f"C{index}"
        x, y = np.asarray(curve.x, np.float64), np.asarray(curve.y, np.float64)
        half = None if curve.half_widths is None else np.asarray(curve.half_widths, np.float64)
        if plot.names:
            beside = _BESIDE * (index - (len(plot.curves) - 1) / 2)
            axes.errorbar(
                x + beside, y, half, fmt="o", markersize=4, capsize=3, color=color, label=curve.label
            )
            continue
        axes.plot(x, y, marker="o", markersize=3, linewidth=1.2, color=color, label=curve.label)
        if half is not None:
            axes.fill_between(x, y - half, y + half, color=color, alpha=0.18, linewidth=0)
    for label, level in plot.levels:
        axes.axhline(level, color="0.45", linestyle="--", linewidth=0.9)
        axes.annotate(
            label, (0.005, level), xycoords=("axes fraction", "data"), va="bottom", fontsize=8, color="0.35"
        )
    if plot.log_x:
        axes.set_xscale("log")
    if plot.log_y:
        axes.set_yscale("log")
    if plot.names:
        axes.set_xlim(0.5, len(plot.names) + 0.5)
        axes.set_xticks(
            range(1, len(plot.names) + 1), plot.names, rotation=90 if len(plot.names) > _UPRIGHT else 0
        )
    axes.set_title(plot.title)
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label)
    axes.grid(color="0.92")
    if len(plot.curves) > 1:
        axes.legend(fontsize=8)
    files = [folder / (plot.name + kind) for kind in _FILE_KINDS]
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
            axes.text(column, row, f"{name}\n{grid[row, column]:+z.0f}", ha="center", va="center", fontsize=8)
    ranks = list(reversed(RANKS))
    axes.set_xticks(range(13), ranks)
    axes.set_yticks(range(13), ranks)
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
    top = min(100.0, (25.0 if playing is None else playing) * looseness)
    shares = _final_shares(hole_cards, board, top / 100, seed)
    save_figure(spectrum_figure(shares, format_cards(hole_cards), format_cards(board), top), path)


class FinalShares(NamedTuple):
    """Shares of final hands in `_BINS` classes of equal width, worst to best; shape (_BINS,) each."""

    own: NDArray[np.float64]
    played: NDArray[np.float64]
    """An opponent's, of starting hands that are played."""
    filtered_out: NDArray[np.float64]
    """An opponent's, of those that are not."""


def _final_shares(hole_cards: Sequence[int], board: Sequence[int], top: float, seed: int) -> FinalShares:
    from engine.hands.hand_odds import final_boards, final_rank_counts
    from engine.hands.hand_rank import NUM_HAND_RANKS
    from engine.hands.reflective_odds import playable_before_flop

    weights = np.array([combos_without(hole_cards).astype(np.float64), playable_before_flop(top, 1.0)])
    boards = final_boards(hole_cards, board, rng=np.random.default_rng(seed), samples=2000)
    ours, theirs = final_rank_counts(hole_cards, boards, weights)
    edges = np.linspace(0, NUM_HAND_RANKS, _BINS + 1)
    ranks = np.arange(NUM_HAND_RANKS)

    def shares(counts: NDArray[np.float64], total: float) -> NDArray[np.float64]:
        histogram: NDArray[np.float64] = np.histogram(ranks, bins=edges, weights=counts)[0]
        return histogram / total

    everything = shares(theirs[0], theirs[0].sum())
    played = shares(theirs[1], theirs[0].sum())
    return FinalShares(shares(ours, ours.sum()), played, everything - played)


def spectrum_figure(shares: FinalShares, hole_cards: str, board: str, top: float) -> Figure:
    """The picture of `draw_spectrum`.

    Args:
        shares: what is drawn.
        hole_cards: ours, as text.
        board: as text.
        top: Per cent of the starting hands that are played.

    Raises:
        PlotError: matplotlib is missing.
    """
    from engine.hands.hand_rank import NUM_HAND_RANKS

    figure = new_figure(11.0, 6.0)
    axes = figure.add_subplot()
    width = NUM_HAND_RANKS / _BINS
    places = (np.arange(_BINS) + 0.5) * width
    own, played, removed = shares
    bars: dict[str, Any] = {"width": width}
    axes.bar(places, own, color=_OURS, label=f"{hole_cards}: our final hands", **bars)
    axes.bar(places, -played, color=_THEIRS, label="an opponent's, of hands that are played", **bars)
    axes.bar(places, -removed, bottom=-played, color=_REMOVED, **bars)
    crossed = removed > 0.05 * max(float((played + removed).max()), 1e-12)
    axes.plot(
        places[crossed], -(played + removed / 2)[crossed], "x", color=_THEIRS, markersize=4, linestyle="none"
    )
    axes.plot(
        [], [], "x", color=_THEIRS, markersize=6, markerfacecolor=_REMOVED, linestyle="none",
        label=f"crossed: an opponent's, filtered out (not in the top {top:g} % before the flop)",
    )  # fmt: skip
    _name_categories(axes)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlim(0, NUM_HAND_RANKS)
    most = 1.08 * max(float(own.max()), float((played + removed).max()), 1e-12)
    axes.set_ylim(-most, most)
    axes.yaxis.set_major_formatter(lambda share, _: f"{abs(100 * share):g} %")
    axes.set_ylabel("share of final hands: ours above, an opponent's below")
    axes.set_xlabel("final hand, worst to best")
    figure.suptitle(f"What {hole_cards} ends with {'on ' + board if board else 'before the flop'}")
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    return figure


def _name_categories(axes: Axes) -> None:
    """Names the kinds of hands above the picture: narrow ones are led to by a line, so that no two names
    meet.
    """
    from engine.hands.hand_rank import NUM_HAND_RANKS, HandCategory, hand_category

    categories = np.array([hand_category(rank) for rank in range(NUM_HAND_RANKS)])
    centres, names = [], []
    for category in HandCategory:
        members = np.flatnonzero(categories == category)
        axes.axvline(members[0], color="0.85", linewidth=0.6, zorder=0)
        centres.append(members.mean() / NUM_HAND_RANKS)
        name = category.name.lower()
        names.append(name.replace("_of_a_", " of\na ") if "_of_" in name else name.replace("_", "\n"))
    place = 1.0 + _NAME_GAP / 2
    for centre, name in reversed(list(zip(centres, names, strict=True))):
        place = min(centre, place - _NAME_GAP)
        axes.annotate(
            name, (centre, 1.0), (place, 1.05), xycoords="axes fraction", textcoords="axes fraction",
            ha="center", va="bottom", fontsize=8,
            arrowprops={"arrowstyle": "-", "color": "0.6", "linewidth": 0.6},
        )  # fmt: skip
