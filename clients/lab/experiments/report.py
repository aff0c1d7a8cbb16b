"""Results: their numbers, tables and pictures, and the files into which they go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from clients.lab.experiments.tasks import VERSION, json_text
from clients.reports.plots import Curve, Plot, draw_plot
from engine.support.files import write_whole
from engine.support.intervals import Estimate
from engine.support.text import rate

ZERO: Final = (("", 0.0),)
"""The level of a picture at which nothing is won."""


@attrs.frozen
class Findings:
    """The results of an experiment, or of a part of one."""

    numbers: dict[str, Any]
    """The numbers for ``results.json``, in which estimates and other records become objects."""
    report: str
    """The Markdown for ``results.md``."""
    plots: Sequence[Plot] = ()
    drawings: Mapping[str, Callable[[str], object]] = attrs.field(factory=dict)
    """Other pictures by the name of their files, less the ending: each is drawn into the file of a path."""

    def write(self, folder: Path, experiment: str) -> str:
        """Write ``results.json`` and ``results.md``, each completely or not at all.

        Returns:
            The contents of ``results.json`` in one line.

        Raises:
            OSError: the folder cannot be made or written to.
            ValueError: a number that JSON does not know.
        """
        results = {"experiment": experiment, "version": VERSION, **self.numbers}
        text = json_text(results, indent=2)
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "results.json", text + "\n")
        write_whole(folder / "results.md", self.report)
        return json_text(results)

    def draw(self, folder: Path) -> None:
        """Draw all pictures, each as PNG and as SVG.

        Raises:
            PlotError: matplotlib is missing, or a file cannot be written.
        """
        for each in self.plots:
            draw_plot(folder, each)
        for name, draw in self.drawings.items():
            for ending in (".png", ".svg"):
                draw(str(folder / (name + ending)))


def markdown_table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table, ending with a newline; bars within cells are escaped, None is an empty cell."""

    def line(cells: Sequence[object]) -> str:
        texts = ("" if cell is None else str(cell).replace("|", "\\|") for cell in cells)
        return "| " + " | ".join(texts) + " |\n"

    return line(header) + line(["---"] * len(header)) + "".join(map(line, rows))


Column = str | Callable[[Any], object]
"""The name of a field of a record, or a function of the record."""


def columns(of: Mapping[str, Column], rows: Iterable[Mapping[str, Any]]) -> str:
    """A Markdown table of records.

    Args:
        of: the columns by heading.
        rows: the records; a field that one has not is an empty cell.
    """
    return markdown_table(
        list(of),
        [[row.get(each) if isinstance(each, str) else each(row) for each in of.values()] for row in rows],
    )


def per_cent(share: Estimate | None) -> str | None:
    """``12.3 ± 4.5 %``; None where there is no estimate."""
    return None if share is None else rate(100 * share.mean, 100 * (share.ci95 or 0), unit="%", signed=False)


def plot(name: str, title: str, x: str, y: str, curves: Mapping[str, Mapping[Any, Any]], **more: Any) -> Plot:
    """A picture of curves by label, each a mapping from x to y; estimates have bands.

    Args:
        name, title: as in `Plot`.
        x, y: the labels of the axes.
        curves: without points a curve is left out.
        more: as in `Plot`.
    """
    drawn = []
    for label, points in curves.items():
        means = [each.mean if isinstance(each, Estimate) else each for each in points.values()]
        halves = [each.ci95 or 0.0 for each in points.values() if isinstance(each, Estimate)]
        if points:
            drawn.append(Curve(label, list(points), means, halves or None))
    return Plot(name, title, x, y, tuple(drawn), **more)
