"""Mixtures of strategies: as one strategy that plays alike, and who mixes best in a table of results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.equilibrium.game_tree import GameTree

__all__ = ["MatrixGame", "mixed", "sequences", "solve_matrix_game"]

Floats = NDArray[np.float64]

_NOTHING: Final = 1e-12
"""Less is rounding."""


def sequences(tree: GameTree, policy: Floats) -> Floats:
    """How likely a player's own actions lead to and through each slot, whatever the others and the cards do.

    Source: Koller, Megiddo, von Stengel, *Fast Algorithms for Finding Randomized Strategies in Game Trees*
    (1994): realization weights.
    """
    reach = np.empty(tree.num_slots)
    for node in tree.decisions:
        parents = tree.arrays.parents[node.first_set : node.first_set + node.num_views]
        before = np.where(parents >= 0, reach[parents], 1.0)
        node.slots(reach)[:] = node.slots(policy) * before
    return reach


def mixed(tree: GameTree, policies: Sequence[Floats], weights: Sequence[float] | Floats) -> Floats:
    """The policy that plays as somebody who draws one of several before each hand, in both seats.

    Where none of them ever comes, it plays as their mean.

    Args:
        tree: of the game.
        policies: one or more.
        weights: their chances, which add up to 1.

    Raises:
        ValueError: not as many weights as policies.
    """
    total = np.zeros(tree.num_slots)
    mean = np.zeros(tree.num_slots)
    for policy, weight in zip(policies, weights, strict=True):
        if weight > 0:
            total += weight * sequences(tree, policy)
        mean += policy / len(policies)
    result = np.empty(tree.num_slots)
    for node in tree.decisions:
        through = node.slots(total)
        arrives = through.sum(axis=0)
        comes = arrives > _NOTHING
        node.slots(result)[:] = np.where(comes, through / np.where(comes, arrives, 1.0), node.slots(mean))
    return result


@attrs.frozen(eq=False)
class MatrixGame:
    """The solution of a game of two players who each choose a line of a table."""

    value: float
    """What the chooser of the row wins at least, and at most if the column is chosen well."""
    rows: Floats
    """Chances of the rows."""
    columns: Floats
    """Chances of the columns."""


def solve_matrix_game(payoffs: Floats) -> MatrixGame:
    """An equilibrium of a table of what the chooser of the row wins of the chooser of the column.

    By the simplex method on the columns' linear program: the steepest column enters; after as many steps as
    should do twice over, Bland's rule takes over, which cannot cycle.

    Args:
        payoffs: shape (rows, columns).
    """
    rows, columns = payoffs.shape
    shift = 1.0 - float(payoffs.min())
    # Maximise sum(y) subject to (payoffs + shift) y <= 1, y >= 0; the value is then 1 / sum(y).
    tableau = np.zeros((rows + 1, columns + rows + 1))
    tableau[:rows, :columns] = payoffs + shift
    tableau[:rows, columns:-1] = np.eye(rows)
    tableau[:rows, -1] = 1.0
    tableau[rows, :columns] = -1.0
    basis = np.arange(columns, columns + rows)
    pivots = 0
    while True:
        entering = np.flatnonzero(tableau[rows, :-1] < -_NOTHING)
        if not entering.size:
            break
        pivots += 1
        steepest = pivots <= 4 * (rows + columns)
        column = int(np.argmin(tableau[rows, :-1]) if steepest else entering[0])
        usable = tableau[:rows, column] > _NOTHING
        ratios = np.where(usable, tableau[:rows, -1] / np.where(usable, tableau[:rows, column], 1.0), np.inf)
        ties = np.flatnonzero(ratios <= ratios.min() + _NOTHING)
        row = int(ties[np.argmin(basis[ties])])
        tableau[row] /= tableau[row, column]
        others = np.arange(rows + 1) != row
        tableau[others] -= np.outer(tableau[others, column], tableau[row])
        basis[row] = column
    solution = np.zeros(columns + rows)
    solution[basis] = tableau[:rows, -1]
    total = float(solution[:columns].sum())
    duals = np.maximum(tableau[rows, columns:-1], 0.0)
    return MatrixGame(1.0 / total - shift, duals / duals.sum(), np.maximum(solution[:columns], 0.0) / total)
