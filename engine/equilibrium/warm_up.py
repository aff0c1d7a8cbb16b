"""Compiling what solving and measuring games takes, before a clock runs."""

from __future__ import annotations

import numpy as np

from engine.combos import NUM_COMBOS
from engine.equilibrium.bounds.players import AskedPlayer
from engine.equilibrium.bounds.river_round import RiverRound
from engine.equilibrium.bounds.shapes import Bettings
from engine.equilibrium.game_tree import GameTree
from engine.equilibrium.solver import Solver
from engine.equilibrium.values import exploitability
from engine.rules import load_game

__all__ = ["warm_up"]


def warm_up() -> None:
    """Solve Kuhn's game by every kernel there is, and answer somebody on one river."""
    tree = GameTree(load_game("kuhn-2p"))
    for solver in (Solver(tree, "cfr+"), Solver(tree, "mcfr")):
        solver.run(1)
        exploitability(tree, solver.average().policy)
    river = RiverRound(Bettings(load_game("limit-2p")), AskedPlayer(lambda betting, board: [(0, 1, 0)]), 0)
    lanes = river.lanes([0], [np.ones((NUM_COMBOS, 1), np.float32)])
    river.add((0, 5, 10, 15, 20), np.arange(NUM_COMBOS)[None], lanes)
