"""``riverboat experiment calibration`` and ``street-learner`` at reduced size, and the straight line."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy
from click.testing import CliRunner

from clients.commands.ask.train import knowledge
from clients.lab.experiments.calibration import CalibrationSettings, findings, play
from clients.lab.experiments.regression import clustered_mean, fit_line
from clients.lab.experiments.street_learner import bots_in, checkpoints
from clients.learners.knowledge_file import read_knowledge
from clients.learners.street import agent as street
from engine.learning.deal_pool import DealPool
from engine.poker.records import TripleIndex
from engine.support.intervals import estimate
from tests.clients.lab.experiments.runs import Run, whole_run
from tests.engine.learning.pools import small_pool
from tests.support.asserting import refuses

# --- `riverboat experiment calibration` at reduced size -----------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    size = "--opponent always-call --hands 60 --match-hands 30 --trials 20 --seed 4"
    return whole_run("calibration", tmp_path_factory.mktemp("whole") / "out", size)


@pytest.mark.slow
def test_a_caller_is_predicted_to_call_and_does(whole: Run) -> None:
    found = whole.results["opponents"]["always-call"]
    assert found["contexts"]
    for row in found["contexts"]:
        assert row["call"]["seen"] == 1
        assert row["call"]["predicted"] > 0.6
        assert sum(row[name]["predicted"] for name in ("fold", "call", "raise")) == pytest.approx(1)
    assert sum(part["decisions"] for part in found["parts"]) == found["decisions"] > 60
    assert {path.stem for path in whole.out.glob("*.png")} == {
        "reliability-fold", "reliability-call", "reliability-raise", "stated"
    }  # fmt: skip


def test_stated_and_realised_values_are_those_of_the_decisions(whole: Run) -> None:
    kept = [json.loads(path.read_text())["result"] for path in (whole.out / "tasks").iterdir()]
    rows = np.array([row for result in kept for row in result["decisions"]])
    found = whole.results["opponents"]["always-call"]

    assert len(rows) == found["decisions"]
    less = found["realised_less_stated"]
    assert less["mean"] == pytest.approx((rows[:, 4] - rows[:, 3]).mean())
    assert less["samples"] == len(rows)
    river = rows[(rows[:, 0] == 3) & (rows[:, 1] >= 0.7) & (rows[:, 2] == 1)]
    part = next(
        part
        for part in found["parts"]
        if (part["round"], part["strength"], part["action"]) == ("river", "strong", "bets and raises")
    )
    assert (part["decisions"], part["realised"]) == (len(river), pytest.approx(river[:, 4].mean()))


def test_values_are_compared_by_the_hands_that_were_learnt() -> None:
    """Two matches of 250 deals, in which what is stated becomes true after a hundred, and exact after two."""
    settings = CalibrationSettings(opponents=("them",), hands=1_000, match_hands=500)
    rng = np.random.default_rng(1)
    played = []
    for _ in range(2):
        stated = rng.normal(1.0, 2.0, 250).tolist()
        decisions = [
            [2, 0.5, True, value, value - (2.0 if deal < 100 else 0.5 * value if deal < 200 else 0.0), deal]
            for deal, value in enumerate(stated)
        ]
        played.append({"answers": [], "decisions": decisions})

    found = findings(settings, {"them": played})

    early, middle, late = found.numbers["opponents"]["them"]["stages"]
    assert [stage["from"] for stage in (early, middle, late)] == [0, 100, 200]
    assert [stage["decisions"] for stage in (early, middle, late)] == [200, 200, 100]
    assert early["realised_less_stated"].mean == pytest.approx(-2.0)
    assert [stage["slope"].mean for stage in (early, middle, late)] == pytest.approx([1.0, 0.5, 1.0])
    assert late["realised_less_stated"].mean == pytest.approx(0.0, abs=1e-9)
    line = next(line for line in found.report.splitlines() if line.startswith("| them | -2.00"))
    assert [cell.split(",")[1].split()[:2] for cell in line.strip("| ").split(" | ")[1:]] == [
        ["slope", "+1.00"], ["slope", "+0.50"], ["slope", "+1.00"]
    ]  # fmt: skip


def test_at_larger_tables_all_other_seats_are_the_opponents() -> None:
    found = play("limit-6p", "always-call", seed=4, deals=6, trials=20)

    actions = [answer["action"] for answer in found["answers"]]
    assert set(actions) == {TripleIndex.CALL}
    on_flop = [answer for answer in found["answers"] if answer["context"]["betting_round"] == 1]
    assert len(on_flop) >= 5 * 12  # nobody has folded, and each has a choice at least once
    dealt = {row[5] for row in found["decisions"]}
    assert dealt
    assert dealt <= set(range(6))


def test_predicted_and_seen_shares_are_counted_by_context() -> None:
    context = {
        "betting_round": 1, "bets_to_call": 1, "last_action": 1, "is_raised": False, "is_capped": False,
        "raises": 1, "is_in": True,
    }  # fmt: skip
    answers = [
        {"context": context, "predicted": [0.25, 0.5, 0.25], "action": 0 if number < 10 else 1}
        for number in range(40)
    ]
    settings = CalibrationSettings(opponents=("them",), hands=2, match_hands=2)

    results = findings(settings, {"them": [{"answers": answers, "decisions": []}]}).numbers

    (row,) = results["opponents"]["them"]["contexts"]
    assert row["context"] == "flop, a bet to call, called or checked last, again in this round"
    assert row["fold"]["predicted"] == pytest.approx(0.25)
    assert row["fold"]["seen"] == pytest.approx(0.25)
    assert row["fold"]["low"] < 0.25 < row["fold"]["high"]
    assert results["opponents"]["them"]["log_loss"] == pytest.approx(
        -(10 * np.log(0.25) + 30 * np.log(0.5)) / 40
    )


# --- `riverboat experiment street-learner` at reduced size, and `riverboat knowledge` of its files ----------

SMALL = "--game limit-2p --hands 12000 --match-hands 60 --stop-hands 40 --seed 4 --seeds 2"


def few_deals(num_players: int, **_: object) -> DealPool:
    return small_pool(num_players)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(street, "deal_pool", few_deals)
        return whole_run("street-learner", tmp_path_factory.mktemp("trained") / "out", SMALL)


@pytest.mark.slow
def test_everything_is_there(trained: Run) -> None:
    assert trained.results["settings"]["training_hands"] == 12_000
    curves = trained.results["curves"]["limit-2p"]
    assert list(curves) == ["always-call", "random", "hand-strength", "simple"]
    for points in curves.values():
        assert [point["trained"] for point in points] == [0, 10_000, 12_000]
        assert [point["hands"] for point in points] == [80, 80, 120]
        for point in points:
            assert point["ci95"] > 0
            assert point["ci95_runs"] > 0
            assert math.isclose(sum(point["runs"]) / 2, point["mbb_per_hand"])
    assert "| 12,000 |" in trained.printed
    for number in (1, 2):
        file = trained.out / "knowledge" / f"limit-2p-{number}.npz"
        assert read_knowledge(file).meta["hands"] == 12_000
    for ending, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        (plot,) = trained.out.glob(f"*{ending}")
        assert plot.read_bytes().startswith(magic)


@pytest.mark.slow
def test_what_was_learnt_can_be_read(trained: Run) -> None:
    file = trained.out / "knowledge" / "limit-2p-1.npz"

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


# --- The straight line, against scipy and by simulation -----------------------------------------------------


def test_the_line_is_that_of_least_squares() -> None:
    generator = np.random.default_rng(1)
    x = generator.normal(size=60)
    y = 0.3 + 0.9 * x + generator.normal(size=60)

    line = fit_line(x.tolist(), y.tolist(), list(range(60)))

    expected = scipy.stats.linregress(x, y)
    assert line.slope.mean == pytest.approx(expected.slope)
    assert line.intercept.mean == pytest.approx(expected.intercept)
    # Without clusters, and with errors of equal spread, both errors estimate the same.
    assert line.slope.ci95 == pytest.approx(1.96 * expected.stderr, rel=0.3)


def test_each_point_twice_in_a_cluster_tells_no_more_than_once() -> None:
    generator = np.random.default_rng(2)
    x = generator.normal(size=400)
    y = x + generator.normal(size=400)

    once = fit_line(x.tolist(), y.tolist(), list(range(400)))
    twice = fit_line(np.repeat(x, 2).tolist(), np.repeat(y, 2).tolist(), np.repeat(range(400), 2).tolist())

    assert twice.slope.mean == pytest.approx(once.slope.mean)
    assert twice.slope.ci95 == pytest.approx(once.slope.ci95 or 0.0, rel=0.01)


def test_intervals_cover_the_truth_where_the_points_of_a_cluster_share_their_luck() -> None:
    generator = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        clusters = np.repeat(np.arange(80), 4)
        x = generator.normal(size=80)[clusters] + 0.3 * generator.normal(size=320)
        y = 0.5 + 0.8 * x + generator.normal(size=80)[clusters] + 0.3 * generator.normal(size=320)
        line = fit_line(x.tolist(), y.tolist(), clusters.tolist())
        covered += abs(line.slope.mean - 0.8) <= (line.slope.ci95 or 0.0)

    assert 0.91 <= covered / 400 <= 0.985


def test_a_mean_in_clusters_of_one_is_a_plain_mean() -> None:
    values = [1.0, 4.0, 2.0, 8.0, 5.0]

    assert clustered_mean(values, [3, 1, 4, 2, 9]) == estimate(values)
    assert clustered_mean([2.0, 3.0], [7, 7]).ci95 is None
    refuses(ValueError, "values and as many clusters", clustered_mean, [1.0], [])


def test_the_mean_of_equal_clusters_is_as_certain_as_that_of_their_means() -> None:
    values = np.random.default_rng(4).normal(size=(30, 5)) + np.arange(30)[:, None]

    found = clustered_mean(values.ravel().tolist(), np.repeat(np.arange(30), 5).tolist())

    of_means = estimate(values.mean(axis=1).tolist())
    assert found.mean == pytest.approx(of_means.mean)
    assert found.ci95 == pytest.approx(of_means.ci95 or 0.0)
    assert found.samples == 150


@pytest.mark.parametrize(
    ("x", "y", "clusters", "message"),
    [
        ([1.0, 2.0], [1.0], [1, 2], "as many x, y and clusters"),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [1, 2, 3], "different x"),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1, 1, 2], "three clusters"),
    ],
)
def test_too_few_points_have_no_line(
    x: list[float], y: list[float], clusters: list[int], message: str
) -> None:
    refuses(ValueError, message, fit_line, x, y, clusters)
