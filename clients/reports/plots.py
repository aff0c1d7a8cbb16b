"""Pictures of ``--plot``, and of experiments: curves, bars and Killer's spectrum.

This module is imported only when a picture is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import attrs
import numpy as np

from clients.core.agent import in_words
from clients.core.figure import new_figure, save_figure
from engine.poker.cards import format_cards
from engine.poker.combos import combos_without
from engine.support.arrays import Floats
from engine.support.palette import ACTIONS, LIGHT, PALE, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_OURS, _THEIRS = SERIES[:2]
_FAINT: Final[dict[str, Any]] = {"fontsize": 8, "color": LIGHT["faint"]}
"""What is written beside points and lines."""
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


def _new_axes(title: str, x_label: str, y_label: str) -> tuple[Figure, Axes]:
    figure = new_figure(8.0, 5.0)
    axes = figure.add_subplot()
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    axes.grid(color=LIGHT["grid"], linewidth=0.6)
    return figure, axes


def draw_plot(folder: Path, plot: Plot) -> list[Path]:
    """Draws lines with bands, as PNG and as SVG; the same numbers give the same files.

    Returns:
        The files.

    Raises:
        PlotError: matplotlib is missing, or a file cannot be written.
    """
    figure, axes = _new_axes(plot.title, plot.x_label, plot.y_label)
    for index, curve in enumerate(plot.curves):
        color = SERIES[index % len(SERIES)]
        look: dict[str, Any] = {"color": color, "label": curve.label}
        x, y = np.asarray(curve.x, np.float64), np.asarray(curve.y, np.float64)
        half = None if curve.half_widths is None else np.asarray(curve.half_widths, np.float64)
        if plot.names:
            beside = _BESIDE * (index - (len(plot.curves) - 1) / 2)
            axes.errorbar(x + beside, y, half, fmt="o", markersize=4, capsize=3, **look)
            continue
        axes.plot(x, y, marker="o", markersize=3, linewidth=1.2, **look)
        if half is not None:
            axes.fill_between(x, y - half, y + half, color=color, alpha=0.18, linewidth=0)
    for label, level in plot.levels:
        axes.axhline(level, color=LIGHT["faint"], linestyle="--", linewidth=0.9)
        axes.annotate(label, (0.005, level), xycoords=("axes fraction", "data"), va="bottom", **_FAINT)
    if plot.log_x:
        axes.set_xscale("log")
    if plot.log_y:
        axes.set_yscale("log")
    if plot.names:
        axes.set_xlim(0.5, len(plot.names) + 0.5)
        rotation = 90 if len(plot.names) > _UPRIGHT else 0
        axes.set_xticks(range(1, len(plot.names) + 1), plot.names, rotation=rotation)
    if len(plot.curves) > 1:
        axes.legend(fontsize=8)
    files = [folder / (plot.name + kind) for kind in _FILE_KINDS]
    for file in files:
        save_figure(figure, str(file))
    return files


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

    own: Floats
    played: Floats
    """An opponent's, of starting hands that are played."""
    filtered_out: Floats
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

    def shares(counts: Floats, total: float) -> Floats:
        histogram: Floats = np.histogram(ranks, bins=edges, weights=counts)[0]
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
    axes.bar(places, -removed, bottom=-played, color=PALE, **bars)
    crossed = removed > 0.05 * max(float((played + removed).max()), 1e-12)
    middles = -(played + removed / 2)
    axes.plot(places[crossed], middles[crossed], "x", color=_THEIRS, markersize=4, linestyle="none")
    axes.plot(
        [], [], "x", color=_THEIRS, markersize=6, markerfacecolor=PALE, linestyle="none",
        label=f"crossed: an opponent's, filtered out (not in the top {top:g} % before the flop)",
    )  # fmt: skip
    _name_categories(axes)
    axes.axhline(0, color=LIGHT["ink"], linewidth=0.8)
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
    from engine.hands.hand_rank import NUM_HAND_RANKS, hand_category
    from engine.poker.rules.hand_rank import HandCategory

    categories = np.array([hand_category(rank) for rank in range(NUM_HAND_RANKS)])
    centres, names = [], []
    for category in HandCategory:
        members = np.flatnonzero(categories == category)
        axes.axvline(members[0], color=LIGHT["grid"], linewidth=0.6, zorder=0)
        centres.append(members.mean() / NUM_HAND_RANKS)
        name = category.name.lower()
        names.append(name.replace("_of_a_", " of\na ") if "_of_" in name else name.replace("_", "\n"))
    place = 1.0 + _NAME_GAP / 2
    for centre, name in reversed(list(zip(centres, names, strict=True))):
        place = min(centre, place - _NAME_GAP)
        axes.annotate(
            name, (centre, 1.0), (place, 1.05), xycoords="axes fraction", textcoords="axes fraction",
            ha="center", va="bottom", fontsize=8,
            arrowprops={"arrowstyle": "-", "color": LIGHT["faint"], "linewidth": 0.6},
        )  # fmt: skip


