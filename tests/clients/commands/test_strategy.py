"""``riverboat strategy``: what a strategy does with each hand, and what is refused."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
import pytest

from clients.commands.solve.strategy import strategy as command
from engine.poker.rules import load_game
from engine.solving.game_tree import game_tree
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.strategies import Strategy, policy_with
from engine.solving.strategy_file import write_strategy
from tests.support.commands import reports, runs

run, shown = runs(command), reports(command)

LIMIT = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))


@pytest.fixture(scope="module")
def limit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Aces always raise at first, all else folds two ninths; on the flop the best third bets, if it may."""
    path = tmp_path_factory.mktemp("strategy") / "limit.npz"
    betting = holdem_betting(LIMIT, Percentiles(3).num_buckets)
    weights = np.ones(betting.num_slots)
    first, flop = betting.decisions[""], betting.decisions["cc/"]
    for bucket in range(169):
        weights[first.slots(bucket)] = (0, 0, 1) if bucket == 168 else (2, 7, 0)
    for bucket in range(3):
        weights[flop.slots(bucket)] = (0, 1) if bucket == 2 else (1, 0)
    write_strategy(path, BucketedStrategy.of(LIMIT, Percentiles(3), weights), {"game": "mine"})
    return path


def test_holdem_is_shown_as_a_grid(limit: Path) -> None:
    result = run(limit)

    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "mine first to act: position 1 is to act"
    assert lines[1].split() == list("AKQJT98765432")
    assert lines[2].split() == ["A", "r100", *["c", "78"] * 12]
    assert lines[3].split() == ["K", *["c", "78"] * 13]
    assert "goes on: c, r" in lines[15]
    assert max(map(len, lines[:15])) <= 80


def test_a_flop_shows_the_mean_of_the_hands_that_can_be_there(limit: Path) -> None:
    report = shown(limit, "cc/", "AhAsAd")

    assert report["position"] == 0
    assert "AA" not in report["hands"]
    assert report["hands"]["AKs"] == {"c": 0.0, "r": 1.0}
    assert report["hands"]["32o"] == {"c": 1.0, "r": 0.0}
    assert len(report["hands"]) == 168


def test_a_small_game_is_shown_as_a_list_of_hands(tmp_path: Path) -> None:
    tree = game_tree(load_game("leduc"))
    write_strategy(tmp_path / "l.npz", Strategy(tree, policy_with(tree, [1, 2, 1])), {"game": "leduc"})

    first = shown(tmp_path / "l.npz")["hands"]
    second = shown(tmp_path / "l.npz", "rc/r")["hands"]

    assert first == {hand: pytest.approx({"c": 2 / 3, "r": 1 / 3}) for hand in first}
    assert len(first) == 6
    assert len(second) == 30
    assert second["Qs Kh"] == pytest.approx({"f": 0.25, "c": 0.5, "r": 0.25})
    assert "0.6667" in run(tmp_path / "l.npz").stdout
