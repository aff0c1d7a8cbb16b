"""A mixture of strategies as one equivalent strategy, and the optimal mixtures of a matrix game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.solving.game_tree import GameTree

__all__ = ["MatrixGame", "mixed", "sequences", "solve_matrix_game"]

Floats = NDArray[np.float64]

_ROUNDING: Final = 1e-12
"""Smaller numbers are taken for rounding errors."""


def sequences(tree: GameTree, policy: Floats) -> Floats:
    """Realization weights: for each slot, the chance that the player's own actions lead to and through it.

    The chances of the other players and of the cards are left out.  Shape (slots,).

    Source: Koller, Megiddo, von Stengel, *Fast Algorithms for Finding Randomized Strategies in Game Trees*
    (1994).
    """
    reach = np.empty(tree.num_slots)
    for node in tree.decisions:
        parents = tree.arrays.parents[node.first_set : node.first_set + node.num_views]
        before = np.where(parents >= 0, reach[parents], 1.0)
        node.slots(reach)[:] = node.slots(policy) * before
    return reach


def mixed(tree: GameTree, policies: Sequence[Floats], weights: Sequence[float] | Floats) -> Floats:
    """The policy equivalent to drawing one of several policies before each hand, in all seats; by slot.

    Where none of them ever plays to, it is their mean.

    Args:
        tree: the game.
        policies: one or more policies.
        weights: their chances, which add up to 1.

    Raises:
        ValueError: there are not as many weights as policies.
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
        comes = arrives > _ROUNDING
        node.slots(result)[:] = np.where(comes, through / np.where(comes, arrives, 1.0), node.slots(mean))
    return result


@attrs.frozen(eq=False)
class MatrixGame:
    """The solution of a zero-sum matrix game."""

    value: float
    """What the row player wins on average if both play optimally."""
    rows: Floats
    """The row player's chances, shape (rows,)."""
    columns: Floats
    """The column player's chances, shape (columns,)."""


def solve_matrix_game(payoffs: Floats) -> MatrixGame:
    """An equilibrium of a zero-sum matrix game.

    By the simplex method on the column player's linear program.  The steepest column enters; after twice as
    many steps as should suffice, Bland's rule takes over, which cannot cycle.

    Args:
        payoffs: what the row player wins from the column player, shape (rows, columns).
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
        entering = np.flatnonzero(tableau[rows, :-1] < -_ROUNDING)
        if not entering.size:
            break
        pivots += 1
        steepest = pivots <= 4 * (rows + columns)
        column = int(np.argmin(tableau[rows, :-1]) if steepest else entering[0])
        usable = tableau[:rows, column] > _ROUNDING
        ratios = np.where(usable, tableau[:rows, -1] / np.where(usable, tableau[:rows, column], 1.0), np.inf)
        ties = np.flatnonzero(ratios <= ratios.min() + _ROUNDING)
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
