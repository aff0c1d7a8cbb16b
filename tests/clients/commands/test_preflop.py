"""``riverboat preflop`` and ``riverboat weights``: grid, JSON, picture, and computing the tables again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from clients.commands.ask.preflop import preflop
from clients.commands.ask.weights import weights
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, STARTING_HAND_NAMES, STARTING_HAND_OF_COMBO
from tests.support.commands import reports, runs
from tests.support.interpreter import imported_by

# --- `riverboat preflop` ------------------------------------------------------------------------------------

run, report = runs(preflop), reports(preflop)


def test_the_grid_has_all_hands_with_aces_first_and_suited_hands_above_the_diagonal() -> None:
    lines = run().stdout.splitlines()

    assert "10 players" in lines[0]
    grid = [line.split()[::2] for line in lines[1:]]
    assert (len(grid), grid[0][:3]) == (13, ["AA", "AKs", "AQs"])
    assert [row[0] for row in grid[:3]] == ["AA", "AKo", "AQo"]
    assert len({name for row in grid for name in row}) == 169


def test_json_lists_the_169_hands_best_first() -> None:
    found = report("--players", "10")
    rates = [hand["iterated_income_rate"] for hand in found["hands"]]

    assert (len(found["hands"]), found["hands"][0]["hand"]) == (169, "AA")
    assert rates == sorted(rates, reverse=True)
    assert sum(hand["combos"] for hand in found["hands"]) == 1326
    assert found["hands"][0]["income_rate"] == pytest.approx(2112, abs=20)
    assert found["made_by"].startswith("riverboat preflop --make")


@pytest.mark.parametrize("players", range(2, 11))
def test_every_number_of_players_has_its_table(players: int) -> None:
    found = report("--players", str(players))

    assert found["players"] == players
    assert sum(hand["share"] * hand["combos"] for hand in found["hands"]) / 1326 == pytest.approx(
        1 / players, abs=1e-4
    )


def test_the_plain_roll_out_can_be_shown_instead() -> None:
    assert run("--rates", "roll-out").stdout != run("--rates", "iterated").stdout


def test_first_bets_are_those_of_the_printed_tables() -> None:
    games = report("--first-bet")["games"]
    lines = run("--first-bet").stdout.splitlines()

    for game, printed in zip(
        games,
        [(7, 8, 9, 11, 13, 16, 21, 29, 50, 100), (10, 11, 12, 14, 17, 20, 26, 37, 75, 100)],
        strict=True,
    ):
        assert [row["first_bet"] for row in game["seats"]] == pytest.approx(printed, abs=0.51)
    assert (lines[9].split()[:2], len(lines)) == (["SB", "50.0"], 14)


@pytest.mark.parametrize(("behind", "seat"), [(1, "SB"), (2, "OTB"), (9, "UTG")])
def test_with_the_percentile_of_a_first_bet_no_hand_behind_is_better_half_of_the_time(
    behind: int, seat: str
) -> None:
    game = report("--first-bet")["games"][0]
    best = next(row["first_bet"] for row in game["seats"] if row["seat"] == seat) / 100
    drawn = np.random.default_rng(5).random((200_000, behind))  # percentiles of the hands behind, 0 the best

    assert (drawn > best).all(axis=1).mean() == pytest.approx(0.5, abs=0.005)


def test_the_matrix_is_169_hands_against_each_other_in_three_forms() -> None:
    found = report("--matrix")
    table = [line.split(",") for line in run("--matrix", "--csv").stdout.splitlines()]
    text = [line.split() for line in run("--matrix").stdout.splitlines()]
    equities = np.array(found["equities"])

    assert equities.shape == (169, 169)
    assert equities + equities.T == pytest.approx(np.ones((169, 169)))
    assert table[0][1:] == found["hands"] == [row[0] for row in table[1:]] == text[0]
    assert [[float(cell) for cell in row[1:]] for row in table[1:]] == found["equities"]
    assert text[1] == ["AA", *(f"{100 * equity:.1f}" for equity in equities[0])]
    of = {hand: index for index, hand in enumerate(found["hands"])}
    # Published: aces against kings, and the blog's deuces that are ahead of ace-king suited.
    assert equities[of["AA"], of["KK"]] == pytest.approx(0.8195, abs=0.0005)
    assert equities[of["22"], of["AKs"]] == pytest.approx(0.50107, abs=5e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "theirs"), [("AKs", "22"), ("JTs", "AQo"), ("72o", "88")])
def test_the_matrix_is_what_another_evaluator_deals(ours: str, theirs: str) -> None:
    from phevaluator import evaluate_cards

    rng = np.random.default_rng(3)
    pairs = [
        (own, other) for own in combos_of(ours) for other in combos_of(theirs) if not set(own) & set(other)
    ]
    points = []
    for _ in range(60_000):
        own, other = pairs[rng.integers(len(pairs))]
        deck = [card for card in range(52) if card not in own + other]
        board = rng.choice(deck, 5, replace=False).tolist()
        first, second = (evaluate_cards(*board, *hand) for hand in (own, other))  # smaller is better
        points.append((1 + (first < second) - (first > second)) / 2)
    found = report("--matrix")
    equity = found["equities"][found["hands"].index(ours)][found["hands"].index(theirs)]

    assert abs(np.mean(points) - equity) < 3.5 * np.std(points) / len(points) ** 0.5


def combos_of(hand: str) -> list[tuple[int, int]]:
    number = STARTING_HAND_NAMES.index(hand)
    return [(int(COMBO_HIGH[k]), int(COMBO_LOW[k])) for k in np.flatnonzero(number == STARTING_HAND_OF_COMBO)]


@pytest.mark.slow
def test_the_two_player_game_is_solved_and_compared() -> None:
    found = report("--players", "2", "--solve")["games"]

    assert [game["game"] for game in found] == ["call or fold for 2 big blinds", "limit, 4 bets"]
    assert all(game["exploitability"] <= 0.1 for game in found)
    assert found[0]["iterated"]["exploitability"] < 1
    assert found[1]["iterated_cumulative"]["exploitability"] < found[1]["iterated"]["exploitability"]


def test_the_table_is_read_without_compiled_code() -> None:
    code = "from clients.commands.ask.preflop import preflop; preflop(['--json'], standalone_mode=False)"
    assert not imported_by(code) & {"numba", "matplotlib", "rich", "scipy"}


@pytest.mark.slow
def test_tables_are_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"

    result = run("--make", str(path), "--deals", "10000", "--seed", "3")

    assert result.exit_code == 0
    assert json.loads(path.read_text())["made_by"] == "riverboat preflop --make FILE --seed 3 --deals 10000"


# --- `riverboat weights` ------------------------------------------------------------------------------------

drawn = runs(weights)


def test_a_table_for_each_position() -> None:
    result = drawn("limit-2p", "rc/cr", "Js8c4s")

    assert (result.exit_code, result.output.count("position")) == (0, 2), result.output
    assert "█" in result.output


def test_json_has_the_cells_of_the_positions_asked_for() -> None:
    result = drawn("limit-10p", "f", "--position", "2", "--json")

    report = json.loads(result.output)["weights"]
    assert (list(report), report["2"]["72o"]) == (["2"], 1)
    assert report["2"]["AA"] < 0.02
