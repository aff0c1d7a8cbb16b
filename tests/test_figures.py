"""Figures in docs/evidence.md: what their commands print, and the factors of their tables.

    python -m tests.test_figures [WORD...]

runs all of them, or those whose command has one of the words, and prints what differs.  Those that take
longer than a minute carry version and date in the document.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

from tests.support.dealer_process import ROOT, environment, program, run_to_end

PAGE: Final = ROOT / "docs" / "evidence.md"
_CONSOLE: Final = re.compile(r"```console\n\$ riverboat (match .*)\n((?:.+\n)+?)```")
_ROW: Final = re.compile(r"^\| `riverboat (match [^`]*)` \|(.*)\|$", re.MULTILINE)
_HEADS: Final = re.compile(r"^\| match[^|]*\|(.*)\|\n\|[- |]+\n(?=\| `riverboat match)", re.MULTILINE)
_SPEED: Final = re.compile(r", [\d.]+ s, \d+ hands/s$")

Figure = tuple[str, list[str], list[str]]
"""A command's words; the lines that it prints; or, of a row of a table, estimators and factors."""


def figures() -> list[Figure]:
    """All figures of the page."""
    text = PAGE.read_text("utf-8")
    found: list[Figure] = []
    for command, output in _CONSOLE.findall(text):
        lines = [_SPEED.sub("", line) for line in output.splitlines() if line != "..."]
        found.append((command, lines, []))
    for heads in _HEADS.finditer(text):
        names = re.findall(r"`(\w+)`", heads.group(1))
        rows = text[heads.end() :].split("\n\n")[0]
        for command, cells in _ROW.findall(rows):
            factors = re.findall(r"× ([\d.]+)", cells)
            found.append((command, [], [f"{name} × {x}" for name, x in zip(names, factors, strict=True)]))
    return found


def faults(figure: Figure, folder: Path) -> list[str]:
    """What a figure's command says otherwise than the page."""
    command, lines, factors = figure
    words = [*shlex.split(command)[1:], "--in-process", "--out", str(folder / "m")]
    words += ["--json"] if factors else []
    words += [] if "--luck" in words else ["--luck", "equity"]  # as by default, which tests switch off
    done = run_to_end(program("match", *words), folder, env=environment(), timeout=1200)
    assert done.returncode == 0, done.stderr
    if not factors:
        printed = [_SPEED.sub("", line) for line in done.stdout.splitlines()]
        return [line for line in lines if line not in printed]
    times = json.loads(done.stdout)["luck"]["times_fewer_hands"]
    digits = [each.partition("× ")[2].partition(".")[2] for each in factors]
    names = [each.split(" ")[0] for each in factors]
    found = [f"{name} × {times[name]:.{len(d)}f}" for name, d in zip(names, digits, strict=True)]
    return [f"{was}, now {now}" for was, now in zip(factors, found, strict=True) if was != now]


def is_long(figure: Figure) -> bool:
    """Whether it takes longer than a minute: AIVAT of hold'em does."""
    return "--luck aivat" in figure[0] and "limit" in figure[0]


SHORT: Final = [figure for figure in figures() if not is_long(figure)]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("figure", SHORT, ids=lambda figure: figure[0])
def test_a_figure_is_what_its_command_says(figure: Figure, tmp_path: Path) -> None:
    assert faults(figure, tmp_path) == []


def test_the_page_has_figures_of_both_kinds_and_says_when_the_long_ones_were_made() -> None:
    assert len(SHORT) >= 7
    assert len(figures()) - len(SHORT) >= 5
    assert re.search(r"Measured with version [\d.]+\S* on \d+ \w+ \d{4}", PAGE.read_text("utf-8"))


if __name__ == "__main__":
    for each in figures():
        if not sys.argv[1:] or any(word in each[0] for word in sys.argv[1:]):
            with tempfile.TemporaryDirectory() as scratch:
                print(each[0], *faults(each, Path(scratch)) or ["as on the page"], sep="\n  ", flush=True)
