"""``riverboat experiment heuristic`` at reduced size: whole, and it goes on where it was stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner

from clients.commands.lab.experiment import experiment
from clients.core.registry import installed_bots, make_bot
from clients.lab.experiments.heuristic.command import reproduce
from clients.lab.experiments.heuristic.paper import COUNTERPARTS, VARIANTS, stood_in_for
from clients.lab.experiments.heuristic.tasks import BLOCKS, Settings

SIZE = ["--hands", "160", "--match-hands", "80", "--variant", "direct", "--variant", "strategic"]
SMALL = [*SIZE, "--against", "simple", "--against", "always-call", "--seed", "4"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[str, Any]]:
    """Folder, what was printed, and the results."""
    out = tmp_path_factory.mktemp("whole") / "out"
    result = CliRunner().invoke(experiment, ["heuristic", "--out", str(out), *SMALL])
    assert result.exit_code == 0, result.output
    return out, result.stdout, json.loads((out / "results.json").read_text())


def test_everything_is_there(run: tuple[Path, str, dict[str, Any]]) -> None:
    out, printed, results = run

    assert printed.rstrip() == (out / "results.md").read_text().rstrip()
    assert list(results["opponents"]) == ["simple", "always-call"]
    for entry in results["opponents"].values():
        assert list(entry["variants"]) == ["direct", "strategic"]
        for found in entry["variants"].values():
            assert found["all"]["samples"] == 160
            assert found["all"] == found["early"]
            assert found["late"] is None
            assert len(found["running"]) == BLOCKS
            # Two matches of 40 deals: the end of the running sum is the mean of a hand, times 40.
            assert found["running"][-1]["sb"] == pytest.approx(40 * found["all"]["mean"])
            assert found["running"][-1]["hand"] == 40
    assert len(list(out.glob("bankroll-*.png"))) == len(list(out.glob("bankroll-*.svg"))) == 2
    assert len(list((out / "tasks").iterdir())) == 8


def test_other_settings_are_not_taken_for_done(run: tuple[Path, str, dict[str, Any]], tmp_path: Path) -> None:
    settings = Settings(("heuristic",), ("direct",), ("always-call",), 80, 80, 5)
    played: list[str] = []
    reproduce(settings, tmp_path, progress=played.append)
    reproduce(settings, tmp_path, progress=played.append, resume=True)
    settings = attrs.evolve(settings, seed=6)
    reproduce(settings, tmp_path, progress=played.append, resume=True)

    assert len(played) == 2


def test_somebody_stands_in_for_each_opponent_of_the_paper() -> None:
    assert [each.sb_per_hand for each in COUNTERPARTS] == [-0.023, -0.242, 0.015]
    for each in COUNTERPARTS:
        assert each.stand_in().partition(":")[0] in installed_bots()
        make_bot(each.stand_in())
    for spec in VARIANTS.values():
        make_bot(spec)
    assert stood_in_for("equilibrium:strategy=x.npz") == "Sparbot"
    assert stood_in_for("simple") is None


def test_a_full_folder_and_an_unknown_opponent_are_refused_in_one_line(
    run: tuple[Path, str, dict[str, Any]], tmp_path: Path
) -> None:
    for arguments in (["--out", str(run[0])], ["--out", str(tmp_path / "x"), "--against", "simpel"]):
        result = CliRunner().invoke(experiment, ["heuristic", *arguments])

        assert result.exit_code == 2
        assert result.output.count("\n") == 1
