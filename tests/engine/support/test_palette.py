"""Colours: told apart by everybody, readable on their ground, and named in one place."""

import re
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.support.palette import ACTIONS, DARK, LIGHT, SUITS, style_of_pages
from tests.test_architecture import MODULES, ROOT

Colours = NDArray[np.float64]

# G. Machado, M. Oliveira and L. Fernandes, "A physiologically-based model for simulation of color vision
# deficiency" (2009), table 1, severity 1.
SEEN_BY = {
    "most": np.eye(3),
    "protanopes": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopes": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopes": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
GROUNDS = [
    ("ink", "paper"), ("faint", "paper"), ("accent", "paper"), ("gain", "paper"), ("loss", "paper"),
    ("ink", "panel"), ("faint", "panel"), ("on-felt", "felt"), ("on-notice", "notice"),
    ("on-button", "button"),
    ("clubs", "card"), ("diamonds", "card"), ("hearts", "card"), ("spades", "card"),
    ("clubs", "panel"), ("diamonds", "panel"), ("hearts", "panel"), ("spades", "panel"),
]  # fmt: skip


def linear(colours: list[str]) -> Colours:
    parts = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in colours]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(colours: Colours) -> Colours:
    """CIE 1976 L*a*b*, in which distances are what one sees."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.clip(colours, 1e-6, 1) @ to_xyz.T / to_xyz.sum(axis=1)).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def contrast(one: str, other: str) -> float:
    dark, light = sorted(linear([one, other]) @ [0.2126, 0.7152, 0.0722])
    return float((light + 0.05) / (dark + 0.05))


@pytest.mark.parametrize(("theme", "who"), list(product([LIGHT, DARK], SEEN_BY)))
def test_everybody_tells_players_gains_and_actions_apart(theme: dict[str, str], who: str) -> None:
    lines = [colour for name, colour in theme.items() if name.startswith("line-")]
    for colours, least in ((lines, 15), ([theme["gain"], theme["loss"]], 30), (list(ACTIONS.values()), 15)):
        seen = lab(linear(colours) @ np.array(SEEN_BY[who]).T)

        assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) >= least


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_everything_can_be_read_on_its_ground(theme: dict[str, str]) -> None:
    """WCAG AA: 4.5 to 1 for texts, 3 to 1 for lines."""
    assert [pair for pair in GROUNDS if contrast(theme[pair[0]], theme[pair[1]]) < 4.5] == []
    assert [name for name in theme if name[:4] == "line" and contrast(theme[name], theme["paper"]) < 3] == []
    assert all(contrast(colour, LIGHT["paper"]) >= 4.5 for colour in SUITS)


def test_paper_is_light() -> None:
    light, dark = style_of_pages().splitlines()

    assert f"--paper: {LIGHT['paper']};" in light
    assert dark.startswith("@media screen and (prefers-color-scheme: dark)")


NAMED = re.compile(
    r"#[0-9a-fA-F]{3}(?:[0-9a-fA-F]{3})?(?:[0-9a-fA-F]{2})?\b(?=[\"';, )])|\brgba?\(|\bhsla?\("
    r"|(?:color|colour|fg|bg|style)=\"(?!fill:|round)[^\"]*(?:white|black|red|green|blue|yellow|cyan|gr[ae]y|dim|C?[0-9])"
    r"|(?:color|background|fill|stroke): (?:white|black|red|green|blue|gr[ae]y)\b|cmap=\""
)


def test_a_colour_is_named_in_one_place() -> None:
    """The icon of the room's pages is a picture, not a style."""
    pages = [
        path
        for kind in ("j2", "css", "js", "html")
        for top in ("server", "clients")
        for path in (ROOT / top).rglob(f"*.{kind}")
    ]
    files = [*(ROOT / module for module in MODULES if module.name != "palette.py"), *pages]

    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in files
        for match in NAMED.finditer(path.read_text("utf-8"))
    }

    assert found == set()
    assert NAMED.search('style="bold green"')
    assert NAMED.search("color: #fff;")
