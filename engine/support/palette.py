"""Every colour of a page, a picture and a terminal.

A colour means one thing everywhere: blue is called and won, orange is raised and lost, grey is folded.
People who confuse colours tell them apart (`tests/engine/support/test_palette.py` measures it), and so does
everybody who has the page dark, or on paper.

Actions follow M. Okabe and K. Ito, "Color Universal Design" (2008).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SERIES: Final = (
    "#0b5cad", "#bb4d00", "#00a376", "#82779a",
    "#ff00f4", "#692305", "#6000ff", "#40164c", "#030076", "#000900",
)  # fmt: skip
"""Lines and bars of several players, on white."""
_SERIES_ON_DARK: Final = (
    "#6fb1f5", "#f39a55", "#f8d200", "#95a9ab",
    "#d82355", "#dcf0bd", "#9a589f", "#5172e3", "#a05600", "#c6ffff",
)  # fmt: skip

ACTIONS: Final[Mapping[str, str]] = {"f": "#d0d4d8", "c": "#56b4e9", "r": "#e69f00"}
"""By the letter of the action, on white; those of a terminal follow."""
ACTION_STYLES: Final[Mapping[str, str]] = {"f": "bright_black", "c": "bright_blue", "r": "red"}
"""Names of rich's styles."""
PALE: Final = "#f3cfb3"
"""What is taken away from a bar."""
GAIN_STYLE, FAINT_STYLE = "bold bright_blue", "dim"
"""Numbers that win, and text that matters less, as rich's styles."""

SEQUENTIAL: Final = "cividis"
"""matplotlib's colours from 0 to 1."""
DIVERGING: Final = "RdBu"
"""From loss over nothing to gain."""

LIGHT: Final[Mapping[str, str]] = {
    "paper": "#ffffff", "ink": "#1b1f24", "faint": "#57606a", "grid": "#d7dde3", "panel": "#f3f5f7",
    "gain": "#0b5cad", "loss": "#bb4d00", "accent": "#0b5cad",
    "clubs": "#11662b", "diamonds": "#0550ae", "hearts": "#b31d28", "spades": "#1b1f24", "card": "#ffffff",
    "felt": "#124c3b", "on-felt": "#ffffff", "acts": "#ffc857", "notice": "#fff4ce", "on-notice": "#3d3100",
    "button": "#0b5cad", "on-button": "#ffffff", "seat": "#ffffff", "rim": "#0b3328", "chip": "#f2c14e",
    "on-chip": "#2b2100", "won": "#ffc857", "on-won": "#2b2100",
    **{f"line-{number}": colour for number, colour in enumerate(SERIES)},
}  # fmt: skip
"""By the names that a page's style uses (``var(--ink)``); pictures on white use them, too."""
DARK: Final[Mapping[str, str]] = {
    "paper": "#0d1117", "ink": "#e6edf3", "faint": "#9aa4af", "grid": "#3d444d", "panel": "#161b22",
    "gain": "#6fb1f5", "loss": "#f39a55", "accent": "#6fb1f5",
    "clubs": "#5fd38a", "diamonds": "#7fb8ff", "hearts": "#ff9a92", "spades": "#e6edf3", "card": "#1f262e",
    "felt": "#0c3529", "on-felt": "#f0f6fc", "acts": "#ffc857", "notice": "#3d3100", "on-notice": "#ffe9a3",
    "button": "#6fb1f5", "on-button": "#06202b", "seat": "#161b22", "rim": "#06201a", "chip": "#f2c14e",
    "on-chip": "#2b2100", "won": "#ffc857", "on-won": "#2b2100",
    **{f"line-{number}": colour for number, colour in enumerate(_SERIES_ON_DARK)},
}  # fmt: skip

SUITS: Final = tuple(LIGHT[suit] for suit in ("clubs", "diamonds", "hearts", "spades"))
"""A four-colour deck, on white."""
SUIT_CODES: Final = ("32", "36", "31", "")
"""Of a terminal (SGR); spades have the terminal's own colour."""


def style_of_pages() -> str:
    """The variables of every page's style: light, dark where the reader has it so, light on paper."""
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in theme.items()) for theme in (LIGHT, DARK)
    )
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
