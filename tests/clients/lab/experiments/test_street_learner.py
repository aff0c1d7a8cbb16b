"""``riverboat experiment street-learner`` at reduced size, and ``riverboat knowledge`` of its files."""

from __future__ import annotations

import json
import math

import pytest
from click.testing import CliRunner

from clients.commands.ask.train import knowledge
from clients.lab.experiments.street_learner import bots_in, checkpoints
from clients.learners.knowledge_file import read_knowledge
from clients.learners.street import agent as street
from engine.learning.deal_pool import DealPool
from tests.clients.lab.experiments.runs import Run, whole_run
from tests.engine.learning.pools import small_pool

SMALL = "--game limit-2p --hands 12000 --match-hands 60 --stop-hands 40 --seed 4 --seeds 2"


def few_deals(num_players: int, **_: object) -> DealPool:
    return small_pool(num_players)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(street, "deal_pool", few_deals)
        return whole_run("street-learner", tmp_path_factory.mktemp("whole") / "out", SMALL)


@pytest.mark.slow
def test_everything_is_there(whole: Run) -> None:
    assert whole.results["settings"]["training_hands"] == 12_000
    curves = whole.results["curves"]["limit-2p"]
    assert list(curves) == ["always-call", "random", "hand-strength", "simple"]
    for points in curves.values():
        assert [point["trained"] for point in points] == [0, 10_000, 12_000]
        assert [point["hands"] for point in points] == [80, 80, 120]
        for point in points:
            assert point["ci95"] > 0
            assert point["ci95_runs"] > 0
            assert math.isclose(sum(point["runs"]) / 2, point["mbb_per_hand"])
    assert "| 12,000 |" in whole.printed
    for number in (1, 2):
        file = whole.out / "knowledge" / f"limit-2p-{number}.npz"
        assert read_knowledge(file).meta["hands"] == 12_000
    for ending, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        (plot,) = whole.out.glob(f"*{ending}")
        assert plot.read_bytes().startswith(magic)


@pytest.mark.slow
def test_what_was_learnt_can_be_read(whole: Run) -> None:
    file = whole.out / "knowledge" / "limit-2p-1.npz"

    table = CliRunner().invoke(knowledge, [str(file)])
    one = CliRunner().invoke(knowledge, [str(file), "--hand", "72o", "--json"])

    assert table.exit_code == one.exit_code == 0
    assert table.stdout.splitlines()[1].split()[:4] == ["hand", "situation", "opponents", "does"]
    assert table.stdout.splitlines()[2].split()[0] == "AA"
    rows = json.loads(one.stdout)["rows"]
    assert {row["hand"] for row in rows} == {"72o"}
    assert {row["situation"] for row in rows} == {"first to act", "after a call", "after a raise"}
    assert {"any", "loose, passive"} <= {row["opponents"] for row in rows}
    for row in rows:
        worth = {"fold": 0, "call": row["call"], "raise": row["raise"]}
        assert worth[row["does"]] == max(worth.values()) or row["situation"] == "after a call"


def test_stops_are_half_decades() -> None:
    assert checkpoints(1_000_000) == (0, 10_000, 30_000, 100_000, 300_000, 1_000_000)
    assert checkpoints(30_000) == (0, 10_000, 30_000)
    assert checkpoints(5) == (0, 5)


def test_poker_learner_plays_no_limit_only() -> None:
    assert "poker-learner" in bots_in("nolimit-2p")
    assert "poker-learner" not in bots_in("limit-2p")
