"""Experiments with the bots that ship, at reduced size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from clients.bots.opponent_book import MODELS
from clients.core.registry import installed_bots, make_bot
from clients.lab.experiments.circle import PLAYERS, circles, make_reasonable
from clients.lab.experiments.harness import BLOCKS
from clients.lab.experiments.heuristic import COUNTERPARTS, VARIANTS, stood_in_for
from clients.lab.experiments.killer import (
    BOOK,
    TABLES,
    KillerSettings,
    all_parts,
    findings,
    killer,
    play_with_rake,
)
from clients.lab.experiments.sensitivity import (
    CONSTANTS,
    SensitivitySettings,
    all_variations,
    findings as compared,
    varied,
)
from engine.hands.flop_configs import parse_book, shipped_book
from engine.kernels.players.records import Parameter
from engine.players.models.formula import Parameters, parameters_array
from engine.poker.rules import load_game
from engine.solving.miximax.habits import parse_shipped
from engine.solving.miximax.trees import betting_tree
from engine.support.intervals import Estimate
from tests.clients.lab.experiments.runs import Run, run, tasks_done, whole_run

# --- `riverboat experiment circle` at reduced size, and who may play ----------------------------------------

SPECS = ("always-call", "always-raise", "random")
SMALL_CIRCLE = " ".join(f"--player {spec}" for spec in SPECS) + " --hands 160 --match-hands 80 --seed 4"


@pytest.fixture(scope="module")
def circle(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return whole_run("circle", tmp_path_factory.mktemp("circle") / "out", SMALL_CIRCLE)


@pytest.mark.slow
def test_everything_of_a_circle_is_there(circle: Run) -> None:
    players = circle.results["players"]
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
    assert {path.name for path in circle.out.glob("*.png")} == {
        "circle.png", "learning-always-call.png", "learning-always-raise.png", "learning-random.png"
    }  # fmt: skip
    assert len(list((circle.out / "tasks").iterdir())) == 6


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


# --- `riverboat experiment heuristic` at reduced size -------------------------------------------------------

SIZE = "--hands 160 --match-hands 80 --seed 4 --variant direct --variant strategic"
SMALL_DUELS = f"{SIZE} --against simple --against always-call"


@pytest.fixture(scope="module")
def duels(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return whole_run("heuristic", tmp_path_factory.mktemp("duels") / "out", SMALL_DUELS)


def test_everything_of_the_heuristic_is_there(duels: Run) -> None:
    opponents = duels.results["opponents"]
    assert list(opponents) == duels.results["settings"]["opponents"] == ["simple", "always-call"]
    for entry in opponents.values():
        assert list(entry["variants"]) == ["direct", "strategic"]
        for found in entry["variants"].values():
            assert found["all"]["samples"] == 160
            assert found["all"] == found["early"]
            assert (found["late"], len(found["running"])) == (None, BLOCKS)
            # Two matches of 40 deals: the end of the running sum is the mean of a hand, times 40.
            assert found["running"][-1]["sb"] == pytest.approx(40 * found["all"]["mean"])
            assert found["running"][-1]["hand"] == 40
    assert len(list(duels.out.glob("bankroll-*.png"))) == len(list(duels.out.glob("bankroll-*.svg"))) == 2
    assert len(list((duels.out / "tasks").iterdir())) == 8
    assert "\n0 of 0 rows have the paper's figure" in duels.printed


def test_other_settings_are_not_taken_for_done(duels: Run) -> None:
    same, other = (
        run("heuristic", duels.out, SMALL_DUELS, "--resume --no-plots", option) for option in ("", "--seed 6")
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


# --- `riverboat experiment killer` --------------------------------------------------------------------------


def test_a_book_is_made_and_read(tmp_path: Path) -> None:
    found = whole_run("killer", tmp_path, "--flops 2 --every 400 --no-plots")

    book = parse_book((tmp_path / BOOK).read_bytes())
    assert book.made_by == found.results["made_by"]
    assert book.made_by == "riverboat experiment killer --out DIR --flops 2 --every 400"
    assert "| 2, 4 | none |" in found.printed
    assert "rake" not in found.results
    assert killer.name == "killer"


def test_the_usual_book_is_made_by_the_command_that_the_shipped_one_names() -> None:
    assert KillerSettings().made_by == shipped_book().made_by


@pytest.mark.parametrize("flops", [2, 20, 21, 240])
def test_parts_of_the_book_are_all_flops_once(flops: int) -> None:
    parts = [part for part in all_parts(KillerSettings(flops)) if part.group == "more"]

    ends = [tuple(map(int, part.file.removesuffix(".npz").split("-")[2:])) for part in parts]
    assert [flop for first, last in ends for flop in range(first, last + 1)] == list(range(1, flops + 1))


@pytest.mark.parametrize("table", TABLES)
def test_who_beats_the_rake_is_told_of_the_same_hands(table: str) -> None:
    row = play_with_rake(table, "hand-strength", 60, 1)

    found = findings(240, shipped_book(), [row])

    assert 0 < row["before"]["sb_per_hand"] - row["after"]["sb_per_hand"] < 3
    assert f"| {table} | hand-strength | 60 |" in found.report
    before, after = (curve.y[0] for curve in found.plots[1].curves)
    assert (before, after) == (row["before"]["sb_per_hand"], row["after"]["sb_per_hand"])
    assert found.plots[1].names == ("hand-strength",)


def test_the_table_of_the_shipped_book() -> None:
    """The specification's ranks of AKs: 8 whatever the bets; 22 falls from 88 to 113 as they grow."""
    findings_of_it = findings(240, shipped_book(), [])
    found = findings_of_it.numbers["values"]

    assert [(entry["bets"], entry["rake"]) for entry in found] == [
        (2.0, "none"), (2.0, "5 % up to 3"), (4.0, "none"), (4.0, "5 % up to 3"),
    ]  # fmt: skip
    for entry in found[::2]:  # without rake
        worth = entry["ev"]
        rank = 1 + sum(value > worth["22"] for value in worth.values())
        assert 1 + sum(value > worth["AKs"] for value in worth.values()) in (7, 8, 9)
        assert rank == pytest.approx(88 if entry["bets"] == 2 else 113, abs=6)
    assert all(found[1]["ev"][hand] <= found[0]["ev"][hand] for hand in found[0]["ev"])
    assert "rank of AKs / 22" in findings_of_it.report
    (plot,) = findings_of_it.plots
    assert [curve.y[0] for curve in plot.curves] == [entry["ev"]["AA"] for entry in found]


