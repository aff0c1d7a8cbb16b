"""``riverboat experiment next-action`` at reduced size: one table, from the hands that were played."""

from __future__ import annotations

import json

import pytest

from clients.bots.opponent_book import MODELS
from tests.clients.lab.experiments.runs import Run, whole_run

PLAYERS = ("always-call", "random")
SMALL = "--against always-call --hands 12 --held-out 6 --matches 2 --seed 4"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    players = (f"--player {player}" for player in PLAYERS)
    return whole_run("next-action", tmp_path_factory.mktemp("whole") / "out", SMALL, *players)


def test_all_models_stand_in_one_table(whole: Run) -> None:
    assert f"| player | {' | '.join(MODELS)} |" in whole.printed
    for player, found in whole.results["players"].items():
        assert set(found["models"]) == set(MODELS)
        models = found["models"]
        for model in MODELS:
            gained = models["specific"]["held_out"] - models[model]["held_out"]
            assert models[model]["gained"]["mean"] == pytest.approx(gained)
            assert f"{models[model]['held_out']:.4f}" in whole.printed
        if player == "always-call":
            learnt = {model: models[model]["held_out"] for model in ("specific", "tree", "network")}
            assert max(learnt.values()) < models["none"]["held_out"] / 2


def test_losses_are_sums_over_the_hands_held_out(whole: Run) -> None:
    for player in PLAYERS:
        files = list((whole.out / "tasks").glob(f"limit-2p-{player}-*.json"))
        rows = [row for file in files for row in json.loads(file.read_text())["result"]["tree"]["held_out"]]
        assert (len(files), len(rows)) == (2, 12)
        cases = sum(row[1] for row in rows)
        found = whole.results["players"][player]
        assert found["cases"] == cases > 12
        expected = sum(row[0] for row in rows) / cases
        assert found["models"]["tree"]["held_out"] == pytest.approx(expected)
