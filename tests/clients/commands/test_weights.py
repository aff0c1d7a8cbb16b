"""``riverboat weights``: the 13 x 13 view in the terminal and as a picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from clients.commands.ask.weights import weights


def test_a_table_for_each_position() -> None:
    result = CliRunner().invoke(weights, ["limit-2p", "rc/cr", "Js8c4s"])

    assert result.exit_code == 0, result.output
    assert result.output.count("position") == 2
    assert "█" in result.output


def test_json_has_the_cells_of_the_positions_asked_for() -> None:
    result = CliRunner().invoke(weights, ["limit-10p", "f", "--position", "2", "--json"])

    report = json.loads(result.output)["weights"]
    assert list(report) == ["2"]
    assert report["2"]["72o"] == 1
    assert report["2"]["AA"] < 0.02


def test_a_picture(tmp_path: Path) -> None:
    result = CliRunner().invoke(weights, ["limit-2p", "r", "--plot", str(tmp_path / "weights.png")])

    assert result.exit_code == 0, result.output
    assert (tmp_path / "weights.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-game", "r"], "no-such-game"),
        (["limit-2p", "x"], "not an action"),
        (["limit-2p", "cc/"], "3 board cards"),
        (["leduc", "r"], "not Texas hold'em"),
        (["limit-2p", "r", "--position", "5"], "positions 0 to 1"),
        (["limit-2p", "cc/", "Zz8c4s"], "Zz"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(weights, arguments)

    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1
