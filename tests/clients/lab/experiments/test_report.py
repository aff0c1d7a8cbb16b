"""What experiments hand in: tables, files, curves."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import attrs
import pytest

from clients.lab.experiments.command import Options, option
from clients.lab.experiments.report import Findings, columns, markdown_table, per_cent, plot
from clients.reports.plots import Curve, Plot, draw_plot
from engine.support.intervals import Estimate


def test_a_table_has_as_many_bars_in_each_line() -> None:
    lines = markdown_table(["what", "won"], [["a|b", 1], ["c", None]]).splitlines()

    assert lines == ["| what | won |", "| --- | --- |", "| a\\|b | 1 |", "| c |  |"]


def test_columns_are_fields_or_functions_of_records() -> None:
    rows: list[dict[str, Any]] = [{"who": "a", "won": Estimate(0.5, 0.25, 9)}, {"who": "b"}]

    text = columns({"who": "who", "won": "won", "WHO": lambda row: row["who"].upper()}, rows)

    assert text.splitlines()[2:] == ["| a | +0.500 ± 0.250 | A |", "| b |  | B |"]
    assert per_cent(Estimate(0.5, 0.25, 9)) == "50.0 ± 25.0 %"
    assert per_cent(None) is None


@attrs.frozen
class _Settings(Options):
    hands: int = option(3, "hands")
    wanted: str = option("all", "parts", aside=True)


def test_results_are_written_whole(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"

    Findings({"won": 0.5}, "# Report\n").write(folder, "x")
    text = Findings({"settings": _Settings(), "won": Estimate(0.25, None, 1)}, "# Report 2\n").write(
        folder, "x"
    )

    results = json.loads((folder / "results.json").read_text())
    assert results == json.loads(text)
    assert list(results) == ["experiment", "version", "settings", "won"]
    assert results["settings"] == {"hands": 3}
    assert results["won"] == {"mean": 0.25, "ci95": None, "samples": 1}
    assert (folder / "results.md").read_text() == "# Report 2\n"
    assert sorted(path.name for path in folder.iterdir()) == ["results.json", "results.md"]


def test_a_number_that_json_does_not_know_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        Findings({"won": math.nan}, "").write(tmp_path, "x")

    assert list(tmp_path.iterdir()) == []


def test_curves_have_bands_where_there_are_estimates() -> None:
    estimates = {1: Estimate(0.5, 0.25, 9), 2: Estimate(0.75, None, 1)}

    found = plot("name", "t", "x", "y", {"one": estimates, "two": {1: 0.5}, "none": {}}, log_x=True)

    assert found.curves == (Curve("one", [1, 2], [0.5, 0.75], [0.25, 0.0]), Curve("two", [1], [0.5]))
    assert found.log_x


def test_curves_become_two_pictures_that_are_the_same_each_time(tmp_path: Path) -> None:
    curves = (
        Curve("one", [1, 10, 100], [0.1, 0.2, 0.3], [0.05, 0.04, 0.03]),
        Curve("two", [1, 10], [0.2, 0.1]),
    )
    for name in ("a", "b"):
        files = draw_plot(tmp_path, Plot(name, "t", "x", "y", curves, log_x=True, levels=(("level", 0.25),)))

    assert [file.name for file in files] == ["b.png", "b.svg"]
    for kind in ("png", "svg"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")


def test_panels_have_their_names_in_order(tmp_path: Path) -> None:
    curves = (Curve("one", [1, 2], [0.1, 0.2], [0.05, 0.04]), Curve("two", [1, 2], [0.2, 0.1]))

    draw_plot(tmp_path, Plot("won", "t", "", "y", curves, names=("somebody", "somebody else")))

    drawn = (tmp_path / "won.svg").read_text()
    assert drawn.index("<!-- somebody -->") < drawn.index("<!-- somebody else -->")
