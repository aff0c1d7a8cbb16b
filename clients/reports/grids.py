"""Pictures and lines of the 169 starting hands: 13 x 13 cells, suited hands upper right, aces first.

Numbers stand in the cells where they fit.  The hands of a small game are a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import attrs
import numpy as np

from clients.core.figure import new_figure, save_figure
from engine.poker.cards import NUM_RANKS, RANKS, format_cards
from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_NAMES, STARTING_HAND_OF_COMBO
from engine.poker.rules import Action, ActionKind, BettingState
from engine.support.arrays import Bools, Floats
from engine.support.palette import ACTION_STYLES, ACTIONS, DIVERGING, LIGHT, SEQUENTIAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table
    from rich.text import Text

    from engine.solving.holdem.bucketed import BucketedStrategy
    from engine.solving.strategies import Strategy


_FROM_RAISE: Final = tuple(ACTIONS[action] for action in "rcf")
_MOST_WITH_NUMBERS: Final = 3
"""Grids in a picture whose cells have room for names and numbers."""
_PER_ROW: Final = 5


def _cells(values: Floats) -> Floats:
    """Values by starting hand as rows and columns of a picture; shape (169, ...) to (13, 13, ...)."""
    return values.reshape(13, 13, *values.shape[1:])[::-1, ::-1]


def _name(row: int, column: int) -> str:
    """The hand of a cell."""
    return STARTING_HAND_NAMES[(12 - row) * 13 + (12 - column)]


def _ticks(axes: Axes) -> None:
    axes.set_xticks(range(13), RANKS[::-1])
    axes.set_yticks(range(13), RANKS[::-1])
    axes.tick_params(length=0, labelsize=8)
    axes.xaxis.tick_top()
    for line in np.arange(0.5, 12.5):
        axes.axhline(line, color=LIGHT["paper"], linewidth=0.6)
        axes.axvline(line, color=LIGHT["paper"], linewidth=0.6)


def strategy_figure(shares: Floats, title: str) -> Figure:
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
    for row, column in np.ndindex(13, 13):
        left = column - 0.5
        for share, colour in zip(cells[row, column, ::-1], _FROM_RAISE, strict=True):
            axes.add_patch(Rectangle((left, row - 0.5), share, 1, facecolor=colour, linewidth=0))
            left += share
        raised = f"\n{100 * cells[row, column, 2]:.0f}" if cells[row, column].any() else ""
        text, colour = _name(row, column) + raised, LIGHT["ink" if raised else "faint"]
        axes.text(column, row, text, ha="center", va="center", fontsize=8, color=colour)
    _ticks(axes)
    figure.suptitle(title)
    names = ("raise (number: per cent)", "call or check", "fold")
    handles = [Patch(color=c, label=name) for c, name in zip(_FROM_RAISE, names, strict=True)]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


def draw_grid(path: str, values: Floats, title: str) -> None:
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
    grid = _cells(values)
    limit = float(np.abs(grid).max()) or 1.0
    axes.imshow(np.sign(grid) * np.sqrt(np.abs(grid) / limit), cmap=DIVERGING, vmin=-1, vmax=1)
    for row, column in np.ndindex(13, 13):
        text = f"{_name(row, column)}\n{grid[row, column]:+z.0f}"
        axes.text(column, row, text, ha="center", va="center", fontsize=8)
    axes.set_xticks(range(13), RANKS[::-1])
    axes.set_yticks(range(13), RANKS[::-1])
    axes.set_title(title)
    save_figure(figure, path)


def weights_figure(grids: Sequence[Floats], titles: Sequence[str], title: str) -> Figure:
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
        image = axes.imshow(cells, cmap=SEQUENTIAL, vmin=0, vmax=1)
        _ticks(axes)
        axes.set_title(above, fontsize=10)
        drawn.append(axes)
        if has_numbers:
            _write_numbers(axes, cells)
    if image is not None:
        bar = figure.colorbar(image, ax=drawn, shrink=0.8, aspect=30)
        bar.set_label("weight: 1 likeliest, 0 impossible" + (" (numbers: hundredths)" if has_numbers else ""))
    return figure


def values_figure(values: Floats, title: str, label: str) -> Figure:
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
    image = axes.imshow(cells, cmap=SEQUENTIAL, vmin=0, vmax=1)
    _ticks(axes)
    _write_numbers(axes, cells)
    figure.suptitle(title)
    figure.colorbar(image, ax=axes, shrink=0.8).set_label(label)
    return figure


def _write_numbers(axes: Axes, cells: Floats) -> None:
    """Name and hundredths in every cell, light on dark; the name alone where there is no value."""
    for (row, column), value in np.ndenumerate(cells):
        text = _name(row, column) + ("" if np.isnan(value) else f"\n{100 * value:.0f}")
        colour = LIGHT["paper" if value < 0.5 else "ink"]
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color=colour)


@attrs.frozen
class Shown:
    """A strategy's actions at one point of the betting."""

    actions: tuple[Action, ...]
    hands: Mapping[str, Sequence[float]]
    """The chance of each action, by the hand's name."""