# --- `riverboat experiment next-action` at reduced size -----------------------------------------------------

PREDICTED = ("always-call", "random")
SMALL_TABLE = "--against always-call --hands 12 --held-out 6 --matches 2 --seed 4"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Run:
    players = (f"--player {player}" for player in PREDICTED)
    return whole_run("next-action", tmp_path_factory.mktemp("table") / "out", SMALL_TABLE, *players)


def test_all_models_stand_in_one_table(table: Run) -> None:
    assert f"| player | {' | '.join(MODELS)} |" in table.printed
    for player, found in table.results["players"].items():
        assert set(found["models"]) == set(MODELS)
        models = found["models"]
        for model in MODELS:
            gained = models["player"]["held_out"] - models[model]["held_out"]
            assert models[model]["gained"]["mean"] == pytest.approx(gained)
            assert f"{models[model]['held_out']:.4f}" in table.printed
        if player == "always-call":
            assert models["player"]["held_out"] < models["none"]["held_out"] / 2


def test_losses_are_sums_over_the_hands_held_out(table: Run) -> None:
    for player in PREDICTED:
        files = list((table.out / "tasks").glob(f"limit-2p-{player}-*.json"))
        results = [json.loads(file.read_text())["result"] for file in files]
        rows = [row for result in results for row in result["generic"]["held_out"]]
        assert (len(files), len(rows)) == (2, 12)
        cases = sum(row[1] for row in rows)
        found = table.results["players"][player]
        assert found["cases"] == cases > 12
        expected = sum(row[0] for row in rows) / cases
        assert found["models"]["generic"]["held_out"] == pytest.approx(expected)


