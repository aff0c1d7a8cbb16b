"""The results of an experiment: numbers for programs, a report for people, pictures; and their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from clients.reports.plots import Plot, draw_plot
from engine.support.files import write_whole

__all__ = ["Findings", "Plot", "Say", "draw", "markdown_table", "write_results"]

Say = Callable[[str], object]
"""Receives a line about an experiment's progress."""


@attrs.frozen
class Findings:
    """The results of an experiment, or of a part of one."""

    numbers: dict[str, Any]
    """The numbers for ``results.json``."""
    report: str
    """The Markdown for ``results.md``."""
    plots: Sequence[Plot] = ()


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table, ending with a newline; bars within cells are escaped."""

    def line(cells: Sequence[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"

    return line(header) + line(["---"] * len(header)) + "".join(map(line, rows))


def write_results(folder: Path, results: Mapping[str, Any], report: str) -> None:
    """Write ``results.json`` and ``results.md`` of an experiment, each completely or not at all.

    Raises:
        OSError: the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "results.json", json.dumps(results, indent=2, allow_nan=False) + "\n")
    write_whole(folder / "results.md", report)


def draw(folder: Path, plots: Iterable[Plot]) -> None:
    """Draw pictures, each as PNG and as SVG.

    Raises:
        PlotError: matplotlib is missing, or a file cannot be written.
    """
    for plot in plots:
        draw_plot(folder, plot)
