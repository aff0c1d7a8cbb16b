"""Range of Skill: a list of strategies, each of which beats every one before it by ε or more.

The greatest length of such a list measures how much room for skill a game has.  The algorithm builds a list.
The next strategy is always a *generalised best response*: it maximises its smallest win against the
strategies so far.  Once even that is less than ε, no strategy beats the whole list by ε, and nobody beats the
right mixture of the list by ε.

The generalised best response is found by double oracle.  The results of the known responses against the list
form a table, which is solved as a matrix game.  The best response to the resulting mixture of the list is
added, and so on, until it wins no more than the table says.

Source: M. Zinkevich, M. Bowling, N. Burch, *A New Algorithm for Generating Equilibria in Massive Zero-Sum
Games* (2007).
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.solving.game_tree import GameTree
from engine.solving.mixtures.mixing import mixed, solve_matrix_game
from engine.solving.responses import full_response, won_of
from engine.solving.strategies import uniform_policy

__all__ = ["Step", "range_of_skill", "won_of"]

Floats = NDArray[np.float64]

_PRECISION = 1e-7
"""How exact a generalised best response is, in chips per hand."""


@attrs.frozen(eq=False)
class Step:
    """One more strategy of the list or, as the last step, the proof that there is none."""

    policy: Floats
    """The generalised best response to all strategies before it, by slot."""
    gain: float
    """What it wins at least from each of them, in chips per hand, the mean over both seats."""
    mixture: Floats
    """The mixture of the strategies before it from which nobody wins more than `gain`, by slot."""


def range_of_skill(tree: GameTree, epsilon: float, first: Floats | None = None) -> Iterator[Step]:
    """The steps of the algorithm; the last one gains less than ε and adds no strategy to the list.

    A list of n strategies takes n steps: the first strategy is given, and step k finds the k-th after it.

    Args:
        tree: a game for two players.
        epsilon: ε in chips per hand, above 0.
        first: the first strategy of the list, by slot; None for the uniform one.

    Raises:
        ValueError: ε is not above 0, or the game is not for two players.
    """
    if not epsilon > 0:
        raise ValueError(f"expected an epsilon above 0, got {epsilon}")
    if tree.game.num_players != 2:
        raise ValueError(f"the range of skill is for two players, the game has {tree.game.num_players}")
    members = [uniform_policy(tree) if first is None else first]
    responses: list[Floats] = []
    results = np.empty((0, 1))
    while True:
        step, responses, results, rows = _generalised_best_response(tree, members, responses, results)
        yield step
        if step.gain < epsilon:
            return
        # Only responses with weight are worth keeping for the next step.
        responses = [response for response, weight in zip(responses, rows, strict=True) if weight > 0]
        results = results[rows > 0]
        members.append(step.policy)
        column = [[won_of(tree, response, step.policy)] for response in responses]
        results = np.hstack([results, np.array(column)])


def _generalised_best_response(
    tree: GameTree, members: list[Floats], responses: list[Floats], results: Floats
) -> tuple[Step, list[Floats], Floats, Floats]:
    """The next step, with the responses known by then, their results against the list, and their weights."""
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
    # Only those with weight, so that nobody else decides where none of them comes.
    parts = [(policy, weight) for policy, weight in zip(responses, rows, strict=True) if weight > 0]
    policy = mixed(tree, [each for each, _ in parts], [weight for _, weight in parts])
    return Step(policy, lower, mixture), responses, results, rows
