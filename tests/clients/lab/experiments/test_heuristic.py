"""``riverboat experiment heuristic`` at reduced size: whole, and who stands in for whom."""

from __future__ import annotations

import pytest

from clients.core.registry import installed_bots, make_bot
from clients.lab.experiments.heuristic import COUNTERPARTS, VARIANTS, stood_in_for
from clients.lab.experiments.tasks import BLOCKS
from tests.clients.lab.experiments.runs import Run, run, tasks_done, whole_run

SIZE = "--hands 160 --match-hands 80 --seed 4 --variant direct --variant strategic"
SMALL = f"{SIZE} --against simple --against always-call"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return whole_run("heuristic", tmp_path_factory.mktemp("whole") / "out", SMALL)


def test_everything_is_there(whole: Run) -> None:
    opponents = whole.results["opponents"]
    assert list(opponents) == whole.results["settings"]["opponents"] == ["simple", "always-call"]
    for entry in opponents.values():
        assert list(entry["variants"]) == ["direct", "strategic"]
        for found in entry["variants"].values():
            assert found["all"]["samples"] == 160
            assert found["all"] == found["early"]
            assert found["late"] is None
            assert len(found["running"]) == BLOCKS
            # Two matches of 40 deals: the end of the running sum is the mean of a hand, times 40.
            assert found["running"][-1]["sb"] == pytest.approx(40 * found["all"]["mean"])
            assert found["running"][-1]["hand"] == 40
    assert len(list(whole.out.glob("bankroll-*.png"))) == len(list(whole.out.glob("bankroll-*.svg"))) == 2
    assert len(list((whole.out / "tasks").iterdir())) == 8


def test_other_settings_are_not_taken_for_done(whole: Run) -> None:
    same, other = (
        run("heuristic", whole.out, SMALL, "--resume --no-plots", option) for option in ("", "--seed 6")
    )

    assert (len(tasks_done(same)), len(tasks_done(other))) == (0, 8)


def test_somebody_stands_in_for_each_opponent_of_the_paper() -> None:
    assert [each.sb_per_hand for each in COUNTERPARTS] == [-0.023, -0.242, 0.015]
    for each in COUNTERPARTS:
        assert each.stand_in().partition(":")[0] in installed_bots()
        make_bot(each.stand_in())
    for spec in VARIANTS.values():
        make_bot(spec)
    assert stood_in_for("equilibrium:strategy=x.npz") == COUNTERPARTS[0]
    assert stood_in_for("simple") is None