def answers_figure(found: dict[str, Any], title: str) -> Figure:
    """How often each action was the answer and, where they are known, what actions are worth.

    Args:
        found: what ``riverboat ask --json`` prints.
        title: stands above.

    Raises:
        PlotError: matplotlib is not installed.
    """
    why = found.get("why", {})
    own, simulated = why.get("own_simulation"), why.get("simulation")
    values = own or simulated
    answers: dict[str, float] = found["answers"]
    names = {*answers, *[row["action"] for row in (values or {}).get("values", ())]}
    # Folds, calls, raises by their size.
    actions = sorted(names, key=lambda action: ("fcr".index(action[0]), int(action[1:] or 0)))
    figure = new_figure(8.0 if values else 5.5, 1.6 + 0.45 * len(actions))
    figure.suptitle(title)
    panels = figure.subplots(1, 2 if values else 1, sharey=True, squeeze=False)[0]
    times = found["asked"]
    _bars(panels[0], actions, {action: (answers.get(action, 0.0), 0.0) for action in actions}, "{:.0%}")
    panels[0].set_xlim(0, 1.2)
    panels[0].set_xticks([0, 0.25, 0.5, 0.75, 1])
    panels[0].set_xlabel(f"answers, asked {times} time{'s' if times > 1 else ''}")
    panels[0].set_yticks(range(len(actions)), [in_words(action) for action in actions])
    panels[0].invert_yaxis()
    if values:
        worth = {row["action"]: (row["value"], row["standard_error"]) for row in values["values"]}
        _bars(panels[1], actions, worth, "{:+z.2f}")
        panels[1].axvline(0, color=LIGHT["ink"], linewidth=0.8)
        panels[1].margins(x=0.3)
        unit = f", {values['unit']}" if "unit" in values else ""
        panels[1].set_xlabel(("its own values" if own else "simulated values") + f"{unit} ± standard error")
    return figure


def _bars(axes: Axes, actions: list[str], worth: dict[str, tuple[float, float]], form: str) -> None:
    """A bar for each action that has a value, with its error, and the number behind both."""
    for place, action in enumerate(actions):
        if action not in worth:
            continue
        value, error = worth[action]
        axes.barh(place, value, xerr=error or None, capsize=3, color=ACTIONS[action[0]], height=0.6)
        side, aligned = (-1, "right") if value < 0 else (1, "left")
        axes.annotate(
            form.format(value), (value + side * error, place), textcoords="offset points",
            xytext=(4 * side, 0), ha=aligned, va="center", fontsize=9,
        )  # fmt: skip


def draw_exploitation(
    path: str,
    points: Sequence[tuple[str, float, float]],
    chosen: tuple[str, float, float],
    title: str,
    *,
    is_bound: bool = False,
) -> None:
    """Draws a curve of answers, from the safest to the greediest, and one beside it.

    Args:
        path: file to write; its ending chooses the format.
        points: of each answer a label, what it loses at most and what it wins, in mbb/h.
        chosen: the same of the answer that was asked for.
        title: stands above.
        is_bound: what is known of the loss is a lower bound.

    Raises:
        PlotError: matplotlib is missing, or the file cannot be written.
    """
    loss = "may lose this or more" if is_bound else "loses at most"
    figure, axes = _new_axes(title, f"{loss}, to a best response (mbb/h)", "wins of this opponent (mbb/h)")
    axes.plot(
        [x for _, x, _ in points], [y for _, _, y in points], marker="o", markersize=4, linewidth=1.2,
        label="restricted Nash responses, by their part p",
    )  # fmt: skip
    for label, x, y in points:
        axes.annotate(label, (x, y), textcoords="offset points", xytext=(5, -11), **_FAINT)
    label, x, y = chosen
    axes.plot([x], [y], marker="*", markersize=13, linestyle="none", color=SERIES[1], label=label)
    axes.legend(fontsize=8, loc="lower right")
    save_figure(figure, path)


def draw_learning_curve(
    path: str, points: Sequence[tuple[int, float, float | None]], title: str, what: str
) -> None:
    """Draws how exploitability falls while a strategy is learnt.

    Args:
        path: file to write; its ending chooses the format.
        points: the number of iterations, the exploitability or its lower bound, and its upper bound or, where
            the former is exact, None; in mbb/h.
        title: stands above.
        what: the name of an iteration, in the plural.

    Raises:
        PlotError: matplotlib is missing, or the file cannot be written.
    """
    figure, axes = _new_axes(title, what, "exploitability (mbb/h)")
    done = [iterations for iterations, _, _ in points]
    lower = [value for _, value, _ in points]
    uppers = [upper for _, _, upper in points if upper is not None]
    if uppers:
        axes.plot(done, uppers, marker="o", markersize=4, label="in-sample bound, too high on average")
        axes.plot(done, lower, marker="o", markersize=4, label="cross-fitted bound, too low on average")
        axes.fill_between(done, lower, uppers, color=LIGHT["grid"])
        axes.set_ylim(bottom=min(0.0, *lower))
        axes.legend(fontsize=8)
    else:
        axes.plot(done, lower, marker="o", markersize=4)
        axes.set_yscale("log")
    axes.set_xscale("log")
    save_figure(figure, path)
