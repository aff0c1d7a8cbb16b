"""Strategies as people look at them: the 13 x 13 grid of hold'em, a list of the hands of a small game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import attrs
import numpy as np
from rich.table import Table
from rich.text import Text

from clients.core.figure import new_figure, save_figure
from engine.poker.cards import NUM_RANKS, RANKS, format_cards
from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_NAMES, STARTING_HAND_OF_COMBO
from engine.poker.rules import Action, ActionKind, BettingState

if TYPE_CHECKING:
    from engine.solving.holdem.bucketed import BucketedStrategy
    from engine.solving.strategies import Strategy

__all__ = ["Shown", "draw_hands", "grid_lines", "hands_of_holdem", "hands_of_small_game", "hands_table"]

_COLOURS: Final = {ActionKind.FOLD: "#3d7cc9", ActionKind.CALL: "#4caf6d", ActionKind.RAISE: "#d1495b"}
"""As solvers have them: fold blue, call green, raises red."""
_STYLES: Final = {ActionKind.FOLD: "blue", ActionKind.CALL: "green", ActionKind.RAISE: "red"}


@attrs.frozen
class Shown:
    """What a strategy does at one point of the betting."""

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
    hands = STARTING_HAND_OF_COMBO[live]
    sums = np.zeros((NUM_STARTING_HANDS, len(actions)))
    np.add.at(sums, hands, chances[live])
    sizes = np.bincount(hands, minlength=NUM_STARTING_HANDS)
    return Shown(
        actions,
        {
            STARTING_HAND_NAMES[hand]: (sums[hand] / sizes[hand]).tolist()
            for hand in range(NUM_STARTING_HANDS)
            if sizes[hand]
        },
    )


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
            line.append(f"{kind.value}{round(100 * chances[best]):>3} ", style=_STYLES[kind])
        lines.append(line)
    return lines


def hands_table(shown: Shown) -> Table:
    """A line for each hand, a column for each action."""
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
    names = list(shown.hands)
    places = {
        name: (row, column)
        for row in range(NUM_RANKS)
        for column in range(NUM_RANKS)
        if is_grid and (name := _name(row, column)) in shown.hands
    } or {name: divmod(number, columns) for number, name in enumerate(names)}
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
    axes.grid(color="white", linewidth=1.2)
    axes.tick_params(length=0)
    for action, colour in zip(shown.actions, shades, strict=True):
        axes.bar(0, 0, color=colour, label=_WORDS[action.kind].format(action.raise_to or ""))
    figure.legend(loc="outside lower center", ncols=len(shown.actions), fontsize=9)
    axes.set_title(title)
    save_figure(figure, path)


_WORDS: Final = {ActionKind.FOLD: "fold", ActionKind.CALL: "call", ActionKind.RAISE: "raise {}"}


def _shades(actions: Sequence[Action]) -> list[str | tuple[float, float, float]]:
    """A colour for each action; the larger of several raises the darker."""
    raises = [action for action in actions if action.kind is ActionKind.RAISE]
    shades: list[str | tuple[float, float, float]] = []
    for action in actions:
        if action.kind is not ActionKind.RAISE or len(raises) < 2:
            shades.append(_COLOURS[action.kind])
            continue
        part = 1.0 - 0.6 * raises.index(action) / (len(raises) - 1)
        shades.append((0.82 * part, 0.29 * part, 0.36 * part))
    return shades


def _name(row: int, column: int) -> str:
    """The hand of a cell, aces first; suited hands upper right."""
    return STARTING_HAND_NAMES[(NUM_RANKS - 1 - row) * NUM_RANKS + NUM_RANKS - 1 - column]
