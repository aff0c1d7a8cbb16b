"""``riverboat experiment circle`` at reduced size: whole, and it goes on where it was stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner

from clients.commands.lab.experiment import experiment
from clients.core.registry import make_bot
from clients.lab.experiments.circle.command import play_all
from clients.lab.experiments.circle.reasonable import make_reasonable
from clients.lab.experiments.circle.report import circles
from clients.lab.experiments.circle.tasks import PLAYERS, Settings
from engine.poker.rules import load_game
from engine.solving.miximax.shipped import parse_shipped
from engine.solving.miximax.trees import betting_tree

SPECS = ("always-call", "always-raise", "random")
SETTINGS = Settings(SPECS, 160, 80, 4)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[str, Any]]:
    """Folder, what was printed, and the results."""
    out = tmp_path_factory.mktemp("whole") / "out"
    players = [text for spec in SPECS for text in ("--player", spec)]
    size = ["--hands", "160", "--match-hands", "80", "--seed", "4"]
    result = CliRunner().invoke(experiment, ["circle", "--out", str(out), *players, *size])
    assert result.exit_code == 0, result.output
    return out, result.stdout, json.loads((out / "results.json").read_text())


@pytest.mark.slow
def test_everything_is_there(run: tuple[Path, str, dict[str, Any]]) -> None:
    out, printed, results = run

    assert printed.rstrip() == (out / "results.md").read_text().rstrip()
    assert list(results["players"]) == list(SPECS)
    for player, entry in results["players"].items():
        assert set(entry["against"]) == set(SPECS) - {player}
        for other, found in entry["against"].items():
            opposite = results["players"][other]["against"][player]
            assert found["all"]["mean"] == pytest.approx(-opposite["all"]["mean"])
            assert found["all"]["samples"] == 160
            assert [point["hand"] for point in found["curve"]] == [8, 16, 24, 32, 40]
            mean = sum(point["mean"] for point in found["curve"]) / 5
            assert mean == pytest.approx(found["all"]["mean"])
    assert {path.name for path in out.glob("*.png")} == {
        "circle.png", "learning-always-call.png", "learning-always-raise.png", "learning-random.png"
    }  # fmt: skip
    assert len(list((out / "tasks").iterdir())) == 6


def test_it_goes_on_with_what_was_played(run: tuple[Path, str, dict[str, Any]]) -> None:
    """The results are those of one go; only what is missing is played; other settings do not count."""
    out, _, results = run
    sorted((out / "tasks").iterdir())[0].unlink()
    played: list[str] = []

    again = play_all(SETTINGS, out, progress=played.append, resume=True)
    assert len(played) == 1
    assert json.loads(json.dumps(again)) == results

    settings = attrs.evolve(SETTINGS, players=SPECS[:2], seed=5)
    play_all(settings, out, progress=played.append, resume=True)
    assert len(played) == 3


def test_circles_are_found_where_everybody_wins_for_certain() -> None:
    def beats(mean: float, ci95: float | None = 0.1) -> dict[str, Any]:
        return {"all": {"mean": mean, "ci95": ci95}}

    players = {
        "rock": {"against": {"paper": beats(-1), "scissors": beats(1)}},
        "paper": {"against": {"rock": beats(1), "scissors": beats(-1)}},
        "scissors": {"against": {"rock": beats(-1), "paper": beats(1)}},
    }
    assert list(circles({"players": players})) == [("rock", "scissors", "paper")]

    players["rock"]["against"]["scissors"] = beats(0.05)
    assert list(circles({"players": players})) == []


def test_the_default_players_can_play_the_game() -> None:
    for spec in PLAYERS:
        make_bot(spec).match_started(load_game("limit-2p"), 0)


@pytest.mark.parametrize(
    "players",
    [["simple"], ["simple", "simple"], ["simple", "simpel"], ["simple", "equilibrium:strategy=none.npz"]],
)
def test_impossible_players_are_refused_in_one_line(players: list[str], tmp_path: Path) -> None:
    arguments = [text for player in players for text in ("--player", player)]
    result = CliRunner().invoke(experiment, ["circle", "--out", str(tmp_path / "x"), *arguments])

    assert result.exit_code == 2
    assert result.output.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["limit-2p", "nolimit-2p-100bb"])
def test_a_reasonable_player_is_watched_and_written_down(name: str) -> None:
    game = load_game(name)
    first, second = (make_reasonable(game, 200, 50, 3) for _ in range(2))

    assert first == second
    habits, changes = parse_shipped(first, betting_tree(game))
    assert habits.hands in (198, 199, 200)
    assert changes.flops.shape[0] == 169
