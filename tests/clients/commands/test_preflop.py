"""``riverboat preflop``: grid, JSON, picture, and computing the tables again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clients.commands.preflop import preflop


def run(*arguments: str) -> Result:
    return CliRunner().invoke(preflop, list(arguments), prog_name="preflop")


def test_the_grid_has_all_hands_with_aces_first_and_suited_hands_above_the_diagonal() -> None:
    lines = run().stdout.splitlines()

    assert "10 players" in lines[0]
    grid = [line.split()[::2] for line in lines[1:]]
    assert len(grid) == 13
    assert grid[0][:3] == ["AA", "AKs", "AQs"]
    assert [row[0] for row in grid[:3]] == ["AA", "AKo", "AQo"]
    assert len({name for row in grid for name in row}) == 169


def test_json_lists_the_169_hands_best_first() -> None:
    result = run("--players", "10", "--json")
    found = json.loads(result.stdout)
    rates = [hand["iterated_income_rate"] for hand in found["hands"]]

    assert len(found["hands"]) == 169
    assert found["hands"][0]["hand"] == "AA"
    assert rates == sorted(rates, reverse=True)
    assert sum(hand["combos"] for hand in found["hands"]) == 1326
    assert found["hands"][0]["income_rate"] == pytest.approx(2112, abs=20)
    assert found["made_by"].startswith("riverboat preflop --make")


@pytest.mark.parametrize("players", range(2, 11))
def test_every_number_of_players_has_its_table(players: int) -> None:
    found = json.loads(run("--players", str(players), "--json").stdout)

    assert found["players"] == players
    assert sum(hand["share"] * hand["combos"] for hand in found["hands"]) / 1326 == pytest.approx(
        1 / players, abs=1e-4
    )


def test_the_plain_roll_out_can_be_shown_instead() -> None:
    assert run("--rates", "roll-out").stdout != run("--rates", "iterated").stdout


def test_the_grid_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "grid.png"

    assert run("--players", "6", "--plot", str(path)).exit_code == 0

    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--players", "11"), "11 is not in the range"),
        (("--players", "6", "--solve"), "two players"),
        (("--rates", "best"), "best"),
        (("--plot", "/nonexistent/grid.png"), "cannot be written"),
        (("extra",), "extra"),
    ],
)
def test_mistakes_are_one_line_and_status_2(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_two_player_game_is_solved_and_compared() -> None:
    found = json.loads(run("--players", "2", "--solve", "--json").stdout)["games"]

    assert [game["game"] for game in found] == ["call or fold for 2 big blinds", "limit, 4 bets"]
    assert all(game["exploitability"] <= 0.1 for game in found)
    assert found[0]["iterated"]["exploitability"] < 1
    assert found[1]["iterated_cumulative"]["exploitability"] < found[1]["iterated"]["exploitability"]


def test_the_table_is_read_without_compiled_code() -> None:
    program = (
        "import sys; from clients.commands.preflop import preflop;"
        "preflop(['--json'], standalone_mode=False);"
        "unwanted = {'numba', 'matplotlib', 'rich', 'scipy'} & set(sys.modules);"
        "print(sorted(unwanted), file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_tables_are_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"

    result = run("--make", str(path), "--deals", "10000", "--seed", "3")

    assert result.exit_code == 0
    assert json.loads(path.read_text())["made_by"] == "riverboat preflop --make FILE --seed 3 --deals 10000"
