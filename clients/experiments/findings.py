"""What an experiment finds: numbers for programs, a report for people, pictures; and their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from clients.reports.plots import Plot, draw_plot
from engine.files import write_whole

__all__ = ["Findings", "Plot", "Say", "draw", "markdown_table", "write_results"]

Say = Callable[[str], object]
"""Takes a line about how far an experiment has come."""


@attrs.frozen
class Findings:
    """What an experiment, or a part of one, has found."""

    numbers: dict[str, Any]
    """For ``results.json``."""
    report: str
    """Markdown, for ``results.md``."""
    plots: Sequence[Plot] = ()


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a line end; bars within cells are escaped."""

    def line(cells: Sequence[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"

    return line(header) + line(["---"] * len(header)) + "".join(map(line, rows))


def write_results(folder: Path, results: Mapping[str, Any], report: str) -> None:
    """``results.json`` and ``results.md`` of an experiment, each whole or not at all.

    Raises:
        OSError: the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "results.json", json.dumps(results, indent=2, allow_nan=False) + "\n")
    write_whole(folder / "results.md", report)


def draw(folder: Path, plots: Iterable[Plot]) -> None:
    """Draws pictures, each as PNG and as SVG.

    Raises:
        PlotError: matplotlib is missing, or a file cannot be written.
    """
    for plot in plots:
        draw_plot(folder, plot)
