"""The strategy that solves at the table: what it may lose, bets outside its tree, and its repetition."""

from __future__ import annotations

import numpy as np
import pytest

from engine.poker.cards import parse_written_cards
from engine.poker.combos import NUM_COMBOS, combos_without
from engine.poker.rules import load_game, parse_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.strategy_file import read_shipped
from engine.solving.subgames.resolving import Effort, Solution, TableSolver
from engine.solving.subgames.solver import meeting
from engine.support.arrays import Floats

GAME = load_game("nolimit-2p-100bb")
BOARD = parse_written_cards("2hAs2c3hKd")


@pytest.fixture(scope="module")
def blueprint() -> BucketedStrategy:
    found = read_shipped(GAME)
    assert found is not None
    return found


def excess(solution: Solution, values: Floats, allowed: Floats) -> float:
    """What a best response wins beyond what it is allowed, all its hands alike, in per cent of the pot."""
    game, player = solution.game, solution.player
    weights = np.zeros(NUM_COMBOS)
    weights[game.combos[player]] = game.reach[player]
    met = meeting(weights)[game.combos[1 - player]]
    return 100 * float(np.maximum(0, values - allowed).sum() / met.sum()) / game.start.pot


@pytest.mark.parametrize(("betting", "position"), [("r6c/cc/cc/", 0), ("cc/cr6c/cc/", 1)])
def test_a_solved_river_gives_a_best_response_less_than_the_blueprint_does(
    blueprint: BucketedStrategy, betting: str, position: int
) -> None:
    solver = TableSolver(blueprint, Effort())
    root = parse_betting(GAME, betting)
    solution = solver._from_start(root, BOARD, position, 0)
    other = 1 - solution.player
    trunk = solver.of_blueprint(root, BOARD, solution.game, solution.player)
    allowed = trunk.expected(other)

    assert (
        excess(solution, solution.game.best(other), allowed)
        < excess(solution, trunk.best(other), allowed) / 2
    )


def test_values_of_the_blueprint_are_zero_sum(blueprint: BucketedStrategy) -> None:
    solver, root = TableSolver(blueprint, Effort()), parse_betting(GAME, "r6c/cc/cc/")
    game = solver.of_blueprint(root, BOARD, solver._from_start(root, BOARD, 0, 0).game, 1)

    assert sum(game.worth(player, game.expected(player)) for player in range(2)) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(
    ("betting", "solved"),
    [
        ("r6c/cc/cc/", [""]),
        ("r6c/cc/cc/r12", [""]),  # a bet of the tree
        ("r6c/cc/cc/r19", [""]),  # a first bet becomes one
        ("r6c/cc/cc/cr15r40", ["", "cr15r40"]),  # the raise is answered by a new solution, our bet stands
    ],
)
def test_every_betting_has_an_answer_that_is_legal_and_always_the_same(
    blueprint: BucketedStrategy, betting: str, solved: list[str]
) -> None:
    state = parse_betting(GAME, betting)
    position = state.position_to_act
    assert position is not None
    solver = TableSolver(blueprint, Effort(iterations=10))
    actions, chances = solver.chances(state, BOARD, position)

    assert chances.sum(axis=1) == pytest.approx(np.ones(NUM_COMBOS))
    assert all(action in state.legal_actions() for action in actions)
    start = "r6c/cc/cc/"
    assert [text.removeprefix(start) for text, _ in solver.solved if text != start + "cr15"][
        : len(solved)
    ] == solved
    fresh = TableSolver(blueprint, Effort(iterations=10))
    fresh.chances(parse_betting(GAME, "r6c/cc/cc/c"), BOARD, position)  # asked about something else before
    again = fresh.chances(state, BOARD, position)
    assert again[0] == actions
    assert np.array_equal(again[1], chances)


def test_a_turn_is_solved_to_the_end_and_its_river_taken_over(blueprint: BucketedStrategy) -> None:
    solver = TableSolver(blueprint, Effort(iterations=2, first_round=2))
    for betting in ("r6c/cc/", "r6c/cc/cc/", "r6c/cc/cc/c"):
        state = parse_betting(GAME, betting)
        _, chances = solver.chances(state, BOARD, 0)
        assert chances.sum(axis=1) == pytest.approx(np.ones(NUM_COMBOS))

    assert [text for text, _ in solver.solved] == ["r6c/cc/"]


def test_ranges_are_those_of_the_strategy_that_was_really_played(blueprint: BucketedStrategy) -> None:
    solver = TableSolver(blueprint, Effort(iterations=20))
    before = parse_betting(GAME, "r6c/cc/cc/")
    after = parse_betting(GAME, "r6c/cc/cc/c")
    actions, chances = solver.chances(before, BOARD, 0)
    first, then = (solver.reaches(state, BOARD, 0) for state in (before, after))

    checks = chances[:, [str(action) for action in actions].index("c")]
    assert then[0] == pytest.approx(first[0] * checks)
    assert then[1] == pytest.approx(first[1])
    assert not first[0][~combos_without(BOARD)].any()
