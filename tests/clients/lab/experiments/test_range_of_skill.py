"""``riverboat experiment range-of-skill``: whole, and consistent with itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from clients.commands.lab.experiment import experiment


def test_kuhns_game(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [
        "range-of-skill",
        "--out",
        str(out),
        "--game",
        "kuhn-2p",
        "--epsilon",
        "0.1",
        "--epsilon",
        "0.01",
    ]
    result = CliRunner().invoke(experiment, arguments)
    assert result.exit_code == 0, result.output

    results = json.loads((out / "results.json").read_text())
    (found,) = results["games"].values()
    gains = [step["gain"] for step in found["steps"]]
    assert gains[0] == pytest.approx(0.458333, abs=1e-6)  # the best response to uniform play, published
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] < 0.01 <= gains[-2]
    assert found["lengths"] == {"0.1": sum(g >= 0.1 for g in gains), "0.01": len(gains) - 1}
    for step in found["steps"]:
        assert step["mixture"] == pytest.approx(step["gain"], abs=1e-5)
    assert {path.name for path in out.iterdir()} == {
        "results.json", "results.md", "range-of-skill-kuhn-2p.png", "range-of-skill-kuhn-2p.svg", "tasks"
    }  # fmt: skip
    assert result.stdout.rstrip() == (out / "results.md").read_text().rstrip()


def test_a_full_folder_and_a_large_game_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    for arguments in ([], ["--game", "limit-2p"], ["--epsilon", "0"]):
        result = CliRunner().invoke(experiment, ["range-of-skill", "--out", str(tmp_path), *arguments])

        assert result.exit_code == 2
