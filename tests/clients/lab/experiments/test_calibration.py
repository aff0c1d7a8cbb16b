"""``riverboat experiment calibration`` at reduced size: its tables count what was played."""

from __future__ import annotations

import json

import numpy as np
import pytest

from clients.lab.experiments.calibration import CalibrationSettings, findings, play
from engine.players.probability_triple import TripleIndex
from tests.clients.lab.experiments.runs import Run, whole_run


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
