"""Values and exploitability of strategies, against published numbers, OpenSpiel and linear programs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from engine.poker.rules import GameDefinition
from engine.solving.game_tree import GameTree, game_tree
from engine.solving.strategies import (
    best_response,
    exploitability,
    normalised,
    policy_with,
    uniform_policy,
    values,
)
from engine.support.arrays import Floats
from tests.engine.solving.games import KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS
from tests.oracles.openspiel import openspiel_game


def random_policy(tree: GameTree, seed: int) -> Floats:
    return normalised(tree, np.random.default_rng(seed).exponential(size=tree.num_slots))


@pytest.mark.parametrize(
    ("game", "responses"),
    [(KUHN, (0.5, 5 / 12)), (LEDUC, (2.0875, 2.659722222222222))],
    ids=["kuhn-2p", "leduc"],
)
def test_best_responses_to_uniform_players(game: GameDefinition, responses: tuple[float, float]) -> None:
    tree = game_tree(game)

    assert exploitability(tree, uniform_policy(tree)).responses == pytest.approx(responses, abs=1e-12)


@pytest.mark.parametrize(
    ("game", "weights", "expected"),
    [
        (KUHN, (1, 1, 1), 11 / 24),
        (KUHN, (1, 1e-300, 0), 1.0),
        (KUHN, (0, 1e-300, 1), 1 / 3),
        (LEDUC, (1, 1, 1), 2.373611111111111),
        (LEDUC, (0, 1, 0), 22 / 15),
        (LEDUC, (0, 1e-300, 1), 71 / 30),
        (LEDUC, (0, 1, 1), 2.15),
        (LEDUC, (1, 1e-300, 0), 1.0),
    ],
)
def test_published_exploitability(game: GameDefinition, weights: tuple[float, ...], expected: float) -> None:
    """Equilibrium.md gives these; 1e-300 is a call where nothing else that is meant is legal."""
    tree = game_tree(game)

    assert exploitability(tree, policy_with(tree, weights)).mean == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("game", [KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS], ids=range(5))
@pytest.mark.slow
def test_openspiel_finds_the_same_nash_conv(game: GameDefinition) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = openspiel_game(game)
    tree = game_tree(game)

    expected = pyspiel.nash_conv(theirs, pyspiel.UniformRandomPolicy(theirs), True)

    assert exploitability(tree, uniform_policy(tree)).nash_conv == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("game", [KUHN, LEDUC], ids=["kuhn-2p", "leduc"])
def test_no_strategy_wins_more_than_the_best_response(game: GameDefinition, position: int) -> None:
    """A linear program over what a player can do finds the same value."""
    tree = game_tree(game)
    policy = random_policy(tree, 1)
    own = [found for found in tree.information_sets() if found.position == position]
    gains = [gain_of_slots(tree, policy, position)]
    rows = np.zeros((len(own), tree.num_slots))
    for row, found in zip(rows, own, strict=True):
        row[found.slots] = 1.0
        parent = tree.arrays.parents[found.number]
        if parent >= 0:
            row[parent] -= 1.0
    starts = [float(tree.arrays.parents[found.number] < 0) for found in own]

    program = linprog(-gains[0], A_eq=rows, b_eq=starts)

    response = best_response(tree, policy, position)
    assert response.value == pytest.approx(-program.fun, abs=1e-9)
    assert values(tree, response.policy)[position] == pytest.approx(response.value, abs=1e-12)


def gain_of_slots(tree: GameTree, policy: Floats, position: int) -> Floats:
    """What a position wins by each of its sequences: by each slot, in the ends it leads to directly.

    Walks every hand by the rules' own nodes, one at a time.
    """
    gains = np.zeros(tree.num_slots)

    def walk(number: int, deal: int, chance: float, last: int) -> None:
        node = tree.nodes[number]
        if node.kind == -2:
            first = tree.arrays.blocks[number, 5]
            assert last >= 0, "both players act in every hand"
            gains[last] += chance * tree.arrays.payoffs[position, first + deal]
        elif node.kind == -1:
            ways = tree.nodes[node.children[0]].size // node.size
            for way in range(ways):
                walk(node.children[0], deal * ways + way, chance / ways, last)
        else:
            view = tree.views_at(node)[deal]
            for action, child in enumerate(node.children):
                slot = node.first_slot + action * node.num_views + view
                if node.kind == position:
                    walk(child, deal, chance, slot)
                else:
                    walk(child, deal, chance * policy[slot], last)

    for deal, chance in enumerate(tree.arrays.deals):
        walk(0, deal, chance, -1)
    return gains


def test_nobody_loses_by_a_best_response() -> None:
    for game in (KUHN, KUHN_3P, LEDUC):
        tree = game_tree(game)
        found = exploitability(tree, random_policy(tree, 3))
        assert all(best >= now for best, now in zip(found.responses, found.values, strict=True))
        assert sum(found.values) == pytest.approx(0, abs=1e-12)
