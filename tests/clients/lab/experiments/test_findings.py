"""What experiments hand in: tables, files, curves."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from clients.lab.experiments.findings import markdown_table, write_results
from clients.reports.plots import Curve, Plot, draw_plot


def test_a_table_has_as_many_bars_in_each_line() -> None:
    lines = markdown_table(["what", "won"], [["a|b", 1], ["c", 2.5]]).splitlines()

    assert lines == ["| what | won |", "| --- | --- |", "| a\\|b | 1 |", "| c | 2.5 |"]


def test_results_are_written_whole(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"

    write_results(folder, {"won": 0.5}, "# Report\n")
    write_results(folder, {"won": 0.25}, "# Report 2\n")

    assert json.loads((folder / "results.json").read_text()) == {"won": 0.25}
    assert (folder / "results.md").read_text() == "# Report 2\n"
    assert sorted(path.name for path in folder.iterdir()) == ["results.json", "results.md"]


def test_a_number_that_json_does_not_know_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_results(tmp_path, {"won": math.nan}, "")

    assert list(tmp_path.iterdir()) == []


def test_curves_become_two_pictures_that_are_the_same_each_time(tmp_path: Path) -> None:
    curves = (
        Curve("one", [1, 10, 100], [0.1, 0.2, 0.3], [0.05, 0.04, 0.03]),
        Curve("two", [1, 10], [0.2, 0.1]),
    )
    for name in ("a", "b"):
        plot = Plot(name, "t", "x", "y", curves, log_x=True, levels=(("level", 0.25),))
        files = draw_plot(tmp_path, plot)

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
