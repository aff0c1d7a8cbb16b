"""Range of Skill: a list of strategies, each of which beats every one before it by ε or more.

How long such a list can get says how much skill a game has room for.  The algorithm makes one: the next
strategy is a *generalised best response*, the one that wins the most of whichever of those before suits it
least.  When even that wins less than ε, no strategy beats all of the list by ε any more, and the right
mixture of the list cannot be beaten by ε by anybody.

The generalised best response is found by double oracle: the table of results of the responses known so far
against the list is solved as a matrix game, the best response to the mixture of the list is added, until it
wins no more than the table says.

Source: M. Zinkevich, M. Bowling, N. Burch, *A New Algorithm for Generating Equilibria in Massive Zero-Sum
Games* (2007).
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.equilibrium.game_tree import GameTree
from engine.equilibrium.mixtures.mixing import mixed, solve_matrix_game
from engine.equilibrium.responses import full_response
from engine.equilibrium.strategies import uniform_policy
from engine.equilibrium.values import values

__all__ = ["Step", "range_of_skill", "won_of"]

Floats = NDArray[np.float64]

_PRECISION = 1e-7
"""Of a generalised best response, in chips a hand."""


@attrs.frozen(eq=False)
class Step:
    """One more strategy of the list; or, as the last step, why there is none."""

    policy: Floats
    """The generalised best response to all strategies before it."""
    gain: float
    """What it wins of each of those before, at least: chips a hand, the mean of both seats."""
    mixture: Floats
    """Of those before: nobody wins more than `gain` of it."""


def won_of(tree: GameTree, policy: Floats, opponent: Floats) -> float:
    """Chips a hand a policy wins of another, the mean of both seats."""
    won = 0.0
    for seat in (0, 1):
        seated = opponent.copy()
        for node in tree.decisions:
            if node.kind == seat:
                node.slots(seated)[:] = node.slots(policy)
        won += values(tree, seated)[seat]
    return won / 2


def range_of_skill(tree: GameTree, epsilon: float, first: Floats | None = None) -> Iterator[Step]:
    """The steps of the algorithm, the last of which gains less than ε and is no member of the list.

    A list of n strategies takes n steps: the first strategy is given, and step k adds the k-th after it.

    Args:
        tree: a game for two.
        epsilon: chips a hand, above 0.
        first: the first strategy of the list; None for the uniform one.

    Raises:
        ValueError: ε that is not above 0, or a game that is not for two.
    """
    if not epsilon > 0:
        raise ValueError(f"expected an epsilon above 0, got {epsilon}")
    if tree.game.num_players != 2:
        raise ValueError(f"the range of skill is of games for two, this one has {tree.game.num_players}")
    members = [uniform_policy(tree) if first is None else first]
    responses: list[Floats] = []
    results = np.empty((0, 1))
    while True:
        step, responses, results, rows = _generalised_best_response(tree, members, responses, results)
        yield step
        if step.gain < epsilon:
            return
        # Only those that took part are worth beginning with again.
        responses = [response for response, weight in zip(responses, rows, strict=True) if weight > 0]
        results = results[rows > 0]
        members.append(step.policy)
        column = [[won_of(tree, response, step.policy)] for response in responses]
        results = np.hstack([results, np.array(column)])


def _generalised_best_response(
    tree: GameTree, members: list[Floats], responses: list[Floats], results: Floats
) -> tuple[Step, list[Floats], Floats, Floats]:
    """The next step, with all responses that are known by then, their results and their weights."""
    mixture = members[-1]
    lower = -np.inf
    rows: Floats = np.empty(0)
    if responses:
        game = solve_matrix_game(results)
        mixture, lower, rows = mixed(tree, members, game.columns), game.value, game.rows
    while True:
        response = full_response(tree, mixture)
        if won_of(tree, response, mixture) <= lower + _PRECISION:
            break
        responses = [*responses, response]
        results = np.vstack([results, [won_of(tree, response, member) for member in members]])
        game = solve_matrix_game(results)
        mixture, lower, rows = mixed(tree, members, game.columns), game.value, game.rows
    # Of those that take part, so that where none of them comes nobody else is asked.
    parts = [(policy, weight) for policy, weight in zip(responses, rows, strict=True) if weight > 0]
    policy = mixed(tree, [each for each, _ in parts], [weight for _, weight in parts])
    return Step(policy, lower, mixture), responses, results, rows
