"""``riverboat experiment circle`` at reduced size, and who may play."""

from __future__ import annotations

from typing import Any

import pytest

from clients.core.registry import make_bot
from clients.lab.experiments.circle import PLAYERS, circles, make_reasonable
from engine.poker.rules import load_game
from engine.solving.miximax.habits import parse_shipped
from engine.solving.miximax.trees import betting_tree
from engine.support.intervals import Estimate
from tests.clients.lab.experiments.runs import Run, whole_run

SPECS = ("always-call", "always-raise", "random")
SMALL = " ".join(f"--player {spec}" for spec in SPECS) + " --hands 160 --match-hands 80 --seed 4"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return whole_run("circle", tmp_path_factory.mktemp("whole") / "out", SMALL)


@pytest.mark.slow
def test_everything_is_there(whole: Run) -> None:
    players = whole.results["players"]
    assert list(players) == list(SPECS)
    for player, entry in players.items():
        assert set(entry["against"]) == set(SPECS) - {player}
        for other, found in entry["against"].items():
            opposite = players[other]["against"][player]
            assert found["all"]["mean"] == pytest.approx(-opposite["all"]["mean"])
            assert found["all"]["samples"] == 160
            assert [point["hand"] for point in found["curve"]] == [8, 16, 24, 32, 40]
            mean = sum(point["mean"] for point in found["curve"]) / 5
            assert mean == pytest.approx(found["all"]["mean"])
    assert {path.name for path in whole.out.glob("*.png")} == {
        "circle.png", "learning-always-call.png", "learning-always-raise.png", "learning-random.png"
    }  # fmt: skip
    assert len(list((whole.out / "tasks").iterdir())) == 6


def test_circles_are_found_where_everybody_wins_for_certain() -> None:
    def beats(mean: float) -> dict[str, Any]:
        return {"all": Estimate(mean, 0.1, 9)}

    players = {
        "rock": {"against": {"paper": beats(-1), "scissors": beats(1)}},
        "paper": {"against": {"rock": beats(1), "scissors": beats(-1)}},
        "scissors": {"against": {"rock": beats(-1), "paper": beats(1)}},
    }
    assert list(circles(players)) == [("rock", "scissors", "paper")]

    players["rock"]["against"]["scissors"] = beats(0.05)
    assert list(circles(players)) == []


def test_the_default_players_can_play_the_game() -> None:
    for spec in PLAYERS:
        make_bot(spec).match_started(load_game("limit-2p"), 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["limit-2p", "nolimit-2p-100bb"])
def test_a_reasonable_player_is_watched_and_written_down(name: str) -> None:
    game = load_game(name)
    first, second = (make_reasonable(game, 200, 50, 3) for _ in range(2))

    assert first == second
    habits, changes = parse_shipped(first, betting_tree(game))
    assert habits.hands in (198, 199, 200)
    assert changes.flops.shape[0] == 169
