"""``riverboat experiment sensitivity``: what is varied, what is compared, and a small run of it."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
import pytest

from clients.lab.experiments.sensitivity import (
    CONSTANTS,
    SensitivitySettings,
    all_variations,
    findings,
    varied,
)
from engine.kernels.players.records import NUM_PARAMETERS, Parameter
from engine.players.models.formula import Constants, Parameters, parameters_array
from tests.clients.lab.experiments.runs import run, whole_run

SMALL = "--hands 40 --table simple --match-deals 10 --no-plots"


def test_each_constant_stands_where_the_kernels_look_for_it() -> None:
    names = [field.name.upper() for field in attrs.fields(Constants)]
    assert [Parameter(index).name for index in range(Parameter.COMPANY, NUM_PARAMETERS)] == names

    usual = parameters_array(Parameters())
    for name in CONSTANTS:
        changed = np.flatnonzero(parameters_array(varied(name, 1.2)) != usual)
        assert changed.tolist() == [Parameter[name.upper()]]


def test_thresholds_stay_chances() -> None:
    assert varied("very_strong", 1.2).very_strong == 1.0
    assert varied("", 1.0) == Parameters()


def test_a_variation_is_compared_with_the_formula_as_it_is_deal_by_deal() -> None:
    settings = SensitivitySettings(4, ("very_strong",), tables=("simple", "killer"))
    won = [
        {"simple": [1.0, -1.0], "killer": [2.0, 2.0]},
        {"simple": [1.5, -0.5], "killer": [2.0, 2.0]},
        {"simple": [3.0, -3.0], "killer": [2.0, 2.5]},
    ]

    found = findings(settings, [{"won": each} for each in won])

    greater, less = found.numbers["variations"]
    assert (greater.constant, greater.factor, less.factor) == ("very_strong", 1.2, 0.8)
    assert greater.gains["simple"].mean == 0.5
    assert greater.gains["simple"].ci95 == pytest.approx(0)
    assert greater.together.mean == 0.25
    assert less.gains["simple"].ci95 == pytest.approx(1.96 * 2, rel=1e-3)
    assert found.numbers["matter"] == ["very_strong"]
    assert "| very_strong | 1 | +0.500" in found.report
    (plot,) = found.plots
    assert [(curve.label, list(curve.y)) for curve in plot.curves] == [("greater", [0.25]), ("less", [0.125])]


def test_what_does_not_change_a_decision_changes_nothing(tmp_path: Path) -> None:
    """There are no traps for a simple bot in 40 hands; re-raises are made otherwise now and then."""
    words = ["--constants reraises,check-raise", SMALL]

    whole = whole_run("sensitivity", tmp_path / "out", *words)
    again = run("sensitivity", tmp_path / "out", *words, "--resume")

    assert again.stdout == whole.printed
    found = whole.results
    assert [(each["constant"], each["factor"]) for each in found["variations"]] == [
        ("reraises", 1.2), ("reraises", 0.8), ("check_raise", 1.2), ("check_raise", 0.8),
    ]  # fmt: skip
    assert set(found["won"]) == {"simple"}
    assert found["won"]["simple"]["samples"] == 20
    assert "| check_raise | 0.4 |" in whole.printed


def test_several_may_be_changed_at_once(tmp_path: Path) -> None:
    """With the values they have, nothing changes; with others, something."""
    as_it_is, other = "price_margin=0.02,raise_threshold=0.85", "trap=0.0,reraises=0.9,last-reraises=0.9"

    whole = whole_run("sensitivity", tmp_path / "out", f"--instead {as_it_is} --instead {other}", SMALL)

    found = whole.results
    same, changed = found["variations"]
    assert same["constant"] == as_it_is
    assert same["gains"]["simple"] == {**same["gains"]["simple"], "mean": 0.0, "ci95": 0.0}
    assert changed["constant"] == "trap=0.0,reraises=0.9,last_reraises=0.9"
    parameters = varied(changed["constant"], 1.0)
    constants = parameters.constants
    assert (parameters.trap, constants.reraises, constants.last_reraises) == (0, 0.9, 0.9)
    assert f"| {as_it_is.replace(',', ', ')} |  | +0.000" in whole.printed


def test_however_many_are_changed_at_once_what_is_found_can_be_kept() -> None:
    """Their names, one after the other, make longer names of files than there may be."""
    all_of_them = ",".join(f"{name}=0.25" for name in CONSTANTS)
    settings = SensitivitySettings(4, (), (all_of_them, all_of_them.replace("trap=0.25", "trap=0.2")))

    files = [variation.file for variation in all_variations(settings)]

    assert len(set(files)) == 3
    assert max(len(file) for file in files) < 255


def test_no_limit_games_are_counted_in_big_blinds(tmp_path: Path) -> None:
    found = whole_run("sensitivity", tmp_path / "out", "--instead no-limit=0.9 --betting nolimit", SMALL)

    assert found.results["unit"] == "bb"
    assert "of no-limit hold'em" in found.printed
    assert found.results["variations"][0]["gains"]["simple"]["mean"] != 0.0  # nothing in limit games