def hands_of_holdem(strategy: BucketedStrategy, betting: BettingState, board: Sequence[int]) -> Shown:
    """The 169 starting hands, each the mean of its combos that share no card with the board.

    Raises:
        ValueError: nobody is to act.
    """
    actions, chances = strategy.chances_of_all(betting, board)
    live = ~np.isnan(chances[:, 0])
    means = mean_by_starting_hand(chances, live)
    names = [(hand, STARTING_HAND_NAMES[hand]) for hand in np.unique(STARTING_HAND_OF_COMBO[live])]
    return Shown(actions, {name: means[hand].tolist() for hand, name in names})


def mean_by_starting_hand(values: Floats, live: Bools) -> Floats:
    """The mean over the combos of each starting hand.

    Args:
        values: by combo, shape (1326, n).
        live: which combos count, shape (1326,).

    Returns:
        Shape (169, n); zeros for a starting hand of which no combo counts.
    """
    hands = STARTING_HAND_OF_COMBO[live]
    sums = np.zeros((NUM_STARTING_HANDS, values.shape[1]))
    np.add.at(sums, hands, values[live])
    sizes = np.bincount(hands, minlength=NUM_STARTING_HANDS)
    return sums / np.maximum(sizes, 1)[:, None]


def hands_of_small_game(strategy: Strategy, betting: BettingState) -> Shown:
    """Every hand and board that the player to act may see.

    Raises:
        ValueError: nobody is to act.
    """
    tree = strategy.tree
    node = tree.decision(betting)
    hands: dict[str, Sequence[float]] = {}
    for found in tree.information_sets():
        if found.node is not node:
            continue
        view = tree.hand_view(found)
        name = " ".join(format_cards(sorted(cards)) for cards in (view.own_cards, view.board) if cards)
        hands[name] = strategy.policy[found.slots].tolist()
    return Shown(node.actions, hands)


def grid_lines(shown: Shown) -> list[Text]:
    """The 13 x 13 grid, suited hands upper right: in a cell the likeliest action and its chance in %."""
    from rich.text import Text

    ranks = RANKS[::-1]
    lines = [Text("   " + " ".join(f"{rank:>4}" for rank in ranks))]
    for row, high in enumerate(ranks):
        line = Text(f"{high}  ")
        for column in range(NUM_RANKS):
            chances = shown.hands.get(_name(row, column))
            if chances is None:
                line.append("   - ")
                continue
            best = int(np.argmax(chances))
            kind = shown.actions[best].kind
            line.append(f"{kind.value}{round(100 * chances[best]):>3} ", style=ACTION_STYLES[kind.value])
        lines.append(line)
    return lines


def hands_table(shown: Shown) -> Table:
    """A line for each hand, a column for each action."""
    from rich.table import Table

    table = Table("hand", *(str(action) for action in shown.actions))
    for name, chances in shown.hands.items():
        table.add_row(name, *(f"{chance:.4f}" for chance in chances))
    return table


def draw_hands(path: str, shown: Shown, title: str) -> None:
    """Draws what is done with each hand as a bar in the actions' colours: hold'em as the 13 x 13 grid.

    Args:
        path: File to write; its ending chooses the format.
        shown: What is done.
        title: Stands above.

    Raises:
        PlotError: matplotlib is missing, or the file cannot be written.
    """
    is_grid = set(shown.hands) <= set(STARTING_HAND_NAMES)
    columns = NUM_RANKS if is_grid else min(NUM_RANKS, len(shown.hands))
    cells = [(row, column) for row in range(NUM_RANKS) for column in range(NUM_RANKS)] if is_grid else []
    places = {_name(*cell): cell for cell in cells if _name(*cell) in shown.hands}
    places = places or {name: divmod(number, columns) for number, name in enumerate(shown.hands)}
    rows = 1 + max(row for row, _ in places.values())
    figure = new_figure(max(4.0, 0.75 * columns), 1.2 + 0.6 * rows)
    axes = figure.add_subplot()
    shades = _shades(shown.actions)
    for name, (row, column) in places.items():
        left = float(column)
        for chance, colour in zip(shown.hands[name], shades, strict=True):
            axes.barh(row, chance, left=left, height=1.0, align="edge", color=colour, linewidth=0)
            left += chance
        axes.text(column + 0.5, row + 0.5, name, ha="center", va="center", fontsize=8)
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    axes.set_xticks(range(columns + 1), [])
    axes.set_yticks(range(rows + 1), [])
    axes.grid(color=LIGHT["paper"], linewidth=1.2)
    axes.tick_params(length=0)
    for action, colour in zip(shown.actions, shades, strict=True):
        axes.bar(0, 0, color=colour, label=_WORDS[action.kind].format(action.raise_to or ""))
    figure.legend(loc="outside lower center", ncols=len(shown.actions), fontsize=9)
    axes.set_title(title)
    save_figure(figure, path)


_WORDS: Final = {ActionKind.FOLD: "fold", ActionKind.CALL: "call", ActionKind.RAISE: "raise {}"}


def _shades(actions: Sequence[Action]) -> list[tuple[float, float, float]]:
    """A colour for each action; the larger of several raises the darker."""
    from matplotlib.colors import to_rgb

    raises = [action for action in actions if action.kind is ActionKind.RAISE]
    shades = []
    for action in actions:
        part = 0.6 * raises.index(action) / (len(raises) - 1) if action in raises[1:] else 0.0
        red, green, blue = to_rgb(ACTIONS[action.kind.value])
        shades.append((red * (1 - part), green * (1 - part), blue * (1 - part)))
    return shades
