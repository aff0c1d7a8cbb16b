"""``riverboat experiment next-action`` at reduced size: one table, from the hands that were played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from clients.bots.opponent_book import MODELS
from clients.commands.lab.experiment import experiment
from clients.lab.experiments.next_action.tasks import Settings, all_matches

SETTINGS = Settings(("always-call", "random"), "always-call", "limit-2p", 12, 6, 2, 4)
SIZE = ["--against", "always-call", "--hands", "12", "--held-out", "6", "--matches", "2", "--seed", "4"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[str, Any]]:
    """Folder, what was printed, and the results."""
    out = tmp_path_factory.mktemp("whole") / "out"
    players = [text for player in SETTINGS.players for text in ("--player", player)]
    result = CliRunner().invoke(experiment, ["next-action", "--out", str(out), *players, *SIZE])
    assert result.exit_code == 0, result.output
    return out, result.stdout, json.loads((out / "results.json").read_text())


def test_all_models_stand_in_one_table(run: tuple[Path, str, dict[str, Any]]) -> None:
    out, printed, results = run

    assert printed.rstrip() == (out / "results.md").read_text().rstrip()
    assert f"| player | {' | '.join(MODELS)} |" in printed
    for player, found in results["players"].items():
        assert set(found["models"]) == set(MODELS)
        models = found["models"]
        for model in MODELS:
            gained = models["specific"]["held_out"] - models[model]["held_out"]
            assert models[model]["gained"]["mean"] == pytest.approx(gained)
            assert f"{models[model]['held_out']:.4f}" in printed
        if player == "always-call":
            learnt = {model: models[model]["held_out"] for model in ("specific", "tree", "network")}
            assert max(learnt.values()) < models["none"]["held_out"] / 2


def test_losses_are_sums_over_the_hands_held_out(run: tuple[Path, str, dict[str, Any]]) -> None:
    out, _, results = run
    tasks = [json.loads(match.result_file().read_text())["result"] for match in all_matches(SETTINGS, out)]

    for player, of_player in zip(SETTINGS.players, (tasks[:2], tasks[2:]), strict=True):
        rows = [row for task in of_player for row in task["tree"]["held_out"]]
        assert len(rows) == 12
        cases = sum(row[1] for row in rows)
        assert results["players"][player]["cases"] == cases > 12
        expected = sum(row[0] for row in rows) / cases
        assert results["players"][player]["models"]["tree"]["held_out"] == pytest.approx(expected)


def test_an_unknown_player_is_refused(tmp_path: Path) -> None:
    for option in ("--player", "--against"):
        arguments = ["next-action", "--out", str(tmp_path / "out"), option, "nobody"]
        result = CliRunner().invoke(experiment, arguments)

        assert result.exit_code == 2
        assert "nobody" in result.output
