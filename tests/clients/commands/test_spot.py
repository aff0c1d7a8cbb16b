"""``riverboat solve --spot``: files in three forms, answers, mistakes in one line, and Ctrl-C."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from clients.commands.solve.solve import solve
from clients.commands.solve.spot_files import read_spot
from tests.support.commands import reports, runs
from tests.support.dealer_process import PATIENCE_S, environment, program

run, solved = runs(solve), reports(solve)

SPOT = """
board = "Td9d6h Qc 2s"
pot = 200
stack = 900
[ranges]
first = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
second = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
[sizes]
river = "60%, a / 100%"
[solve]
target = 0.1
"""
TURN = SPOT.replace(" 2s", "").replace("river =", 'turn = "a"\nriver =')

TEXAS = """set_pot 50
set_effective_stack 200
set_board Qs,Jh,2h,7c,5d
set_range_oop AA,KQ:0.5
set_range_ip QQ,JTs
set_bet_sizes oop,river,bet,50
set_bet_sizes oop,river,donk,33
set_bet_sizes oop,river,raise,60
set_bet_sizes oop,river,allin
set_bet_sizes ip,river,bet,50,100
set_allin_threshold 0.67
build_tree
set_thread_num 8
set_accuracy 0.5
set_max_iteration 200
start_solve
"""
FIELDS = {
    "card_config": {"range": ["AA,KQ:0.5", "QQ,JTs"], "flop": "QsJh2h", "turn": "7c", "river": "5d"},
    "tree_config": {
        "starting_pot": 50, "effective_stack": 200,
        "river_bet_sizes": [{"bet": "50%, a", "raise": "2.5x"}, {"bet": "e", "raise": "60%"}],
        "river_donk_sizes": {"donk": "33%"},
        "add_allin_threshold": 1.5, "force_allin_threshold": 0.15, "merging_threshold": 0.1,
    },
}  # fmt: skip


def written(folder: Path, text: str) -> Path:
    path = folder / "spot.toml"
    path.write_text(text)
    return path


def test_a_spot_is_answered_as_by_an_independent_solver(tmp_path: Path) -> None:
    """91.620 chips, equity .51617, checks .759: b-inary's postflop-solver, to .047 % of the pot."""
    report = solved("--spot", written(tmp_path, SPOT))

    assert report["ev"] == pytest.approx(91.62, abs=0.1)
    assert report["equity"] == pytest.approx(0.51617, abs=1e-5)
    assert 0 < report["exploitability"] <= 0.1
    assert [each["action"] for each in report["root"]] == ["check", "bet 120", "all-in"]
    assert report["root"][0]["frequency"] == pytest.approx(0.759, abs=0.015)
    facing = next(node for node in report["nodes"] if node["path"] == ["bet 120"])
    assert facing["player"] == 1
    folded = [hand["ev"][0] for hand in facing["hands"].values()]
    assert folded == pytest.approx([0.0] * len(folded), abs=1e-3)
    assert sum(facing["ev"]) == pytest.approx(320, abs=0.1)


