"""``riverboat experiment sensitivity``: what is varied, what is compared, and a small run of it."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import numpy as np
import pytest
from click.testing import CliRunner

from clients.commands.lab.experiment import experiment
from clients.lab.experiments.sensitivity.report import plots, report, summary
from clients.lab.experiments.sensitivity.tasks import CONSTANTS, Settings, all_variations, varied
from engine.kernels.players.records import NUM_PARAMETERS, Parameter
from engine.players.models.formula import Constants, Parameters, parameters_array

WORDS = ["sensitivity", "--constants", "reraises,check-raise", "--hands", "40"]
WORDS += ["--table", "simple", "--match-deals", "10", "--no-plots"]


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


def test_a_variation_is_compared_with_the_formula_as_it_is_deal_by_deal(tmp_path: Path) -> None:
    settings = Settings(4, ("very_strong",), tables=("simple", "killer"))
    won = [
        {"simple": [1.0, -1.0], "killer": [2.0, 2.0]},
        {"simple": [1.5, -0.5], "killer": [2.0, 2.0]},
        {"simple": [3.0, -3.0], "killer": [2.0, 2.5]},
    ]

    found = summary(settings, all_variations(settings, tmp_path), [{"won": each} for each in won])

    greater, less = found["variations"]
    assert (greater["constant"], greater["factor"], less["factor"]) == ("very_strong", 1.2, 0.8)
    assert greater["gains"]["simple"]["mean"] == 0.5
    assert greater["gains"]["simple"]["ci95"] == pytest.approx(0)
    assert greater["together"]["mean"] == 0.25
    assert less["gains"]["simple"]["ci95"] == pytest.approx(1.96 * 2, rel=1e-3)
    assert found["matter"] == ["very_strong"]
    assert "| very_strong | 1 | +0.500" in report(found)
    (plot,) = plots(found)
    assert [(curve.label, list(curve.y)) for curve in plot.curves] == [("greater", [0.25]), ("less", [0.125])]


def test_what_does_not_change_a_decision_changes_nothing(tmp_path: Path) -> None:
    """There are no traps for a simple bot in 40 hands; re-raises are made otherwise now and then."""
    out = tmp_path / "out"

    result = CliRunner().invoke(experiment, [*WORDS, "--out", str(out)])
    again = CliRunner().invoke(experiment, [*WORDS, "--out", str(out), "--resume"])

    assert result.exit_code == 0, result.output
    assert again.stdout == result.stdout
    found = json.loads((out / "results.json").read_text())
    assert [(each["constant"], each["factor"]) for each in found["variations"]] == [
        ("reraises", 1.2), ("reraises", 0.8), ("check_raise", 1.2), ("check_raise", 0.8),
    ]  # fmt: skip
    assert set(found["won"]) == {"simple"}
    assert found["won"]["simple"]["samples"] == 20
    assert "| check_raise | 0.4 |" in result.stdout


def test_several_may_be_changed_at_once(tmp_path: Path) -> None:
    """With the values they have, nothing changes; with others, something."""
    as_it_is, other = "price_margin=0.02,raise_threshold=0.85", "trap=0.0,reraises=0.9,last-reraises=0.9"
    words = ["sensitivity", "--instead", as_it_is, "--instead", other, *WORDS[3:]]

    result = CliRunner().invoke(experiment, [*words, "--out", str(tmp_path / "out")])

    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    same, changed = found["variations"]
    assert same["constant"] == as_it_is
    assert same["gains"]["simple"] == {**same["gains"]["simple"], "mean": 0.0, "ci95": 0.0}
    assert changed["constant"] == "trap=0.0,reraises=0.9,last_reraises=0.9"
    parameters = varied(changed["constant"], 1.0)
    assert (parameters.trap, parameters.constants.reraises, parameters.constants.last_reraises) == (
        0,
        0.9,
        0.9,
    )
    assert f"| {as_it_is.replace(',', ', ')} |  | +0.000" in result.stdout


def test_however_many_are_changed_at_once_what_is_found_can_be_kept(tmp_path: Path) -> None:
    """Their names, one after the other, make longer names of files than there may be."""
    all_of_them = ",".join(f"{name}=0.25" for name in CONSTANTS)
    settings = Settings(4, (), (all_of_them, all_of_them.replace("trap=0.25", "trap=0.2")))

    files = [variation.result_file() for variation in all_variations(settings, tmp_path)]

    assert len(set(files)) == 3
    assert max(len(file.name) for file in files) < 255


def test_no_limit_games_are_counted_in_big_blinds(tmp_path: Path) -> None:
    words = ["sensitivity", "--instead", "no-limit=0.9", *WORDS[3:], "--betting", "nolimit"]

    result = CliRunner().invoke(experiment, [*words, "--out", str(tmp_path / "out")])

    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    assert found["unit"] == "bb"
    assert "of no-limit hold'em" in result.stdout
    assert found["variations"][0]["gains"]["simple"]["mean"] != 0.0  # which says nothing in limit games


@pytest.mark.parametrize("text", ["raises=1", "trap", "trap=x", "trap=nan"])
def test_a_value_that_cannot_be_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        experiment, ["sensitivity", "--out", str(tmp_path / "out"), "--instead", text]
    )

    assert result.exit_code == 2
    assert "--instead: " in result.output
    assert not (tmp_path / "out").exists()


def test_an_unknown_constant_is_refused_in_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        experiment, ["sensitivity", "--out", str(tmp_path / "out"), "--constants", "raises"]
    )

    assert result.exit_code == 2
    assert "there is no constant 'raises'" in result.output
    assert not (tmp_path / "out").exists()