# --- `riverboat experiment range-of-skill` ------------------------------------------------------------------


def test_kuhns_game(tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = whole_run("range-of-skill", out, "--game kuhn-2p --epsilon 0.1 --epsilon 0.01").results

    (found,) = results["games"].values()
    gains = [step["gain"] for step in found["steps"]]
    assert gains[0] == pytest.approx(0.458333, abs=1e-6)  # the best response to uniform play, published
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] < 0.01 <= gains[-2]
    assert found["lengths"] == {"0.1": sum(g >= 0.1 for g in gains), "0.01": len(gains) - 1}
    for step in found["steps"]:
        assert step["mixture"] == pytest.approx(step["gain"], abs=1e-5)
    assert {path.name for path in out.iterdir()} == {
        "results.json", "results.md", "range-of-skill-kuhn-2p.png", "range-of-skill-kuhn-2p.svg", "tasks"
    }  # fmt: skip


# --- `riverboat experiment sensitivity` ---------------------------------------------------------------------

SMALL = "--hands 40 --table simple --match-deals 10 --no-plots"


def test_each_constant_stands_where_the_kernels_look_for_it() -> None:
    names = [field.name.upper() for field in attrs.fields(Parameters)]
    assert [each.name for each in Parameter][: len(names)] == names

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

    found = compared(settings, [{"won": each} for each in won])

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
    """Heads-up nobody limps before a raise; re-raises are made otherwise now and then."""
    words = ["--constants reraises,limpers-raised", SMALL]

    whole = whole_run("sensitivity", tmp_path / "out", *words)
    again = run("sensitivity", tmp_path / "out", *words, "--resume")

    assert again.stdout == whole.printed
    found = whole.results
    assert [(each["constant"], each["factor"]) for each in found["variations"]] == [
        ("reraises", 1.2), ("reraises", 0.8), ("limpers_raised", 1.2), ("limpers_raised", 0.8),
    ]  # fmt: skip
    assert set(found["won"]) == {"simple"}
    assert found["won"]["simple"]["samples"] == 20
    assert "| limpers_raised | 0.24 |" in whole.printed


def test_several_may_be_changed_at_once(tmp_path: Path) -> None:
    """With the values they have, nothing changes; with others, something."""
    as_it_is, other = "bets_faced=0.75,raise_threshold=0.85", "trap=0.0,reraises=0.9,call-slope=0.9"

    whole = whole_run("sensitivity", tmp_path / "out", f"--instead {as_it_is} --instead {other}", SMALL)

    found = whole.results
    same, changed = found["variations"]
    assert same["constant"] == as_it_is
    assert same["gains"]["simple"] == {**same["gains"]["simple"], "mean": 0.0, "ci95": 0.0}
    assert changed["constant"] == "trap=0.0,reraises=0.9,call_slope=0.9"
    parameters = varied(changed["constant"], 1.0)
    assert (parameters.trap, parameters.reraises, parameters.call_slope) == (0, 0.9, 0.9)
    assert f"| {as_it_is.replace(',', ', ')} |  | +0.000" in whole.printed


def test_however_many_are_changed_at_once_what_is_found_can_be_kept() -> None:
    """Their names, one after the other, make longer names of files than there may be."""
    all_of_them = ",".join(f"{name}=0.25" for name in CONSTANTS)
    settings = SensitivitySettings(4, (), (all_of_them, all_of_them.replace("trap=0.25", "trap=0.2")))

    files = [variation.file for variation in all_variations(settings)]

    assert len(set(files)) == 3
    assert max(len(file) for file in files) < 255


def test_no_limit_games_are_counted_in_big_blinds(tmp_path: Path) -> None:
    other, more = "--instead raise-most=0.1,bets-faced=9,call-level=0 --betting nolimit", "--hands 160"
    found = whole_run("sensitivity", tmp_path / "out", other, SMALL, more)

    assert found.results["unit"] == "bb"
    assert "of no-limit hold'em" in found.printed
    assert found.results["variations"][0]["gains"]["simple"]["mean"] != 0.0
