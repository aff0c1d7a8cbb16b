"""Compiling what solving and measuring small games takes, before a clock runs."""

from __future__ import annotations

from engine.equilibrium.game_tree import GameTree
from engine.equilibrium.solver import Solver
from engine.equilibrium.values import exploitability
from engine.rules import load_game

__all__ = ["warm_up"]


def warm_up() -> None:
    """Solve Kuhn's game by every kernel there is."""
    tree = GameTree(load_game("kuhn-2p"))
    for solver in (Solver(tree, "cfr+"), Solver(tree, "mcfr")):
        solver.run(1)
        exploitability(tree, solver.average().policy)
