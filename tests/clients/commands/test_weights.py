"""``riverboat weights``: the 13 x 13 view in the terminal and as a picture."""

from __future__ import annotations

import json

from clients.commands.ask.weights import weights
from tests.support.commands import runs

run = runs(weights)


def test_a_table_for_each_position() -> None:
    result = run("limit-2p", "rc/cr", "Js8c4s")

    assert result.exit_code == 0, result.output
    assert result.output.count("position") == 2
    assert "█" in result.output


def test_json_has_the_cells_of_the_positions_asked_for() -> None:
    result = run("limit-10p", "f", "--position", "2", "--json")

    report = json.loads(result.output)["weights"]
    assert list(report) == ["2"]
    assert report["2"]["72o"] == 1
    assert report["2"]["AA"] < 0.02
