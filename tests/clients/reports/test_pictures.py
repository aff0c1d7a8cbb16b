"""Pictures: as they were approved, readable, and the same in both formats.

``python -m tests.clients.reports.test_pictures`` writes the approved pictures anew; look at them before you
keep them.  They are a quarter of the size, so that a font's details make no difference.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clients.core.figure import save_figure
from clients.reports.grids import strategy_figure, values_figure, weights_figure
from clients.reports.plots import FinalShares, spectrum_figure
from tests.support.dealer_process import ROOT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

APPROVED = ROOT / "tests" / "golden" / "pictures"
SHRUNK = 4
LONG = "UTG+4 (position 10, folded)"


def spectrum() -> Figure:
    places = np.linspace(0, 1, 160)
    own = np.exp(-((places - 0.8) ** 2) / 0.01)
    played = np.exp(-((places - 0.4) ** 2) / 0.02)
    shares = FinalShares(own / own.sum(), played / 2 / played.sum(), np.roll(played, 20) / 2 / played.sum())
    return spectrum_figure(shares, "7h9h", "8h6c4h", 25.0)


def grid(power: float) -> NDArray[np.float64]:
    return np.linspace(0, 1, 169) ** power


def strategy() -> Figure:
    shares = np.array([grid(1), (1 - grid(1)) / 2, (1 - grid(1)) / 2]).T
    shares[:3] = 0
    return strategy_figure(shares, "formula, BTN/SB after 'rc/r', board 2c7d9h")


def equities() -> Figure:
    values = grid(0.5)
    values[5] = np.nan
    return values_figure(values, "Equity of 7h9h on 8h6c4h against each starting hand, per cent", "share")


def two_players() -> Figure:
    return weights_figure([grid(1), grid(3)], ["BB (position 0)", LONG], "Weights in limit-2p after 'rc/cr'")


def ten_players() -> Figure:
    grids = [grid(1 + k) for k in range(10)]
    return weights_figure(grids, [LONG] * 10, "Weights in limit-10p after 'ffcfrffc', before the flop")


PICTURES: dict[str, Callable[[], Figure]] = {
    "spectrum": spectrum, "strategy": strategy, "equities": equities, "two-players": two_players,
    "ten-players": ten_players,
}  # fmt: skip
ALL = pytest.mark.parametrize(
    "name",
    ["spectrum", *[pytest.param(name, marks=pytest.mark.slow) for name in PICTURES if name != "spectrum"]],
)


def shrunk(path: Path) -> NDArray[np.float64]:
    """A picture in red, green and blue from 0 to 1, the mean over squares of `SHRUNK` pixels."""
    from matplotlib.image import imread

    pixels: Any = imread(path)[..., :3]
    rows, columns = (size - size % SHRUNK for size in pixels.shape[:2])
    blocks = pixels[:rows, :columns].reshape(rows // SHRUNK, SHRUNK, columns // SHRUNK, SHRUNK, 3)
    means: NDArray[np.float64] = blocks.mean(axis=(1, 3))
    return means


@ALL
def test_pictures_are_as_approved(name: str, tmp_path: Path) -> None:
    from matplotlib.image import imread

    save_figure(PICTURES[name](), str(tmp_path / "now.png"))

    now, approved = shrunk(tmp_path / "now.png"), imread(APPROVED / f"{name}.png")[..., :3]
    assert now.shape == approved.shape
    assert np.abs(now - approved).mean() < 0.005
    assert (np.abs(now - approved).max(axis=2) > 0.25).mean() < 0.002


def labels_of(tick: Any) -> tuple[Any, Any]:
    return tick.label1, tick.label2


@ALL
def test_no_text_lies_on_another_or_leaves_the_picture(name: str) -> None:
    from matplotlib.text import Text

    figure = PICTURES[name]()
    canvas: Any = figure.canvas
    canvas.draw()
    axes_of_all: list[Any] = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    ticks = {label for axis in axes_of_all for tick in axis.get_major_ticks() for label in labels_of(tick)}
    drawn = {label for axis in axes_of_all for tick in axis._update_ticks() for label in labels_of(tick)}
    boxes = {
        text: Text.get_window_extent(text)  # an annotation, without its line
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and (text not in ticks or text in drawn)
    }
    shown = {text: box for text, box in boxes.items() if box.width > 0 and box.height > 0}
    assert len(shown) > 10
    for text, box in shown.items():
        assert box.x0 >= -1, text
        assert box.y0 >= -1, text
        assert box.x1 <= figure.bbox.x1 + 1, text
        assert box.y1 <= figure.bbox.y1 + 1, text
    for (one, first), (other, second) in combinations(shown.items(), 2):
        across = min(first.x1, second.x1) - max(first.x0, second.x0)
        down = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert across <= 1 or down <= 1, (one, other)


@pytest.mark.slow
def test_shares_are_positive_on_both_sides_and_the_legend_is_beside_the_bars() -> None:
    figure = spectrum()
    canvas: Any = figure.canvas
    canvas.draw()
    (axes,) = figure.axes

    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert not any("-" in label or "−" in label for label in labels)
    assert "above" in axes.get_ylabel()
    (legend,) = figure.legends
    assert legend.get_window_extent().y1 < axes.get_window_extent().y0
    assert any("crossed" in text.get_text() for text in legend.get_texts())


@pytest.mark.slow
def test_both_formats_are_the_same_file_each_time(tmp_path: Path) -> None:
    for ending, begins in ((".svg", b"<?xml"), (".png", b"\x89PNG")):
        paths = [tmp_path / f"{k}{ending}" for k in range(2)]
        for path in paths:
            save_figure(equities(), str(path))
        first, second = (path.read_bytes() for path in paths)
        assert first.startswith(begins)
        assert first == second


if __name__ == "__main__":
    from matplotlib.image import imsave

    APPROVED.mkdir(exist_ok=True)
    for picture, draw in PICTURES.items():
        path = APPROVED / f"{picture}.png"
        save_figure(draw(), str(path))
        imsave(path, shrunk(path))