def test_the_page_holds_everything_that_it_shows(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = "--spot", written(tmp_path, TURN), "--iterations", 20, "--report", page
    report = solved(*options)

    text = page.read_text("utf-8")
    assert not re.search(r"https?://|src=", text)
    data = json.loads(re.search(r"const data=(.*);\n", text)[1])  # type: ignore[index]
    assert data["ev"] == report["ev"]
    assert len(data["runouts"]["check/check"]) == 48
    river = next(node for node in data["nodes"] if node["path"] == ["check", "check", "2c"])
    assert len(river["chances"]) == len(river["weights"]) * len(river["actions"])
    assert len(data["names"]["2c"][0]) == 4 * len(river["weights"])


def test_costs_and_the_betting_are_told_without_solving(tmp_path: Path) -> None:
    file = written(tmp_path, TURN)

    cost = solved("--spot", file, "--estimate")
    assert cost["nodes"] == 9 + 48 * 29
    assert 1e6 < cost["bytes"] < 3e7
    printed = run("--spot", file, "--print-tree").stdout.splitlines()
    assert printed[:3] == ["turn: check, all-in", "  check: check, all-in", "    all-in: fold, call"]


def test_other_solvers_files_mean_what_they_mean_there(tmp_path: Path) -> None:
    texas = read_spot(written(tmp_path, TEXAS))
    fields = read_spot(written(tmp_path, json.dumps(FIELDS)))

    for spot in (texas, fields):
        assert (spot.pot, spot.stack, len(spot.board)) == (50, 200, 5)
        assert [weights.sum() for weights in spot.ranges] == [6 + 8, 6 + 4]
    first, second = texas.betting.menus["river"]
    assert [size.pot for size in first.bets] == [0.5, 0.0]
    assert first.bets[1].is_all_in
    assert first.leads is not None
    assert [size.pot for size in second.bets] == [0.5, 1.0]
    assert (texas.betting.most_of_stack, texas.target, texas.iterations) == (0.67, 0.5, 200)
    first, second = fields.betting.menus["river"]
    assert first.raises[0][0].times == 2.5
    assert second.bets[0].geometric == 0
    rules = fields.betting
    assert (rules.add_all_in_to, rules.all_in_from, rules.merging) == (1.5, 0.15, 0.1)


def test_files_of_other_programs_may_begin_with_a_mark_and_hold_comments(tmp_path: Path) -> None:
    (tmp_path / "range.txt").write_text("AA,KQ:0.5")
    own = re.sub('first = ".*"', 'first = { file = "range.txt" }', SPOT)  # beside the file, wherever we are
    texas = "# from the sample\r\n" + TEXAS.replace("\n", "  # so\r\n")

    for text, board in ((own, 5), (texas, 5), (json.dumps(FIELDS), 5)):
        spot = read_spot(written(tmp_path, "\ufeff" + text))
        assert (len(spot.board), spot.ranges[0].sum()) == (board, 6 + 8)


def test_large_chips_make_the_same_tree_as_small_ones(tmp_path: Path) -> None:
    small = re.sub('river = ".*"', 'turn = "e"\nriver = "e / a"', TURN.replace('turn = "a"\n', ""))
    large = small.replace("pot = 200", "pot = 20_000_000").replace("stack = 900", "stack = 93_333_333.3")

    assert solved("--spot", written(tmp_path, large), "--estimate")["nodes"] == 9 + 48 * 27


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (SPOT, TEXAS.replace("river,raise", "river,riase"), "toml:8: expected .*bet.raise.donk.allin"),
        (SPOT, TEXAS.replace("bet,50\n", "bet,x\n"), "spot.toml:6: expected sizes"),
        (SPOT, TEXAS + "set_pto 50", "spot.toml:17: 'set_pto' is no command of TexasSolver"),
        (SPOT, TEXAS + "set_raise_limit -3", "raise_limit: expected 0 or more, got -3"),
        (SPOT, json.dumps({**FIELDS, "range": ["AA"]}), "range: expected a list of two, one for each"),
        (SPOT, json.dumps({**FIELDS, "river_bet_sizes": [{}]}), "river_bet_sizes: expected a list of two"),
        (SPOT, json.dumps({**FIELDS, "merging_threshold": -5}), "merging_threshold: expected 0 or more"),
        ("Qc 2s", "Qc Td", "spot.toml:2:1: .*Td"),
        (" Qc 2s", " Qc 2s 3s", "expected 3, 4 or 5 cards, got 6"),
        ("6h Qc 2s", "", "expected 3, 4 or 5 cards, got 2"),
        ('first = "66+', 'first = "66+,AKx', "spot.toml:6:1: first: AKx: expected hands such as"),
        ('"60%, a / 100%"', '"60, a"', "spot.toml:9:1: river: expected sizes such as 60%"),
        ("target", "targett", "has no key 'targett'.*target"),
        ("pot = 200", "", "has no pot"),
        ("pot = 200", "pot = -1", "pot: expected a number"),
        ("stack = 900", "stack = 0", "stack: expected a number"),
        ("target = 0.1", "iterations = 0", "iterations: expected a"),
        (SPOT, TEXAS.replace("pot 50", "pot nan"), "pot: expected a finite number, got 'nan'"),
        (SPOT, TEXAS.replace("pot 50", "pot 0"), "pot: expected a number from 1e-06 to 1e.09, got 0"),
        (SPOT, TEXAS.replace("iteration 200", "iteration 0"), "iterations: expected a number"),
        (SPOT, json.dumps(FIELDS | {"effective_stack": 0}), "stack: expected a number from 1e-06"),
        ("pot = 200", f"pot = {'9' * 5000}", "spot.toml:3:1: not TOML: a number of thousands of digits"),
        (SPOT, json.dumps(FIELDS)[:-1] + f', "pot": {"9" * 5000}}}', "a number of thousands of digits"),
        ("[solve]", "[rules]\nrake = 0.05\n[solve]", "spots with a rake cannot be solved"),
        ("target = 0.1", "memory = 0.000001", "GB, more than memory = 1e-06: drop a size on the river"),
        ("60%, a / 100%", "1%, 2%, 3%, 4%, 5%, 6%, 7% / 1%, 2%, 3%, 4%, 5%, 6%", "drop a size"),
    ],
)  # fmt: skip
def test_what_cannot_be_solved_is_said_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SPOT
    result = run("--spot", written(tmp_path, SPOT.replace(old, new)))

    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert re.search(said, result.stderr), result.stderr


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("TdTh", "AA", "range of the first player holds no"), ("AsAh", "AsAh", "no hands of the two ranges"),
        ("AA", "KK:1e-40", "range of the second player holds no"),
    ],
)  # fmt: skip
def test_ranges_that_exclude_each_other_are_refused(
    tmp_path: Path, first: str, second: str, said: str
) -> None:
    spot = re.sub('first = ".*"', f'first = "{first}"', re.sub('second = ".*"', f'second = "{second}"', SPOT))
    result = run("--spot", written(tmp_path, spot))

    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert said in result.stderr


def test_a_page_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    never = SPOT.replace("target = 0.1", "target = 0\niterations = 1000000000")
    result = run("--spot", written(tmp_path, never), "--report", tmp_path / "none" / "page.html")

    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "page.html cannot be written: No such file" in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--estimate",), "--estimate is for --spot"), ((), "expected GAME, or --spot FILE")],
)  # fmt: skip
def test_options_of_spots_are_for_spots(options: tuple[str, ...], said: str) -> None:
    assert said in run(*options).stderr


def test_ctrl_c_keeps_the_answer_so_far_and_says_how_good_it_is(tmp_path: Path) -> None:
    file = written(tmp_path, SPOT.replace("target = 0.1", "target = 0\niterations = 1000000"))
    command = program("solve", "--spot", str(file), "--json")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stderr is not None
        while b"Ctrl-C" not in (line := process.stderr.readline()):
            assert line
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    report = json.loads(out)
    assert 0 < report["iterations"] < 1_000_000
    assert report["exploitability"] > 0
