"""A hand as text and as a picture, for those who watch a learner.

Both show what one player knows, and after a showdown the cards that were shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clients.core.figure import new_figure, require_matplotlib
from engine.poker.cards import CARD_TEXTS, format_cards, suit_of
from engine.poker.rules import HandView
from engine.poker.rules.hand_words import round_name, tell_action, tell_winnings
from engine.support.palette import LIGHT, SUITS

RENDER_MODES: Final = ["ansi", "rgb_array"]
_SIZE_INCHES: Final = (6.4, 4.0)
_DPI: Final = 100


def check_render_mode(mode: str | None) -> None:
    """Refuse a way to draw that there is not.

    Raises:
        ValueError: no such mode.
        PlotError: matplotlib is missing for pictures.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"expected render_mode 'ansi', 'rgb_array' or None, got {mode!r}")
    if mode == "rgb_array":
        require_matplotlib()


def render(view: HandView, names: Sequence[str], mode: str) -> str | NDArray[np.uint8]:
    """The hand of players with some names, by position: text, or a picture of shape (400, 640, 3), uint8."""
    return _text(view, names) if mode == "ansi" else _picture(view, names)


def _headline(view: HandView) -> str:
    where = "Showdown" if view.betting.is_showdown else round_name(view.game, view.betting_round)
    return f"Hand {view.hand_number + 1}   {where}   pot {view.pot}"


def _rows(view: HandView, names: Sequence[str]) -> list[tuple[str, str, str, str, bool]]:
    """The rows of all positions: name, owner, cards, action, and whether it is to act."""
    betting, game = view.betting, view.game
    rows = []
    for position, name in enumerate(names):
        cards = format_cards(view.hole_cards[position]) or "?" * 2 * game.num_hole_cards
        state = "folded" if betting.folded[position] else f"{betting.spent[position]} in"
        rows.append((game.position_names[position], name, cards, state, position == betting.position_to_act))
    return rows


def _result(view: HandView, names: Sequence[str]) -> str:
    return tell_winnings(view.chips_won(), names) if view.is_finished else ""


def _text(view: HandView, names: Sequence[str]) -> str:
    lines = [_headline(view), f"board  {format_cards(view.board) or '-'}"]
    for position_name, name, cards, state, is_to_act in _rows(view, names):
        lines.append(f"{'>' if is_to_act else ' '} {position_name:<7} {name:<20} {cards:<6} {state}")
    lines += [tell_action(before, p, action, names[p]) for before, p, action in view.betting.steps()]
    if result := _result(view, names):
        lines.append(result)
    return "\n".join(lines) + "\n"


def _picture(view: HandView, names: Sequence[str]) -> NDArray[np.uint8]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.patches import FancyBboxPatch

    figure = new_figure(*_SIZE_INCHES)
    figure.set_layout_engine("none")
    figure.set_dpi(_DPI)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 64), ylim=(0, 40))
    axes.set_axis_off()
    axes.set_facecolor(LIGHT["panel"])
    figure.set_facecolor(LIGHT["panel"])

    def draw_cards(cards: tuple[int, ...], hidden: int, x: float, y: float) -> None:
        for index in range(len(cards) or hidden):
            left = x + 3.4 * index
            card: dict[str, Any] = {
                "boxstyle": "round,pad=0.2",
                "facecolor": LIGHT["card"],
                "edgecolor": LIGHT["faint"],
            }
            axes.add_patch(FancyBboxPatch((left, y), 2.6, 2.6, **card))
            text, colour = "?", LIGHT["faint"]
            if cards:
                text, colour = CARD_TEXTS[cards[index]], SUITS[suit_of(cards[index])]
            axes.text(left + 1.3, y + 1.2, text, color=colour, ha="center", va="center", fontsize=10)

    axes.text(2, 37.5, _headline(view), fontsize=12, weight="bold", va="center")
    if view.board:
        draw_cards(view.board, 0, 2, 32.5)
    players = len(names)
    for position, (position_name, name, _, state, is_to_act) in enumerate(_rows(view, names)):
        y = 27.0 - 27.0 * position / players if players > 2 else 24.0 - 8.0 * position
        axes.text(1, y, "▶" if is_to_act else "", fontsize=10, va="center")
        axes.text(3, y, f"{position_name}  {name}", fontsize=10, va="center")
        draw_cards(view.hole_cards[position], view.game.num_hole_cards, 36, y - 1.2)
        colour = LIGHT["faint" if state == "folded" else "ink"]
        axes.text(48, y, state, fontsize=10, va="center", color=colour)
    if result := _result(view, names):
        axes.text(2, 1.2, result, fontsize=9, va="center")
    canvas = figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels: NDArray[np.uint8] = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    return pixels[..., :3].copy()
